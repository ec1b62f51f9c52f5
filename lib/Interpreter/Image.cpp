//===- Image.cpp - Resizing of images -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Layout.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
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

/// Resizes the last three dimensions of NCDHW data.
static Tensor resize(const Tensor &data, ArrayRef<Axis> axes,
                     const ResizeParams &params, Type elementType) {
  std::array<SmallVector<Taps>, 3> taps;
  for (auto [axis, along] : llvm::zip_equal(axes, taps))
    for (int64_t x = 0; x < axis.to; ++x)
      along.push_back(axis.from == 1 && axis.to == 1
                          ? Taps{{0, 1.0}}
                          : getTaps(axis, x, params));

  int64_t planes = data.getDimSize(0) * data.getDimSize(1);
  int64_t height = axes[1].from, width = axes[2].from;
  int64_t planeSize = axes[0].from * height * width;
  int64_t resultSize = axes[0].to * axes[1].to * axes[2].to;
  Tensor result = Tensor::allocate({data.getDimSize(0), data.getDimSize(1),
                                    axes[0].to, axes[1].to, axes[2].to},
                                   elementType);
  auto resizeRange = [&](int64_t begin, int64_t end) {
    std::vector<double> plane(planeSize), resized(resultSize);
    for (int64_t i = begin; i < end; ++i) {
      data.load(i * planeSize, 1, planeSize, plane.data());
      double *to = resized.data();
      for (ArrayRef<Tap> slice : taps[0])
        for (ArrayRef<Tap> row : taps[1])
          for (ArrayRef<Tap> column : taps[2]) {
            double sum = 0;
            for (Tap z : slice)
              for (Tap y : row)
                for (Tap x : column)
                  sum += z.weight * y.weight * x.weight *
                         plane[(z.position * height + y.position) * width +
                               x.position];
            bool isOutside = slice.empty() || row.empty() || column.empty();
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

/// Brings `operand` to the layout `canonical` (NC and spatial letters), resizes
/// each spatial dimension as `getAxis` says, and moves it back.
static FailureOr<Tensor>
resizeInLayout(Operation *op, const Tensor &operand, StringRef layout,
               StringRef canonical, const ResizeParams &params,
               function_ref<Axis(size_t dim, int64_t size)> getAxis) {
  FailureOr<Tensor> data = transformLayout(op, operand, layout, canonical);
  if (failed(data))
    return failure();
  size_t rank = canonical.size() - 2;
  if (llvm::is_contained(data->getShape().drop_front(2), 0))
    return op->emitOpError("expects images with pixels, but got ")
           << operand.getType();
  SmallVector<Axis> axes(3 - rank, Axis{1, 1, "asymmetric", 0, 1});
  for (size_t dim = 0; dim < rank; ++dim)
    axes.push_back(getAxis(dim, data->getDimSize(2 + dim)));
  SmallVector<int64_t> shape(data->getShape());
  shape.insert(shape.begin() + 2, 3 - rank, 1);
  Tensor resized =
      resize(data->reshape(shape), axes, params, getResultElementType(op));
  shape.assign(resized.getShape().begin(), resized.getShape().end());
  shape.erase(shape.begin() + 2, shape.end() - rank);
  return transformLayout(op, resized.reshape(shape), canonical, layout);
}

template <typename OpT>
static FailureOr<Tensor> evaluateResize(OpT op, ArrayRef<Tensor> operands,
                                        StringRef canonical) {
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
  size_t rank = canonical.size() - 2;
  return resizeInLayout(op, operands[0], op.getLayout(), canonical, params,
                        [&](size_t dim, int64_t size) {
                          bool isWhole = roi.size() != 2 * rank;
                          return Axis{size, op.getSize()[dim], mode,
                                      isWhole ? 0 : roi[dim],
                                      isWhole ? 1 : roi[rank + dim]};
                        });
}

template <typename OpT>
static void addResize(EvaluatorTable &table, StringRef canonical) {
  table.add<OpT>([canonical](OpT op, ArrayRef<Tensor> operands) {
    return evaluateResize(op, operands, canonical);
  });
}

/// The verifier has seen the sizes only where they are static.
static int64_t scaleSize(int64_t size, const APFloat &factor) {
  return std::max(0.0, std::round(size * factor.convertToDouble()));
}

static FailureOr<Tensor> evaluateUpsampling(NNUpsamplingOp op,
                                            ArrayRef<Tensor> operands) {
  ResizeParams params;
  params.method = op.getMethod() == "bilinear"  ? Method::Linear
                  : op.getMethod() == "bicubic" ? Method::Cubic
                                                : Method::Nearest;
  StringRef mode = op.getAlignCorners() ? "align_corners" : "asymmetric";
  params.rounding = op.getAlignCorners() ? "round" : "floor";
  APFloat scales[] = {op.getScaleH(), op.getScaleW()};
  return resizeInLayout(op, operands[0], op.getLayout(), "NCHW", params,
                        [&](size_t dim, int64_t size) {
                          return Axis{size, scaleSize(size, scales[dim]), mode,
                                      0, 1};
                        });
}

static FailureOr<Tensor> evaluateUpsampling3d(NNUpsampling3dOp op,
                                              ArrayRef<Tensor> operands) {
  ResizeParams params;
  params.method =
      op.getMethod() == "trilinear" ? Method::Linear : Method::Nearest;
  StringRef mode = op.getCoordinateTransformationMode();
  params.rounding = mode == "align_corners" ? "round" : "floor";
  APFloat scales[] = {op.getScaleD(), op.getScaleH(), op.getScaleW()};
  return resizeInLayout(op, operands[0], op.getLayout(), "NCDHW", params,
                        [&](size_t dim, int64_t size) {
                          return Axis{size, scaleSize(size, scales[dim]), mode,
                                      0, 1};
                        });
}

void relay::detail::populateImageEvaluators(EvaluatorTable &table) {
  addResize<ImageResize1dOp>(table, "NCW");
  addResize<ImageResize2dOp>(table, "NCHW");
  addResize<ImageResize3dOp>(table, "NCDHW");
  table.add<NNUpsamplingOp>(evaluateUpsampling);
  table.add<NNUpsampling3dOp>(evaluateUpsampling3d);
}
