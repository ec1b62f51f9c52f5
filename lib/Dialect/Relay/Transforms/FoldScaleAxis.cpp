//===- FoldScaleAxis.cpp - Scales of channels become weights' -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_FOLDSCALEAXISPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// An operator whose result is linear in a weight.
struct Linear {
  Operation *op;
  ChannelAxes axes;

  Value getData() const { return op->getOperand(0); }
  Value getWeight() const { return op->getOperand(1); }
};

/// A factor of the channels of a tensor.
struct Scale {
  Value value;
  /// One per channel, or one for all.
  int64_t size;
  /// If they are constants.
  std::optional<SmallVector<double>> factors;

  bool isPositive() const {
    return factors &&
           llvm::all_of(*factors, [](double factor) { return factor > 0; });
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

/// The elements of a constant of floats; nothing if it is not one.
static std::optional<SmallVector<double>> getFloats(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return std::nullopt;
  if (auto dense = dyn_cast<DenseFPElementsAttr>(constant.getValue())) {
    SmallVector<double> result;
    for (const APFloat &element : dense.getValues<APFloat>()) {
      APFloat copy = element;
      bool isLossy;
      copy.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &isLossy);
      result.push_back(copy.convertToDouble());
    }
    return result;
  }
  if (auto resource =
          dyn_cast<DenseF32ResourceElementsAttr>(constant.getValue()))
    if (std::optional<ArrayRef<float>> data = resource.tryGetAsArrayRef())
      return SmallVector<double>(data->begin(), data->end());
  return std::nullopt;
}

static std::optional<Linear> matchLinear(Operation *op) {
  auto contraction = dyn_cast<ContractionOpInterface>(op);
  if (!contraction)
    return std::nullopt;
  auto data = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto weight = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!data || !weight || !result || !weight.hasStaticShape() ||
      data.getElementType() != weight.getElementType() ||
      data.getElementType() != result.getElementType())
    return std::nullopt;
  std::optional<ChannelAxes> axes = contraction.getChannelAxes();
  if (!axes)
    return std::nullopt;
  return Linear{op, *axes};
}

/// `value` as a factor of the dimension `axis` of tensors of `type`.
static std::optional<Scale> matchScale(Value value, RankedTensorType type,
                                       int64_t axis) {
  auto scale = dyn_cast<RankedTensorType>(value.getType());
  if (!scale || !scale.hasStaticShape() || scale.getRank() > type.getRank() ||
      !isa<FloatType>(scale.getElementType()))
    return std::nullopt;
  int64_t missing = type.getRank() - scale.getRank();
  for (auto [dim, size] : llvm::enumerate(scale.getShape()))
    if (size != 1 &&
        (int64_t(dim) + missing != axis || size != type.getDimSize(axis)))
      return std::nullopt;
  return Scale{value, scale.getNumElements(), getFloats(value)};
}

namespace {

/// The magnitudes of elements other than zero.
struct Magnitudes {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;

  template <typename T>
  void add(T value) {
    double magnitude = std::abs(static_cast<double>(value));
    if (magnitude == 0)
      return;
    smallest = std::min(smallest, magnitude);
    // NaN counts as more than any.
    if (!(magnitude <= largest) && !std::isnan(largest))
      largest = magnitude;
  }
};

} // namespace

/// Whether each product of an element of a constant of f32 and a factor is a
/// normal number; false if that is not known.
static bool areProductsNormal(Value weight, ArrayRef<double> factors,
                              double smallest, double largest) {
  auto constant = weight.getDefiningOp<ConstantOp>();
  auto resource =
      constant ? dyn_cast<DenseF32ResourceElementsAttr>(constant.getValue())
               : DenseF32ResourceElementsAttr();
  std::optional<ArrayRef<float>> data =
      resource ? resource.tryGetAsArrayRef() : std::nullopt;
  if (!data)
    return false;
  Magnitudes weights, scales;
  for (float value : *data)
    weights.add(value);
  for (double factor : factors)
    scales.add(factor);
  return weights.largest * scales.largest <= largest &&
         weights.smallest * scales.smallest >= smallest;
}

/// Whether scaled weights are as good as the weights: none overflows, and what
/// underflows does not count in its sum. What is not constant is not known.
static bool isInRange(const Linear &linear, const Scale &scale, int64_t axis) {
  auto type = cast<RankedTensorType>(linear.getWeight().getType());
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type.getElementType()).getFloatSemantics();
  double largest = APFloat::getLargest(semantics).convertToDouble();
  double smallest = APFloat::getSmallestNormalized(semantics).convertToDouble();
  if (!scale.factors ||
      areProductsNormal(linear.getWeight(), *scale.factors, smallest, largest))
    return true;
  std::optional<SmallVector<double>> weights = getFloats(linear.getWeight());
  if (!weights)
    return true;
  // A sum's largest term this far above the smallest numbers hides their loss.
  double margin =
      std::ldexp(smallest, 2 * APFloat::semanticsPrecision(semantics));
  auto getIndex = [&](int64_t flat, int64_t dim) {
    int64_t inner = 1;
    for (int64_t size : type.getShape().drop_front(dim + 1))
      inner *= size;
    return flat / inner % type.getDimSize(dim);
  };
  SmallVector<double> maxima(type.getDimSize(linear.axes.weightOut), 0);
  SmallVector<bool> underflows(maxima.size(), false);
  for (auto [flat, weight] : llvm::enumerate(*weights)) {
    double factor =
        (*scale.factors)[scale.size == 1 ? 0 : getIndex(flat, axis)];
    double product = std::abs(weight * factor);
    if (!(product <= largest) || !std::isfinite(factor))
      return false;
    int64_t out = getIndex(flat, linear.axes.weightOut);
    maxima[out] = std::max(maxima[out], product);
    underflows[out] =
        underflows[out] || (weight != 0 && factor != 0 && product < smallest);
  }
  for (auto [maximum, hasUnderflow] : llvm::zip_equal(maxima, underflows))
    if (hasUnderflow && maximum < margin)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The rewriting
//===----------------------------------------------------------------------===//

/// The factors as a tensor of `rank` dimensions, of which `axis` has them.
static Value alignScale(OpBuilder &builder, const Scale &scale, int64_t rank,
                        int64_t axis) {
  auto type = cast<RankedTensorType>(scale.value.getType());
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = scale.size;
  if (type.getShape() == ArrayRef(shape))
    return scale.value;
  return ReshapeOp::create(builder, scale.value.getLoc(), type.clone(shape),
                           scale.value, shape);
}

/// Makes sure that the factors are there before `op`.
static bool moveBefore(const Scale &scale, Operation *op) {
  Operation *producer = scale.value.getDefiningOp();
  if (!producer || producer->getBlock() != op->getBlock())
    return !producer;
  if (producer->isBeforeInBlock(op))
    return true;
  if (!isa<ConstantOp>(producer))
    return false;
  producer->moveBefore(op);
  return true;
}

static void scaleWeight(const Linear &linear, const Scale &scale,
                        int64_t axis) {
  OpBuilder builder(linear.op);
  Value weight = linear.getWeight();
  int64_t rank = cast<RankedTensorType>(weight.getType()).getRank();
  linear.op->setOperand(
      1, MultiplyOp::create(builder, weight.getLoc(), weight,
                            alignScale(builder, scale, rank, axis)));
}

static bool isConstant(Value value) {
  return value.getDefiningOp<ConstantOp>() != nullptr;
}

namespace {

struct FoldScaleAxisPass final
    : relay::impl::FoldScaleAxisPassBase<FoldScaleAxisPass> {
  using FoldScaleAxisPassBase::FoldScaleAxisPassBase;

  void runOnOperation() override {
    if (getPrecision(getOperation()) == Precision::Highest)
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
  bool isAllowed(const Linear &linear, const Scale &scale) const {
    return !onlyConstants ||
           (isConstant(linear.getWeight()) && scale.factors.has_value());
  }
  bool foldBackward(MultiplyOp product, unsigned scaleOperand);
  bool foldForward(MultiplyOp product, unsigned scaleOperand);
};

} // namespace

/// Scales what a product is computed from.
bool FoldScaleAxisPass::foldBackward(MultiplyOp product,
                                     unsigned scaleOperand) {
  Value scaleValue = product->getOperand(scaleOperand);
  Value data = product->getOperand(1 - scaleOperand);
  auto type = dyn_cast<RankedTensorType>(product.getType());
  if (!type || data.getType() != type)
    return false;
  // Sums and functions that factors above zero pass, from the last one on.
  SmallVector<OpOperand *> terms;
  SmallVector<int64_t> biasAxes;
  bool needsPositive = false;
  std::optional<Linear> linear;
  for (Value value = data; !linear;) {
    Operation *op = value.getDefiningOp();
    if (!op || !value.hasOneUse() || value.getType() != type)
      return false;
    if ((linear = matchLinear(op)))
      break;
    if (op->hasTrait<PositivelyHomogeneous>()) {
      needsPositive = true;
      value = op->getOperand(0);
    } else if (auto bias = dyn_cast<NNBiasAddOp>(op)) {
      terms.push_back(&op->getOpOperand(1));
      int64_t axis = bias.getAxis();
      biasAxes.push_back(axis < 0 ? axis + type.getRank() : axis);
      value = bias.getData();
    } else if (isa<AddOp, SubtractOp>(op)) {
      unsigned term = isConstant(op->getOperand(0)) ? 0 : 1;
      if (!isConstant(op->getOperand(term)))
        return false;
      terms.push_back(&op->getOpOperand(term));
      value = op->getOperand(1 - term);
    } else {
      return false;
    }
  }
  int64_t axis = linear->axes.result;
  std::optional<Scale> scale = matchScale(scaleValue, type, axis);
  if (!scale || !isAllowed(*linear, *scale) ||
      (needsPositive && !scale->isPositive()) ||
      llvm::any_of(biasAxes, [&](int64_t other) { return other != axis; }) ||
      !isInRange(*linear, *scale, linear->axes.weightOut) ||
      !moveBefore(*scale, linear->op))
    return false;
  scaleWeight(*linear, *scale, linear->axes.weightOut);
  for (OpOperand *term : terms) {
    OpBuilder builder(term->getOwner());
    Value factors = isa<NNBiasAddOp>(term->getOwner())
                        ? alignScale(builder, *scale, /*rank=*/1, /*axis=*/0)
                        : scale->value;
    term->set(MultiplyOp::create(builder, term->get().getLoc(), term->get(),
                                 factors));
  }
  product.getResult().replaceAllUsesWith(data);
  product.erase();
  return true;
}

/// Scales the weight that a product is multiplied with.
bool FoldScaleAxisPass::foldForward(MultiplyOp product, unsigned scaleOperand) {
  Value scaleValue = product->getOperand(scaleOperand);
  Value data = product->getOperand(1 - scaleOperand);
  auto type = dyn_cast<RankedTensorType>(product.getType());
  if (!type || data.getType() != type)
    return false;
  bool needsPositive = false;
  std::optional<Linear> linear;
  for (Value value = product.getResult(); !linear;) {
    if (!value.hasOneUse())
      return false;
    Operation *user = *value.getUsers().begin();
    if (user->hasTrait<PositivelyHomogeneous>()) {
      needsPositive = true;
      value = user->getResult(0);
    } else if (!(linear = matchLinear(user)) || linear->getData() != value) {
      return false;
    }
  }
  if (!linear->axes.weightIn)
    return false;
  std::optional<Scale> scale = matchScale(scaleValue, type, linear->axes.data);
  if (!scale || !isAllowed(*linear, *scale) ||
      (needsPositive && !scale->isPositive()) ||
      !isInRange(*linear, *scale, *linear->axes.weightIn))
    return false;
  scaleWeight(*linear, *scale, *linear->axes.weightIn);
  product.getResult().replaceAllUsesWith(data);
  product.erase();
  return true;
}
