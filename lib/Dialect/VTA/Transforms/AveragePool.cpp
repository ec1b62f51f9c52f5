//===- AveragePool.cpp - Averages as scaled sums --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VTA adds up bytes, but neither divides nor has 64 bits. What a quantized
// network computes of the sum of a window, a division and a change of scale,
// is one function of few numbers, which grows with them. A product and a shift
// in 32 bits are the same function if they step where it does:
//
//   factor * t + addend >= j << shift > factor * (t - 1) + addend
//
// for the least sum t whose result is j, for each j.
//
//===----------------------------------------------------------------------===//

#include "AveragePool.h"

#include "PartFinder.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Interpreter/Interpreter.h"

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

static unsigned getBits(Operation *op) {
  return getStaticType(op->getResult(0)).getElementTypeBitWidth();
}

/// Whether each element of a result is a function of the same element of the
/// first operand, and of constants.
static bool isNumberFunction(Operation *op) {
  auto pattern = dyn_cast<FusionPatternOpInterface>(op);
  if (!pattern || pattern.getFusionPattern() > OpPatternKind::Broadcast)
    return false;
  RankedTensorType type = getStaticType(op->getResult(0));
  return type && type.getElementType().isSignlessInteger() &&
         llvm::all_of(op->getOperands().drop_front(), [](Value operand) {
           std::optional<SmallVector<int64_t>> numbers = getIntegers(operand);
           return numbers && numbers->size() == 1 &&
                  operand.getDefiningOp<ConstantOp>();
         });
}

/// What an operator computes of `numbers`; none if nobody knows.
static std::optional<Tensor> evaluate(const Interpreter &interpreter,
                                      Operation *op, const Tensor &numbers) {
  SmallVector<InterpreterValue> operands = {InterpreterValue(numbers)};
  for (Value operand : op->getOperands().drop_front()) {
    InterpreterValue value;
    if (failed(interpreter.evaluateOp(operand.getDefiningOp(), {}, value)))
      return std::nullopt;
    operands.push_back(value);
  }
  // As it is for so many elements.
  OwningOpRef<Operation *> copy = op->clone();
  copy->getResult(0).setType(RankedTensorType::get(
      numbers.getShape(), getStaticType(op->getResult(0)).getElementType()));
  InterpreterValue result;
  if (!interpreter.canEvaluate(op) ||
      failed(interpreter.evaluateOp(*copy, operands, result)))
    return std::nullopt;
  return result.getTensor();
}

/// The result for each sum from `least` to `most`; empty if nobody knows.
static SmallVector<int64_t> computeAll(const AverageChain &chain, int64_t least,
                                       int64_t most) {
  SmallVector<int64_t> results;
  for (int64_t sum = least; sum <= most; ++sum)
    results.push_back(sum * chain.factor / chain.count);
  Operation *pool = chain.ops.front();
  RankedTensorType type = getStaticType(pool->getResult(0));
  int64_t count = most - least + 1;
  Tensor numbers = Tensor::allocate({1, 1, 1, count}, type.getElementType());
  numbers.store<int64_t>(0, count, results.data());
  Interpreter interpreter(pool->getContext());
  for (Operation *op : ArrayRef(chain.ops).drop_front()) {
    std::optional<Tensor> next = evaluate(interpreter, op, numbers);
    if (!next)
      return {};
    numbers = *next;
  }
  return numbers.loadAll<int64_t>();
}

bool vta::followToBytes(AverageChain &chain) {
  while (getBits(chain.ops.back()) != 8) {
    Value value = chain.ops.back()->getResult(0);
    if (!value.hasOneUse())
      return false;
    Operation *op = *value.user_begin();
    if (op->getNumResults() != 1 || op->getOperand(0) != value ||
        op->getBlock() != chain.ops.front()->getBlock() ||
        !isNumberFunction(op) ||
        getStaticType(op->getResult(0)).getShape() !=
            getStaticType(value).getShape())
      return false;
    chain.ops.push_back(op);
  }
  return true;
}

/// The factor and the addend with which results step where they should, for
/// one shift.
static std::optional<ScaleChange> fitShift(ArrayRef<int64_t> steps,
                                           int64_t first, int64_t shift,
                                           int64_t largestSum) {
  int64_t unit = int64_t(1) << shift;
  double slope = 1;
  if (steps.size() > 1 && steps.back() > steps.front())
    slope = double(steps.size() - 1) / double(steps.back() - steps.front());
  auto guess = static_cast<int64_t>(slope * unit);
  for (int64_t factor = std::max<int64_t>(guess - 1, 1); factor <= guess + 2;
       ++factor) {
    int64_t least = INT64_MIN, most = INT64_MAX;
    for (auto [number, sum] : llvm::enumerate(steps)) {
      int64_t result = (first + static_cast<int64_t>(number)) * unit;
      least = std::max(least, result - factor * sum);
      most = std::min(most, result - factor * (sum - 1) - 1);
    }
    if (least > most)
      continue;
    // The number nearest to zero.
    int64_t addend = std::clamp<int64_t>(0, least, most);
    if (factor * largestSum + std::abs(addend) > INT32_MAX)
      continue;
    ScaleChange change;
    change.factor = factor;
    change.addend = addend;
    change.shift = shift;
    return change;
  }
  return std::nullopt;
}

std::optional<ScaleChange> vta::fitAverage(const AverageChain &chain) {
  // Beyond, 32 bits have no room for a product.
  constexpr int64_t kMaxCount = 4096;
  if (chain.count < 1 || chain.count > kMaxCount)
    return std::nullopt;
  int64_t leastSum = -128 * chain.count, mostSum = 127 * chain.count;
  SmallVector<int64_t> results = computeAll(chain, leastSum, mostSum);
  if (results.empty())
    return std::nullopt;
  // The least sum for each result after the first one.
  int64_t first = results.front(), last = first;
  SmallVector<int64_t> steps;
  for (auto [position, value] : llvm::enumerate(results)) {
    if (value < last)
      return std::nullopt;
    for (; last < value; ++last)
      steps.push_back(leastSum + static_cast<int64_t>(position));
  }
  if (steps.empty())
    return std::nullopt;
  for (int64_t shift = 0; shift < 31; ++shift) {
    std::optional<ScaleChange> change =
        fitShift(steps, first + 1, shift, -leastSum);
    if (!change)
      continue;
    auto scale = [&](int64_t sum) {
      return (sum * change->factor + change->addend) >> shift;
    };
    if (scale(leastSum) < first)
      change->least = first;
    if (scale(mostSum) > last)
      change->most = last;
    return change;
  }
  return std::nullopt;
}
