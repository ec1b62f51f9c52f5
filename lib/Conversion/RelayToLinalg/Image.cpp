//===- Image.cpp - Lower resizes of images to linalg ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "PopulatePatterns.h"
#include "Resize.h"
#include "SizeReader.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// The spatial axes of `data` in `layout`, the batch or the channels first.
static FailureOr<SmallVector<int64_t>>
getSpatialAxes(ConversionPatternRewriter &rewriter, Operation *op, Value data,
               StringRef layout) {
  int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
  StringRef letters = getDataLetters(rank - 2);
  FailureOr<SmallVector<int64_t>> axes = getAxisPositions(layout, letters);
  if (failed(axes))
    return rewriter.notifyMatchFailure(op, "expects a layout of the axes " +
                                               letters + ", but got " + layout);
  axes->erase(axes->begin(), axes->begin() + 2);
  return axes;
}

static LogicalResult checkMode(ConversionPatternRewriter &rewriter,
                               Operation *op, const ResizeMode &mode) {
  if (mode.isValid())
    return success();
  return rewriter.notifyMatchFailure(
      op, "expects method nearest_neighbor, linear or cubic with a known "
          "coordinate_transformation_mode and rounding_method, but got \"" +
              mode.method + "\", \"" + mode.coordinates + "\" and \"" +
              mode.rounding + "\"");
}

//===----------------------------------------------------------------------===//
// To a size
//===----------------------------------------------------------------------===//

namespace {

/// The attributes that image.resize1d, 2d and 3d have, and dyn.image.resize2d.
template <typename OpT>
ResizeMode getMode(OpT op) {
  return {op.getMethod(),
          op.getCoordinateTransformationMode(),
          op.getRoundingMethod(),
          op.getCubicAlpha().convertToDouble(),
          op.getCubicExclude() != 0,
          op.getExtrapolationValue().convertToDouble()};
}

/// What all resizes to a size have in common; the caller says which size.
template <typename OpT>
FailureOr<Resize> getResize(ConversionPatternRewriter &rewriter,
                            LinalgBuilder &b, OpT op, Value data) {
  Resize resize;
  resize.mode = getMode(op);
  FailureOr<SmallVector<int64_t>> axes =
      getSpatialAxes(rewriter, op, data, op.getLayout());
  if (failed(axes) || failed(checkMode(rewriter, op, resize.mode)) ||
      failed(expectPixels(rewriter, b, op, data, *axes)))
    return failure();
  resize.axes = *axes;
  resize.sizes = b.getSizes(data);
  resize.from = cast<RankedTensorType>(op.getData().getType()).getElementType();
  resize.to = cast<RankedTensorType>(op.getType()).getElementType();
  return resize;
}

template <typename OpT>
struct ResizeToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    FailureOr<Resize> resize = getResize(rewriter, b, op, adaptor.getData());
    if (failed(resize))
      return failure();
    for (auto [axis, size] : llvm::zip_equal(resize->axes, op.getSize()))
      resize->sizes[axis] = b.getIndexAttr(size);
    if (std::optional<ArrayRef<double>> roi = op.getRoi();
        roi && roi->size() == 2 * resize->axes.size())
      resize->roi = llvm::to_vector(*roi);
    rewriter.replaceOp(op, buildResize(b, adaptor.getData(), *resize));
    return success();
  }
};

struct DynResize2dToLinalg : OpConversionPattern<DynImageResize2dOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(DynImageResize2dOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    FailureOr<Resize> resize = getResize(rewriter, b, op, adaptor.getData());
    FailureOr<SmallVector<OpFoldResult>> sizes =
        SizeReader(rewriter, b, op).read(adaptor.getSizeValue(), "size");
    if (failed(resize) || failed(sizes))
      return failure();
    for (auto [axis, size] : llvm::zip_equal(resize->axes, *sizes)) {
      b.assertAtLeast(size, 1, "expects positive sizes");
      resize->sizes[axis] = size;
    }
    resize->roiTensor = adaptor.getRoiValue();
    resize->roiType =
        cast<RankedTensorType>(op.getRoiValue().getType()).getElementType();
    Value result = buildResize(b, adaptor.getData(), *resize);
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// By a scale
//===----------------------------------------------------------------------===//

using Number = SizeReader::Number;

/// round(size * scale). Where `size` is not known, the scale is to be a
/// quotient of few digits, so that products with it are exact, as they are in
/// f64.
static FailureOr<OpFoldResult> scaleSize(ConversionPatternRewriter &rewriter,
                                         LinalgBuilder &b, Operation *op,
                                         OpFoldResult size,
                                         const Number &scale) {
  if (const auto *integer = std::get_if<OpFoldResult>(&scale)) {
    b.assertAtLeast(*integer, 1, "expects a positive scale");
    return b.multiply(size, *integer);
  }
  double value = std::get<double>(scale);
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return OpFoldResult(b.getIndexAttr(
        static_cast<int64_t>(std::round(static_cast<double>(*known) * value))));
  constexpr int64_t limit = 1 << 20;
  for (int64_t denominator = 1; denominator <= limit; denominator *= 2) {
    double numerator = value * static_cast<double>(denominator);
    if (numerator != std::trunc(numerator) || std::abs(numerator) > limit)
      continue;
    AffineExpr product = b.dim(0) * static_cast<int64_t>(numerator);
    return b.apply((product * 2 + denominator).floorDiv(denominator * 2), size);
  }
  return rewriter.notifyMatchFailure(
      op, "expects a scale that is a quotient of integers up to 2^20 and of a "
          "power of two where a size is not known when it is compiled, but "
          "got " +
              std::to_string(value));
}

/// The integer that `scale` is, if it is known.
static std::optional<int64_t> getFactor(const Number &scale) {
  if (const auto *integer = std::get_if<OpFoldResult>(&scale))
    return getConstantIntValue(*integer);
  double value = std::get<double>(scale);
  if (value != std::trunc(value) || std::abs(value) > (1 << 20))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

namespace {

template <typename OpT>
ResizeMode getUpsamplingMode(OpT op) {
  StringRef method = op.getMethod();
  ResizeMode mode;
  mode.method = method == "bilinear" || method == "trilinear" ? "linear"
                : method == "bicubic"                         ? "cubic"
                                                              : method;
  if constexpr (llvm::is_one_of<OpT, NNUpsamplingOp, DynNNUpsamplingOp>::value)
    mode.coordinates = op.getAlignCorners() ? "align_corners" : "asymmetric";
  else
    mode.coordinates = op.getCoordinateTransformationMode();
  mode.rounding = "";
  return mode;
}

SmallVector<Number> getScales(NNUpsamplingOp op) {
  return {op.getScaleH().convertToDouble(), op.getScaleW().convertToDouble()};
}
SmallVector<Number> getScales(NNUpsampling3dOp op) {
  return {op.getScaleD().convertToDouble(), op.getScaleH().convertToDouble(),
          op.getScaleW().convertToDouble()};
}
SmallVector<Value> getScaleOperands(DynNNUpsamplingOp::Adaptor adaptor) {
  return {adaptor.getScaleHValue(), adaptor.getScaleWValue()};
}
SmallVector<Value> getScaleOperands(DynNNUpsampling3dOp::Adaptor adaptor) {
  return {adaptor.getScaleDValue(), adaptor.getScaleHValue(),
          adaptor.getScaleWValue()};
}

/// The scales along D, H and W.
template <typename OpT>
FailureOr<SmallVector<Number>> readScales(ConversionPatternRewriter &rewriter,
                                          LinalgBuilder &b, OpT op,
                                          typename OpT::Adaptor adaptor) {
  if constexpr (llvm::is_one_of<OpT, NNUpsamplingOp, NNUpsampling3dOp>::value) {
    return getScales(op);
  } else {
    SizeReader reader(rewriter, b, op);
    SmallVector<Number> scales;
    for (Value operand : getScaleOperands(adaptor)) {
      FailureOr<Number> scale = reader.readNumber(operand, "scale");
      if (failed(scale))
        return failure();
      scales.push_back(*scale);
    }
    return scales;
  }
}

template <typename OpT>
struct UpsamplingToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    LinalgBuilder b(rewriter, op);
    Resize resize;
    resize.mode = getUpsamplingMode(op);
    FailureOr<SmallVector<int64_t>> axes =
        getSpatialAxes(rewriter, op, data, op.getLayout());
    FailureOr<SmallVector<Number>> scales =
        readScales(rewriter, b, op, adaptor);
    if (failed(axes) || failed(scales) ||
        failed(checkMode(rewriter, op, resize.mode)) ||
        failed(expectPixels(rewriter, b, op, data, *axes)))
      return failure();
    resize.axes = *axes;
    resize.sizes = b.getSizes(data);
    resize.from = resize.to =
        cast<RankedTensorType>(op.getData().getType()).getElementType();
    bool isRepetition = resize.mode.method == "nearest_neighbor" &&
                        resize.mode.coordinates == "asymmetric";
    SmallVector<int64_t> factors;
    for (auto [axis, scale] : llvm::zip_equal(resize.axes, *scales)) {
      FailureOr<OpFoldResult> size =
          scaleSize(rewriter, b, op, resize.sizes[axis], scale);
      if (failed(size))
        return failure();
      resize.sizes[axis] = *size;
      factors.push_back(getFactor(scale).value_or(0));
      isRepetition &= factors.back() >= 1;
    }
    Value result = isRepetition ? buildRepetition(b, data, resize, factors)
                                : buildResize(b, data, resize);
    rewriter.replaceOp(op,
                       b.castTo(result, this->getTypeConverter()->convertType(
                                            op.getResult().getType())));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateImagePatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  patterns.add<DynResize2dToLinalg, ResizeToLinalg<ImageResize1dOp>,
               ResizeToLinalg<ImageResize2dOp>, ResizeToLinalg<ImageResize3dOp>,
               UpsamplingToLinalg<DynNNUpsampling3dOp>,
               UpsamplingToLinalg<DynNNUpsamplingOp>,
               UpsamplingToLinalg<NNUpsampling3dOp>,
               UpsamplingToLinalg<NNUpsamplingOp>>(converter,
                                                   patterns.getContext());
}
