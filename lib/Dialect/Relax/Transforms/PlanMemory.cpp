//===- PlanMemory.cpp - Give every value storage --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From `relax-kernels` to `relax-executable`. The calls of a function are
// numbered in order, and so are copies between devices; each result and each
// workspace of a kernel is a buffer that lives from its first to its last use.
// StoragePlanner decides which of them share storage, for each device. Then
// every call gets its buffers as tensors in storage, and storage is freed after
// the last use of what lies in it. Results of the function are written to where
// the caller wants them. Sizes of parameters get names if they have none.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"

#include "MatchCasts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/Relax/Analysis/StoragePlanner.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Support/AffineEvaluation.h"
#include "relay-mlir/Support/SaturatingMath.h"
#include "relay-mlir/Support/SizeNames.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::relax {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

constexpr int64_t kAlignment = 64;

/// Moves the operations of dataflow blocks before them and removes them.
void inlineDataflow(FuncOp func) {
  for (auto dataflow :
       llvm::make_early_inc_range(func.getBody().getOps<DataflowOp>())) {
    Block &body = dataflow.getBody().front();
    auto output = cast<OutputOp>(body.getTerminator());
    dataflow.replaceAllUsesWith(output.getOperands());
    output.erase();
    dataflow->getBlock()->getOperations().splice(dataflow->getIterator(),
                                                 body.getOperations());
    dataflow.erase();
  }
}

void eraseDeadOps(FuncOp func) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// A caller's sizes have names, which expressions over them are computed from.
/// So a parameter of size 2 * n gets a name of its own for it, which has to be
/// equal to 2 * n.
void nameParameterSizes(FuncOp func) {
  Block &body = func.getBody().front();
  SymbolScope scope(func.getContext());
  llvm::SmallDenseSet<StringAttr> used;
  for (BlockArgument argument : body.getArguments())
    if (auto type = dyn_cast<SymbolicTensorType>(argument.getType()))
      used.insert_range(type.getShape().getSymbols());
  for (Operation &op : body)
    if (std::optional<ExtremeSize> size = ExtremeSize::of(&op))
      used.insert(size->symbol);
  unsigned number = 0;
  auto makeName = [&] {
    auto get = [&](StringRef name) {
      return StringAttr::get(func.getContext(), name);
    };
    StringAttr name = get(relay::makeSizeName(
        number, [&](StringRef made) { return used.contains(get(made)); }));
    used.insert(name);
    return name;
  };

  auto builder = OpBuilder::atBlockBegin(&body);
  for (BlockArgument argument : body.getArguments()) {
    auto type = dyn_cast<SymbolicTensorType>(argument.getType());
    if (!type)
      continue;
    ShapeAttr shape = type.getShape();
    SmallVector<AffineExpr> sizes = scope.import(shape), names, exprs;
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (shape.getConstant(dim) || shape.getBareSymbol(dim))
        continue;
      exprs.push_back(size);
      size = scope.getSymbol(makeName());
      names.push_back(size);
    }
    if (names.empty())
      continue;
    argument.setType(SymbolicTensorType::get(
        scope.makeShape(sizes), type.getElementType(), type.getDevice()));
    AssertEqualOp::create(builder, argument.getLoc(), scope.makeShape(names),
                          scope.makeShape(exprs));
    auto known = ReshapeOp::create(builder, argument.getLoc(), type, argument);
    argument.replaceAllUsesExcept(known, known);
  }
  func.setFunctionType(FunctionType::get(
      func.getContext(), body.getArgumentTypes(), func.getResultTypes()));
}

/// Plans and rewrites one function.
class FunctionPlanner {
public:
  /// Declarations of kernels by the names of packed functions and their types.
  using PackedFunctions =
      DenseMap<std::pair<StringAttr, FunctionType>, FlatSymbolRefAttr>;

  FunctionPlanner(FuncOp func, SymbolTableCollection &symbolTable,
                  PackedFunctions &packedFunctions)
      : func(func), symbolTable(symbolTable), packedFunctions(packedFunctions),
        scope(func.getContext()) {}

  /// Collects calls, buffers and lifetimes.
  LogicalResult analyze();

  /// Decides where buffers lie.
  void plan(bool reuse);

  /// Rewrites the function to its executable form.
  void rewrite();

  size_t getNumBuffers() const { return lifetimes.size(); }
  size_t getNumStorages() const { return storagePlan.storages.size(); }
  /// With every symbol equal to `symbol`.
  int64_t getPlannedBytes(int64_t symbol) const;
  int64_t getUnsharedBytes(int64_t symbol) const;
  /// Writes the symbols' names, as in "m = n = ".
  void printSymbols(Diagnostic &diag) const {
    for (StringAttr name : scope.getNames())
      diag << name.getValue() << " = ";
  }
  bool hasSymbols() const { return !scope.getNames().empty(); }

private:
  /// A call of a kernel or a packed function, or a copy to another device.
  struct Call {
    Operation *op;
    SmallVector<SymbolicTensorType> workspaceTypes;
    /// Number of the first workspace's buffer; the others follow.
    unsigned firstWorkspace = 0;
  };

  LogicalResult analyzeCall(CallTIROp op);
  FailureOr<SymbolicTensorType> getWorkspaceType(CallTIROp call,
                                                 FunctionOpInterface kernel,
                                                 unsigned index,
                                                 ArrayRef<AffineExpr> sizes);
  unsigned addBuffer(SymbolicTensorType type, int64_t first, int64_t last);

  void planDevice(relay::DeviceAttr device, ArrayRef<unsigned> buffers,
                  bool reuse);
  void runCall(const Call &call, OpBuilder &builder);
  FlatSymbolRefAttr declarePacked(CallDPSPackedOp call);
  Value getStorage(OpBuilder &builder, Location loc, unsigned storage);
  Value allocate(OpBuilder &builder, Location loc, unsigned buffer,
                 SymbolicTensorType type);
  Value getOutput(OpBuilder &builder, OpResult result);

  FuncOp func;
  SymbolTableCollection &symbolTable;
  PackedFunctions &packedFunctions;
  SymbolScope scope;

  SmallVector<Call> calls;
  SmallVector<BufferLifetime> lifetimes;
  /// By device, null for the host.
  llvm::MapVector<relay::DeviceAttr, SmallVector<unsigned>> buffersOf;
  /// Buffer of each kernel result that has one, and the function's result that
  /// each other kernel result is written to.
  DenseMap<Value, unsigned> buffers;
  DenseMap<Value, unsigned> resultOf;

  StoragePlan storagePlan;
  SmallVector<relay::DeviceAttr> storageDevices;
  SmallVector<Value> storages;
  SmallVector<int64_t> storageEnds;
  SmallVector<Value> resultBuffers;
};

} // namespace

LogicalResult FunctionPlanner::analyze() {
  for (StringAttr name : func.getSymbols())
    scope.getSymbol(name);
  for (Operation &op : func.getBody().front()) {
    if (auto call = dyn_cast<CallTIROp>(op)) {
      if (failed(analyzeCall(call)))
        return failure();
    } else if (isa<CallDPSPackedOp, ToDeviceOp>(op)) {
      calls.push_back({&op, {}});
    } else if (!isAboutSizes(&op) &&
               !isa<ConstantOp, ReshapeOp, ReturnOp>(op)) {
      return op.emitOpError() << "expects an operation of the form "
                                 "relax-kernels without tuples";
    }
  }

  // The kernel that computes a result writes it in place. A value that is
  // returned twice is copied for the second.
  auto returnOp = cast<ReturnOp>(func.getBody().front().getTerminator());
  for (auto [index, operand] : llvm::enumerate(returnOp.getOperands())) {
    if (!isa<SymbolicTensorType>(operand.getType()))
      return returnOp.emitOpError()
             << "expects results that are tensors, but got "
             << operand.getType();
    Value root = getReshapeRoot(operand);
    if (isa_and_nonnull<CallDPSPackedOp, CallTIROp, ToDeviceOp>(
            root.getDefiningOp()))
      resultOf.try_emplace(root, index);
  }

  DenseMap<Value, int64_t> lastUse;
  for (auto [step, call] : llvm::enumerate(calls))
    for (Value arg : call.op->getOperands())
      lastUse[getReshapeRoot(arg)] = step;
  for (auto [step, call] : llvm::enumerate(calls)) {
    for (OpResult result : call.op->getResults()) {
      if (resultOf.contains(result))
        continue;
      int64_t last = std::max<int64_t>(step, lastUse.lookup(result));
      buffers[result] =
          addBuffer(cast<SymbolicTensorType>(result.getType()), step, last);
    }
    call.firstWorkspace = lifetimes.size();
    for (SymbolicTensorType type : call.workspaceTypes)
      addBuffer(type, step, step);
  }
  return success();
}

LogicalResult FunctionPlanner::analyzeCall(CallTIROp op) {
  auto kernel = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
      op, op.getCalleeAttr());
  KernelSignature signature = KernelSignature::of(kernel);
  if (signature.returnsOutputs) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "expects a kernel on buffers, but "
                              << op.getCalleeAttr() << " returns values";
    diag.attachNote(kernel.getLoc())
        << "kernel is here; run --convert-linalg-to-tir before this pass";
    return diag;
  }

  // The sizes of all dynamic dimensions of inputs and outputs, in the order of
  // the kernel ABI: what the sizes of workspaces are functions of.
  SmallVector<AffineExpr> sizes;
  SmallVector<Value> values(op.getArgs());
  llvm::append_range(values, op.getResults());
  for (auto [index, value] : llvm::enumerate(values)) {
    auto memref = dyn_cast<MemRefType>(kernel.getArgumentTypes()[index]);
    auto type = cast<SymbolicTensorType>(value.getType());
    if (!memref || memref.hasStaticShape())
      continue;
    if (memref.getRank() != type.getRank())
      return op.emitOpError()
             << "expects buffer " << index << " of " << op.getCalleeAttr()
             << ", " << memref << ", to have the rank of " << type;
    for (int64_t dim = 0, e = memref.getRank(); dim != e; ++dim)
      if (memref.isDynamicDim(dim))
        sizes.push_back(scope.import(type.getShape(), dim));
  }

  Call &call = calls.emplace_back();
  call.op = op;
  for (unsigned i = 0; i != signature.numWorkspaces; ++i) {
    FailureOr<SymbolicTensorType> type = getWorkspaceType(
        op, kernel, signature.numInputs + signature.numOutputs + i, sizes);
    if (failed(type))
      return failure();
    call.workspaceTypes.push_back(*type);
  }
  return success();
}

FailureOr<SymbolicTensorType>
FunctionPlanner::getWorkspaceType(CallTIROp call, FunctionOpInterface kernel,
                                  unsigned index, ArrayRef<AffineExpr> sizes) {
  auto memref = dyn_cast<MemRefType>(kernel.getArgumentTypes()[index]);
  if (!memref)
    return call.emitOpError()
           << "expects workspace " << index << " of " << call.getCalleeAttr()
           << " to be a memref, but got " << kernel.getArgumentTypes()[index];
  // Those of the call, which are on one device.
  auto own = dyn_cast<SymbolicTensorType>(
      call.getResults().empty() ? Type() : call.getResultTypes().front());
  relay::DeviceAttr device = own ? own.getDevice() : relay::DeviceAttr();
  if (memref.hasStaticShape())
    return SymbolicTensorType::get(memref.getShape(), memref.getElementType(),
                                   device);

  auto map = kernel.getArgAttrOfType<AffineMapAttr>(index, kWorkspaceAttr);
  if (!map || map.getValue().getNumDims() != 0 ||
      map.getValue().getNumSymbols() != sizes.size() ||
      map.getValue().getNumResults() !=
          static_cast<unsigned>(memref.getNumDynamicDims())) {
    InFlightDiagnostic diag =
        call.emitOpError() << "expects " << kWorkspaceAttr
                           << " to give the dynamic sizes of workspace "
                           << index << ", " << memref << ", as a function of "
                           << sizes.size() << " sizes";
    diag.attachNote(kernel.getLoc()) << "kernel is here";
    return diag;
  }
  SmallVector<AffineExpr> dims;
  unsigned next = 0;
  for (int64_t size : memref.getShape())
    dims.push_back(ShapedType::isDynamic(size)
                       ? map.getValue().getResult(next++).replaceSymbols(sizes)
                       : getAffineConstantExpr(size, func.getContext()));
  return SymbolicTensorType::get(scope.makeShape(dims), memref.getElementType(),
                                 device);
}

unsigned FunctionPlanner::addBuffer(SymbolicTensorType type, int64_t first,
                                    int64_t last) {
  lifetimes.push_back(
      {canonicalizeSymbolicExpr(getNumBytes(type, scope)), first, last});
  buffersOf[type.getDevice()].push_back(lifetimes.size() - 1);
  return lifetimes.size() - 1;
}

void FunctionPlanner::planDevice(relay::DeviceAttr device,
                                 ArrayRef<unsigned> buffers, bool reuse) {
  MLIRContext *context = func.getContext();
  StoragePlan plan;
  if (reuse) {
    SmallVector<BufferLifetime> own = llvm::map_to_vector(
        buffers, [&](unsigned buffer) { return lifetimes[buffer]; });
    plan = planStorage(own, scope.getNames().size(), kAlignment, context);
  } else {
    for (auto [index, buffer] : llvm::enumerate(buffers)) {
      plan.storages.push_back({lifetimes[buffer].bytes});
      plan.placements.push_back(
          {static_cast<unsigned>(index), getAffineConstantExpr(0, context)});
    }
  }
  unsigned first = storagePlan.storages.size();
  for (auto [buffer, placement] : llvm::zip_equal(buffers, plan.placements))
    storagePlan.placements[buffer] = {first + placement.storage,
                                      placement.offset};
  llvm::append_range(storagePlan.storages, plan.storages);
  storageDevices.resize(storagePlan.storages.size(), device);
}

void FunctionPlanner::plan(bool reuse) {
  storagePlan.placements.resize(lifetimes.size());
  for (auto &[device, buffers] : buffersOf)
    planDevice(device, buffers, reuse);
  storages.assign(storagePlan.storages.size(), Value());
  storageEnds.assign(storagePlan.storages.size(), 0);
  for (auto [buffer, placement] :
       llvm::zip_equal(lifetimes, storagePlan.placements)) {
    int64_t &end = storageEnds[placement.storage];
    end = std::max(end, buffer.last);
  }
}

int64_t FunctionPlanner::getPlannedBytes(int64_t symbol) const {
  SmallVector<int64_t> symbols(scope.getNames().size(), symbol);
  return storagePlan.getTotalBytes(symbols, kAlignment);
}

int64_t FunctionPlanner::getUnsharedBytes(int64_t symbol) const {
  SmallVector<int64_t> symbols(scope.getNames().size(), symbol);
  int64_t total = 0;
  for (const BufferLifetime &buffer : lifetimes)
    total = relay::saturatingAdd(
        total, relay::saturatingAlignTo(relay::evaluateAffineExpr(
                                            buffer.bytes, /*dims=*/{}, symbols),
                                        kAlignment));
  return total;
}

Value FunctionPlanner::getStorage(OpBuilder &builder, Location loc,
                                  unsigned storage) {
  Value &value = storages[storage];
  if (!value)
    value = AllocStorageOp::create(
        builder, loc,
        StorageType::get(builder.getContext(), storageDevices[storage]),
        scope.makeShape(storagePlan.storages[storage]), kAlignment);
  return value;
}

Value FunctionPlanner::allocate(OpBuilder &builder, Location loc,
                                unsigned buffer, SymbolicTensorType type) {
  const StoragePlan::Placement &placement = storagePlan.placements[buffer];
  return AllocTensorOp::create(builder, loc, type,
                               getStorage(builder, loc, placement.storage),
                               scope.makeShape(placement.offset));
}

Value FunctionPlanner::getOutput(OpBuilder &builder, OpResult result) {
  auto type = cast<SymbolicTensorType>(result.getType());
  Location loc = result.getLoc();
  auto it = resultOf.find(result);
  if (it == resultOf.end())
    return allocate(builder, loc, buffers.lookup(result), type);
  unsigned index = it->second;
  Value buffer =
      ResultBufferOp::create(builder, loc, func.getResultTypes()[index], index);
  resultBuffers[index] = buffer;
  if (buffer.getType() == type)
    return buffer;
  return ReshapeOp::create(builder, loc, type, buffer);
}

void FunctionPlanner::runCall(const Call &call, OpBuilder &builder) {
  Location loc = call.op->getLoc();
  SmallVector<Value> outputs, workspaces;
  for (OpResult result : call.op->getResults())
    outputs.push_back(getOutput(builder, result));
  for (auto [index, type] : llvm::enumerate(call.workspaceTypes))
    workspaces.push_back(
        allocate(builder, loc, call.firstWorkspace + index, type));
  if (auto kernel = dyn_cast<CallTIROp>(call.op))
    CallKernelOp::create(builder, loc, kernel.getCalleeAttr(), kernel.getArgs(),
                         outputs, workspaces);
  else if (auto packed = dyn_cast<CallDPSPackedOp>(call.op))
    CallKernelOp::create(builder, loc, declarePacked(packed), packed.getArgs(),
                         outputs, /*workspaces=*/ValueRange());
  else
    CopyOp::create(builder, loc, call.op->getOperand(0), outputs.front());
  call.op->replaceAllUsesWith(outputs);
  call.op->erase();
}

/// The kernel that a packed function is: only its declaration is there.
FlatSymbolRefAttr FunctionPlanner::declarePacked(CallDPSPackedOp call) {
  MLIRContext *context = call.getContext();
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(call.getOperandTypes(),
                                            call.getResultTypes())) {
    auto tensor = cast<SymbolicTensorType>(type);
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim != tensor.getRank(); ++dim)
      dims.push_back(
          tensor.getShape().getConstant(dim).value_or(ShapedType::kDynamic));
    types.push_back(MemRefType::get(dims, tensor.getElementType()));
  }
  auto type = FunctionType::get(context, types, {});
  auto name = StringAttr::get(context, call.getFunction());
  FlatSymbolRefAttr &callee = packedFunctions[{name, type}];
  if (callee)
    return callee;
  auto declaration =
      func::FuncOp::create(call.getLoc(), call.getFunction(), type);
  declaration.setPrivate();
  declaration->setAttr(kPackedFunctionAttr, name);
  declaration->setAttr(
      kNumOutputsAttr,
      IntegerAttr::get(IntegerType::get(context, 64), call.getNumResults()));
  symbolTable.getSymbolTable(func->getParentOp()).insert(declaration);
  callee = FlatSymbolRefAttr::get(declaration);
  return callee;
}

void FunctionPlanner::rewrite() {
  auto returnOp = cast<ReturnOp>(func.getBody().front().getTerminator());
  resultBuffers.assign(func.getNumResults(), Value());
  for (auto [step, call] : llvm::enumerate(calls)) {
    OpBuilder builder(call.op);
    Location loc = call.op->getLoc();
    builder.setInsertionPointAfter(call.op);
    runCall(call, builder);
    for (auto [storage, end] : llvm::enumerate(storageEnds))
      if (end == static_cast<int64_t>(step) && storages[storage])
        KillOp::create(builder, loc, storages[storage]);
  }

  OpBuilder builder(returnOp);
  for (auto [index, operand] : llvm::enumerate(returnOp->getOpOperands())) {
    if (!resultBuffers[index]) {
      resultBuffers[index] = ResultBufferOp::create(
          builder, returnOp.getLoc(), func.getResultTypes()[index], index);
      CopyOp::create(builder, returnOp.getLoc(), operand.get(),
                     resultBuffers[index]);
    }
    operand.set(resultBuffers[index]);
  }
  eraseDeadOps(func);
}

namespace {

struct PlanMemoryPass final : relax::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    SymbolTableCollection symbolTable;
    FunctionPlanner::PackedFunctions packedFunctions;
    for (auto func : getOperation().getOps<FuncOp>()) {
      if (func.isExternal())
        continue;
      inlineDataflow(func);
      if (failed(resolveMatchCasts(func)))
        return signalPassFailure();
      nameParameterSizes(func);
      eraseDeadOps(func);
      FunctionPlanner planner(func, symbolTable, packedFunctions);
      if (failed(planner.analyze()))
        return signalPassFailure();
      planner.plan(reuse);
      planner.rewrite();

      numBuffers += planner.getNumBuffers();
      numStorages += planner.getNumStorages();
      plannedBytes += planner.getPlannedBytes(/*symbol=*/1);
      unsharedBytes += planner.getUnsharedBytes(/*symbol=*/1);
      if (report) {
        InFlightDiagnostic diag = emitRemark(func.getLoc());
        diag << planner.getNumBuffers() << " buffers in "
             << planner.getNumStorages()
             << " storages: " << planner.getPlannedBytes(/*symbol=*/1)
             << " bytes, " << planner.getUnsharedBytes(/*symbol=*/1)
             << " without sharing";
        if (planner.hasSymbols()) {
          diag << " (at ";
          planner.printSymbols(*diag.getUnderlyingDiagnostic());
          diag << "1)";
        }
      }
    }
  }
};

} // namespace
