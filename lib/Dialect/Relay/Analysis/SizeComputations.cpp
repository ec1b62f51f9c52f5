//===- SizeComputations.cpp - What computes sizes -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/SizeComputations.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/Fraction.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay;

/// Elements of a tensor that shapes are computed with, at most: there are as
/// many numbers in a shape as dimensions, and a few for each of them.
static constexpr int64_t kMaxElements = 256;
/// Operations of one computation, at most.
static constexpr size_t kMaxOperations = 4096;

static bool isSmall(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isSmall);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         tensor.getNumElements() <= kMaxElements;
}

/// Whether `op` may be copied to where its result is needed.
static bool isCopyable(Operation *op) {
  return isa<ConstantOp, TupleOp, TupleGetItemOp, FusionPatternOpInterface>(
             op) &&
         op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getResultTypes(), isSmall);
}

static bool isFloat(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && isa<FloatType>(tensor.getElementType());
}

/// Whether sizes that `op` computes have an expression: floats are computed in
/// integers, as fractions with constant `denominators`, which those of the
/// operands are in, and those of the results come to.
static bool hasExpression(Operation *op,
                          DenseMap<Value, int64_t> &denominators) {
  if (op->hasTrait<ReadsSizes>() || isa<TupleGetItemOp>(op) ||
      !(llvm::any_of(op->getOperands(), isFloat) ||
        llvm::any_of(op->getResults(), isFloat)))
    return true;
  SmallVector<int64_t> known;
  int64_t common = 1;
  for (Value operand : op->getOperands()) {
    known.push_back(isFloat(operand) ? denominators.lookup(operand) : 1);
    if (known.back() == 0)
      return false;
    common = std::lcm(common, known.back());
  }
  std::optional<int64_t> denominator;
  if (auto fraction = dyn_cast<FractionOpInterface>(op))
    denominator = fraction.getDenominator(known);
  // What else does not look at elements moves them.
  else if (auto fusable = dyn_cast<FusionPatternOpInterface>(op);
           !fusable || fusable.getFusionPattern() == OpPatternKind::Injective)
    denominator = common;
  if (!denominator || *denominator > Fraction::kMaxNumber)
    return false;
  for (Value result : op->getResults())
    denominators[result] = *denominator;
  return true;
}

std::optional<SmallVector<Operation *>>
mlir::relay::getSizeComputation(Value value) {
  SmallVector<Operation *> order;
  DenseSet<Operation *> done;
  // Operations whose operands are, or will be, ahead of them on the stack.
  SmallVector<std::pair<Operation *, bool>> stack;
  auto push = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op)
      stack.push_back({op, /*areOperandsDone=*/false});
    return op != nullptr;
  };
  if (!push(value))
    return std::nullopt;
  while (!stack.empty()) {
    auto [op, areOperandsDone] = stack.pop_back_val();
    if (done.contains(op))
      continue;
    if (areOperandsDone) {
      done.insert(op);
      order.push_back(op);
      continue;
    }
    if (!isCopyable(op) || done.size() + stack.size() > kMaxOperations)
      return std::nullopt;
    stack.push_back({op, /*areOperandsDone=*/true});
    if (op->hasTrait<ReadsSizes>())
      continue;
    for (Value operand : op->getOperands())
      if (!push(operand))
        return std::nullopt;
  }
  DenseMap<Value, int64_t> denominators;
  for (Operation *op : order)
    if (!hasExpression(op, denominators))
      return std::nullopt;
  return order;
}
