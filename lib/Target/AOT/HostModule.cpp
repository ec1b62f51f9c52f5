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
#include "GlueCode.h"
#include "HostTranslator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Support/ModuleTranslation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static constexpr StringLiteral kMainName = "relay_aot_main";
static constexpr StringLiteral kShapesName = "relay_aot_shapes";
static constexpr StringLiteral kWorkName = "relay_aot_work";
static constexpr StringLiteral kCallName = "relay_aot_call";
static constexpr StringLiteral kDeviceCallName = "relay_aot_device_call";
static constexpr StringLiteral kPackedCallName = "relay_aot_packed_call";

int32_t HostTranslator::getDevice(Value value) {
  DeviceAttr device =
      cast<relax::SymbolicTensorType>(value.getType()).getDevice();
  devices.insert(device);
  return llvm::find(devices, device) - devices.begin();
}

bool HostTranslator::isForProcessor(const HostCall &call) const {
  return DeviceAttr::isProcessor(devices[call.device]) && !call.isPacked;
}

LogicalResult HostTranslator::checkDevices(HostFunction &function) {
  relax::FuncOp main = function.main;
  for (Type type :
       llvm::concat<const Type>(main.getArgumentTypes(), main.getResultTypes()))
    if (DeviceAttr device = cast<relax::SymbolicTensorType>(type).getDevice())
      return main.emitOpError()
             << "expects inputs and outputs on the host, but got "
             << DeviceAttr::getName(device);
  for (const HostCall &call : function.calls) {
    if (!call.kernel || call.isPacked || isForProcessor(call) ||
        llvm::any_of(options.deviceModules, [&](const DeviceModule &module) {
          return module.kind == devices[call.device].getKind();
        }))
      continue;
    return call.op->emitOpError()
           << "expects a device of a kind that there is code for, but got "
           << DeviceAttr::getName(devices[call.device]);
  }
  if (options.linkWeights && devices.size() > 1)
    return main.emitOpError()
           << "expects a program for the host alone in a relocatable object, "
              "but got "
           << DeviceAttr::getName(devices[1]);
  return success();
}

LogicalResult HostTranslator::collectCalls(HostFunction &function) {
  SymbolTableCollection symbolTable;
  for (Operation &op : function.main.getBody().front()) {
    if (auto call = dyn_cast<relax::CallKernelOp>(op)) {
      auto kernel = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
          call, call.getCalleeAttr());
      auto it = options.kernelSymbols.find(call.getCallee());
      int32_t device =
          call->getNumOperands() == 0 ? 0 : getDevice(call->getOperand(0));
      auto packed =
          kernel->getAttrOfType<StringAttr>(relax::kPackedFunctionAttr);
      StringRef symbol = packed ? packed.getValue()
                         : it == options.kernelSymbols.end()
                             ? call.getCallee()
                             : StringRef(it->second);
      callsPacked |= packed != nullptr;
      function.calls.push_back({call, kernel, symbol, device,
                                /*sourceDevice=*/-1, packed != nullptr});
    } else if (auto copy = dyn_cast<relax::CopyOp>(op)) {
      int32_t source = getDevice(copy.getSource());
      int32_t target = getDevice(copy.getTarget());
      if (source != target)
        function.calls.push_back({copy, {}, StringRef(), target, source});
    } else if (auto storage = dyn_cast<relax::AllocStorageOp>(op)) {
      function.storages.push_back(storage);
    }
  }
  return checkDevices(function);
}

LogicalResult HostTranslator::placeConstants() {
  auto place = [&](HostFunction &function, OpOperand &operand, AffineMap layout,
                   ArrayRef<int64_t> packedShape,
                   PackedElements elements) -> LogicalResult {
    auto constant =
        relax::getReshapeRoot(operand.get()).getDefiningOp<relax::ConstantOp>();
    if (!constant)
      return success();
    FailureOr<uint64_t> offset =
        pool.add(constant.getValue(), layout, packedShape, elements,
                 [&] { return constant.emitOpError(); });
    if (failed(offset))
      return failure();
    function.constantOffsets[&operand] = *offset;
    return success();
  };
  // The weights of a device are together.
  for (int32_t device = 0, e = devices.size(); device != e; ++device) {
    uint64_t begin = weights.emplace_back(pool.beginPart(), 0).first;
    for (auto &function : functions) {
      for (HostCall &call : function->calls) {
        if (!call.kernel || call.device != device)
          continue;
        for (OpOperand &operand : call.op->getOpOperands()) {
          unsigned index = operand.getOperandNumber();
          auto layout = call.kernel.getArgAttrOfType<AffineMapAttr>(
              index, relax::kLayoutAttr);
          auto pieces = call.kernel.getArgAttrOfType<IntegerAttr>(
              index, relax::kPiecesAttr);
          PackedElements elements;
          elements.numPieces = pieces ? pieces.getInt() : 0;
          elements.areNibbles =
              call.kernel.getArgAttr(index, relax::kNibblesAttr) != nullptr;
          auto memref = cast<MemRefType>(call.kernel.getArgumentTypes()[index]);
          if (failed(place(*function, operand,
                           layout ? layout.getValue() : AffineMap(),
                           memref.getShape(), elements)))
            return failure();
        }
      }
      for (auto copy : function->main.getBody().getOps<relax::CopyOp>())
        if (getDevice(copy.getSource()) == device &&
            failed(place(*function, copy.getSourceMutable(), {}, {}, {})))
          return failure();
    }
    // Constants of the bytecode are on the host, which is first.
    if (device == 0 && bytecode)
      for (Bytecode::Constant &constant : bytecode->constants) {
        FailureOr<uint64_t> offset = pool.add(constant.value, {}, {}, {}, [&] {
          return emitError(constant.loc);
        });
        if (failed(offset))
          return failure();
        constant.offset = *offset;
      }
    weights.back().second = pool.getSize() - begin;
  }
  for (auto &function : functions)
    for (auto &[operand, offset] : function->constantOffsets)
      offset -= weights[getDevice(operand->get())].first;
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp HostTranslator::declareFunction(StringRef name,
                                                 ArrayRef<Type> arguments,
                                                 LLVM::Linkage linkage,
                                                 Type result) {
  builder.setInsertionPointToEnd(module->getBody());
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(result ? result : i32, arguments), linkage);
  if (linkage == LLVM::Linkage::External)
    function.setVisibility_(LLVM::Visibility::Hidden);
  return function;
}

/// Runs a kernel, unless it is null, and tells the observer, if there is one.
/// An error of the kernel is told with the number of the call. For calls on
/// other devices, and those of packed functions, the run time runs what the
/// number says, unless the first argument is null; for devices there are the
/// bytes of a copy besides.
LLVM::LLVMFuncOp HostTranslator::buildCallFunction(CallKind kind) {
  SmallVector<Type> types = {pointer, pointer, pointer, pointer, i64};
  if (kind == CallKind::Device)
    types.push_back(i64);
  StringRef name = kind == CallKind::Device   ? kDeviceCallName
                   : kind == CallKind::Packed ? kPackedCallName
                                              : kCallName;
  LLVM::LLVMFuncOp function =
      declareFunction(name, types, LLVM::Linkage::Internal);
  // It computes no sizes.
  relax::SymbolScope scope(context);
  CodeBuilder code(function, scope);
  OpBuilder &b = code.builder;
  Value kernel = code.getArgument(0), args = code.getArgument(1);
  Value dims = code.getArgument(2), kernelContext = code.getArgument(3);
  Value number = code.getArgument(4);
  Value null = LLVM::ZeroOp::create(b, loc, pointer);
  auto *run = new Block, *tell = new Block;
  function.getBody().push_back(run);
  Value isSkipped = code.compare(LLVM::ICmpPredicate::eq, kernel, null);
  LLVM::CondBrOp::create(b, loc, isSkipped, tell, run);
  b.setInsertionPointToEnd(run);
  Value status;
  if (kind == CallKind::Device) {
    static_assert(offsetof(RelayKernelContext, call_device) == 32);
    auto type =
        LLVM::LLVMFunctionType::get(i32, {pointer, i64, pointer, pointer, i64});
    Value callDevice =
        code.load(pointer, code.element(kernelContext, 4, pointer));
    status = LLVM::CallOp::create(b, loc, type,
                                  ValueRange{callDevice, kernelContext, number,
                                             args, dims, code.getArgument(5)})
                 .getResult();
  } else if (kind == CallKind::Packed) {
    static_assert(offsetof(RelayKernelContext, call_packed) == 80);
    auto type =
        LLVM::LLVMFunctionType::get(i32, {pointer, i64, pointer, pointer});
    Value callPacked =
        code.load(pointer, code.element(kernelContext, 10, pointer));
    status = LLVM::CallOp::create(
                 b, loc, type,
                 ValueRange{callPacked, kernelContext, number, args, dims})
                 .getResult();
  } else {
    auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer, pointer});
    status = LLVM::CallOp::create(b, loc, type,
                                  ValueRange{kernel, args, dims, kernelContext})
                 .getResult();
  }
  Value place =
      LLVM::ShlOp::create(b, loc, LLVM::TruncOp::create(b, loc, i32, number),
                          code.constant(RELAY_ERROR_BITS, 32));
  // Code of others may return anything.
  constexpr int64_t kLargest = (1 << RELAY_ERROR_BITS) - 1;
  Value largest = code.constant(kLargest, 32);
  Value error = LLVM::UMinOp::create(b, loc, status, largest);
  code.returnUnlessZero(status,
                        LLVM::OrOp::create(b, loc, error, place).getResult());
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

SmallVector<AffineExpr> HostTranslator::getDynamicSizes(HostFunction &function,
                                                        HostCall &call) {
  relax::SymbolScope &scope = function.scope;
  SmallVector<AffineExpr> sizes;
  // Both tensors of a copy have all sizes of its type that are not constant.
  if (!call.kernel) {
    for (Value operand : call.op->getOperands()) {
      auto shape =
          cast<relax::SymbolicTensorType>(operand.getType()).getShape();
      for (size_t dim = 0; dim != shape.size(); ++dim)
        if (!shape.getConstant(dim))
          sizes.push_back(
              relax::canonicalizeSymbolicExpr(scope.import(shape, dim)));
    }
    return sizes;
  }
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

LLVM::LLVMFuncOp HostTranslator::buildWorkFunction(HostFunction &function) {
  MutableArrayRef<HostCall> calls = function.calls;
  // Sizes that are known are copied from a table: a store for each would be one
  // long block, which takes LLVM a time that grows with its square.
  SmallVector<int64_t> known[2];
  SmallVector<std::tuple<unsigned, size_t, AffineExpr>> computed;
  for (auto [number, call] : llvm::enumerate(calls)) {
    SmallVector<AffineExpr> sizes = getDynamicSizes(function, call);
    const StringRef names[] = {tir::kFlopsAttr, tir::kBytesAttr};
    for (auto [index, name] : llvm::enumerate(names)) {
      auto map = call.kernel ? call.kernel->getAttrOfType<AffineMapAttr>(name)
                             : AffineMapAttr();
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

  LLVM::LLVMFuncOp result =
      declareFunction((kWorkName + function.suffix).str(),
                      {pointer, pointer, pointer}, LLVM::Linkage::Internal);
  CodeBuilder code(result, function.scope);
  code.loadSymbols(/*index=*/0, function.main);
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
  return result;
}

Value HostTranslator::areOutputsEmpty(CodeBuilder &code, const HostCall &call) {
  ValueRange outputs = call.op->getOperands().drop_front();
  if (auto kernel = dyn_cast<relax::CallKernelOp>(call.op))
    outputs = kernel.getOutputs();
  Value result;
  for (Value output : outputs) {
    Value empty = code.isEmpty(
        cast<relax::SymbolicTensorType>(output.getType()).getShape());
    if (!empty)
      return {};
    result = result ? LLVM::AndOp::create(code.builder, code.loc, result, empty)
                          .getResult()
                    : empty;
  }
  return result;
}

LLVM::LLVMFuncOp HostTranslator::buildMainFunction(HostFunction &function) {
  relax::FuncOp main = function.main;
  relax::SymbolScope &scope = function.scope;
  DenseMap<Value, Value> &addresses = function.addresses;
  LLVM::LLVMFuncOp result =
      declareFunction((kMainName + function.suffix).str(),
                      {pointer, pointer, pointer, pointer, pointer, pointer},
                      LLVM::Linkage::Internal);
  enum { Inputs, Outputs, Weights, Arena, Symbols, Context };
  CodeBuilder code(result, scope);
  OpBuilder &b = code.builder;
  code.loadSymbols(Symbols, main);

  // All arrays of arguments are one: a call is over when the next one starts.
  size_t maxArgs = 1, maxDims = 1;
  for (HostCall &call : function.calls) {
    maxArgs = std::max<size_t>(maxArgs, call.op->getNumOperands());
    maxDims = std::max(maxDims, getDynamicSizes(function, call).size());
  }
  Value argArray = LLVM::AllocaOp::create(b, code.loc, pointer, pointer,
                                          code.constant(maxArgs));
  Value dimArray =
      LLVM::AllocaOp::create(b, code.loc, pointer, i64, code.constant(maxDims));
  for (auto [index, argument] : llvm::enumerate(main.getArguments()))
    addresses[argument] = code.load(
        pointer, code.element(code.getArgument(Inputs), index, pointer));
  SmallVector<Value> arenas = {code.getArgument(Arena)};
  SmallVector<Value> constants = {code.getArgument(Weights)};
  if (devices.size() > 1) {
    static_assert(offsetof(RelayKernelContext, devices) == 40 &&
                  sizeof(RelayDeviceMemory) == 2 * sizeof(void *));
    Value memory =
        code.load(pointer, code.element(code.getArgument(Context), 5, pointer));
    for (size_t device = 1; device != devices.size(); ++device) {
      arenas.push_back(
          code.load(pointer, code.element(memory, 2 * device, pointer)));
      constants.push_back(
          code.load(pointer, code.element(memory, 2 * device + 1, pointer)));
    }
  }
  for (relax::AllocStorageOp storage : function.storages) {
    Value &arena = arenas[llvm::find(devices, storage.getType().getDevice()) -
                          devices.begin()];
    addresses[storage.getResult()] = arena;
    arena = code.offset(arena,
                        code.evaluateStorage(scope.import(storage.getSize())));
  }

  unsigned number = 0;
  auto addressOf = [&](OpOperand &operand) -> Value {
    auto it = function.constantOffsets.find(&operand);
    if (it != function.constantOffsets.end())
      return code.offset(constants[getDevice(operand.get())],
                         code.constant(it->second));
    return addresses.lookup(relax::getReshapeRoot(operand.get()));
  };
  // The first block that is not the entry: sizes are computed before it.
  Block *start = new Block;
  result.getBody().push_back(start);
  LLVM::BrOp::create(b, code.loc, ValueRange(), start);
  b.setInsertionPointToEnd(start);

  for (Operation &op : main.getBody().front()) {
    code.loc = op.getLoc();
    auto copy = dyn_cast<relax::CopyOp>(op);
    Value bytes;
    if (copy)
      bytes = code.evaluate(relax::canonicalizeSymbolicExpr(
          relax::getNumBytes(copy.getSource().getType(), scope)));
    if (auto tensor = dyn_cast<relax::AllocTensorOp>(op)) {
      Value offset = code.evaluate(
          relax::canonicalizeSymbolicExpr(scope.import(tensor.getOffset(), 0)));
      addresses[tensor] =
          code.offset(addresses.lookup(tensor.getStorage()), offset);
    } else if (auto buffer = dyn_cast<relax::ResultBufferOp>(op)) {
      addresses[buffer] =
          code.load(pointer, code.element(code.getArgument(Outputs),
                                          buffer.getIndex(), pointer));
    } else if (copy && getDevice(copy.getSource()) == 0 &&
               getDevice(copy.getTarget()) == 0) {
      LLVM::MemcpyOp::create(b, code.loc, addressOf(copy.getTargetMutable()),
                             addressOf(copy.getSourceMutable()), bytes,
                             /*isVolatile=*/false);
    } else if (copy || isa<relax::CallKernelOp>(op)) {
      HostCall &call = function.calls[number];
      for (OpOperand &operand : op.getOpOperands())
        code.store(addressOf(operand),
                   code.element(argArray, operand.getOperandNumber(), pointer));
      for (auto [index, size] :
           llvm::enumerate(getDynamicSizes(function, call)))
        code.store(code.evaluate(size), code.element(dimArray, index, i64));
      CallKind kind = call.isPacked              ? CallKind::Packed
                      : copy || call.device != 0 ? CallKind::Device
                                                 : CallKind::Kernel;
      Value kernel =
          kind != CallKind::Kernel
              ? argArray
              : LLVM::AddressOfOp::create(b, code.loc, pointer, call.symbol)
                    .getResult();
      // A kernel that has nothing to write need not run: its loops over other
      // sizes could take forever.
      if (Value isSkipped = areOutputsEmpty(code, call))
        kernel = LLVM::SelectOp::create(
            b, code.loc, isSkipped, LLVM::ZeroOp::create(b, code.loc, pointer),
            kernel);
      SmallVector<Value> operands = {
          kernel, argArray, dimArray, code.getArgument(Context),
          code.constant(function.firstCall + number)};
      if (kind == CallKind::Device)
        operands.push_back(bytes ? bytes : code.constant(0));
      Value status =
          LLVM::CallOp::create(b, code.loc, callFunctions.at(kind), operands)
              .getResult();
      code.returnUnlessZero(status);
      ++number;
    }
  }
  code.returnZero();
  return result;
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

HostTranslator::HostTranslator(ArrayRef<relax::FuncOp> sources,
                               const HostModuleOptions &options,
                               ConstantPool &pool)
    : loc(sources.empty() ? UnknownLoc::get(pool.getContext())
                          : relax::FuncOp(sources.front()).getLoc()),
      options(options), pool(pool), context(pool.getContext()),
      module(ModuleOp::create(loc)), data(*module), builder(context),
      pointer(LLVM::LLVMPointerType::get(context)), i32(builder.getI32Type()),
      i64(builder.getI64Type()) {
  for (auto [number, source] : llvm::enumerate(sources)) {
    functions.push_back(std::make_unique<HostFunction>(source));
    if (number != 0 || options.glue)
      functions.back()->suffix = "_" + std::to_string(number);
  }
}

FailureOr<HostModules> HostTranslator::translate() {
  devices.insert(DeviceAttr());
  size_t numCalls = 0;
  for (auto &function : functions) {
    if (failed(collectCalls(*function)))
      return failure();
    function->firstCall = numCalls;
    numCalls += function->calls.size();
  }
  if (options.glue) {
    llvm::StringMap<unsigned> numbers;
    for (auto [number, function] : llvm::enumerate(functions))
      numbers[function->main.getSymName()] = number;
    FailureOr<Bytecode> built = buildBytecode(options.glue, numbers);
    if (failed(built))
      return failure();
    bytecode = std::move(*built);
  }
  if (failed(placeConstants()))
    return failure();
  llvm::StringSet<> declared;
  for (auto &function : functions)
    for (HostCall &call : function->calls)
      if (call.kernel && isForProcessor(call) &&
          declared.insert(call.symbol).second)
        declareFunction(call.symbol, {pointer, pointer, pointer},
                        LLVM::Linkage::External);
  for (auto &function : functions) {
    function->shapesFunction = declareFunction(
        (kShapesName + function->suffix).str(),
        {pointer, pointer, pointer, pointer}, LLVM::Linkage::Internal);
    function->shapes.emplace(function->main, function->scope, function->symbols,
                             devices.getArrayRef(), data);
    if (failed(function->shapes->build(function->shapesFunction)))
      return failure();
  }
  for (auto &function : functions)
    function->workFunction = buildWorkFunction(*function);
  auto needCalls = [&](CallKind kind) {
    callFunctions[kind] = buildCallFunction(kind);
  };
  if (!functions.empty())
    needCalls(CallKind::Kernel);
  if (devices.size() > 1)
    needCalls(CallKind::Device);
  if (callsPacked)
    needCalls(CallKind::Packed);
  for (auto &function : functions)
    function->mainFunction = buildMainFunction(*function);
  if (failed(describeArtifact()))
    return failure();
  HostModules modules;
  modules.parts.push_back({std::move(module), CodeEffort::Program});
  if (bytecode && options.nativeGlue)
    for (HostModules::Part &part : buildGlueModules(*bytecode, loc))
      modules.parts.push_back(std::move(part));
  return modules;
}

FailureOr<HostModules>
mlir::relay::buildHostModule(ArrayRef<relax::FuncOp> functions,
                             const HostModuleOptions &options,
                             ConstantPool &pool) {
  pool.getContext()->loadDialect<LLVM::LLVMDialect>();
  HostModuleOptions allOptions = options;
  std::string &features = allOptions.requiredFeatures;
  auto addFeatures = [&](ModuleOp module) {
    for (auto kernel : module.getOps<tir::PrimFuncOp>()) {
      auto used = kernel->getAttrOfType<StringAttr>(tir::kFeaturesAttr);
      if (!used)
        continue;
      for (StringRef feature : llvm::split(used.getValue(), ','))
        if (!llvm::is_contained(llvm::split(features, ','), feature))
          (features += features.empty() ? "" : ",") += feature;
    }
  };
  if (!functions.empty())
    addFeatures(functions.front()->getParentOfType<ModuleOp>());
  return HostTranslator(functions, allOptions, pool).translate();
}

void mlir::relay::registerRelaxToHostTranslation() {
  registerModuleTranslation(
      "relax-to-host", "print the host program of @main in the LLVM dialect",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        auto main = module.lookupSymbol<relax::FuncOp>("main");
        if (!main)
          return module.emitError("expects a relax.func named @main");
        ConstantPool pool(module.getContext());
        FailureOr<HostModules> host =
            buildHostModule(main, HostModuleOptions(), pool);
        if (failed(host))
          return failure();
        host->parts.front().module->print(os);
        os << "\n";
        return success();
      },
      [](DialectRegistry &registry) {
        registry.insert<func::FuncDialect, LLVM::LLVMDialect,
                        relax::RelaxDialect, tir::TIRDialect>();
      });
}
