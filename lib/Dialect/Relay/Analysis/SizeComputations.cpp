//===- SizeComputations.cpp - What computes sizes -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/SizeComputations.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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

namespace {

/// Finds floats that are computed in integers, as fractions with constant
/// denominators: of others, kernels have no expression for a size.
class Fractions {
public:
  /// Whether what `op` makes of its operands has an expression. Its operands
  /// have been looked at before.
  bool add(Operation *op);

private:
  std::optional<int64_t> find(Operation *op);
  std::optional<int64_t> findOfConstant(ConstantOp op);
  std::optional<int64_t> findOfProduct(Operation *op);

  static bool isFloat(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    return tensor && isa<FloatType>(tensor.getElementType());
  }

  /// Of floats, as far as they are fractions.
  DenseMap<Value, int64_t> denominators;
};

} // namespace

std::optional<int64_t> Fractions::findOfConstant(ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return std::nullopt;
  // These are powers of two.
  int64_t denominator = 1;
  for (const APFloat &element : elements.getValues<APFloat>()) {
    std::optional<Fraction> fraction = Fraction::get(
        FloatAttr::get(elements.getElementType(), element).getValueAsDouble());
    if (!fraction)
      return std::nullopt;
    denominator = std::max(denominator, fraction->denominator);
  }
  return denominator;
}

/// Of a product or quotient with a constant.
std::optional<int64_t> Fractions::findOfProduct(Operation *op) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  auto getConstant = [](Value value) -> std::optional<Fraction> {
    auto constant = value.getDefiningOp<ConstantOp>();
    auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                             : DenseElementsAttr();
    if (!elements || !elements.isSplat())
      return std::nullopt;
    return Fraction::get(
        elements.getSplatValue<FloatAttr>().getValueAsDouble());
  };
  if (isa<MultiplyOp>(op) && getConstant(left))
    std::swap(left, right);
  std::optional<Fraction> constant = getConstant(right);
  auto it = denominators.find(left);
  if (!constant || it == denominators.end())
    return std::nullopt;
  auto [up, down] = *constant;
  if (isa<DivideOp>(op))
    std::swap(up, down);
  if (down <= 0 || up == 0)
    return std::nullopt;
  return it->second / std::gcd(up, it->second) * down;
}

std::optional<int64_t> Fractions::find(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return findOfConstant(constant);
  if (isa<MultiplyOp, DivideOp>(op))
    return findOfProduct(op);
  // What else moves elements, or adds them.
  int64_t common = 1;
  for (Value operand : op->getOperands()) {
    if (!isFloat(operand))
      continue;
    auto it = denominators.find(operand);
    if (it == denominators.end())
      return std::nullopt;
    common = std::lcm(common, it->second);
  }
  if (isa<FloorOp, CeilOp>(op))
    return 1;
  if (auto cast = dyn_cast<CastOp>(op)) {
    Type from = cast.getData().getType().getElementType();
    bool isExact = isa<FloatType>(from)
                       ? from.getIntOrFloatBitWidth() <=
                             cast.getType().getElementTypeBitWidth()
                       : from.isSignlessInteger() && !from.isInteger(1);
    return isExact ? std::optional(common) : std::nullopt;
  }
  auto fusable = dyn_cast<FusionPatternOpInterface>(op);
  if (isa<AddOp, SubtractOp, NegativeOp>(op) || !fusable ||
      fusable.getFusionPattern() > OpPatternKind::Broadcast)
    return common;
  return std::nullopt;
}

bool Fractions::add(Operation *op) {
  if (op->hasTrait<ReadsSizes>())
    return true;
  if (isa<TupleOp, TupleGetItemOp>(op) ||
      !llvm::any_of(op->getResults(), isFloat)) {
    // Conversions and ranges know fractions.
    return isa<TupleOp, TupleGetItemOp, CastOp, ArangeOp>(op)
               ? llvm::all_of(op->getOperands(),
                              [&](Value operand) {
                                return !isFloat(operand) ||
                                       denominators.contains(operand);
                              })
               : !llvm::any_of(op->getOperands(), isFloat);
  }
  std::optional<int64_t> denominator = find(op);
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
  Fractions fractions;
  if (!llvm::all_of(order, [&](Operation *op) { return fractions.add(op); }))
    return std::nullopt;
  return order;
}
