//===- Normalization.cpp - Gradients of normalisations and losses ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayNNLossOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

/// Sum over all but one dimension: a vector along it.
static Term sumAround(Term x, int64_t axis) {
  return x.getBuilder().sum(x, getOthers(axis, x.getRank()));
}

/// Sets the gradients of y = (x - mean) / sqrt(variance + epsilon) * gamma +
/// beta, where mean and variance are those of x over `axes`. `group` brings a
/// tensor into the shape in which these are dimensions, and the result of
/// `ungroup` is in that of x.
template <typename OpTy>
static void differentiateNorm(OpTy op, Gradient &d, ArrayRef<int64_t> axes,
                              llvm::function_ref<Term(Term)> group,
                              llvm::function_ref<Term(Term)> ungroup) {
  Term x = group(d.term(op.getData())), g = d.get();
  int64_t rank = g.getRank(), axis = normalize(op.getAxis(), rank);
  auto getMean = [&](Term value) -> Term {
    // Without axes, MeanOp means all of them.
    if (axes.empty())
      return value;
    return d.make<MeanOp>(value.get(), d.getDenseI64ArrayAttr(axes), true,
                          false);
  };
  Term centered = x - getMean(x);
  Term scale = d.make<RsqrtOp>(
      (getMean(centered * centered) + op.getEpsilon().convertToDouble()).get());
  Term normal = centered * scale;
  Term slope = g;
  if (op.getScale()) {
    slope = g * d.alongAxis(d.term(op.getGamma()), axis, rank);
    d.set(1, sumAround(g * ungroup(normal), axis));
  }
  if (op.getCenter())
    d.set(2, sumAround(g, axis));
  slope = group(slope);
  d.set(0, ungroup(scale * (slope - getMean(slope) -
                            normal * getMean(slope * normal))));
}

// Found by GradientModel.
namespace mlir::relay::gradients {

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

static void differentiate(NNLayerNormOp op, Gradient &d) {
  auto same = [](Term value) { return value; };
  differentiateNorm(op, d, {normalize(op.getAxis(), d.get().getRank())}, same,
                    same);
}

static void differentiate(NNInstanceNormOp op, Gradient &d) {
  int64_t rank = d.get().getRank();
  SmallVector<int64_t> axes;
  for (int64_t dim : getOthers(normalize(op.getAxis(), rank), rank))
    if (dim != 0)
      axes.push_back(dim);
  auto same = [](Term value) { return value; };
  differentiateNorm(op, d, axes, same, same);
}

static void differentiate(NNGroupNormOp op, Gradient &d) {
  // Channels are (groups, channels of a group).
  int64_t rank = d.get().getRank(), axis = normalize(op.getAxis(), rank);
  SmallVector<int64_t> codes(axis, 0), axes;
  codes.append({-4, static_cast<int64_t>(op.getNumGroups()), -1});
  codes.append(rank - axis - 1, 0);
  for (int64_t dim = 1; dim <= rank; ++dim)
    if (dim != axis)
      axes.push_back(dim);
  differentiateNorm(
      op, d, axes, [&](Term value) { return d.reshape(value, codes); },
      [&](Term value) { return d.reshapeLike(value, op.getData()); });
}

/// With the mean and the variance that are given.
static void differentiate(NNBatchNormOp op, Gradient &d) {
  Term x = d.term(op.getData()), g = d.get();
  int64_t rank = x.getRank(), axis = normalize(op.getAxis(), rank);
  auto along = [&](Term vector) { return d.alongAxis(vector, axis, rank); };
  Term variance = d.term(op.getMovingVar());
  Term scale =
      d.make<RsqrtOp>((variance + op.getEpsilon().convertToDouble()).get());
  Term normal = (x - along(d.term(op.getMovingMean()))) * along(scale);
  Term gamma = op.getScale() ? d.term(op.getGamma()) : d.onesLike(scale);
  Term sums = sumAround(g, axis), products = sumAround(g * normal, axis);
  d.set(0, g * along(scale * gamma));
  if (op.getScale())
    d.set(1, products);
  if (op.getCenter())
    d.set(2, sums);
  // Mean and variance are results as well.
  d.set(3, d.get(1) - sums * scale * gamma);
  d.set(4, d.get(2) - products * gamma * scale * scale * 0.5);
}

static void differentiate(NNLrnOp op, Gradient &d) {
  Term x = d.term(op.getData()), g = d.get();
  int64_t axis = normalize(op.getAxis(), x.getRank()), size = op.getSize();
  double beta = op.getBeta().convertToDouble();
  double alpha = op.getAlpha().convertToDouble() / double(size);
  // Sums over the window around each channel, which reaches that far down and
  // up.
  auto sumWindow = [&](Term value, int64_t down, int64_t up) {
    Term zero = d.number(0, value);
    SmallVector<int64_t> widths(2 * x.getRank(), 0);
    widths[2 * axis] = down;
    widths[2 * axis + 1] = up;
    Term padded = d.make<NNPadOp>(value.get(), zero.get(), widths, "constant");
    int64_t channels = x.getSize(axis);
    Term sum = d.slice(padded, axis, 0, channels);
    for (int64_t i = 1; i < size; ++i)
      sum = sum + d.slice(padded, axis, i, channels + i);
    return sum;
  };
  int64_t down = (size - 1) / 2, up = size / 2;
  Term base =
      sumWindow(x * x, down, up) * alpha + op.getBias().convertToDouble();
  auto raise = [&](double exponent) {
    return d.make<PowerOp>(base.get(), d.number(exponent, base).get());
  };
  // An element counts in windows of those that it is seen from.
  Term others = sumWindow(g * x * raise(-beta - 1), up, down);
  d.set(0, g * raise(-beta) - x * others * (2 * alpha * beta));
}

static void differentiate(NNL2NormalizeOp op, Gradient &d) {
  Term x = d.term(op.getData()), g = d.get();
  SmallVector<int64_t> axes = llvm::map_to_vector(
      op.getAxis(), [&](int64_t axis) { return normalize(axis, x.getRank()); });
  if (axes.empty()) // All of them.
    axes = llvm::to_vector(llvm::seq<int64_t>(x.getRank()));
  Term squares = d.sum(x * x, axes, true);
  Term epsilon = d.number(op.getEps().convertToDouble(), x);
  Term bound = d.make<MaximumOp>(squares.get(), epsilon.get());
  Term scale = d.make<RsqrtOp>(bound.get());
  // Where the bound counts, the length does not change it.
  Term isFree = d.castTo(d.make<GreaterOp>(squares.get(), epsilon.get()),
                         x.getType().getElementType());
  Term along = d.sum(g * x, axes, true) * scale * scale * isFree;
  d.set(0, (g - x * along) * scale);
}

/// The identity, as the operator is for inference.
static void differentiate(NNDropoutOp, Gradient &d) { d.set(0, d.get()); }

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// The number of instances, as a scalar.
static Term countInstances(Term x, Gradient &d) {
  return d.countPer(x, d.sum(x, {0})) * d.onesLike(d.get());
}

static void differentiate(NNCrossEntropyOp op, Gradient &d) {
  Term x = d.term(op.getX()), y = d.term(op.getY());
  Term slope = -(d.get() / countInstances(x, d));
  d.set(0, slope * y / x);
  d.set(1, slope * d.make<LogOp>(op.getX()));
}
static void differentiate(NNCrossEntropyWithLogitsOp op, Gradient &d) {
  Term x = d.term(op.getX()), y = d.term(op.getY());
  Term slope = -(d.get() / countInstances(x, d));
  d.set(0, slope * y);
  d.set(1, slope * x);
}

/// Of the classes of targets, as one-hot vectors.
static LogicalResult differentiate(NNNllLossOp op, Gradient &d) {
  Term x = d.term(op.getPredictions()), weights = d.term(op.getWeights());
  int64_t rank = x.getRank(), classes = x.getSize(1);
  Type elementType = x.getType().getElementType();
  if (ShapedType::isDynamic(classes))
    return d.refuse() << "a known number of classes, but got " << x.getType();
  Term targets = d.term(op.getTargets());
  Term isTarget =
      d.make<OneHotOp>(targets.get(), d.number(1, elementType).get(),
                       d.number(0, elementType).get(), classes, int64_t(1),
                       TypeAttr::get(elementType));
  Term isUsed = d.castTo(
      d.make<NotEqualOp>(targets.get(),
                         d.number(double(op.getIgnoreIndex()), targets).get()),
      elementType);
  Term used =
      isTarget * d.make<ExpandDimsOp>(isUsed.get(), int64_t(1), int64_t(1));
  Term weighted = used * d.alongAxis(weights, 1, rank);
  Term g = d.get();
  if (op.getReduction() == "none")
    g = d.make<ExpandDimsOp>(g.get(), int64_t(1), int64_t(1));
  if (op.getReduction() != "mean") {
    d.set(0, -(g * weighted));
    d.set(2, sumAround(-(g * used * x), 1));
    return success();
  }
  // A quotient of sums, of which the weights are in both.
  Term total = d.sumAll(weighted);
  d.set(0, -(g / total * weighted));
  d.set(2, sumAround(-(g / total * (used * x + used * d.term(op.getResult()))),
                     1));
  return success();
}

} // namespace mlir::relay::gradients

void gradients::registerNormalization(MLIRContext *context) {
  attach<NNLayerNormOp, NNInstanceNormOp, NNGroupNormOp, NNBatchNormOp, NNLrnOp,
         NNL2NormalizeOp, NNDropoutOp, NNCrossEntropyOp,
         NNCrossEntropyWithLogitsOp, NNNllLossOp>(context);
}
