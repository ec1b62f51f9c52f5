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
static LogicalResult differentiateSequences(OpTy op, Gradient &d,
                                            Args... args) {
  if (op.getLayout() != "NCW" && op.getLayout() != "NWC")
    return d.refuse() << "layout NCW or NWC, but got " << op.getLayout();
  StringRef layout = op.getLayout() == "NCW" ? "NCHW" : "NHWC";
  int64_t height = layout.find('H');
  auto addHeight = [&](Term x) -> Value {
    return d.make<ExpandDimsOp>(x.get(), height, int64_t(1));
  };
  d.set(0, d.make<GradOp>(addHeight(d.get()), addHeight(d.term(op.getData())),
                          ArrayRef<int64_t>{1, op.getPoolSize()[0]},
                          ArrayRef<int64_t>{1, op.getStrides()[0]},
                          ArrayRef<int64_t>{1, op.getDilation()[0]},
                          getImagePadding(op.getPadding()), layout, "",
                          op.getCeilMode(), args...));
  return success();
}
static LogicalResult differentiate(NNMaxPool1dOp op, Gradient &d) {
  return differentiateSequences<NNMaxPool2dGradOp>(op, d);
}
static LogicalResult differentiate(NNAvgPool1dOp op, Gradient &d) {
  return differentiateSequences<NNAvgPool2dGradOp>(op, d,
                                                   op.getCountIncludePad());
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
  if (op.getLayout() != "NCDHW")
    return d.refuse() << "layout NCDHW, but got " << op.getLayout();
  if (!type.hasStaticShape())
    return d.refuse() << "known sizes of data, but got " << type;
  return success();
}

static LogicalResult differentiate(NNMaxPool3dOp op, Gradient &d) {
  if (failed(checkVolumes(op, d)))
    return failure();
  VolumePool volume(op);
  ArrayRef<int64_t> from = d.term(op.getData()).getType().getShape();
  ArrayRef<int64_t> to = d.get().getType().getShape();
  Term images = d.reshape(d.term(op.getData()),
                          {from[0], from[1] * from[2], from[3], from[4]});
  Term pooled = d.make<NNMaxPool2dOp>(
      images.get(), volume.ofImages(volume.pool),
      volume.ofImages(volume.strides), volume.ofImages(volume.dilation),
      volume.getImagePadding(), "NCHW", "", op.getCeilMode());
  Term columns = d.reshape(pooled, {from[0], from[1], from[2], to[3] * to[4]});
  Term g = d.reshape(d.get(), {to[0], to[1], to[2], to[3] * to[4]});
  Term byColumns = d.make<NNMaxPool2dGradOp>(
      g.get(), columns.get(), volume.ofColumns(volume.pool),
      volume.ofColumns(volume.strides), volume.ofColumns(volume.dilation),
      volume.getColumnPadding(), "NCHW", "", op.getCeilMode());
  Term inner = d.reshapeLike(byColumns, pooled);
  d.set(0,
        d.make<NNMaxPool2dGradOp>(
            inner.get(), images.get(), volume.ofImages(volume.pool),
            volume.ofImages(volume.strides), volume.ofImages(volume.dilation),
            volume.getImagePadding(), "NCHW", "", op.getCeilMode()));
  return success();
}

/// The number of elements in a window is a product of those along dimensions,
/// and so are means.
static LogicalResult differentiate(NNAvgPool3dOp op, Gradient &d) {
  if (failed(checkVolumes(op, d)))
    return failure();
  VolumePool volume(op);
  Term x = d.term(op.getData());
  ArrayRef<int64_t> from = x.getType().getShape();
  ArrayRef<int64_t> to = d.get().getType().getShape();
  Term g = d.reshape(d.get(), {to[0], to[1], to[2], to[3] * to[4]});
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
  d.set(0, d.make<NNAvgPool2dGradOp>(
               inner.get(), images.get(), volume.ofImages(volume.pool),
               volume.ofImages(volume.strides),
               volume.ofImages(volume.dilation), volume.getImagePadding(),
               "NCHW", "", op.getCeilMode(), op.getCountIncludePad()));
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

} // namespace mlir::relay::gradients

void gradients::registerPooling(MLIRContext *context) {
  attach<NNMaxPool1dOp, NNMaxPool2dOp, NNMaxPool3dOp, NNAvgPool1dOp,
         NNAvgPool2dOp, NNAvgPool3dOp, NNAvgPool2dGradOp, NNGlobalAvgPool2dOp,
         NNGlobalMaxPool2dOp>(context);
}
