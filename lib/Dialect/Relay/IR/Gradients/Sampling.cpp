//===- Sampling.cpp - Gradients of reading between pixels -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that read images at positions which are computed, as formulas: what
// they read has a gradient by the pixels, its weights by the positions.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

//===----------------------------------------------------------------------===//
// Pixels
//===----------------------------------------------------------------------===//

namespace {

/// A weighted position along one dimension: a whole number, as a float.
struct Tap {
  Term position, weight;
};

/// The pixels of images or volumes, (images, channels, spatial...).
class Pixels {
public:
  explicit Pixels(Term x)
      : d(x.getBuilder()), sizes(x.getType().getShape().drop_front(2)),
        rows(x) {
    SmallVector<int64_t> order = {0};
    for (int64_t dim = 2; dim < x.getRank(); ++dim)
      order.push_back(dim);
    order.push_back(1);
    rows = d.reshape(d.transpose(x, order), {-1, x.getSize(1)});
  }

  /// The sum of what taps read, one of each dimension. Numbers of images and
  /// taps are broadcast; the channels come last.
  Term read(Term images, ArrayRef<SmallVector<Tap>> taps) const {
    return readFrom(0, images, Value(), taps);
  }

private:
  Term readFrom(unsigned dim, Term row, Value weight,
                ArrayRef<SmallVector<Tap>> taps) const {
    if (dim == sizes.size()) {
      Term pixels =
          d.make<TakeOp>(rows.get(), row.get(), d.getI64IntegerAttr(0),
                         d.getI64IntegerAttr(0), d.getStringAttr("clip"));
      int64_t last = d.term(weight).getRank();
      return pixels * d.make<ExpandDimsOp>(weight, last, int64_t(1));
    }
    Value sum;
    for (const Tap &tap : taps[dim]) {
      Term next =
          row * double(sizes[dim]) + d.castTo(tap.position, d.getI64Type());
      Value product =
          weight ? (d.term(weight) * tap.weight).get() : tap.weight.get();
      Term part = readFrom(dim + 1, next, product, taps);
      sum = sum ? (d.term(sum) + part).get() : part.get();
    }
    return d.term(sum);
  }

  TermBuilder &d;
  ArrayRef<int64_t> sizes;
  Term rows;
};

} // namespace

static Term isWithin(Term x, double low, double high) {
  TermBuilder &d = x.getBuilder();
  Term above = d.make<GreaterEqualOp>(x.get(), d.number(low, x).get());
  Term below = d.make<LessEqualOp>(x.get(), d.number(high, x).get());
  return d.castTo(above, x.getElementType()) *
         d.castTo(below, x.getElementType());
}

/// A tap that has no weight outside of the image.
static Tap makeTap(Term position, Term weight, int64_t size) {
  TermBuilder &d = position.getBuilder();
  return {d.clip(position, 0, double(size - 1)),
          weight * isWithin(position, 0, double(size - 1))};
}

/// The two pixels around a position.
static SmallVector<Tap> makeLinearTaps(Term position, int64_t size) {
  TermBuilder &d = position.getBuilder();
  Term lower = d.make<FloorOp>(position.get());
  Term fraction = position - lower;
  return {makeTap(lower, 1.0 - fraction, size),
          makeTap(lower + 1.0, fraction, size)};
}

/// Operators compute with at least 32 bits.
static Type getWideType(Term x) {
  Type elementType = x.getElementType();
  return elementType.getIntOrFloatBitWidth() < 32
             ? Float32Type::get(elementType.getContext())
             : elementType;
}

static Term getNumbers(TermBuilder &d, ArrayRef<double> values,
                       ArrayRef<int64_t> shape, Type elementType) {
  auto type = RankedTensorType::get(shape, d.getF64Type());
  Term result = d.make<ConstantOp>(DenseElementsAttr::get(type, values));
  return d.castTo(result, elementType);
}

/// The numbers 0, 1, ... of what dimension 0 of `x` counts, as (n, 1...).
static Term getNumbersOf(Term x, int64_t rank) {
  TermBuilder &d = x.getBuilder();
  Type i64 = d.getI64Type();
  Term numbers =
      d.make<ArangeOp>(d.number(0, i64).get(), d.sizeOf(x, 0, i64).get(),
                       d.number(1, i64).get(), i64);
  return d.alongAxis(numbers, 0, rank);
}

/// Column `index` of dimension `axis`, without the dimension.
static Term getColumn(Term x, int64_t axis, int64_t index) {
  TermBuilder &d = x.getBuilder();
  return d.make<TakeOp>(x.get(), d.number(double(index), d.getI64Type()).get(),
                        d.getI64IntegerAttr(0), d.getI64IntegerAttr(axis),
                        d.getStringAttr("clip"));
}

static LogicalResult checkSizes(Gradient &d, Term x, int64_t from = 1) {
  for (int64_t size : x.getType().getShape().drop_front(from))
    if (ShapedType::isDynamic(size))
      return d.refuse() << "known sizes but that of the batch, but got "
                        << x.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// Where grid_sample reads a position, which may be outside of the image.
static Term moveInside(Term position, int64_t size, StringRef mode,
                       bool alignCorners) {
  TermBuilder &d = position.getBuilder();
  if (mode == "zeros")
    return position;
  if (mode == "reflection") {
    double low = alignCorners ? 0 : -0.5;
    double span = double(alignCorners ? size - 1 : size);
    if (span <= 0)
      return d.zerosLike(position);
    Term distance = d.make<ModOp>(d.make<AbsOp>((position - low).get()).get(),
                                  d.number(2 * span, position).get());
    position = d.where(isLess(d.number(span, position), distance),
                       2 * span - distance, distance) +
               low;
  }
  return d.clip(position, 0, double(size - 1));
}

static SmallVector<Tap> makeGridTaps(Term position, int64_t size,
                                     ImageGridSampleOp op) {
  TermBuilder &d = position.getBuilder();
  auto move = [&](Term x) {
    return moveInside(x, size, op.getPaddingMode(), op.getAlignCorners());
  };
  if (op.getMethod() == "bicubic") {
    constexpr double alpha = -0.75;
    Term lower = d.make<FloorOp>(position.get());
    Term fraction = position - lower;
    auto inner = [&](Term x) {
      return (x * (alpha + 2) - (alpha + 3)) * x * x + 1;
    };
    auto outer = [&](Term x) {
      return ((x * alpha - 5 * alpha) * x + 8 * alpha) * x - 4 * alpha;
    };
    return {makeTap(move(lower - 1), outer(fraction + 1), size),
            makeTap(move(lower), inner(fraction), size),
            makeTap(move(lower + 1), inner(1 - fraction), size),
            makeTap(move(lower + 2), outer(2 - fraction), size)};
  }
  position = move(position);
  if (op.getMethod() != "nearest")
    return makeLinearTaps(position, size);
  // Halves are rounded to even.
  auto round = [&](Term x) -> Term { return d.make<RoundOp>(x.get()); };
  Term rest = d.make<AbsOp>((position - d.make<TruncOp>(position.get())).get());
  Term nearest = d.where(isEqual(rest, d.number(0.5, rest)),
                         round(position / 2) * 2, round(position));
  return {makeTap(nearest, d.onesLike(nearest), size)};
}

// Found by GradientModel.
namespace mlir::relay::gradients {

/// The transpose of the linear map of data.
static void differentiate(ImageAffineGridOp op, Gradient &d) {
  Term g = d.get();
  int64_t height = op.getTargetShape()[0], width = op.getTargetShape()[1];
  SmallVector<double> points;
  for (int64_t row = 0; row < height; ++row)
    for (int64_t column = 0; column < width; ++column)
      points.append({-1 + 2.0 * double(column) / double(width - 1),
                     -1 + 2.0 * double(row) / double(height - 1), 1.0});
  Term grid = getNumbers(d, points, {height * width, 3}, g.getElementType());
  d.set(0, d.make<NNMatmulOp>(d.reshape(g, {0, 0, -1}).get(), grid.get(),
                              IntegerAttr(), TypeAttr(), false, false));
}

static LogicalResult differentiate(ImageGridSampleOp op, Gradient &d) {
  Term x = d.term(op.getData());
  if (failed(checkSizes(d, x)))
    return failure();
  Type wide = getWideType(x);
  // (images, coordinates, points).
  Term grid = d.castTo(d.reshape(op.getGrid(), {0, 0, -1}), wide);
  int64_t rank = x.getRank() - 2;
  SmallVector<SmallVector<Tap>> taps(rank);
  for (int64_t i = 0; i < rank; ++i) {
    // The first coordinate is along the last dimension.
    int64_t size = x.getSize(x.getRank() - 1 - i);
    Term c = getColumn(grid, 1, i);
    Term position = op.getAlignCorners() ? (c + 1) / 2 * double(size - 1)
                                         : ((c + 1) * double(size) - 1) / 2;
    constexpr double limit = 1 << 30;
    position = d.where(isEqual(position, position), position,
                       d.number(-limit, position));
    taps[rank - 1 - i] =
        makeGridTaps(d.clip(position, -limit, limit), size, op);
  }
  Term result = Pixels(d.castTo(x, wide)).read(getNumbersOf(x, 2), taps);
  result = d.castTo(d.transpose(result, {0, 2, 1}), x.getElementType());
  return d.setByFormula(d.reshapeLike(result, op.getResult()));
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Images of regions, (regions, rows, columns, channels), as the result.
static LogicalResult setByRegions(Gradient &d, Term regions, StringRef layout) {
  Type elementType = cast<RankedTensorType>(d.getOp()->getResult(0).getType())
                         .getElementType();
  return d.setByFormula(
      d.castTo(d.changeLayout(regions, "NHWC", layout), elementType));
}

static LogicalResult differentiate(ImageCropAndResizeOp op, Gradient &d) {
  Term x = d.changeLayout(op.getData(), op.getLayout(), "NCHW");
  if (failed(checkSizes(d, x)))
    return failure();
  Type wide = getWideType(x);
  Term boxes = d.castTo(op.getBoxes(), wide);
  bool isNearest = op.getMethod() == "nearest_neighbor";
  SmallVector<SmallVector<Tap>> taps;
  Value isInside;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t size = x.getSize(2 + i), count = op.getCropSize()[i];
    SmallVector<double> steps;
    for (int64_t k = 0; k < count; ++k)
      steps.push_back(count > 1 ? double(k) / double(count - 1) : 0.5);
    // (boxes, rows, 1) and (boxes, 1, columns).
    SmallVector<int64_t> shape = {1, 1, 1};
    shape[1 + i] = count;
    auto toTaps = [&](Term column) -> Term {
      return d.make<ExpandDimsOp>(column.get(), int64_t(1), int64_t(2));
    };
    Term begin = toTaps(getColumn(boxes, 1, i));
    Term end = toTaps(getColumn(boxes, 1, 2 + i));
    Term position = begin + getNumbers(d, steps, shape, wide) * (end - begin);
    position = position * double(size - 1);
    Term inside = isWithin(position, 0, double(size - 1));
    isInside = isInside ? (d.term(isInside) * inside).get() : inside.get();
    if (isNearest) {
      Term nearest = d.make<RoundOp>(position.get());
      taps.push_back({makeTap(nearest, d.onesLike(nearest), size)});
    } else {
      taps.push_back(makeLinearTaps(position, size));
    }
  }
  Term images =
      d.make<ExpandDimsOp>(op.getBoxIndices(), int64_t(1), int64_t(2));
  Term values =
      Pixels(d.castTo(x, wide)).read(d.castTo(images, d.getI64Type()), taps);
  // Outside there is a constant.
  values = values * d.make<ExpandDimsOp>(isInside, int64_t(3), int64_t(1));
  return setByRegions(d, values, op.getLayout());
}

static LogicalResult differentiate(VisionRoiAlignOp op, Gradient &d) {
  Term x = d.changeLayout(op.getData(), op.getLayout(), "NCHW");
  if (failed(checkSizes(d, x)))
    return failure();
  int64_t ratio = op.getSampleRatio();
  if (ratio <= 0)
    return d.refuse() << "a positive sample_ratio, but got " << ratio;
  Type wide = getWideType(x);
  Term rois = d.castTo(op.getRois(), wide);
  auto toTaps = [&](Term column) -> Term {
    return d.make<ExpandDimsOp>(column.get(), int64_t(1), int64_t(2));
  };
  SmallVector<SmallVector<Tap>> taps;
  Value isInside;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t size = x.getSize(2 + i), bins = op.getPooledSize()[i];
    SmallVector<double> steps;
    for (int64_t k = 0; k < bins * ratio; ++k)
      steps.push_back((double(k) + 0.5) / double(ratio));
    SmallVector<int64_t> shape = {1, 1, 1};
    shape[1 + i] = bins * ratio;
    double scale = op.getSpatialScale().convertToDouble();
    // Columns are the image, then x and y of both corners.
    Term begin = toTaps(getColumn(rois, 1, 2 - i)) * scale;
    Term end = toTaps(getColumn(rois, 1, 4 - i)) * scale;
    Term extent =
        d.make<MaximumOp>((end - begin).get(), d.number(1, begin).get());
    Term position =
        begin + getNumbers(d, steps, shape, wide) * (extent / double(bins));
    Term inside = isWithin(position, -1, double(size));
    isInside = isInside ? (d.term(isInside) * inside).get() : inside.get();
    taps.push_back(makeLinearTaps(d.clip(position, 0, double(size - 1)), size));
  }
  Term images = d.castTo(toTaps(getColumn(rois, 1, 0)), d.getI64Type());
  Term values = Pixels(d.castTo(x, wide)).read(images, taps);
  values = values * d.make<ExpandDimsOp>(isInside, int64_t(3), int64_t(1));
  values = d.reshape(values, {-1, op.getPooledSize()[0], ratio,
                              op.getPooledSize()[1], ratio, x.getSize(1)});
  DenseI64ArrayAttr samples = d.getDenseI64ArrayAttr({2, 4});
  return setByRegions(d,
                      op.getMode() == "max"
                          ? d.make<MaxOp>(values.get(), samples, false, false)
                          : d.make<MeanOp>(values.get(), samples, false, false),
                      op.getLayout());
}

//===----------------------------------------------------------------------===//
// Displaced taps of a kernel
//===----------------------------------------------------------------------===//

static LogicalResult differentiate(NNDeformableConv2dOp op, Gradient &d) {
  StringRef layout = op.getDataLayout();
  StringRef outLayout = op.getOutLayout().empty() ? layout : op.getOutLayout();
  Type wide = getWideType(d.get());
  auto read = [&](Value value, StringRef from, StringRef to) {
    return d.castTo(d.changeLayout(value, from, to), wide);
  };
  Term x = read(op.getData(), layout, "NCHW");
  Term offset = read(op.getOffset(), layout, "NCHW");
  Term weight = read(op.getWeight(), op.getKernelLayout(), "OIHW");
  if (failed(checkSizes(d, x)) || failed(checkSizes(d, offset)) ||
      failed(checkSizes(d, weight, 0)))
    return failure();
  int64_t parts = op.getDeformableGroups(), groups = op.getGroups();
  int64_t kernel[2] = {weight.getSize(2), weight.getSize(3)};
  int64_t sizes[2] = {offset.getSize(2), offset.getSize(3)};
  int64_t taps = kernel[0] * kernel[1], points = sizes[0] * sizes[1];
  int64_t channels = x.getSize(1), outputs = weight.getSize(0);
  // Parts of the channels as images, each with its positions.
  Term images =
      d.reshape(x, {-1, channels / parts, x.getSize(2), x.getSize(3)});
  offset = d.reshape(offset, {-1, taps, 2, points});
  Padding padding = *expandPadding(op.getPadding(), 2);
  SmallVector<SmallVector<Tap>> displaced;
  Value isInside;
  for (int64_t i = 0; i < 2; ++i) {
    SmallVector<double> origins;
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t point = 0; point < points; ++point) {
        int64_t k = i ? tap % kernel[1] : tap / kernel[1];
        int64_t p = i ? point % sizes[1] : point / sizes[1];
        origins.push_back(double(p * op.getStrides()[i] - padding.before[i] +
                                 k * op.getDilation()[i]));
      }
    int64_t size = x.getSize(2 + i);
    Term position =
        getColumn(offset, 2, i) + getNumbers(d, origins, {taps, points}, wide);
    // The last pixel reaches up to the size, the first one not below 0.
    Term above =
        d.make<GreaterEqualOp>(position.get(), d.number(0, position).get());
    Term below = isLess(position, d.number(double(size), position));
    Term inside = d.castTo(above, wide) * d.castTo(below, wide);
    isInside = isInside ? (d.term(isInside) * inside).get() : inside.get();
    displaced.push_back(makeLinearTaps(position, size));
  }
  Term values = Pixels(images).read(getNumbersOf(images, 3), displaced);
  values = values * d.make<ExpandDimsOp>(isInside, int64_t(3), int64_t(1));
  // (images, groups, channels and taps, points).
  values = d.reshape(d.transpose(values, {0, 3, 1, 2}),
                     {-1, groups, channels / groups * taps, points});
  Term kernels = d.reshape(weight, {groups, outputs / groups, -1});
  Term result = d.make<EinsumOp>(ValueRange{values.get(), kernels.get()},
                                 "ngkp,gok->ngop");
  result = d.reshape(result, {-1, outputs, sizes[0], sizes[1]});
  return d.setByFormula(d.castTo(d.changeLayout(result, "NCHW", outLayout),
                                 d.get().getElementType()));
}

} // namespace mlir::relay::gradients

void gradients::registerSampling(MLIRContext *context) {
  attach<ImageAffineGridOp, ImageGridSampleOp, ImageCropAndResizeOp,
         VisionRoiAlignOp, NNDeformableConv2dOp>(context);
}
