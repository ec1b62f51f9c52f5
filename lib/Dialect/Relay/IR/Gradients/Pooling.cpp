//===- Pooling.cpp - Gradients of pooling ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

/// The dimensions of a layout without parts that are neither instances nor
/// channels.
static SmallVector<int64_t> getSpatialDims(StringRef layout) {
  SmallVector<int64_t> result;
  for (auto [dim, letter] : llvm::enumerate(layout))
    if (letter != 'N' && letter != 'C')
      result.push_back(dim);
  return result;
}

static bool isBlocked(StringRef layout) {
  return !llvm::all_of(layout, llvm::isAlpha);
}

/// A pool's padding before and after each dimension, with that of a dimension
/// more.
static SmallVector<int64_t> getImagePadding(ArrayRef<int64_t> padding) {
  Padding sizes = *expandPadding(padding, 1);
  return {0, sizes.before[0], 0, sizes.after[0]};
}

// Found by GradientModel.
namespace mlir::relay::gradients {

static void differentiate(NNMaxPool2dOp op, Gradient &d) {
  d.set(0, d.make<NNMaxPool2dGradOp>(
               d.get().get(), op.getData(), op.getPoolSize(), op.getStrides(),
               op.getDilation(), op.getPadding(), op.getLayout(),
               op.getOutLayout(), op.getCeilMode()));
}
static void differentiate(NNAvgPool2dOp op, Gradient &d) {
  d.set(0, d.make<NNAvgPool2dGradOp>(
               d.get().get(), op.getData(), op.getPoolSize(), op.getStrides(),
               op.getDilation(), op.getPadding(), op.getLayout(),
               op.getOutLayout(), op.getCeilMode(), op.getCountIncludePad()));
}

/// Linear in the gradient that it takes; its other operand gives sizes only.
static void differentiate(NNAvgPool2dGradOp op, Gradient &d) {
  d.set(0, d.make<NNAvgPool2dOp>(
               d.get().get(), op.getPoolSize(), op.getStrides(),
               op.getDilation(), op.getPadding(), op.getLayout(),
               op.getOutLayout(), op.getCeilMode(), op.getCountIncludePad()));
}

/// Sequences are images of height 1.
template <typename GradOp, typename OpTy, typename... Args>
static void differentiateSequences(OpTy op, Gradient &d, Args... args) {
  bool isLast = op.getLayout() == "NWC";
  StringRef plain = isLast ? "NWC" : "NCW", layout = isLast ? "NHWC" : "NCHW";
  auto addHeight = [&](Value x) -> Value {
    return d.make<ExpandDimsOp>(d.changeLayout(x, op.getLayout(), plain).get(),
                                static_cast<int64_t>(layout.find('H')),
                                int64_t(1));
  };
  Term x = d.changeLayout(op.getData(), op.getLayout(), plain);
  Term result = d.make<GradOp>(addHeight(d.get()), addHeight(op.getData()),
                               ArrayRef<int64_t>{1, op.getPoolSize()[0]},
                               ArrayRef<int64_t>{1, op.getStrides()[0]},
                               ArrayRef<int64_t>{1, op.getDilation()[0]},
                               getImagePadding(op.getPadding()), layout, "",
                               op.getCeilMode(), args...);
  d.set(0, d.changeLayout(d.reshapeLike(result, x), plain, op.getLayout()));
}
static void differentiate(NNMaxPool1dOp op, Gradient &d) {
  differentiateSequences<NNMaxPool2dGradOp>(op, d);
}
static void differentiate(NNAvgPool1dOp op, Gradient &d) {
  differentiateSequences<NNAvgPool2dGradOp>(op, d, op.getCountIncludePad());
}

//===----------------------------------------------------------------------===//
// Volumes
//===----------------------------------------------------------------------===//

namespace {

/// A pool of volumes as two of images: of each slice, then of columns. Images
/// are (N, C * D, H, W), columns (N, C, D, H * W).
struct VolumePool {
  SmallVector<int64_t> pool, strides, dilation, padding;
  Padding sizes;

  template <typename OpTy>
  explicit VolumePool(OpTy op)
      : pool(op.getPoolSize()), strides(op.getStrides()),
        dilation(op.getDilation()), sizes(*expandPadding(op.getPadding(), 3)) {}

  SmallVector<int64_t> ofImages(ArrayRef<int64_t> list) const {
    return SmallVector<int64_t>(list.drop_front());
  }
  static SmallVector<int64_t> ofColumns(ArrayRef<int64_t> list) {
    return {list.front(), 1};
  }
  SmallVector<int64_t> getImagePadding() const {
    return {sizes.before[1], sizes.before[2], sizes.after[1], sizes.after[2]};
  }
  SmallVector<int64_t> getColumnPadding() const {
    return {sizes.before[0], 0, sizes.after[0], 0};
  }
};

} // namespace

template <typename OpTy>
static LogicalResult checkVolumes(OpTy op, Gradient &d) {
  auto type = cast<RankedTensorType>(op.getData().getType());
  if (!type.hasStaticShape())
    return d.refuse() << "known sizes of data, but got " << type;
  return success();
}

static LogicalResult differentiate(NNMaxPool3dOp op, Gradient &d) {
  if (failed(checkVolumes(op, d)))
    return failure();
  VolumePool volume(op);
  Term x = d.changeLayout(op.getData(), op.getLayout(), "NCDHW");
  Term y = d.changeLayout(d.get(), op.getLayout(), "NCDHW");
  ArrayRef<int64_t> from = x.getType().getShape();
  ArrayRef<int64_t> to = y.getType().getShape();
  Term images = d.reshape(x, {from[0], from[1] * from[2], from[3], from[4]});
  Term pooled = d.make<NNMaxPool2dOp>(
      images.get(), volume.ofImages(volume.pool),
      volume.ofImages(volume.strides), volume.ofImages(volume.dilation),
      volume.getImagePadding(), "NCHW", "", op.getCeilMode());
  Term columns = d.reshape(pooled, {from[0], from[1], from[2], to[3] * to[4]});
  Term g = d.reshape(y, {to[0], to[1], to[2], to[3] * to[4]});
  Term byColumns = d.make<NNMaxPool2dGradOp>(
      g.get(), columns.get(), volume.ofColumns(volume.pool),
      volume.ofColumns(volume.strides), volume.ofColumns(volume.dilation),
      volume.getColumnPadding(), "NCHW", "", op.getCeilMode());
  Term inner = d.reshapeLike(byColumns, pooled);
  Term byImages = d.make<NNMaxPool2dGradOp>(
      inner.get(), images.get(), volume.ofImages(volume.pool),
      volume.ofImages(volume.strides), volume.ofImages(volume.dilation),
      volume.getImagePadding(), "NCHW", "", op.getCeilMode());
  d.set(0, d.changeLayout(d.reshapeLike(byImages, x), "NCDHW", op.getLayout()));
  return success();
}

/// The number of elements in a window is a product of those along dimensions,
/// and so are means.
static LogicalResult differentiate(NNAvgPool3dOp op, Gradient &d) {
  if (failed(checkVolumes(op, d)))
    return failure();
  VolumePool volume(op);
  Term x = d.changeLayout(op.getData(), op.getLayout(), "NCDHW");
  Term y = d.changeLayout(d.get(), op.getLayout(), "NCDHW");
  ArrayRef<int64_t> from = x.getType().getShape();
  ArrayRef<int64_t> to = y.getType().getShape();
  Term g = d.reshape(y, {to[0], to[1], to[2], to[3] * to[4]});
  Term columns = d.make<ZerosOp>(
      ArrayRef<int64_t>{from[0], from[1], from[2], to[3] * to[4]},
      x.getType().getElementType());
  Term byColumns = d.make<NNAvgPool2dGradOp>(
      g.get(), columns.get(), volume.ofColumns(volume.pool),
      volume.ofColumns(volume.strides), volume.ofColumns(volume.dilation),
      volume.getColumnPadding(), "NCHW", "", op.getCeilMode(),
      op.getCountIncludePad());
  Term inner = d.reshape(byColumns, {from[0], from[1] * from[2], to[3], to[4]});
  Term images = d.reshape(x, {from[0], from[1] * from[2], from[3], from[4]});
  Term byImages = d.make<NNAvgPool2dGradOp>(
      inner.get(), images.get(), volume.ofImages(volume.pool),
      volume.ofImages(volume.strides), volume.ofImages(volume.dilation),
      volume.getImagePadding(), "NCHW", "", op.getCeilMode(),
      op.getCountIncludePad());
  d.set(0, d.changeLayout(d.reshapeLike(byImages, x), "NCDHW", op.getLayout()));
  return success();
}

//===----------------------------------------------------------------------===//
// Whole images
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult checkLayout(OpTy op, Gradient &d) {
  if (isBlocked(op.getLayout()) ||
      (!op.getOutLayout().empty() && op.getOutLayout() != op.getLayout()))
    return d.refuse() << "a layout without parts, the same for data and "
                         "result, but got "
                      << op.getLayout();
  return success();
}

static LogicalResult differentiate(NNGlobalAvgPool2dOp op, Gradient &d) {
  if (failed(checkLayout(op, d)))
    return failure();
  Term x = d.term(op.getData()), g = d.get();
  d.set(0, d.broadcastLike(g / d.countPer(x, g), op.getData()));
  return success();
}

/// Equal elements share the gradient.
static LogicalResult differentiate(NNGlobalMaxPool2dOp op, Gradient &d) {
  if (failed(checkLayout(op, d)))
    return failure();
  Term g = d.get();
  Term isMaximum = d.castTo(d.make<EqualOp>(op.getData(), op.getResult()),
                            g.getType().getElementType());
  Term count = d.sum(isMaximum, getSpatialDims(op.getLayout()), true);
  d.set(0, isMaximum * (g / count));
  return success();
}

//===----------------------------------------------------------------------===//
// Where maxima are
//===----------------------------------------------------------------------===//

/// Sequences, images or volumes as (N, C, elements).
static Term flattenSpatial(Term x, StringRef layout, StringRef plain) {
  TermBuilder &d = x.getBuilder();
  return d.reshape(d.changeLayout(x, layout, plain), {0, 0, -1});
}

/// The element of each window that is its first maximum: (N, C, windows), of
/// data (N, C, elements).
static Term findMaxima(Term data, Term elements) {
  TermBuilder &d = data.getBuilder();
  Type i64 = d.getI64Type();
  int64_t windows = elements.getSize(0), length = elements.getSize(1);
  Term values =
      d.make<TakeOp>(data.get(), elements.get(), d.getI64IntegerAttr(0),
                     d.getI64IntegerAttr(2), d.getStringAttr("clip"));
  Term first =
      d.castTo(d.make<ArgmaxOp>(values.get(), d.getDenseI64ArrayAttr(3), false,
                                false, false),
               i64);
  Term begins = d.make<ArangeOp>(d.number(0, i64).get(),
                                 d.number(double(windows * length), i64).get(),
                                 d.number(double(length), i64).get(), i64);
  return d.make<TakeOp>(d.reshape(elements, {-1}).get(), (first + begins).get(),
                        d.getI64IntegerAttr(0), d.getI64IntegerAttr(0),
                        d.getStringAttr("clip"));
}

static LogicalResult checkSpatialSizes(Term x, Gradient &d) {
  for (int64_t size : x.getType().getShape().drop_front(2))
    if (ShapedType::isDynamic(size))
      return d.refuse() << "known spatial sizes of data, but got "
                        << x.getType();
  return success();
}

/// Linear in the gradient that it takes, which is read again from where it
/// went.
static LogicalResult differentiate(NNMaxPool2dGradOp op, Gradient &d) {
  // The operands are the gradient and the data of the pool.
  Term x = d.changeLayout(op.getGrad(), op.getLayout(), "NCHW");
  Term y = d.changeLayout(op.getData(), op.getLayout(), "NCHW");
  if (failed(checkSpatialSizes(x, d)))
    return failure();
  Padding padding = *expandPadding(op.getPadding(), 2);
  SmallVector<WindowPositions> dims;
  SmallVector<int64_t> sizes;
  Value isWindow;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t size = x.getSize(i + 2), kernel = op.getPoolSize()[i];
    int64_t windows = y.getSize(i + 2);
    WindowPositions dim = {{}, windows};
    SmallVector<int64_t> used;
    for (int64_t window = 0; window < windows; ++window) {
      // What lies outside is another element of the window again.
      int64_t begin = window * op.getStrides()[i] - padding.before[i];
      int64_t step = op.getDilation()[i];
      int64_t low =
          begin < 0 ? begin + llvm::divideCeil(-begin, step) * step : begin;
      int64_t end = std::min(begin + (kernel - 1) * step, size - 1);
      int64_t high = end < low ? -1 : low + (end - low) / step * step;
      used.push_back(high >= 0);
      for (int64_t k = 0; k < kernel; ++k)
        dim.positions.push_back(
            high < 0 ? 0 : std::clamp(begin + k * step, low, high));
    }
    // A window without elements gives nothing back.
    if (llvm::is_contained(used, 0)) {
      Term mask = d.alongAxis(d.integers(used), i, 2);
      isWindow = isWindow ? (d.term(isWindow) * mask).get() : mask.get();
    }
    dims.push_back(std::move(dim));
    sizes.push_back(size);
  }
  Term flat = d.reshape(x, {0, 0, -1});
  Term positions = findMaxima(flat, getWindowElements(d, dims, sizes));
  Term g = flattenSpatial(d.get(), op.getLayout(), "NCHW");
  Term read =
      d.reshapeLike(d.make<GatherOp>(g.get(), positions.get(), int64_t(2)), y);
  if (isWindow)
    read = read * d.castTo(isWindow, y.getElementType());
  d.set(0, d.changeLayout(read, "NCHW", op.getLayout()));
  return success();
}

template <typename OpTy>
static LogicalResult differentiateMaxima(OpTy op, StringRef plain,
                                         Gradient &d) {
  Term x = d.changeLayout(op.getData(), op.getLayout(), plain);
  Term y = d.changeLayout(d.get(), op.getLayout(), plain);
  if (failed(checkSpatialSizes(x, d)))
    return failure();
  SmallVector<WindowPositions> dims;
  SmallVector<int64_t> sizes;
  for (int64_t dim = 2; dim < x.getRank(); ++dim) {
    int64_t size = x.getSize(dim), windows = y.getSize(dim);
    auto getBegin = [&](int64_t i) { return i * size / windows; };
    auto getEnd = [&](int64_t i) {
      return llvm::divideCeil((i + 1) * size, windows);
    };
    int64_t length = 0;
    for (int64_t i = 0; i < windows; ++i)
      length = std::max<int64_t>(length, getEnd(i) - getBegin(i));
    // A shorter window has its last element again.
    WindowPositions positions = {{}, windows};
    for (int64_t i = 0; i < windows; ++i)
      for (int64_t k = 0; k < length; ++k)
        positions.positions.push_back(
            std::min<int64_t>(getBegin(i) + k, getEnd(i) - 1));
    dims.push_back(std::move(positions));
    sizes.push_back(size);
  }
  Term flat = d.reshape(x, {0, 0, -1});
  Term positions = findMaxima(flat, getWindowElements(d, dims, sizes));
  Term sums = d.make<ScatterElementsOp>(
      d.zerosLike(flat).get(), positions.get(), d.reshape(y, {0, 0, -1}).get(),
      int64_t(2), "add");
  d.set(0, d.changeLayout(d.reshapeLike(sums, x), plain, op.getLayout()));
  return success();
}
static LogicalResult differentiate(NNAdaptiveMaxPool1dOp op, Gradient &d) {
  return differentiateMaxima(op, "NCW", d);
}
static LogicalResult differentiate(NNAdaptiveMaxPool2dOp op, Gradient &d) {
  return differentiateMaxima(op, "NCHW", d);
}
static LogicalResult differentiate(NNAdaptiveMaxPool3dOp op, Gradient &d) {
  return differentiateMaxima(op, "NCDHW", d);
}

} // namespace mlir::relay::gradients

void gradients::registerPooling(MLIRContext *context) {
  attach<NNMaxPool1dOp, NNMaxPool2dOp, NNMaxPool3dOp, NNMaxPool2dGradOp,
         NNAvgPool1dOp, NNAvgPool2dOp, NNAvgPool3dOp, NNAvgPool2dGradOp,
         NNGlobalAvgPool2dOp, NNGlobalMaxPool2dOp, NNAdaptiveMaxPool1dOp,
         NNAdaptiveMaxPool2dOp, NNAdaptiveMaxPool3dOp>(context);
}
