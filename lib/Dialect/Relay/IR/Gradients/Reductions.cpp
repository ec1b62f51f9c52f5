//===- Reductions.cpp - Gradients of reductions and running sums ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

/// The reduced dimensions, in increasing order.
static SmallVector<int64_t> getAxes(std::optional<ArrayRef<int64_t>> axis,
                                    bool exclude, int64_t rank) {
  SmallVector<bool> isListed(rank, !axis || axis->empty());
  if (axis)
    for (int64_t each : *axis)
      isListed[normalize(each, rank)] = true;
  SmallVector<int64_t> result;
  for (int64_t i = 0; i < rank; ++i)
    if (isListed[i] != exclude)
      result.push_back(i);
  return result;
}

/// A value of the type of a reduction's result, with the reduced dimensions.
static Term restoreAxes(Term x, ArrayRef<int64_t> axes, bool keepdims) {
  if (!keepdims)
    for (int64_t axis : axes)
      x = x.getBuilder().make<ExpandDimsOp>(x.get(), axis, int64_t(1));
  return x;
}

namespace {

/// What gradients of reductions have in common.
struct Reduction {
  template <typename OpTy>
  Reduction(OpTy op, Gradient &d)
      : d(d), x(d.term(op.getData())),
        axes(getAxes(op.getAxis(), op.getExclude(), x.getRank())),
        keepdims(op.getKeepdims()), g(restore(d.get())) {}

  Term restore(Term value) const { return restoreAxes(value, axes, keepdims); }
  /// A sum as the reduction makes it, in which reduced dimensions stay.
  Term sum(Term value) const { return d.sum(value, axes, /*keepdims=*/true); }

  Gradient &d;
  Term x;
  SmallVector<int64_t> axes;
  bool keepdims;
  Term g;
};

} // namespace

// Found by GradientModel.
namespace mlir::relay::gradients {

static void differentiate(SumOp op, Gradient &d) {
  Reduction sum(op, d);
  d.set(0, d.broadcastLike(sum.g, op.getData()));
}

static void differentiate(MeanOp op, Gradient &d) {
  Reduction mean(op, d);
  d.set(0, d.broadcastLike(mean.g / d.countPer(mean.x, mean.g), op.getData()));
}

/// Equal elements share the gradient.
template <typename OpTy>
static void differentiateExtreme(OpTy op, Gradient &d) {
  Reduction extreme(op, d);
  Term isExtreme =
      d.castTo(d.make<EqualOp>(op.getData(),
                               extreme.restore(d.term(op.getResult())).get()),
               extreme.g.getType().getElementType());
  d.set(0, isExtreme * (extreme.g / extreme.sum(isExtreme)));
}
static void differentiate(MaxOp op, Gradient &d) {
  differentiateExtreme(op, d);
}
static void differentiate(MinOp op, Gradient &d) {
  differentiateExtreme(op, d);
}

/// The product of all other elements along an axis. Not y / x: an element may
/// be 0.
static Term multiplyOthers(Term x, int64_t axis) {
  TermBuilder &d = x.getBuilder();
  auto runBefore = [&](Term value) {
    return d.make<CumprodOp>(value.get(), d.getI64IntegerAttr(axis), TypeAttr(),
                             /*exclusive=*/true);
  };
  Term after = d.make<ReverseOp>(
      runBefore(d.make<ReverseOp>(x.get(), axis)).get(), axis);
  return runBefore(x) * after;
}
static void differentiate(ProdOp op, Gradient &d) {
  Reduction prod(op, d);
  // One axis after the other.
  SmallVector<Term> products = {prod.x};
  for (int64_t axis : prod.axes)
    products.push_back(d.make<ProdOp>(
        products.back().get(), d.getDenseI64ArrayAttr(axis), true, false));
  Term g = prod.g;
  for (int64_t i = prod.axes.size() - 1; i >= 0; --i)
    g = g * multiplyOthers(products[i], prod.axes[i]);
  d.set(0, g);
}

static void differentiate(VarianceOp op, Gradient &d) {
  Reduction variance(op, d);
  Term count = d.countPer(variance.x, variance.g);
  if (op.getUnbiased())
    count = count - 1;
  Term slope = variance.g / count * 2 * (variance.x - d.term(op.getMean()));
  d.set(0, slope);
  d.setSum(1, -slope);
}

//===----------------------------------------------------------------------===//
// Running sums and products
//===----------------------------------------------------------------------===//

/// Runs from the last element to the first.
static Term runBackward(Term g, int64_t axis, bool exclusive) {
  TermBuilder &d = g.getBuilder();
  Term reversed = d.make<ReverseOp>(g.get(), axis);
  Term sums = d.make<CumsumOp>(reversed.get(), d.getI64IntegerAttr(axis),
                               TypeAttr(), exclusive);
  return d.make<ReverseOp>(sums.get(), axis);
}

static void differentiate(CumsumOp op, Gradient &d) {
  int64_t rank = d.get().getRank();
  d.set(0, runBackward(d.get(), normalize(op.getAxis().value_or(0), rank),
                       op.getExclusive()));
}

/// Element i counts in each result from it on, as the product of the elements
/// up to there without it. These are made for all i: an element may be 0.
static void differentiate(CumprodOp op, Gradient &d) {
  Term g = d.get();
  int64_t rank = g.getRank(), axis = normalize(op.getAxis().value_or(0), rank);
  Term x = d.castTo(d.term(op.getData()), g.getType().getElementType());
  if (!op.getAxis())
    x = d.reshape(x, {-1});
  // (..., 1, n): the elements of a row; (..., n, n) a row for each of them.
  SmallVector<int64_t> order = getOthers(axis, rank);
  order.push_back(axis);
  auto toRows = [&](Term value) {
    return d.make<ExpandDimsOp>(d.transpose(value, order).get(), rank - 1,
                                int64_t(1));
  };
  Term row = toRows(x);
  Term ones = d.onesLike(row) * d.transposeMatrix(d.onesLike(row));
  auto triangle = [&](Term value, int64_t k, bool upper) {
    return d.make<TriluOp>(value.get(), d.number(k, d.getI64Type()).get(),
                           upper);
  };
  Term diagonal = triangle(triangle(ones, 0, true), 0, false);
  Term factors = d.where(diagonal, ones, row * ones);
  Term products = d.make<CumprodOp>(factors.get(), d.getI64IntegerAttr(rank),
                                    TypeAttr(), op.getExclusive());
  products = triangle(products, op.getExclusive() ? 1 : 0, true);
  Term sums = d.sum(toRows(g) * products, {rank});
  SmallVector<int64_t> back(rank);
  for (auto [i, dim] : llvm::enumerate(order))
    back[dim] = i;
  d.set(0, d.transpose(sums, back));
}

} // namespace mlir::relay::gradients

void gradients::registerReductions(MLIRContext *context) {
  attach<SumOp, MeanOp, MaxOp, MinOp, ProdOp, VarianceOp, CumsumOp, CumprodOp>(
      context);
}
