//===- HostModule.cpp - The program of an artefact ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions here are straight-line code: sizes are computed once at the
// start, then each kernel call fills an array of pointers and one of sizes.
// What every call does besides is in one small function of its own.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/HostModule.h"

#include "CodeBuilder.h"
#include "HostData.h"
#include "ShapesFunction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/IR/Work.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Support/ModuleTranslation.h"
#include "relay-mlir/Support/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;
using relay::detail::CodeBuilder;
using relay::detail::HostData;
using relay::detail::ShapesFunction;

namespace {

using Member = HostData::Member;

constexpr StringLiteral kMainName = "relay_aot_main";
constexpr StringLiteral kShapesName = "relay_aot_shapes";
constexpr StringLiteral kWorkName = "relay_aot_work";
constexpr StringLiteral kCallName = "relay_aot_call";

constexpr int64_t kDynamicDim = std::numeric_limits<int64_t>::min();

/// Translates one relax function.
class HostTranslator {
public:
  HostTranslator(relax::FuncOp main, const HostModuleOptions &options,
                 ConstantPool &pool)
      : main(main), options(options), pool(pool), context(main.getContext()),
        scope(context), module(ModuleOp::create(main.getLoc())), data(*module),
        builder(context), pointer(LLVM::LLVMPointerType::get(context)),
        i32(builder.getI32Type()), i64(builder.getI64Type()),
        symbols(main.getSymbols()) {
    for (StringAttr name : symbols)
      scope.getSymbol(name);
  }

  FailureOr<OwningOpRef<ModuleOp>> translate();

private:
  /// A kernel call: the callee's signature, and where its calls are described.
  struct Call {
    relax::CallKernelOp op;
    FunctionOpInterface kernel;
    StringRef symbol;
  };

  LogicalResult collectCalls();
  LogicalResult placeConstants();
  LLVM::LLVMFuncOp declareFunction(StringRef name, ArrayRef<Type> arguments,
                                   LLVM::Linkage linkage);
  LLVM::LLVMFuncOp buildCallFunction();
  LLVM::LLVMFuncOp buildWorkFunction();
  FailureOr<LLVM::LLVMFuncOp> buildMainFunction(LLVM::LLVMFuncOp callFunction);
  /// The sizes of the dynamic dimensions of a kernel's buffers.
  SmallVector<AffineExpr> getDynamicSizes(Call &call);

  FailureOr<HostData::Struct> describeValue(Type type, StringRef name);
  LogicalResult checkName(StringRef name, const Twine &what);
  FailureOr<HostData::Struct> describeCall(Call &call);
  LogicalResult describeArtifact(LLVM::LLVMFuncOp shapesFunction,
                                 ShapesFunction &shapes,
                                 LLVM::LLVMFuncOp workFunction,
                                 LLVM::LLVMFuncOp mainFunction);

  relax::FuncOp main;
  const HostModuleOptions &options;
  ConstantPool &pool;
  MLIRContext *context;
  relax::SymbolScope scope;
  OwningOpRef<ModuleOp> module;
  HostData data;
  OpBuilder builder;
  LLVM::LLVMPointerType pointer;
  Type i32, i64;
  SmallVector<StringAttr> symbols;

  SmallVector<Call> calls;
  SmallVector<relax::AllocStorageOp> storages;
  /// Offset in the pool of each use of a constant.
  DenseMap<OpOperand *, uint64_t> constantOffsets;
  /// The addresses of the values of `main`, while its code is built.
  DenseMap<Value, Value> addresses;
};

} // namespace

LogicalResult HostTranslator::collectCalls() {
  SymbolTableCollection symbolTable;
  for (Operation &op : main.getBody().front()) {
    if (auto call = dyn_cast<relax::CallKernelOp>(op)) {
      auto kernel = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
          call, call.getCalleeAttr());
      auto it = options.kernelSymbols.find(call.getCallee());
      calls.push_back({call, kernel,
                       it == options.kernelSymbols.end()
                           ? call.getCallee()
                           : StringRef(it->second)});
    } else if (auto storage = dyn_cast<relax::AllocStorageOp>(op)) {
      storages.push_back(storage);
    }
  }
  return success();
}

LogicalResult HostTranslator::placeConstants() {
  auto place = [&](OpOperand &operand, AffineMap layout,
                   ArrayRef<int64_t> packedShape,
                   int64_t numPieces) -> LogicalResult {
    auto constant =
        relax::getReshapeRoot(operand.get()).getDefiningOp<relax::ConstantOp>();
    if (!constant)
      return success();
    FailureOr<uint64_t> offset =
        pool.add(constant.getValue(), layout, packedShape, numPieces,
                 [&] { return constant.emitOpError(); });
    if (failed(offset))
      return failure();
    constantOffsets[&operand] = *offset;
    return success();
  };
  for (Call &call : calls) {
    for (OpOperand &operand : call.op->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      auto layout = call.kernel.getArgAttrOfType<AffineMapAttr>(
          index, relax::kLayoutAttr);
      auto pieces =
          call.kernel.getArgAttrOfType<IntegerAttr>(index, relax::kPiecesAttr);
      auto memref = cast<MemRefType>(call.kernel.getArgumentTypes()[index]);
      if (failed(place(operand, layout ? layout.getValue() : AffineMap(),
                       memref.getShape(), pieces ? pieces.getInt() : 0)))
        return failure();
    }
  }
  for (auto copy : main.getBody().getOps<relax::CopyOp>())
    if (failed(place(copy.getSourceMutable(), {}, {}, /*numPieces=*/0)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp HostTranslator::declareFunction(StringRef name,
                                                 ArrayRef<Type> arguments,
                                                 LLVM::Linkage linkage) {
  builder.setInsertionPointToEnd(module->getBody());
  auto function = LLVM::LLVMFuncOp::create(
      builder, main.getLoc(), name, LLVM::LLVMFunctionType::get(i32, arguments),
      linkage);
  if (linkage == LLVM::Linkage::External)
    function.setVisibility_(LLVM::Visibility::Hidden);
  return function;
}

/// Runs a kernel, unless it is null, and tells the observer, if there is one.
/// An error of the kernel is told with the number of the call.
LLVM::LLVMFuncOp HostTranslator::buildCallFunction() {
  LLVM::LLVMFuncOp function =
      declareFunction(kCallName, {pointer, pointer, pointer, pointer, i64},
                      LLVM::Linkage::Internal);
  CodeBuilder code(function, scope);
  OpBuilder &b = code.builder;
  Location loc = code.loc;
  Value kernel = code.getArgument(0), args = code.getArgument(1);
  Value dims = code.getArgument(2), kernelContext = code.getArgument(3);
  Value number = code.getArgument(4);
  Value null = LLVM::ZeroOp::create(b, loc, pointer);
  auto *run = new Block, *tell = new Block;
  function.getBody().push_back(run);
  Value isSkipped = code.compare(LLVM::ICmpPredicate::eq, kernel, null);
  LLVM::CondBrOp::create(b, loc, isSkipped, tell, run);
  b.setInsertionPointToEnd(run);
  auto kernelType =
      LLVM::LLVMFunctionType::get(i32, {pointer, pointer, pointer});
  Value status =
      LLVM::CallOp::create(b, loc, kernelType,
                           ValueRange{kernel, args, dims, kernelContext})
          .getResult();
  Value place =
      LLVM::ShlOp::create(b, loc, LLVM::TruncOp::create(b, loc, i32, number),
                          code.constant(RELAY_ERROR_BITS, 32));
  code.returnUnlessZero(status,
                        LLVM::OrOp::create(b, loc, status, place).getResult());
  LLVM::BrOp::create(b, loc, ValueRange(), tell);
  function.getBody().push_back(tell);
  b.setInsertionPointToEnd(tell);

  // RelayKernelContext starts with the pointers parallel_for and observer.
  static_assert(offsetof(RelayKernelContext, observer) == 8);
  Value observer = code.load(pointer, code.element(kernelContext, 1, pointer));
  Value isNull = code.compare(LLVM::ICmpPredicate::eq, observer, null);
  auto *observe = new Block, *done = new Block;
  function.getBody().push_back(observe);
  function.getBody().push_back(done);
  LLVM::CondBrOp::create(b, loc, isNull, done, observe);
  b.setInsertionPointToEnd(observe);
  auto observerType = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context), {pointer, i64, pointer, pointer});
  LLVM::CallOp::create(b, loc, observerType,
                       ValueRange{observer, kernelContext, number, args, dims});
  LLVM::BrOp::create(b, loc, ValueRange(), done);
  b.setInsertionPointToEnd(done);
  code.returnZero();
  return function;
}

SmallVector<AffineExpr> HostTranslator::getDynamicSizes(Call &call) {
  SmallVector<AffineExpr> sizes;
  for (auto [operand, type] : llvm::zip_equal(call.op->getOperands(),
                                              call.kernel.getArgumentTypes())) {
    auto memref = cast<MemRefType>(type);
    auto shape = cast<relax::SymbolicTensorType>(operand.getType()).getShape();
    for (int64_t dim = 0, e = memref.getRank(); dim != e; ++dim)
      if (memref.isDynamicDim(dim))
        sizes.push_back(
            relax::canonicalizeSymbolicExpr(scope.import(shape, dim)));
  }
  return sizes;
}

LLVM::LLVMFuncOp HostTranslator::buildWorkFunction() {
  // Sizes that are known are copied from a table: a store for each would be one
  // long block, which takes LLVM a time that grows with its square.
  SmallVector<int64_t> known[2];
  SmallVector<std::tuple<unsigned, size_t, AffineExpr>> computed;
  for (auto [number, call] : llvm::enumerate(calls)) {
    SmallVector<AffineExpr> sizes = getDynamicSizes(call);
    for (auto [index, name] :
         llvm::enumerate(ArrayRef{tir::kFlopsAttr, tir::kBytesAttr})) {
      auto map = call.kernel->getAttrOfType<AffineMapAttr>(name);
      bool isKnown = map && map.getValue().getNumResults() == 1 &&
                     map.getValue().getNumSymbols() <= sizes.size();
      AffineExpr expr = getAffineConstantExpr(-1, context);
      if (isKnown)
        expr = relax::canonicalizeSymbolicExpr(
            map.getValue().getResult(0).replaceSymbols(sizes));
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      known[index].push_back(constant ? constant.getValue() : 0);
      if (!constant)
        computed.push_back({index, number, expr});
    }
  }
  FlatSymbolRefAttr tables[] = {data.getIntegers(known[0]),
                                data.getIntegers(known[1])};

  LLVM::LLVMFuncOp function = declareFunction(
      kWorkName, {pointer, pointer, pointer}, LLVM::Linkage::Internal);
  CodeBuilder code(function, scope);
  code.loadSymbols(/*index=*/0, main);
  if (!calls.empty())
    for (unsigned index : {0, 1}) {
      Value table = LLVM::AddressOfOp::create(code.builder, code.loc, pointer,
                                              tables[index].getValue());
      LLVM::MemcpyOp::create(
          code.builder, code.loc, code.getArgument(1 + index), table,
          code.constant(calls.size() * sizeof(int64_t)), /*isVolatile=*/false);
    }
  for (auto [index, number, expr] : computed) {
    CodeBuilder::Checked value = code.evaluateChecked(expr);
    if (value.overflow)
      value.value =
          LLVM::SelectOp::create(code.builder, code.loc, value.overflow,
                                 code.constant(-1), value.value);
    code.store(value.value,
               code.element(code.getArgument(1 + index), number, i64));
  }
  code.returnZero();
  return function;
}

FailureOr<LLVM::LLVMFuncOp>
HostTranslator::buildMainFunction(LLVM::LLVMFuncOp callFunction) {
  LLVM::LLVMFuncOp function = declareFunction(
      kMainName, {pointer, pointer, pointer, pointer, pointer, pointer},
      LLVM::Linkage::Internal);
  enum { Inputs, Outputs, Weights, Arena, Symbols };
  CodeBuilder code(function, scope);
  OpBuilder &b = code.builder;
  code.loadSymbols(Symbols, main);

  // All arrays of arguments are one: a call is over when the next one starts.
  size_t maxArgs = 1, maxDims = 1;
  for (Call &call : calls) {
    maxArgs = std::max<size_t>(maxArgs, call.op->getNumOperands());
    maxDims = std::max(maxDims, getDynamicSizes(call).size());
  }
  Value argArray = LLVM::AllocaOp::create(b, code.loc, pointer, pointer,
                                          code.constant(maxArgs));
  Value dimArray =
      LLVM::AllocaOp::create(b, code.loc, pointer, i64, code.constant(maxDims));
  for (auto [index, argument] : llvm::enumerate(main.getArguments()))
    addresses[argument] = code.load(
        pointer, code.element(code.getArgument(Inputs), index, pointer));
  Value arena = code.getArgument(Arena);
  for (relax::AllocStorageOp storage : storages) {
    addresses[storage.getResult()] = arena;
    arena = code.offset(arena,
                        code.evaluateStorage(scope.import(storage.getSize())));
  }

  unsigned number = 0;
  auto addressOf = [&](OpOperand &operand) -> Value {
    auto it = constantOffsets.find(&operand);
    if (it != constantOffsets.end())
      return code.offset(code.getArgument(Weights), code.constant(it->second));
    return addresses.lookup(relax::getReshapeRoot(operand.get()));
  };
  // The first block that is not the entry: sizes are computed before it.
  Block *start = new Block;
  function.getBody().push_back(start);
  LLVM::BrOp::create(b, code.loc, ValueRange(), start);
  b.setInsertionPointToEnd(start);

  for (Operation &op : main.getBody().front()) {
    code.loc = op.getLoc();
    if (auto tensor = dyn_cast<relax::AllocTensorOp>(op)) {
      Value offset = code.evaluate(
          relax::canonicalizeSymbolicExpr(scope.import(tensor.getOffset(), 0)));
      addresses[tensor] =
          code.offset(addresses.lookup(tensor.getStorage()), offset);
    } else if (auto result = dyn_cast<relax::ResultBufferOp>(op)) {
      addresses[result] =
          code.load(pointer, code.element(code.getArgument(Outputs),
                                          result.getIndex(), pointer));
    } else if (auto copy = dyn_cast<relax::CopyOp>(op)) {
      Value bytes = code.evaluate(relax::canonicalizeSymbolicExpr(
          relax::getNumBytes(copy.getSource().getType(), scope)));
      LLVM::MemcpyOp::create(b, code.loc, addressOf(copy.getTargetMutable()),
                             addressOf(copy.getSourceMutable()), bytes,
                             /*isVolatile=*/false);
    } else if (isa<relax::CallKernelOp>(op)) {
      Call &call = calls[number];
      for (OpOperand &operand : op.getOpOperands())
        code.store(addressOf(operand),
                   code.element(argArray, operand.getOperandNumber(), pointer));
      for (auto [index, size] : llvm::enumerate(getDynamicSizes(call)))
        code.store(code.evaluate(size), code.element(dimArray, index, i64));
      Value kernel =
          LLVM::AddressOfOp::create(b, code.loc, pointer, call.symbol);
      // A kernel that has nothing to write need not run: its loops over other
      // sizes could take forever.
      Value isSkipped;
      for (Value output : call.op.getOutputs()) {
        Value empty = code.isEmpty(
            cast<relax::SymbolicTensorType>(output.getType()).getShape());
        if (!empty) {
          isSkipped = {};
          break;
        }
        isSkipped =
            isSkipped
                ? LLVM::AndOp::create(b, code.loc, isSkipped, empty).getResult()
                : empty;
      }
      if (isSkipped)
        kernel = LLVM::SelectOp::create(
            b, code.loc, isSkipped, LLVM::ZeroOp::create(b, code.loc, pointer),
            kernel);
      Value status = LLVM::CallOp::create(b, code.loc, callFunction,
                                          ValueRange{kernel, argArray, dimArray,
                                                     code.getArgument(5),
                                                     code.constant(number)})
                         .getResult();
      code.returnUnlessZero(status);
      ++number;
    }
  }
  code.returnZero();
  return function;
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

FailureOr<HostData::Struct> HostTranslator::describeValue(Type type,
                                                          StringRef name) {
  auto tensor = cast<relax::SymbolicTensorType>(type);
  relax::ShapeAttr shape = tensor.getShape();
  SmallVector<int64_t> dims;
  for (size_t dim = 0, e = shape.size(); dim != e; ++dim) {
    if (std::optional<int64_t> size = shape.getConstant(dim))
      dims.push_back(*size);
    else if (auto *symbol = llvm::find(symbols, shape.getBareSymbol(dim));
             symbol != symbols.end())
      dims.push_back(-1 - std::distance(symbols.begin(), symbol));
    else
      dims.push_back(kDynamicDim);
  }
  return data.getTensor(name, tensor.getElementType(), dims,
                        data.getDimNames(shape),
                        [&] { return main.emitOpError(); });
}

/// Names are strings of C in the artefact, and of Python.
LogicalResult HostTranslator::checkName(StringRef name, const Twine &what) {
  if (llvm::json::isUTF8(name) && !name.contains('\0'))
    return success();
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  llvm::printEscapedString(name, os);
  return main.emitError("expects names of UTF-8 without zeros, but got \"")
         << escaped << "\" for " << what;
}

FailureOr<HostData::Struct> HostTranslator::describeCall(Call &call) {
  SmallVector<HostData::Struct> args;
  for (auto [index, operand] : llvm::enumerate(call.op->getOperands())) {
    auto memref = cast<MemRefType>(call.kernel.getArgumentTypes()[index]);
    auto type = cast<relax::SymbolicTensorType>(operand.getType());
    SmallVector<int64_t> dims =
        llvm::map_to_vector(memref.getShape(), [](int64_t size) {
          return ShapedType::isDynamic(size) ? kDynamicDim : size;
        });
    bool isPacked =
        call.kernel.getArgAttr(index, relax::kLayoutAttr) != nullptr;
    bool isSplit = call.kernel.getArgAttr(index, relax::kPiecesAttr) != nullptr;
    FailureOr<HostData::Struct> arg = data.getTensor(
        "", isSplit ? memref.getElementType() : type.getElementType(), dims,
        isPacked ? SmallVector<FlatSymbolRefAttr>(dims.size())
                 : data.getDimNames(type.getShape()),
        [&] { return call.op.emitOpError(); });
    if (failed(arg))
      return failure();
    args.push_back(*arg);
  }
  return HostData::Struct{Member::pointer(data.getString(call.symbol)),
                          Member::pointer(data.getString(call.op.getCallee())),
                          Member::integer(32, args.size()),
                          Member::integer(32, call.op.getInputs().size()),
                          Member::integer(32, call.op.getOutputs().size()),
                          Member::pointer(data.getStructs(args))};
}

LogicalResult HostTranslator::describeArtifact(LLVM::LLVMFuncOp shapesFunction,
                                               ShapesFunction &shapes,
                                               LLVM::LLVMFuncOp workFunction,
                                               LLVM::LLVMFuncOp mainFunction) {
  SmallVector<HostData::Struct> inputs, outputs, callData;
  auto describe = [&](TypeRange types, StringRef prefix,
                      function_ref<StringAttr(unsigned)> getName,
                      SmallVector<HostData::Struct> &structs) -> LogicalResult {
    llvm::StringMap<unsigned> positions;
    for (auto [index, type] : llvm::enumerate(types)) {
      StringAttr name = getName(index);
      std::string text =
          name && !name.empty() ? name.str() : (prefix + Twine(index)).str();
      std::string what = (prefix + " " + Twine(index)).str();
      if (failed(checkName(text, what)))
        return failure();
      auto [other, isNew] = positions.try_emplace(text, index);
      if (!isNew)
        return main.emitError("expects names that differ, but got '")
               << text << "' for " << prefix << " " << other->second << " and "
               << what;
      FailureOr<HostData::Struct> value = describeValue(type, text);
      if (failed(value))
        return failure();
      structs.push_back(*value);
    }
    return success();
  };
  if (failed(describe(
          main.getArgumentTypes(), "input",
          [&](unsigned index) {
            return main.getArgAttrOfType<StringAttr>(index, relax::kNameAttr);
          },
          inputs)) ||
      failed(describe(
          main.getResultTypes(), "output",
          [&](unsigned index) {
            return main.getResultAttrOfType<StringAttr>(index,
                                                        relax::kNameAttr);
          },
          outputs)))
    return failure();
  for (StringAttr symbol : symbols)
    if (failed(checkName(symbol, "a dimension")))
      return failure();
  for (Call &call : calls) {
    if (failed(checkName(call.op.getCallee(), "a kernel")))
      return failure();
    FailureOr<HostData::Struct> value = describeCall(call);
    if (failed(value))
      return failure();
    callData.push_back(*value);
  }

  FlatSymbolRefAttr weights;
  if (pool.getSize() != 0 && options.linkWeights) {
    builder.setInsertionPointToEnd(module->getBody());
    auto global = LLVM::GlobalOp::create(
        builder, main.getLoc(),
        LLVM::LLVMArrayType::get(builder.getI8Type(), pool.getSize()),
        /*isConstant=*/true, LLVM::Linkage::External, kWeightsSymbol,
        /*value=*/Attribute());
    global.setVisibility_(LLVM::Visibility::Hidden);
    weights = FlatSymbolRefAttr::get(global);
  }
  SmallVector<FlatSymbolRefAttr> names =
      llvm::map_to_vector(symbols, [&](StringAttr name) {
        return data.getString(name.getValue());
      });
  data.exportStruct(
      RELAY_ARTIFACT_SYMBOL,
      {Member::integer(64, static_cast<int64_t>(RELAY_ARTIFACT_MAGIC)),
       Member::integer(32, RELAY_ARTIFACT_VERSION),
       Member::integer(32, sizeof(RelayArtifact)),
       Member::pointer(data.getString(getVersionString())),
       Member::pointer(data.getString(options.targetTriple)),
       Member::pointer(data.getString(options.requiredFeatures)),
       Member::integer(32, symbols.size()),
       Member::integer(32, inputs.size()),
       Member::integer(32, outputs.size()),
       Member::integer(32, callData.size()),
       Member::pointer(data.getPointers(names)),
       Member::pointer(data.getStructs(inputs)),
       Member::pointer(data.getStructs(outputs)),
       Member::pointer(data.getStructs(callData)),
       Member::pointer(weights),
       Member::integer(64, pool.getSize()),
       Member::integer(32, shapes.getNumChecks()),
       Member::integer(32, shapes.getMaxValues()),
       Member::pointer(shapes.getChecks()),
       Member::pointer(FlatSymbolRefAttr::get(shapesFunction)),
       Member::pointer(FlatSymbolRefAttr::get(workFunction)),
       Member::pointer(FlatSymbolRefAttr::get(mainFunction)),
       Member::pointer(data.getString(options.precision))});
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> HostTranslator::translate() {
  if (failed(collectCalls()) || failed(placeConstants()))
    return failure();
  llvm::StringSet<> declared;
  for (Call &call : calls)
    if (declared.insert(call.symbol).second)
      declareFunction(call.symbol, {pointer, pointer, pointer},
                      LLVM::Linkage::External);
  LLVM::LLVMFuncOp shapesFunction =
      declareFunction(kShapesName, {pointer, pointer, pointer, pointer},
                      LLVM::Linkage::Internal);
  ShapesFunction shapes(main, scope, symbols, data);
  if (failed(shapes.build(shapesFunction)))
    return failure();
  LLVM::LLVMFuncOp workFunction = buildWorkFunction();
  FailureOr<LLVM::LLVMFuncOp> mainFunction =
      buildMainFunction(buildCallFunction());
  if (failed(mainFunction) ||
      failed(describeArtifact(shapesFunction, shapes, workFunction,
                              *mainFunction)))
    return failure();
  return std::move(module);
}

FailureOr<OwningOpRef<ModuleOp>> mlir::relay::buildHostModule(
    relax::FuncOp main, const HostModuleOptions &options, ConstantPool &pool) {
  main.getContext()->loadDialect<LLVM::LLVMDialect>();
  HostModuleOptions allOptions = options;
  std::string &features = allOptions.requiredFeatures;
  for (auto kernel :
       main->getParentOfType<ModuleOp>().getOps<tir::PrimFuncOp>()) {
    auto used = kernel->getAttrOfType<StringAttr>(tir::kFeaturesAttr);
    if (!used)
      continue;
    for (StringRef feature : llvm::split(used.getValue(), ','))
      if (!llvm::is_contained(llvm::split(features, ','), feature))
        (features += features.empty() ? "" : ",") += feature;
  }
  return HostTranslator(main, allOptions, pool).translate();
}

void mlir::relay::registerRelaxToHostTranslation() {
  registerModuleTranslation(
      "relax-to-host", "print the host program of @main in the LLVM dialect",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        auto main = module.lookupSymbol<relax::FuncOp>("main");
        if (!main)
          return module.emitError("expects a relax.func named @main");
        ConstantPool pool(module.getContext());
        FailureOr<OwningOpRef<ModuleOp>> host =
            buildHostModule(main, HostModuleOptions(), pool);
        if (failed(host))
          return failure();
        (*host)->print(os);
        os << "\n";
        return success();
      },
      [](DialectRegistry &registry) {
        registry.insert<func::FuncDialect, LLVM::LLVMDialect,
                        relax::RelaxDialect, tir::TIRDialect>();
      });
}
