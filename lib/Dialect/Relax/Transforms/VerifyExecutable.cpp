//===- VerifyExecutable.cpp - Check the executable form -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"

#include "KernelBuffers.h"

#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "llvm/ADT/MapVector.h"

#include <limits>

namespace mlir::relax {
#define GEN_PASS_DEF_VERIFYEXECUTABLEPASS
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Checks one function, independently of how its memory was planned.
class FunctionChecker {
public:
  FunctionChecker(FuncOp func, SymbolTableCollection &symbolTable)
      : func(func), symbolTable(symbolTable), scope(func.getContext()) {}

  LogicalResult check();

private:
  /// A tensor in storage.
  struct Tensor {
    AllocTensorOp op;
    AffineExpr begin;
    AffineExpr end;
    int64_t firstWrite = std::numeric_limits<int64_t>::max();
    int64_t lastUse = -1;
  };

  LogicalResult checkAlloc(AllocTensorOp op);
  LogicalResult checkCall(CallKernelOp op);
  LogicalResult checkRead(Operation *op, Value value);
  LogicalResult checkWrite(Operation *op, Value value);
  LogicalResult checkAlive(Operation *op, Value root);
  LogicalResult checkReturn(ReturnOp op);
  LogicalResult checkOverlaps();

  FuncOp func;
  SymbolTableCollection &symbolTable;
  SymbolScope scope;
  int64_t step = 0;
  llvm::MapVector<Value, Tensor> tensors;
  DenseMap<Value, Operation *> kills;
  DenseSet<Value> written;
};

} // namespace

LogicalResult FunctionChecker::check() {
  for (Type type : func.getArgumentTypes()) {
    auto tensor = dyn_cast<SymbolicTensorType>(type);
    for (size_t dim = 0, e = tensor ? tensor.getShape().size() : 0; dim < e;
         ++dim)
      if (!tensor.getShape().getConstant(dim) &&
          !tensor.getShape().getBareSymbol(dim))
        return func.emitOpError() << "expects sizes of parameters that are "
                                     "numbers or names, but got "
                                  << type;
  }
  for (Operation &op : func.getBody().front()) {
    ++step;
    LogicalResult result = success();
    if (auto alloc = dyn_cast<AllocTensorOp>(op)) {
      result = checkAlloc(alloc);
    } else if (auto call = dyn_cast<CallKernelOp>(op)) {
      result = checkCall(call);
    } else if (auto copy = dyn_cast<CopyOp>(op)) {
      result = success(succeeded(checkRead(copy, copy.getSource())) &&
                       succeeded(checkWrite(copy, copy.getTarget())));
    } else if (auto kill = dyn_cast<KillOp>(op)) {
      kills[kill.getStorage()] = kill;
    } else if (auto returnOp = dyn_cast<ReturnOp>(op)) {
      result = checkReturn(returnOp);
    } else if (!isAboutSizes(&op) &&
               !isa<AllocStorageOp, ConstantOp, ReshapeOp, ResultBufferOp>(
                   op)) {
      InFlightDiagnostic diag =
          op.emitOpError("expects an operation of the form relax-executable");
      if (isa<CallTIROp, DataflowOp, OutputOp>(op))
        diag.attachNote() << "run --relax-plan-memory to get there";
      return diag;
    }
    if (failed(result))
      return failure();
  }
  return checkOverlaps();
}

LogicalResult FunctionChecker::checkAlloc(AllocTensorOp op) {
  auto storage = op.getStorage().getDefiningOp<AllocStorageOp>();
  if (!storage)
    return op.emitOpError("expects storage of a relax.alloc_storage");
  Tensor tensor;
  tensor.op = op;
  tensor.begin = scope.import(op.getOffset(), 0);
  tensor.end =
      canonicalizeSymbolicExpr(tensor.begin + getNumBytes(op.getType(), scope));
  if (!isProvablyGreaterEqual(
          tensor.begin, getAffineConstantExpr(0, tensor.begin.getContext())))
    return op.emitOpError("expects an offset that is not negative, but got ")
           << op.getOffset();
  // Kernels load whole vectors, and whole lines, from where a tensor begins.
  int64_t alignment = storage.getAlignment();
  if (!tensor.begin.isMultipleOf(alignment))
    return op.emitOpError("expects an offset that is a multiple of the "
                          "alignment of its storage, ")
           << alignment << ", but got " << op.getOffset();
  bool fits =
      llvm::any_of(scope.import(storage.getSize()), [&](AffineExpr size) {
        return isProvablyGreaterEqual(size, tensor.end);
      });
  if (!fits) {
    InFlightDiagnostic diag =
        op.emitOpError("expects a tensor that fits into its storage");
    diag.attachNote(storage.getLoc()) << "storage is here";
    return diag;
  }
  tensors.insert({op.getResult(), tensor});
  return success();
}

LogicalResult FunctionChecker::checkAlive(Operation *op, Value root) {
  auto it = tensors.find(root);
  if (it == tensors.end())
    return success();
  if (Operation *kill = kills.lookup(it->second.op.getStorage())) {
    InFlightDiagnostic diag =
        op->emitOpError("uses a tensor whose storage has been killed");
    diag.attachNote(kill->getLoc()) << "killed here";
    return diag;
  }
  it->second.lastUse = step;
  return success();
}

LogicalResult FunctionChecker::checkRead(Operation *op, Value value) {
  Value root = getReshapeRoot(value);
  if (failed(checkAlive(op, root)))
    return failure();
  if (root.getDefiningOp<AllocTensorOp>() ||
      root.getDefiningOp<ResultBufferOp>())
    if (!written.contains(root))
      return op->emitOpError("reads a tensor that nothing has written");
  return success();
}

LogicalResult FunctionChecker::checkWrite(Operation *op, Value value) {
  Value root = getReshapeRoot(value);
  if (isa<BlockArgument>(root) || root.getDefiningOp<ConstantOp>())
    return op->emitOpError("expects to write into storage or a result buffer");
  if (failed(checkAlive(op, root)))
    return failure();
  written.insert(root);
  if (auto it = tensors.find(root); it != tensors.end())
    it->second.firstWrite = std::min(it->second.firstWrite, step);
  return success();
}

LogicalResult FunctionChecker::checkCall(CallKernelOp op) {
  auto kernel = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
      op, op.getCalleeAttr());
  if (failed(checkKernelTarget(op, kernel)))
    return failure();
  for (auto [index, value] : llvm::enumerate(op.getOperands()))
    if (failed(checkKernelBuffer(op, kernel, index, value)))
      return failure();
  for (Value value : op.getInputs())
    if (failed(checkRead(op, value)))
      return failure();
  for (Value value : op.getOutputs())
    if (failed(checkWrite(op, value)))
      return failure();
  for (Value value : op.getWorkspaces())
    if (failed(checkWrite(op, value)))
      return failure();
  return success();
}

LogicalResult FunctionChecker::checkReturn(ReturnOp op) {
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    auto buffer = operand.getDefiningOp<ResultBufferOp>();
    if (!buffer || buffer.getIndex() != index)
      return op.emitOpError()
             << "expects result " << index << " to be its relax.result_buffer";
    if (!written.contains(operand))
      return op.emitOpError() << "expects something to write result " << index;
  }
  return success();
}

LogicalResult FunctionChecker::checkOverlaps() {
  auto isDisjoint = [](const Tensor &lhs, const Tensor &rhs) {
    return isProvablyGreaterEqual(rhs.begin, lhs.end) ||
           isProvablyGreaterEqual(lhs.begin, rhs.end);
  };
  DenseMap<Value, SmallVector<const Tensor *>> byStorage;
  for (auto &[value, tensor] : tensors) {
    if (tensor.lastUse < 0)
      continue;
    SmallVector<const Tensor *> &others = byStorage[tensor.op.getStorage()];
    for (const Tensor *other : others) {
      if (other->firstWrite > tensor.lastUse ||
          tensor.firstWrite > other->lastUse || isDisjoint(*other, tensor))
        continue;
      InFlightDiagnostic diag =
          tensor.op->emitOpError("overlaps a tensor that is alive");
      diag.attachNote(other->op->getLoc()) << "the other tensor is here";
      return diag;
    }
    others.push_back(&tensor);
  }
  return success();
}

namespace {

struct VerifyExecutablePass final
    : relax::impl::VerifyExecutablePassBase<VerifyExecutablePass> {
  using VerifyExecutablePassBase::VerifyExecutablePassBase;

  void runOnOperation() override {
    SymbolTableCollection symbolTable;
    for (auto func : getOperation().getOps<FuncOp>())
      if (!func.isExternal() &&
          failed(FunctionChecker(func, symbolTable).check()))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
