//===- Windows.cpp - Gradients of what is computed from windows -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators on windows that are no pools, as formulas of operators that have
// gradients.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

Term gradients::getWindowElements(TermBuilder &d,
                                  ArrayRef<WindowPositions> dims,
                                  ArrayRef<int64_t> sizes) {
  int64_t rank = dims.size(), stride = 1, windows = 1, length = 1;
  Value sum;
  for (int64_t i = rank - 1; i >= 0; --i) {
    // (windows..., elements...), of which this dimension has one of each.
    SmallVector<int64_t> shape(2 * rank, 1), positions;
    shape[i] = dims[i].windows;
    shape[rank + i] = dims[i].getLength();
    for (int64_t position : dims[i].positions)
      positions.push_back(position * stride);
    Term part = d.reshape(d.integers(positions), shape);
    sum = sum ? (d.term(sum) + part).get() : part.get();
    stride *= sizes[i];
    windows *= dims[i].windows;
    length *= dims[i].getLength();
  }
  return d.reshape(sum, {windows, length});
}

/// Adds elements around the last two dimensions of images.
static Term padImages(Term x, const Padding &padding, double value) {
  TermBuilder &d = x.getBuilder();
  return d.make<NNPadOp>(
      x.get(), d.number(value, x).get(),
      d.getDenseI64ArrayAttr({0, 0, 0, 0, padding.before[0], padding.after[0],
                              padding.before[1], padding.after[1]}),
      d.getStringAttr("constant"));
}

// Found by GradientModel.
namespace mlir::relay::gradients {

/// Equal elements of a window share the gradient.
static LogicalResult differentiate(ImageDilation2dOp op, Gradient &d) {
  Term g = d.get();
  Type elementType = g.getElementType();
  Term x = d.castTo(d.changeLayout(op.getData(), op.getDataLayout(), "NCHW"),
                    elementType);
  Term w = d.castTo(d.changeLayout(op.getWeight(), op.getKernelLayout(), "IHW"),
                    elementType);
  Term y = d.changeLayout(op.getResult(), op.getDataLayout(), "NCHW");
  for (Term each : {x, w})
    for (int64_t size : each.getType().getShape().drop_front(1))
      if (ShapedType::isDynamic(size))
        return d.refuse() << "known sizes of data and weight, but got "
                          << each.getType();
  Term padded = padImages(x, *expandPadding(op.getPadding(), 2),
                          -std::numeric_limits<double>::infinity());
  SmallVector<WindowPositions> dims;
  for (int64_t i = 0; i < 2; ++i) {
    WindowPositions dim = {{}, y.getSize(2 + i)};
    for (int64_t window = 0; window < dim.windows; ++window)
      for (int64_t k = 0; k < w.getSize(1 + i); ++k)
        dim.positions.push_back(window * op.getStrides()[i] +
                                k * op.getDilations()[i]);
    dims.push_back(std::move(dim));
  }
  Term elements =
      getWindowElements(d, dims, {padded.getSize(2), padded.getSize(3)});
  Term windows = d.make<TakeOp>(
      d.reshape(padded, {0, 0, -1}).get(), elements.get(),
      d.getI64IntegerAttr(0), d.getI64IntegerAttr(2), d.getStringAttr("clip"));
  Term sums = windows + d.reshape(w, {0, 1, -1});
  Term most =
      d.make<MaxOp>(sums.get(), d.getDenseI64ArrayAttr(3), false, false);
  return d.setByFormula(
      d.changeLayout(d.reshapeLike(most, y), "NCHW", op.getDataLayout()));
}

static LogicalResult differentiate(NNCorrelationOp op, Gradient &d) {
  Term a = d.term(op.getData1()), y = d.term(op.getResult());
  if (!a.getType().hasStaticShape())
    return d.refuse() << "known sizes of data, but got " << a.getType();
  Padding padding = *expandPadding(op.getPadding(), 2);
  int64_t kernel = op.getKernelSize(), reach = op.getMaxDisplacement();
  int64_t step = op.getStride2(), radius = reach / step;
  Term first = padImages(a, padding, 0);
  Term second = padImages(d.term(op.getData2()), padding, 0);
  // All pixels that a window reads, displaced.
  auto read = [&](Term x, int64_t dy, int64_t dx) {
    for (int64_t i = 0; i < 2; ++i) {
      int64_t begin = reach + (i ? dx : dy);
      x = d.slice(x, 2 + i, begin,
                  begin + (y.getSize(2 + i) - 1) * op.getStride1() + kernel);
    }
    return x;
  };
  Term fixed = read(first, 0, 0);
  SmallVector<Value> planes;
  for (int64_t p = -radius; p <= radius; ++p)
    for (int64_t q = -radius; q <= radius; ++q) {
      Term moved = read(second, p * step, q * step);
      Term pixels = op.getIsMultiply() ? fixed * moved
                                       : d.make<AbsOp>((fixed - moved).get());
      planes.push_back(
          d.make<MeanOp>(pixels.get(), d.getDenseI64ArrayAttr(1), true, false));
    }
  Term all = d.make<ConcatenateOp>(planes, int64_t(1));
  int64_t strides = op.getStride1();
  return d.setByFormula(d.make<NNAvgPool2dOp>(
      all.get(), ArrayRef<int64_t>{kernel, kernel},
      ArrayRef<int64_t>{strides, strides}, ArrayRef<int64_t>{1, 1},
      ArrayRef<int64_t>{0, 0}, "NCHW", "", false, false));
}

} // namespace mlir::relay::gradients

void gradients::registerWindows(MLIRContext *context) {
  attach<ImageDilation2dOp, NNCorrelationOp>(context);
}
