//===- KernelABI.cpp - The exported form of kernels -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the exported function of each kernel (Runtime/KernelABI.h). The kernel
// itself becomes a function on pointers that LLVM may take not to alias; the
// exported one reads pointers and sizes from the packed arguments and calls it.
// Parallel loops, which OutlineParallel.cpp has made functions of, are called
// through the context, and so are functions of strings. Assertions about data
// become an early return with an error.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelErrors.h"
#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

namespace mlir::relay {
#define GEN_PASS_DEF_KERNELABIPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Builds the exported functions of one module.
class ABIBuilder {
public:
  explicit ABIBuilder(MLIRContext *context)
      : builder(context), ptr(LLVM::LLVMPointerType::get(context)),
        i64(builder.getI64Type()), i32(builder.getI32Type()) {}

  void convert(func::FuncOp function);

private:
  /// The descriptor of a row-major buffer, as the lowering of memref has it.
  Value createMemRef(MemRefType type, Value data, ValueRange sizes);
  void createEntry(func::FuncOp body, StringRef name, ArrayRef<Type> memrefs,
                   bool isKernel);
  void convertParallelCalls(func::FuncOp body, Value args, Value dims,
                            Value context);
  void convertAssertions(func::FuncOp body, Value context);
  void convertStringCalls(func::FuncOp body, Value context);
  /// Returns the point before the return.
  OpBuilder::InsertPoint returnUnless(Value isOk, Value status,
                                      Operation *before);
  LLVM::GlobalOp getText(func::FuncOp body, StringAttr text);
  Value getInt(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64, value);
  }

  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
  Type ptr, i64, i32;
  /// What kernels of the module expect.
  DenseMap<StringAttr, LLVM::GlobalOp> texts;
};

} // namespace

Value ABIBuilder::createMemRef(MemRefType type, Value data, ValueRange sizes) {
  int64_t rank = type.getRank();
  SmallVector<Type> fields{ptr, ptr, i64};
  if (rank > 0)
    fields.append(2, LLVM::LLVMArrayType::get(i64, rank));
  auto structType =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), fields);
  auto descriptor = MemRefDescriptor::poison(builder, loc, structType);
  descriptor.setAllocatedPtr(builder, loc, data);
  descriptor.setAlignedPtr(builder, loc, data);
  descriptor.setConstantOffset(builder, loc, 0);
  SmallVector<Value> dims;
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size)) {
      dims.push_back(sizes.front());
      sizes = sizes.drop_front();
    } else {
      dims.push_back(getInt(size));
    }
  }
  Value stride = getInt(1);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    descriptor.setSize(builder, loc, dim, dims[dim]);
    descriptor.setStride(builder, loc, dim, stride);
    if (dim > 0)
      stride = LLVM::MulOp::create(builder, loc, stride, dims[dim]);
  }
  return UnrealizedConversionCastOp::create(builder, loc, type,
                                            Value(descriptor))
      .getResult(0);
}

/// Calls of parallel bodies go through the context.
void ABIBuilder::convertParallelCalls(func::FuncOp body, Value args, Value dims,
                                      Value context) {
  SmallVector<func::CallOp> calls;
  for (func::CallOp call : body.getOps<func::CallOp>())
    if (call->hasAttr(tir::kParallelAttr))
      calls.push_back(call);
  for (func::CallOp call : calls) {
    builder.setInsertionPoint(call);
    loc = call.getLoc();
    Value function =
        LLVM::AddressOfOp::create(builder, loc, ptr, call.getCallee());
    // The first member of RelayKernelContext.
    Value parallelFor = LLVM::LoadOp::create(builder, loc, ptr, context);
    Value extent = arith::IndexCastOp::create(builder, loc, i64,
                                              call.getOperands().back());
    auto type = LLVM::LLVMFunctionType::get(i32, {ptr, ptr, ptr, ptr, i64});
    Value status =
        LLVM::CallOp::create(
            builder, loc, type,
            ValueRange{parallelFor, context, function, args, dims, extent})
            .getResult();
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value isOk = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       status, zero);
    returnUnless(isOk, status, call);
    call.erase();
  }
}

/// An error ends the kernel: what follows would read what is not there.
OpBuilder::InsertPoint ABIBuilder::returnUnless(Value isOk, Value status,
                                                Operation *before) {
  Block *block = before->getBlock();
  Block *after = block->splitBlock(before);
  Block *exit =
      builder.createBlock(block->getParent(), block->getParent()->end());
  auto ret = func::ReturnOp::create(builder, loc, status);
  builder.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(builder, loc, isOk, after, exit);
  return {exit, ret->getIterator()};
}

/// A constant string of C; equal ones of a module are one.
LLVM::GlobalOp ABIBuilder::getText(func::FuncOp body, StringAttr text) {
  LLVM::GlobalOp &global = texts[text];
  if (global)
    return global;
  OpBuilder::InsertionGuard guard(builder);
  auto module = body->getParentOfType<ModuleOp>();
  builder.setInsertionPointToStart(module.getBody());
  std::string bytes = text.str() + '\0';
  global = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Private,
      "expectation." + std::to_string(texts.size() - 1),
      builder.getStringAttr(bytes));
  return global;
}

/// What kernels check of their data ends them with an error, and says what was
/// expected.
void ABIBuilder::convertAssertions(func::FuncOp body, Value context) {
  SmallVector<cf::AssertOp> assertions(body.getOps<cf::AssertOp>());
  for (cf::AssertOp assertion : assertions) {
    builder.setInsertionPoint(assertion);
    loc = assertion.getLoc();
    Value status = arith::ConstantIntOp::create(builder, loc, kCheckFailed, 32);
    builder.restoreInsertionPoint(
        returnUnless(assertion.getArg(), status, assertion));
    Value text = LLVM::AddressOfOp::create(
        builder, loc, getText(body, assertion.getMsgAttr()));
    Value address =
        LLVM::GEPOp::create(builder, loc, ptr, builder.getI8Type(), context,
                            ArrayRef<LLVM::GEPArg>{kExpectationOffset});
    Value expectation = LLVM::LoadOp::create(builder, loc, ptr, address);
    LLVM::StoreOp::create(builder, loc, text, expectation);
    assertion.erase();
  }
}

/// Functions of strings get their arguments in memory, where they also leave
/// their result. Calls are within loops: so those after a failed one are called
/// as well, and the kernel returns the error at its end.
void ABIBuilder::convertStringCalls(func::FuncOp body, Value context) {
  SmallVector<tir::StringCallOp> calls;
  size_t maxArgs = 0;
  body.walk([&](tir::StringCallOp call) {
    calls.push_back(call);
    maxArgs = std::max<size_t>(maxArgs, call.getOperands().size());
  });
  if (calls.empty())
    return;
  builder.setInsertionPointToStart(&body.getBody().front());
  loc = body.getLoc();
  Value args = LLVM::AllocaOp::create(builder, loc, ptr, i64, getInt(maxArgs));
  Value result = LLVM::AllocaOp::create(builder, loc, ptr, i64, getInt(1));
  Value status = LLVM::AllocaOp::create(builder, loc, ptr, i32, getInt(1));
  LLVM::StoreOp::create(builder, loc, getInt(0), result);
  LLVM::StoreOp::create(builder, loc,
                        LLVM::ConstantOp::create(builder, loc, i32, 0), status);
  auto type = LLVM::LLVMFunctionType::get(i32, {ptr, i32, ptr, i32, ptr});
  for (tir::StringCallOp call : calls) {
    builder.setInsertionPoint(call);
    loc = call.getLoc();
    for (auto [position, operand] : llvm::enumerate(call.getOperands())) {
      Value address =
          LLVM::GEPOp::create(builder, loc, ptr, i64, args,
                              ArrayRef<LLVM::GEPArg>{int32_t(position)});
      LLVM::StoreOp::create(builder, loc, operand, address);
    }
    Value address =
        LLVM::GEPOp::create(builder, loc, ptr, builder.getI8Type(), context,
                            ArrayRef<LLVM::GEPArg>{kCallStringFunctionOffset});
    Value function = LLVM::LoadOp::create(builder, loc, ptr, address);
    Value number =
        LLVM::ConstantOp::create(builder, loc, i32, call.getFunction());
    Value count =
        LLVM::ConstantOp::create(builder, loc, i32, call.getOperands().size());
    Value own = LLVM::CallOp::create(
                    builder, loc, type,
                    ValueRange{function, context, number, args, count, result})
                    .getResult();
    Value before = LLVM::LoadOp::create(builder, loc, i32, status);
    LLVM::StoreOp::create(
        builder, loc, LLVM::OrOp::create(builder, loc, before, own), status);
    Value made = LLVM::LoadOp::create(builder, loc, i64, result);
    call.getResult().replaceAllUsesWith(made);
    call.erase();
  }
  for (auto ret : body.getOps<func::ReturnOp>()) {
    builder.setInsertionPoint(ret);
    loc = ret.getLoc();
    Value last = LLVM::LoadOp::create(builder, loc, i32, status);
    ret.getOperandsMutable().assign(last);
  }
}

/// The exported function, or the one that the context calls for a part of a
/// parallel loop: unpacks and calls.
void ABIBuilder::createEntry(func::FuncOp body, StringRef name,
                             ArrayRef<Type> memrefs, bool isKernel) {
  loc = body.getLoc();
  builder.setInsertionPointAfter(body);
  SmallVector<Type> inputs{ptr, ptr};
  if (isKernel)
    inputs.push_back(ptr);
  else
    inputs.append(2, i64);
  Type result = isKernel ? i32 : LLVM::LLVMVoidType::get(builder.getContext());
  auto entry = LLVM::LLVMFuncOp::create(
      builder, loc, name, LLVM::LLVMFunctionType::get(result, inputs),
      isKernel ? LLVM::Linkage::External : LLVM::Linkage::Internal);
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  Value args = block->getArgument(0), dims = block->getArgument(1);
  auto loadElement = [&](Type type, Value base, int64_t index) -> Value {
    Value address = LLVM::GEPOp::create(builder, loc, ptr, type, base,
                                        ArrayRef<LLVM::GEPArg>{int32_t(index)});
    auto load = LLVM::LoadOp::create(builder, loc, type, address);
    load.setInvariant(true);
    return load;
  };
  SmallVector<Value> operands;
  int64_t numDims = 0;
  for (auto [index, type] : llvm::enumerate(memrefs)) {
    operands.push_back(loadElement(ptr, args, index));
    numDims += cast<MemRefType>(type).getNumDynamicDims();
  }
  for (int64_t dim = 0; dim < numDims; ++dim)
    operands.push_back(loadElement(i64, dims, dim));
  llvm::append_range(operands, block->getArguments());
  auto call = func::CallOp::create(builder, loc, body, operands);
  LLVM::ReturnOp::create(builder, loc, call.getResults());
}

void ABIBuilder::convert(func::FuncOp function) {
  bool isKernel = function->hasAttr(tir::kKernelAttr);
  loc = function.getLoc();
  std::string name = function.getSymName().str();
  SmallVector<Type> memrefs(function.getArgumentTypes());
  if (!isKernel)
    memrefs.pop_back_n(2);

  // Pointers, then sizes, then what the entry was called with.
  Block &entry = function.getBody().front();
  SmallVector<Type> inputs(memrefs.size(), ptr);
  for (Type type : memrefs)
    inputs.append(cast<MemRefType>(type).getNumDynamicDims(), i64);
  SmallVector<DictionaryAttr> argAttrs;
  for (unsigned index = 0; index < memrefs.size(); ++index) {
    NamedAttrList attrs;
    if (!function.getArgAttr(index, tir::kSharedAttr))
      attrs.set(LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    attrs.set(LLVM::LLVMDialect::getNoUndefAttrName(), builder.getUnitAttr());
    // What the caller brings is aligned as its elements are.
    if (function.getArgAttr(index, tir::PrimFuncOp::kWorkspace))
      attrs.set(LLVM::LLVMDialect::getAlignAttrName(),
                builder.getI64IntegerAttr(64));
    argAttrs.push_back(attrs.getDictionary(builder.getContext()));
  }
  inputs.append({ptr, ptr});
  if (isKernel)
    inputs.push_back(ptr);
  else
    inputs.append({i64, i64});
  argAttrs.resize(inputs.size(), builder.getDictionaryAttr({}));

  unsigned numOld = entry.getNumArguments();
  for (Type type : inputs)
    entry.addArgument(type, loc);
  auto newArgs = entry.getArguments().drop_front(numOld);
  builder.setInsertionPointToStart(&entry);
  SmallVector<Value> sizes(newArgs.drop_front(memrefs.size()));
  ArrayRef<Value> nextSize = sizes;
  for (auto [index, type] : llvm::enumerate(memrefs)) {
    auto memref = cast<MemRefType>(type);
    Value buffer = createMemRef(memref, newArgs[index], nextSize);
    nextSize = nextSize.drop_front(memref.getNumDynamicDims());
    entry.getArgument(index).replaceAllUsesWith(buffer);
  }
  if (isKernel) {
    for (func::ReturnOp ret :
         llvm::to_vector(function.getOps<func::ReturnOp>())) {
      builder.setInsertionPoint(ret);
      Value zero = arith::ConstantIntOp::create(builder, ret.getLoc(), 0, 32);
      ret.getOperandsMutable().assign(zero);
    }
    // Before other errors have returns of their own.
    convertStringCalls(function, newArgs.back());
    convertParallelCalls(function, newArgs.take_back(3)[0],
                         newArgs.take_back(3)[1], newArgs.back());
    convertAssertions(function, newArgs.back());
  } else {
    for (unsigned bound : {1u, 2u}) {
      Value range = arith::IndexCastOp::create(
          builder, loc, builder.getIndexType(), newArgs.take_back(bound)[0]);
      entry.getArgument(numOld - bound).replaceAllUsesWith(range);
    }
  }
  entry.eraseArguments(0, numOld);
  function.setFunctionType(
      builder.getFunctionType(inputs, isKernel ? TypeRange(i32) : TypeRange()));
  function.setAllArgAttrs(argAttrs);
  function.setSymName(name + ".body");
  function.setPrivate();
  function->removeAttr(tir::kKernelAttr);
  function->removeAttr(tir::kParallelBodyAttr);
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(builder.getContext(), LLVM::Linkage::Internal));
  // Pointers do not alias inside the body; merged into its caller, which loads
  // them from memory, much of that would be lost.
  function->setAttr("passthrough",
                    builder.getArrayAttr(builder.getStringAttr("noinline")));
  createEntry(function, name, memrefs, isKernel);
}

/// Whether some user of `buffer` may write to it.
static bool isWritten(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    return !isa<func::CallOp, memref::DimOp, memref::LoadOp, vector::GatherOp,
                vector::LoadOp, vector::MaskedLoadOp, vector::TransferReadOp>(
        user);
  });
}

/// Marks the buffers that a kernel accesses both itself and in a parallel body,
/// which gets them from the array of arguments, if one of the two writes: they
/// do have another name while the kernel runs.
static void markSharedBuffers(func::FuncOp kernel, SymbolTable &symbols) {
  SmallVector<func::FuncOp> bodies;
  for (auto call : kernel.getOps<func::CallOp>())
    if (call->hasAttr(tir::kParallelAttr))
      bodies.push_back(symbols.lookup<func::FuncOp>(call.getCallee()));
  for (BlockArgument buffer : kernel.getArguments()) {
    bool isUsedHere = llvm::any_of(buffer.getUsers(), [](Operation *user) {
      return !isa<func::CallOp, memref::DimOp>(user);
    });
    bool isUsedThere = false, mayWrite = isWritten(buffer);
    for (func::FuncOp body : bodies) {
      Value there = body.getArgument(buffer.getArgNumber());
      isUsedThere |= !there.use_empty();
      mayWrite |= isWritten(there);
    }
    if (isUsedHere && isUsedThere && mayWrite)
      kernel.setArgAttr(buffer.getArgNumber(), tir::kSharedAttr,
                        UnitAttr::get(kernel.getContext()));
  }
}

namespace {
struct KernelABIPass : relay::impl::KernelABIPassBase<KernelABIPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(tir::kKernelAttr)) {
        // What is for another device is not called by the program.
        if (lookupTarget(function) && failed(getTargetCPU(function)))
          return signalPassFailure();
        markSharedBuffers(function, symbols);
      }
    // Parallel bodies first: kernels then refer to their entries.
    SmallVector<func::FuncOp> functions;
    for (StringRef kind : {tir::kParallelBodyAttr, tir::kKernelAttr})
      for (auto function : getOperation().getOps<func::FuncOp>())
        if (function->hasAttr(kind))
          functions.push_back(function);
    ABIBuilder abi(&getContext());
    for (func::FuncOp function : functions)
      abi.convert(function);
  }
};
} // namespace
