//===- FoldConstant.cpp - Evaluate operators on constants -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Interpreter/Interpreter.h"

namespace mlir::relay {
#define GEN_PASS_DEF_FOLDCONSTANTPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Constants up to this many elements are written into the program's text.
static constexpr int64_t kMaxLiteralElements = 16;

/// Returns the bytes of a value of type `type`, or nothing if its size is not
/// known or the interpreter has no such values.
static std::optional<int64_t> getByteSize(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    int64_t sum = 0;
    for (Type field : tuple.getTypes()) {
      std::optional<int64_t> bytes = getByteSize(field);
      if (!bytes)
        return std::nullopt;
      sum += *bytes;
    }
    return sum;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !Tensor::supports(tensor.getElementType()))
    return std::nullopt;
  return tensor.getNumElements() * getElementSize(tensor.getElementType());
}

namespace {

/// Folds the operators of one block.
class Folder {
public:
  Folder(Block &block, int64_t maxGrowth)
      : block(block), maxGrowth(maxGrowth),
        interpreter(block.getParentOp()->getContext()) {}

  LogicalResult run();
  int64_t getNumFolded() const { return foldable.size(); }

private:
  bool isFoldable(Operation &op) const;
  LogicalResult evaluate(Operation *op);
  Value materialize(OpBuilder &builder, Location loc,
                    const InterpreterValue &value);

  Block &block;
  int64_t maxGrowth;
  Interpreter interpreter;
  llvm::SmallPtrSet<Operation *, 32> foldable;
  /// Values of constants and folded operators that are still to be read.
  llvm::DenseMap<Value, InterpreterValue> values;
};

} // namespace

bool Folder::isFoldable(Operation &op) const {
  if (isa<ConstantOp>(op) || op.getNumResults() != 1 || !isPure(&op) ||
      !interpreter.canEvaluate(&op))
    return false;
  int64_t operandBytes = 0;
  for (Value operand : op.getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (!isa_and_nonnull<ConstantOp>(producer) && !foldable.contains(producer))
      return false;
    operandBytes += getByteSize(operand.getType()).value_or(0);
  }
  std::optional<int64_t> bytes = getByteSize(op.getResult(0).getType());
  return bytes && *bytes - operandBytes <= maxGrowth;
}

/// Returns an SSA value with the contents of `value`.
Value Folder::materialize(OpBuilder &builder, Location loc,
                          const InterpreterValue &value) {
  if (value.isTuple()) {
    SmallVector<Value> fields;
    for (const InterpreterValue &field : value.getFields())
      fields.push_back(materialize(builder, loc, field));
    return TupleOp::create(builder, loc, fields);
  }
  const Tensor &tensor = value.getTensor();
  if (tensor.getNumElements() <= kMaxLiteralElements)
    return ConstantOp::create(builder, loc, tensor.toDenseElements());
  return ConstantOp::create(builder, loc, tensor.toDenseResource("folded"));
}

LogicalResult Folder::evaluate(Operation *op) {
  SmallVector<InterpreterValue> operands;
  for (Value operand : op->getOperands()) {
    auto it = values.find(operand);
    if (it == values.end()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      FailureOr<Tensor> tensor = Tensor::get(
          constant.getValue(), [&] { return constant.emitOpError(); });
      if (failed(tensor))
        return failure();
      it = values.try_emplace(operand, InterpreterValue(*tensor)).first;
    }
    operands.push_back(it->second);
  }
  InterpreterValue result;
  if (failed(interpreter.evaluateOp(op, operands, result)))
    return failure();
  values[op->getResult(0)] = result;

  // What only other folded operators read never becomes a constant.
  Value old = op->getResult(0);
  auto isKept = [&](OpOperand &use) {
    return !foldable.contains(use.getOwner());
  };
  if (llvm::any_of(old.getUses(), isKept)) {
    OpBuilder builder(op);
    old.replaceUsesWithIf(materialize(builder, op->getLoc(), result), isKept);
  }
  return success();
}

LogicalResult Folder::run() {
  SmallVector<Operation *> order;
  for (Operation &op : block)
    if (isFoldable(op)) {
      foldable.insert(&op);
      order.push_back(&op);
    }

  // The last operator that reads each value, after which it is dropped.
  llvm::DenseMap<Value, Operation *> lastUse;
  for (Operation *op : order)
    for (Value operand : op->getOperands())
      lastUse[operand] = op;
  for (Operation *op : order) {
    if (failed(evaluate(op)))
      return failure();
    for (Value operand : op->getOperands())
      if (lastUse[operand] == op)
        values.erase(operand);
  }
  for (Operation *op : llvm::reverse(order))
    op->erase();
  for (auto constant :
       llvm::make_early_inc_range(block.getOps<ConstantOp>()))
    if (constant.use_empty())
      constant.erase();
  return success();
}

namespace {
struct FoldConstantPass : relay::impl::FoldConstantPassBase<FoldConstantPass> {
  using FoldConstantPassBase::FoldConstantPassBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      Folder folder(block, maxGrowth);
      if (failed(folder.run()))
        return signalPassFailure();
      numFolded += folder.getNumFolded();
    }
  }
};
} // namespace
