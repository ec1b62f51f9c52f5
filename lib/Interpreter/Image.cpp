//===- Image.cpp - Resizing of images -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Layout.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

namespace {

enum class Method { Nearest, Linear, Cubic };

/// How one dimension is resized.
struct Axis {
  int64_t from, to;
  StringRef mode;          // coordinate_transformation_mode
  double roiBegin, roiEnd; // Of tf_crop_and_resize.
};

struct ResizeParams {
  Method method = Method::Linear;
  StringRef rounding;
  double cubicAlpha = -0.5;
  bool cubicExclude = false;
  double extrapolation = 0;
};

/// A weighted source position along one dimension.
struct Tap {
  int64_t position;
  double weight;
};

/// What one position of the result reads along one dimension; none for a
/// position outside the image, which gets the extrapolation value.
using Taps = SmallVector<Tap, 4>;

} // namespace

/// Where position `x` of the result lies in the data.
static double getSourcePosition(const Axis &axis, int64_t x) {
  double from = axis.from, to = axis.to;
  double scale = from / to;
  if (axis.mode == "half_pixel")
    return (x + 0.5) * scale - 0.5;
  if (axis.mode == "pytorch_half_pixel")
    return to > 1 ? (x + 0.5) * scale - 0.5 : 0.0;
  if (axis.mode == "tf_half_pixel_for_nn")
    return (x + 0.5) * scale;
  if (axis.mode == "align_corners")
    return to > 1 ? x * (from - 1) / (to - 1) : 0.0;
  if (axis.mode == "tf_crop_and_resize") {
    double begin = axis.roiBegin * (from - 1), end = axis.roiEnd * (from - 1);
    return to > 1 ? begin + x * (end - begin) / (to - 1) : 0.5 * (begin + end);
  }
  return x * scale; // asymmetric
}

static int64_t roundPosition(double position, StringRef rounding) {
  // Positions that should be whole miss it by a rounding error.
  constexpr double epsilon = 1e-5;
  if (rounding == "floor")
    return std::floor(position + epsilon);
  if (rounding == "ceil")
    return std::ceil(position - epsilon);
  if (rounding == "round_prefer_floor")
    return std::ceil(position - 0.5);
  if (rounding == "round_prefer_ceil")
    return std::floor(position + 0.5);
  return std::round(position);
}

/// Weights of the four neighbours of a point at `t` past the second one.
static std::array<double, 4> getCubicWeights(double t, double alpha) {
  double t2 = t * t, t3 = t2 * t;
  return {alpha * (t3 - 2 * t2 + t), (alpha + 2) * t3 - (alpha + 3) * t2 + 1,
          -(alpha + 2) * t3 + (2 * alpha + 3) * t2 - alpha * t,
          -alpha * t3 + alpha * t2};
}

static Taps getTaps(const Axis &axis, int64_t x, const ResizeParams &params) {
  double position = getSourcePosition(axis, x);
  if (axis.mode == "tf_crop_and_resize" &&
      (position < 0 || position > axis.from - 1))
    return {};
  auto clamp = [&](int64_t i) {
    return std::clamp<int64_t>(i, 0, axis.from - 1);
  };
  if (params.method == Method::Nearest)
    return {{clamp(roundPosition(position, params.rounding)), 1.0}};

  int64_t floor = std::floor(position);
  double rest = position - floor;
  if (params.method == Method::Linear)
    return {{clamp(floor), 1 - rest}, {clamp(floor + 1), rest}};

  Taps taps;
  double sum = 0;
  for (auto [i, weight] :
       llvm::enumerate(getCubicWeights(rest, params.cubicAlpha))) {
    int64_t source = floor - 1 + static_cast<int64_t>(i);
    if (params.cubicExclude && source != clamp(source))
      weight = 0;
    sum += weight;
    taps.push_back({clamp(source), weight});
  }
  if (params.cubicExclude)
    for (Tap &tap : taps)
      tap.weight /= sum;
  return taps;
}

/// Resizes the last two dimensions of NCHW data.
static Tensor resize(const Tensor &data, const Axis &height, const Axis &width,
                     const ResizeParams &params, Type elementType) {
  SmallVector<Taps> rows, columns;
  for (int64_t y = 0; y < height.to; ++y)
    rows.push_back(getTaps(height, y, params));
  for (int64_t x = 0; x < width.to; ++x)
    columns.push_back(getTaps(width, x, params));

  int64_t planes = data.getDimSize(0) * data.getDimSize(1);
  int64_t planeSize = height.from * width.from;
  int64_t resultSize = height.to * width.to;
  Tensor result = Tensor::allocate(
      {data.getDimSize(0), data.getDimSize(1), height.to, width.to},
      elementType);
  auto resizeRange = [&](int64_t begin, int64_t end) {
    std::vector<double> plane(planeSize), resized(resultSize);
    for (int64_t i = begin; i < end; ++i) {
      data.load(i * planeSize, 1, planeSize, plane.data());
      double *to = resized.data();
      for (ArrayRef<Tap> row : rows)
        for (ArrayRef<Tap> column : columns) {
          double sum = 0;
          for (Tap y : row)
            for (Tap x : column)
              sum += y.weight * x.weight *
                     plane[y.position * width.from + x.position];
          bool isOutside = row.empty() || column.empty();
          *to++ = isOutside ? params.extrapolation : sum;
        }
      // Integers get the nearest value, not a truncated one.
      if (isa<IntegerType>(elementType))
        for (double &value : resized)
          value = std::round(value);
      result.store(i * resultSize, resultSize, resized.data());
    }
  };
  forEachRange(data.getContext(), planes, resultSize * 4, resizeRange);
  return result;
}

/// Brings `operand` to NCHW, resizes it, and moves it back.
static FailureOr<Tensor>
resizeInLayout(Operation *op, const Tensor &operand, StringRef layout,
               function_ref<Tensor(const Tensor &)> resizeImages) {
  FailureOr<Tensor> data = transformLayout(op, operand, layout, "NCHW");
  if (failed(data))
    return failure();
  if (data->getDimSize(2) == 0 || data->getDimSize(3) == 0)
    return op->emitOpError("expects images with pixels, but got ")
           << operand.getType();
  Tensor resized = resizeImages(*data);
  FailureOr<Tensor> result = transformLayout(op, resized, "NCHW", layout);
  return result;
}

static FailureOr<Tensor> evaluateResize2d(ImageResize2dOp op,
                                          ArrayRef<Tensor> operands) {
  ResizeParams params;
  params.method = op.getMethod() == "nearest_neighbor" ? Method::Nearest
                  : op.getMethod() == "cubic"          ? Method::Cubic
                                                       : Method::Linear;
  StringRef mode = op.getCoordinateTransformationMode();
  params.rounding = op.getRoundingMethod();
  if (params.rounding.empty())
    params.rounding = mode == "align_corners" ? "round" : "floor";
  params.cubicAlpha = op.getCubicAlpha().convertToDouble();
  params.cubicExclude = op.getCubicExclude() != 0;
  params.extrapolation = op.getExtrapolationValue().convertToDouble();
  ArrayRef<double> roi = op.getRoi().value_or(ArrayRef<double>());
  double all[] = {0, 0, 1, 1};
  if (roi.size() != 4)
    roi = all;
  return resizeInLayout(
      op, operands[0], op.getLayout(), [&](const Tensor &data) {
        Axis height = {data.getDimSize(2), op.getSize()[0], mode, roi[0],
                       roi[2]};
        Axis width = {data.getDimSize(3), op.getSize()[1], mode, roi[1],
                      roi[3]};
        return resize(data, height, width, params, getResultElementType(op));
      });
}

static FailureOr<Tensor> evaluateUpsampling(NNUpsamplingOp op,
                                            ArrayRef<Tensor> operands) {
  ResizeParams params;
  params.method = op.getMethod() == "bilinear"  ? Method::Linear
                  : op.getMethod() == "bicubic" ? Method::Cubic
                                                : Method::Nearest;
  StringRef mode = op.getAlignCorners() ? "align_corners" : "asymmetric";
  params.rounding = op.getAlignCorners() ? "round" : "floor";
  // The verifier has seen the sizes only where they are static.
  auto scale = [](int64_t size, const APFloat &factor) -> int64_t {
    return std::max(0.0, std::round(size * factor.convertToDouble()));
  };
  return resizeInLayout(
      op, operands[0], op.getLayout(), [&](const Tensor &data) {
        int64_t h = data.getDimSize(2), w = data.getDimSize(3);
        Axis height = {h, scale(h, op.getScaleH()), mode, 0, 1};
        Axis width = {w, scale(w, op.getScaleW()), mode, 0, 1};
        return resize(data, height, width, params, getResultElementType(op));
      });
}

void relay::detail::populateImageEvaluators(EvaluatorTable &table) {
  table.add<ImageResize2dOp>(evaluateResize2d);
  table.add<NNUpsamplingOp>(evaluateUpsampling);
}
