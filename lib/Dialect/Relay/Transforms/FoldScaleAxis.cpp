//===- FoldScaleAxis.cpp - Scales of channels become weights' -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "ChannelScales.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::relay {
#define GEN_PASS_DEF_FOLDSCALEAXISPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// How many operators are looked at for one product, so that time is linear in
/// the number of products.
static constexpr unsigned kMaxOperators = 256;

static bool isConstant(Value value) {
  return value.getDefiningOp<ConstantOp>() != nullptr;
}

namespace {

/// What takes in a scale instead of a product.
struct Plan {
  SmallVector<Linear> linears;
  /// Operands of sums, which are to be multiplied (backward) or divided.
  SmallVector<OpOperand *> terms;
  bool needsPositive = false;
  unsigned numOperators = 0;
};

struct FoldScaleAxisPass final
    : relay::impl::FoldScaleAxisPassBase<FoldScaleAxisPass> {
  using FoldScaleAxisPassBase::FoldScaleAxisPassBase;

  void runOnOperation() override {
    if (getPrecision(getOperation()) == Precision::Highest ||
        isCompiledAsItIs(getOperation()))
      return;
    SmallVector<MultiplyOp> products;
    getOperation().walk([&](MultiplyOp op) { products.push_back(op); });
    for (MultiplyOp product : products)
      if ((backward &&
           (foldBackward(product, 0) || foldBackward(product, 1))) ||
          (forward && (foldForward(product, 0) || foldForward(product, 1))))
        ++numFolded;
  }

private:
  bool collectSources(Value value, MultiplyOp product, Plan &plan);
  bool foldBackward(MultiplyOp product, unsigned scaleOperand);
  bool collectReaders(MultiplyOp product, Plan &plan);
  bool foldForward(MultiplyOp product, unsigned scaleOperand);

  bool isAllowed(const Linear &linear, const Scale &scale) const {
    return !onlyConstants ||
           (isConstant(linear.getWeight()) && scale.factors.has_value());
  }
};

} // namespace

/// A product's operand as a factor of the other one; nothing if that has not
/// the type of the result.
static RankedTensorType getScaledType(MultiplyOp product,
                                      unsigned scaleOperand) {
  auto type = dyn_cast<RankedTensorType>(product.getType());
  return product->getOperand(1 - scaleOperand).getType() == type ? type
                                                                 : nullptr;
}

//===----------------------------------------------------------------------===//
// Weights before a product
//===----------------------------------------------------------------------===//

/// Whether `value`, which nobody else needs, may be computed with the scale in
/// it; adds to the plan what takes it in.
bool FoldScaleAxisPass::collectSources(Value value, MultiplyOp product,
                                       Plan &plan) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || value.getType() != product.getType() ||
      op->getBlock() != product->getBlock() ||
      ++plan.numOperators > kMaxOperators)
    return false;
  if (std::optional<Linear> linear = matchLinear(op)) {
    plan.linears.push_back(*linear);
    return true;
  }
  if (op->hasTrait<PositivelyHomogeneous>()) {
    plan.needsPositive = true;
    return collectSources(op->getOperand(0), product, plan);
  }
  if (auto bias = dyn_cast<NNBiasAddOp>(op)) {
    plan.terms.push_back(&op->getOpOperand(1));
    return collectSources(bias.getData(), product, plan);
  }
  if (!isa<AddOp, SubtractOp>(op))
    return false;
  // One side at least takes it in; the other may be multiplied.
  bool hasSource = false;
  for (OpOperand &operand : op->getOpOperands()) {
    size_t numLinears = plan.linears.size(), numTerms = plan.terms.size();
    bool neededPositive = plan.needsPositive;
    if (collectSources(operand.get(), product, plan)) {
      hasSource = true;
      continue;
    }
    plan.linears.truncate(numLinears);
    plan.terms.truncate(numTerms);
    plan.needsPositive = neededPositive;
    plan.terms.push_back(&operand);
  }
  return hasSource;
}

/// Scales what a product is computed from.
bool FoldScaleAxisPass::foldBackward(MultiplyOp product,
                                     unsigned scaleOperand) {
  Value scaleValue = product->getOperand(scaleOperand);
  Value data = product->getOperand(1 - scaleOperand);
  RankedTensorType type = getScaledType(product, scaleOperand);
  Plan plan;
  if (!type || !collectSources(data, product, plan))
    return false;
  ArrayRef<int64_t> axes = plan.linears.front().axes.result;
  std::optional<Scale> scale = matchScale(scaleValue, type, axes);
  if (!scale || (plan.needsPositive && !scale->isPositive()))
    return false;
  for (const Linear &linear : plan.linears)
    if (ArrayRef(linear.axes.result) != axes || !isAllowed(linear, *scale) ||
        !isInRange(linear, *scale, linear.axes.weightOut))
      return false;
  for (OpOperand *term : plan.terms) {
    if (auto bias = dyn_cast<NNBiasAddOp>(term->getOwner())) {
      int64_t axis = bias.getAxis() + (bias.getAxis() < 0 ? type.getRank() : 0);
      if (axes != ArrayRef(axis))
        return false;
    } else if (onlyConstants && !isConstant(term->get())) {
      return false;
    }
  }
  // Of the first one of the block; the others come later.
  for (const Linear &linear : plan.linears)
    if (!makeAvailableBefore(*scale, linear.op))
      return false;
  for (OpOperand *term : plan.terms)
    if (!makeAvailableBefore(*scale, term->getOwner()))
      return false;

  for (const Linear &linear : plan.linears)
    scaleWeight(linear, *scale, linear.axes.weightOut);
  for (OpOperand *term : plan.terms) {
    OpBuilder builder(term->getOwner());
    Value factors = scale->value;
    if (isa<NNBiasAddOp>(term->getOwner()))
      factors = alignScale(builder, *scale,
                           cast<RankedTensorType>(term->get().getType()), {0});
    term->set(MultiplyOp::create(builder, term->get().getLoc(), term->get(),
                                 factors));
  }
  product.getResult().replaceAllUsesWith(data);
  product.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Weights after a product
//===----------------------------------------------------------------------===//

/// Whether all readers of a product take its scale in, directly or by what they
/// compute; adds these to the plan.
bool FoldScaleAxisPass::collectReaders(MultiplyOp product, Plan &plan) {
  llvm::SetVector<Value> scaled;
  scaled.insert(product.getResult());
  SmallVector<Operation *> sums;
  for (unsigned i = 0; i != scaled.size(); ++i)
    for (OpOperand &use : scaled[i].getUses()) {
      Operation *reader = use.getOwner();
      if (reader->getBlock() != product->getBlock() ||
          ++plan.numOperators > kMaxOperators)
        return false;
      if (std::optional<Linear> linear = matchLinear(reader)) {
        if (use.getOperandNumber() != 0 || !linear->axes.weightIn)
          return false;
        plan.linears.push_back(*linear);
        continue;
      }
      bool isHomogeneous = reader->hasTrait<PositivelyHomogeneous>();
      if (!isHomogeneous && !isa<AddOp, SubtractOp>(reader))
        return false;
      if (reader->getResult(0).getType() != product.getType())
        return false;
      plan.needsPositive |= isHomogeneous;
      if (!isHomogeneous)
        sums.push_back(reader);
      scaled.insert(reader->getResult(0));
    }
  for (Operation *sum : sums)
    for (OpOperand &operand : sum->getOpOperands())
      if (!scaled.contains(operand.get()) &&
          !llvm::is_contained(plan.terms, &operand))
        plan.terms.push_back(&operand);
  return !plan.linears.empty();
}

/// Whether a term divided by factors is as good as it was. What is not constant
/// is not known.
static bool canDivide(Value term, const Scale &scale) {
  std::optional<Magnitudes> terms = getMagnitudes(term);
  if (!terms)
    return true;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(term)).getFloatSemantics();
  Magnitudes factors;
  for (double factor : *scale.factors)
    factors.add(factor);
  return terms->largest / factors.smallest <=
             APFloat::getLargest(semantics).convertToDouble() &&
         terms->smallest / factors.largest >=
             APFloat::getSmallestNormalized(semantics).convertToDouble();
}

/// Scales the weights that a product is multiplied with.
bool FoldScaleAxisPass::foldForward(MultiplyOp product, unsigned scaleOperand) {
  Value scaleValue = product->getOperand(scaleOperand);
  Value data = product->getOperand(1 - scaleOperand);
  RankedTensorType type = getScaledType(product, scaleOperand);
  Plan plan;
  if (!type || !collectReaders(product, plan))
    return false;
  ArrayRef<int64_t> axes = plan.linears.front().axes.data;
  std::optional<Scale> scale = matchScale(scaleValue, type, axes);
  if (!scale || (plan.needsPositive && !scale->isPositive()) ||
      (!plan.terms.empty() && !scale->isInvertible()))
    return false;
  for (const Linear &linear : plan.linears)
    if (ArrayRef(linear.axes.data) != axes || !isAllowed(linear, *scale) ||
        !isInRange(linear, *scale, *linear.axes.weightIn))
      return false;
  for (OpOperand *term : plan.terms)
    if ((onlyConstants && !isConstant(term->get())) ||
        !canDivide(term->get(), *scale))
      return false;

  for (const Linear &linear : plan.linears)
    scaleWeight(linear, *scale, *linear.axes.weightIn);
  for (OpOperand *term : plan.terms) {
    OpBuilder builder(term->getOwner());
    term->set(DivideOp::create(builder, term->get().getLoc(), term->get(),
                               scale->value));
  }
  product.getResult().replaceAllUsesWith(data);
  product.erase();
  return true;
}
