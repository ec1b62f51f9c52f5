//===- ChannelScales.cpp - Factors of channels ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelScales.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

/// The elements of a large constant of f32, without a copy.
static std::optional<ArrayRef<float>> getStoredFloats(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto resource =
      constant ? dyn_cast<DenseF32ResourceElementsAttr>(constant.getValue())
               : DenseF32ResourceElementsAttr();
  return resource ? resource.tryGetAsArrayRef() : std::nullopt;
}

/// The dimensions of an axis and its parts in a layout, of which nothing but
/// the axes `split` is in parts, and those in two at most.
static std::optional<ChannelParts::Axes> getParts(StringRef text, char letter,
                                                  StringRef split) {
  FailureOr<Layout> layout = Layout::parse(text);
  if (failed(layout))
    return std::nullopt;
  for (char primal : layout->getPrimals())
    if (layout->getParts(primal).size() > (split.contains(primal) ? 2 : 1))
      return std::nullopt;
  ChannelParts::Axes parts = layout->getParts(letter);
  return parts.empty() ? std::nullopt : std::optional(parts);
}

/// Of a convolution of one group in a blocked layout, or a transposed one.
static std::optional<ChannelParts> getBlockedChannels(Operation *op) {
  auto conv = dyn_cast<ConvolutionOpInterface>(op);
  if (!conv || conv.getGroups() != 1)
    return std::nullopt;
  StringRef layout = conv.getDataLayout(), kernel = conv.getKernelLayout();
  StringRef outLayout =
      conv.getOutLayout().empty() ? layout : conv.getOutLayout();
  std::optional<ChannelParts::Axes> data = getParts(layout, 'C', "C");
  std::optional<ChannelParts::Axes> result = getParts(outLayout, 'C', "C");
  std::optional<ChannelParts::Axes> weightIn = getParts(kernel, 'I', "IO");
  std::optional<ChannelParts::Axes> weightOut = getParts(kernel, 'O', "IO");
  if (!data || !result || !weightIn || !weightOut)
    return std::nullopt;
  return ChannelParts{*data, *result, weightIn, *weightOut};
}

std::optional<Linear> relay::matchLinear(Operation *op) {
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
  if (std::optional<ChannelAxes> axes = contraction.getChannelAxes()) {
    std::optional<ChannelParts::Axes> weightIn;
    if (axes->weightIn)
      weightIn = {*axes->weightIn};
    return Linear{op,
                  {{axes->data}, {axes->result}, weightIn, {axes->weightOut}}};
  }
  std::optional<ChannelParts> parts = getBlockedChannels(op);
  return parts ? std::optional(Linear{op, *parts}) : std::nullopt;
}

bool Scale::isPositive() const {
  return factors &&
         llvm::all_of(*factors, [](double factor) { return factor > 0; });
}

bool Scale::isInvertible() const {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(value)).getFloatSemantics();
  double smallest = APFloat::getSmallestNormalized(semantics).convertToDouble();
  return factors && llvm::all_of(*factors, [&](double factor) {
           double magnitude = std::abs(factor);
           return magnitude >= smallest && magnitude <= 1 / smallest;
         });
}

/// What has the same elements in the same order.
static Value lookThroughReshapes(Value value) {
  while (isa_and_present<ReshapeOp, ExpandDimsOp, SqueezeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

std::optional<Scale> relay::matchScale(Value value, RankedTensorType type,
                                       ArrayRef<int64_t> axes) {
  auto scale = dyn_cast<RankedTensorType>(value.getType());
  if (!scale || !scale.hasStaticShape() || scale.getRank() > type.getRank() ||
      !isa<FloatType>(scale.getElementType()) || !llvm::is_sorted(axes))
    return std::nullopt;
  int64_t missing = type.getRank() - scale.getRank();
  // All parts of the channels, or none.
  int64_t found = 0;
  for (auto [dim, size] : llvm::enumerate(scale.getShape())) {
    int64_t axis = int64_t(dim) + missing;
    if (llvm::is_contained(axes, axis) && size == type.getDimSize(axis))
      ++found;
    else if (size != 1)
      return std::nullopt;
  }
  if (found != int64_t(axes.size()) && scale.getNumElements() != 1)
    return std::nullopt;
  return Scale{value, scale.getNumElements(),
               getNumbers(lookThroughReshapes(value))};
}

void Magnitudes::add(double value) {
  double magnitude = std::abs(value);
  if (magnitude == 0)
    return;
  smallest = std::min(smallest, magnitude);
  // NaN counts as more than any.
  if (!(magnitude <= largest) && !std::isnan(largest))
    largest = magnitude;
}

/// Bits of floats without sign are ordered as magnitudes, NaN last. Loops over
/// them are vectors: weights are many.
static Magnitudes getMagnitudes(ArrayRef<float> elements) {
  constexpr int32_t none = std::numeric_limits<int32_t>::max();
  int32_t smallest = none, largest = 0;
  for (float element : elements) {
    int32_t bits = llvm::bit_cast<int32_t>(element) & 0x7fffffff;
    largest = std::max(largest, bits);
    smallest = std::min(smallest, bits ? bits : none);
  }
  Magnitudes result;
  result.add(llvm::bit_cast<float>(largest));
  if (smallest != none)
    result.add(llvm::bit_cast<float>(smallest));
  return result;
}

std::optional<Magnitudes> relay::getMagnitudes(Value value) {
  Magnitudes result;
  if (std::optional<ArrayRef<float>> stored = getStoredFloats(value))
    return ::getMagnitudes(*stored);
  std::optional<SmallVector<double>> elements = getNumbers(value);
  if (!elements)
    return std::nullopt;
  for (double element : *elements)
    result.add(element);
  return result;
}

/// Whether each product of an element of a constant of f32 and a factor is a
/// normal number; false if that is not known.
static bool areProductsNormal(Value weight, ArrayRef<double> factors,
                              double smallest, double largest) {
  if (!getStoredFloats(weight))
    return false;
  Magnitudes weights = *getMagnitudes(weight), scales;
  for (double factor : factors)
    scales.add(factor);
  return weights.largest * scales.largest <= largest &&
         weights.smallest * scales.smallest >= smallest;
}

bool relay::isInRange(const Linear &linear, const Scale &scale,
                      ArrayRef<int64_t> axes) {
  auto type = cast<RankedTensorType>(linear.getWeight().getType());
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type.getElementType()).getFloatSemantics();
  double largest = APFloat::getLargest(semantics).convertToDouble();
  double smallest = APFloat::getSmallestNormalized(semantics).convertToDouble();
  if (!scale.factors ||
      areProductsNormal(linear.getWeight(), *scale.factors, smallest, largest))
    return true;
  std::optional<SmallVector<double>> weights = getNumbers(linear.getWeight());
  if (!weights)
    return true;
  // A sum's largest term this far above the smallest numbers hides their loss.
  double margin =
      std::ldexp(smallest, 2 * APFloat::semanticsPrecision(semantics));
  SmallVector<int64_t> strides = computeSuffixProduct(type.getShape());
  auto getIndex = [&](int64_t flat, ArrayRef<int64_t> dims) {
    int64_t index = 0;
    for (int64_t dim : dims)
      index = index * type.getDimSize(dim) +
              flat / strides[dim] % type.getDimSize(dim);
    return index;
  };
  int64_t outputs = 1;
  for (int64_t dim : linear.axes.weightOut)
    outputs *= type.getDimSize(dim);
  SmallVector<double> maxima(outputs, 0);
  SmallVector<bool> underflows(maxima.size(), false);
  for (auto [flat, weight] : llvm::enumerate(*weights)) {
    double factor =
        (*scale.factors)[scale.size == 1 ? 0 : getIndex(flat, axes)];
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

Value relay::alignScale(OpBuilder &builder, const Scale &scale,
                        RankedTensorType type, ArrayRef<int64_t> axes) {
  auto scaleType = cast<RankedTensorType>(scale.value.getType());
  SmallVector<int64_t> shape(type.getRank(), 1);
  if (scale.size != 1)
    for (int64_t axis : axes)
      shape[axis] = type.getDimSize(axis);
  if (scaleType.getShape() == ArrayRef(shape))
    return scale.value;
  return ReshapeOp::create(builder, scale.value.getLoc(),
                           scaleType.clone(shape), scale.value, shape);
}

bool relay::makeAvailableBefore(const Scale &scale, Operation *op) {
  Operation *producer = scale.value.getDefiningOp();
  if (!producer || producer->getBlock() != op->getBlock() ||
      producer->isBeforeInBlock(op))
    return true;
  if (!isa<ConstantOp>(producer))
    return false;
  producer->moveBefore(op);
  return true;
}

void relay::scaleWeight(const Linear &linear, const Scale &scale,
                        ArrayRef<int64_t> axes) {
  OpBuilder builder(linear.op);
  Value weight = linear.getWeight();
  auto type = cast<RankedTensorType>(weight.getType());
  linear.op->setOperand(
      1, MultiplyOp::create(builder, weight.getLoc(), weight,
                            alignScale(builder, scale, type, axes)));
}
