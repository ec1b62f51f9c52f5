//===- GPUKernelABI.cpp - The parameters of GPU kernels -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What starts kernels passes addresses and sizes, and the address of a word
// that checks of data write to: there is nobody to return an error to.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToGPU/KernelToGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::relay {
#define GEN_PASS_DEF_GPUKERNELABIPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Whether the type of a buffer says what its parameter is. Layouts of no
/// elements have strides that are no constants.
static bool isParameterType(MemRefType type) {
  return type.hasStaticShape() && type.getNumElements() != 0;
}

/// What a buffer of `type` is as a parameter.
static MemRefType getParameterType(MemRefType type) {
  if (isParameterType(type))
    return type;
  return MemRefType::get(ShapedType::kDynamic, type.getElementType(),
                         MemRefLayoutAttrInterface(), type.getMemorySpace());
}

/// The row-major buffer of `type` at the address of a parameter.
static Value createBuffer(OpBuilder &builder, Location loc, MemRefType type,
                          Value parameter, ArrayRef<Value> dims) {
  if (isParameterType(type))
    return parameter;
  SmallVector<OpFoldResult> sizes, strides(type.getRank());
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(builder.getIndexAttr(size));
      continue;
    }
    sizes.push_back(dims.front());
    dims = dims.drop_front();
  }
  OpFoldResult stride = builder.getIndexAttr(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    auto constant = getConstantIntValue(stride);
    auto size = getConstantIntValue(sizes[dim]);
    if (constant && size)
      stride = builder.getIndexAttr(*constant * *size);
    else
      stride = arith::MulIOp::create(
                   builder, loc,
                   getValueOrCreateConstantIndexOp(builder, loc, stride),
                   getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]))
                   .getResult();
  }
  // Strides that are not constants are in the type of what comes of it.
  SmallVector<int64_t> staticStrides;
  SmallVector<Value> dynamicStrides;
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  auto strided = MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(builder.getContext(), 0, staticStrides),
      type.getMemorySpace());
  Value buffer = memref::ReinterpretCastOp::create(
      builder, loc, strided, parameter, builder.getIndexAttr(0), sizes,
      strides);
  return memref::CastOp::create(builder, loc, type, buffer);
}

namespace {

struct GPUKernelABIPass : relay::impl::GPUKernelABIPassBase<GPUKernelABIPass> {
  using Base::Base;

  void runOnOperation() override {
    // A kernel that a launch before may have ended does not go on.
    DenseSet<int64_t> checked;
    auto functions = llvm::to_vector(getOperation().getOps<gpu::GPUFuncOp>());
    for (gpu::GPUFuncOp function : functions)
      for (Type type : function.getArgumentTypes())
        if (!isa<MemRefType>(type)) {
          function.emitError("expects parameters that are memrefs of known "
                             "rank, but got ")
              << type;
          return signalPassFailure();
        }
    for (gpu::GPUFuncOp function : functions)
      if (hasAssertion(function))
        checked.insert(getNumber(function));
    for (gpu::GPUFuncOp function : functions)
      convert(function, checked.contains(getNumber(function)));
  }

  static int64_t getNumber(gpu::GPUFuncOp function) {
    auto number = function->getAttrOfType<IntegerAttr>(kKernelNumberAttr);
    return number ? number.getInt() : 1;
  }

  static bool hasAssertion(gpu::GPUFuncOp function) {
    return function.walk([](cf::AssertOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  void convert(gpu::GPUFuncOp function, bool isChecked) {
    OpBuilder builder(&getContext());
    Location loc = function.getLoc();
    Block &entry = function.getBody().front();
    SmallVector<MemRefType> buffers;
    for (Type type : function.getArgumentTypes())
      buffers.push_back(cast<MemRefType>(type));
    auto statusType = MemRefType::get(1, builder.getI32Type());

    SmallVector<Type> inputs;
    for (MemRefType type : buffers)
      inputs.push_back(getParameterType(type));
    for (MemRefType type : buffers)
      inputs.append(type.getNumDynamicDims(), builder.getI64Type());
    inputs.push_back(statusType);

    // Arguments come before attributions of memory.
    unsigned numOld = buffers.size();
    for (auto [index, type] : llvm::enumerate(inputs))
      entry.insertArgument(numOld + index, type, loc);
    auto parameters = entry.getArguments().slice(numOld, inputs.size());
    builder.setInsertionPointToStart(&entry);
    SmallVector<Value> dims;
    for (Value dim : ValueRange(parameters).drop_front(numOld).drop_back(1))
      dims.push_back(arith::IndexCastOp::create(builder, loc,
                                                builder.getIndexType(), dim));
    ArrayRef<Value> next = dims;
    for (auto [index, type] : llvm::enumerate(buffers)) {
      Value buffer = createBuffer(builder, loc, type, parameters[index], next);
      next = next.drop_front(type.getNumDynamicDims());
      entry.getArgument(index).replaceAllUsesWith(buffer);
    }
    Value status = parameters.back();
    Operation *first = entry.empty() ? nullptr : &*builder.getInsertionPoint();
    convertAssertions(function, status, getNumber(function));
    if (isChecked)
      runUnlessFailed(function, status, first);
    entry.eraseArguments(0, numOld);
    function.setFunctionType(builder.getFunctionType(inputs, {}));
  }

  /// The first check that fails says so; nothing waits for it.
  static void convertAssertions(gpu::GPUFuncOp function, Value status,
                                int64_t number) {
    SmallVector<cf::AssertOp> assertions;
    function.walk([&](cf::AssertOp op) { assertions.push_back(op); });
    for (cf::AssertOp op : assertions) {
      OpBuilder builder(op);
      Location loc = op.getLoc();
      Value isTrue = arith::ConstantIntOp::create(builder, loc, 1, 1);
      Value hasFailed =
          arith::XOrIOp::create(builder, loc, op.getArg(), isTrue);
      auto ifOp = scf::IfOp::create(builder, loc, hasFailed,
                                    /*withElseRegion=*/false);
      builder.setInsertionPointToStart(ifOp.thenBlock());
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      Value code = arith::ConstantIntOp::create(builder, loc, number, 32);
      // Numbers of kernels that fail at once: the largest one stays.
      memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::maxu,
                                  code, status, zero);
      op.erase();
    }
  }

  /// Puts what comes after `first` under the condition that nothing failed.
  static void runUnlessFailed(gpu::GPUFuncOp function, Value status,
                              Operation *first) {
    Block &entry = function.getBody().front();
    OpBuilder builder(first);
    Location loc = function.getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value word = memref::LoadOp::create(builder, loc, status, ValueRange(zero));
    Value none = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value isOk = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       word, none);
    auto ifOp = scf::IfOp::create(builder, loc, isOk, /*withElseRegion=*/false);
    Block *body = ifOp.thenBlock();
    body->getOperations().splice(body->begin(), entry.getOperations(),
                                 std::next(ifOp->getIterator()),
                                 entry.getTerminator()->getIterator());
  }
};

} // namespace
