//===- Geometry.cpp - Resampling of images --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Layout.h"
#include "WideTensor.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"

#include <array>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateAffineGrid(ImageAffineGridOp op,
                                            ArrayRef<Tensor> operands) {
  WideTensor<double> maps(operands[0]);
  int64_t height = op.getTargetShape()[0], width = op.getTargetShape()[1];
  WideTensor<double> grid({maps.size(0), 2, height, width});
  for (int64_t n = 0; n < maps.size(0); ++n)
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t row = 0; row < height; ++row)
        for (int64_t column = 0; column < width; ++column) {
          double y = -1 + 2.0 * row / (height - 1);
          double x = -1 + 2.0 * column / (width - 1);
          grid(n, i, row, column) =
              maps(n, i, 0) * x + maps(n, i, 1) * y + maps(n, i, 2);
        }
  return grid.toTensor(operands[0].getElementType());
}

namespace {

/// What grid_sample reads outside of an image.
struct Outside {
  StringRef mode; // zeros, border or reflection
  bool alignCorners;

  /// Where `position` along a dimension of `size` pixels is to be read; outside
  /// of [0, size - 1] for zeros only.
  double map(double position, int64_t size) const {
    if (mode == "zeros")
      return position;
    if (mode == "reflection") {
      double low = alignCorners ? 0 : -0.5;
      double span = alignCorners ? size - 1 : size;
      if (span <= 0)
        return 0;
      double distance = std::fmod(std::abs(position - low), 2 * span);
      position = low + (distance > span ? 2 * span - distance : distance);
    }
    return std::clamp<double>(position, 0, size - 1);
  }
};

/// A weighted position along one dimension.
struct Tap {
  int64_t position;
  double weight;
};

} // namespace

/// The pixel that -1 ... 1 stand for. What is far outside, or no number, stays
/// within the range of integers.
static double getPixel(double coordinate, int64_t size, bool alignCorners) {
  double position = alignCorners ? (coordinate + 1) / 2 * (size - 1)
                                 : ((coordinate + 1) * size - 1) / 2;
  constexpr double limit = 1 << 30;
  return position != position ? -limit : std::clamp(position, -limit, limit);
}

/// What one dimension contributes to a sample.
static SmallVector<Tap, 4> getTaps(double position, int64_t size,
                                   StringRef method, const Outside &outside) {
  if (method == "bicubic") {
    constexpr double alpha = -0.75;
    double first = std::floor(position) - 1;
    SmallVector<Tap, 4> taps;
    for (int64_t i = 0; i < 4; ++i) {
      double d = std::abs(position - (first + i)), weight;
      if (d <= 1)
        weight = ((alpha + 2) * d - (alpha + 3)) * d * d + 1;
      else
        weight = ((alpha * d - 5 * alpha) * d + 8 * alpha) * d - 4 * alpha;
      // Pixels are mapped, not the position between them.
      double pixel = outside.map(first + i, size);
      taps.push_back({static_cast<int64_t>(pixel), weight});
    }
    return taps;
  }
  position = outside.map(position, size);
  if (method == "nearest")
    return {{static_cast<int64_t>(std::nearbyint(position)), 1.0}};
  int64_t first = std::floor(position);
  return {{first, 1 - (position - first)}, {first + 1, position - first}};
}

static FailureOr<Tensor> evaluateGridSample(ImageGridSampleOp op,
                                            ArrayRef<Tensor> operands) {
  // Images as volumes of depth 1.
  auto toVolumes = [](const Tensor &tensor) {
    SmallVector<int64_t> shape(tensor.getShape());
    shape.insert(shape.begin() + 2, 5 - shape.size(), 1);
    return WideTensor<double>(tensor.reshape(shape));
  };
  int64_t rank = operands[0].getRank() - 2;
  WideTensor<double> data = toVolumes(operands[0]);
  WideTensor<double> grid = toVolumes(operands[1]);
  if (data.size(0) != grid.size(0))
    return op.emitOpError("expects a grid for each image, but got ")
           << operands[0].getType() << " and " << operands[1].getType();
  if (llvm::is_contained(data.getShape().drop_front(2), 0))
    return op.emitOpError("expects images with pixels, but got ")
           << operands[0].getType();
  Outside outside = {op.getPaddingMode(), op.getAlignCorners()};
  WideTensor<double> result(
      {data.size(0), data.size(1), grid.size(2), grid.size(3), grid.size(4)});
  auto sample = [&](int64_t n, int64_t z, int64_t y, int64_t x) {
    // The grid's first coordinate is along the last dimension.
    std::array<SmallVector<Tap, 4>, 3> taps;
    taps[0] = {{0, 1.0}};
    for (int64_t i = 0; i < rank; ++i) {
      int64_t size = data.size(4 - i);
      double pixel = getPixel(grid(n, i, z, y, x), size, op.getAlignCorners());
      taps[2 - i] = getTaps(pixel, size, op.getMethod(), outside);
    }
    for (int64_t c = 0; c < data.size(1); ++c) {
      double sum = 0;
      for (Tap tz : taps[0])
        for (Tap ty : taps[1])
          for (Tap tx : taps[2])
            if (tz.position >= 0 && tz.position < data.size(2) &&
                ty.position >= 0 && ty.position < data.size(3) &&
                tx.position >= 0 && tx.position < data.size(4))
              sum += tz.weight * ty.weight * tx.weight *
                     data(n, c, tz.position, ty.position, tx.position);
      result(n, c, z, y, x) = sum;
    }
  };
  for (int64_t n = 0; n < result.size(0); ++n)
    for (int64_t z = 0; z < result.size(2); ++z)
      for (int64_t y = 0; y < result.size(3); ++y)
        for (int64_t x = 0; x < result.size(4); ++x)
          sample(n, z, y, x);
  SmallVector<int64_t> shape(operands[1].getShape());
  shape[1] = data.size(1);
  return result.toTensor(operands[0].getElementType()).reshape(shape);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateCropAndResize(ImageCropAndResizeOp op,
                                               ArrayRef<Tensor> operands) {
  FailureOr<Tensor> images =
      transformLayout(op, operands[0], op.getLayout(), "NCHW");
  if (failed(images))
    return failure();
  WideTensor<double> data(*images), boxes(operands[1]);
  WideTensor<int64_t> indices(operands[2]);
  int64_t height = data.size(2), width = data.size(3);
  if (indices.size(0) != boxes.size(0) || height == 0 || width == 0)
    return op.emitOpError("expects images with pixels and an index for each "
                          "box, but got ")
           << operands[0].getType() << ", " << operands[1].getType() << " and "
           << operands[2].getType();
  int64_t rows = op.getCropSize()[0], columns = op.getCropSize()[1];
  double fill = op.getExtrapolationValue().convertToDouble();
  bool isNearest = op.getMethod() == "nearest_neighbor";
  auto getPosition = [](double begin, double end, int64_t i, int64_t count,
                        int64_t size) {
    double position = count > 1 ? begin + i * (end - begin) / (count - 1)
                                : 0.5 * (begin + end);
    return position * (size - 1);
  };
  WideTensor<double> result({boxes.size(0), data.size(1), rows, columns}, fill);
  for (int64_t box = 0; box < boxes.size(0); ++box) {
    int64_t n = indices(box);
    if (n < 0 || n >= data.size(0))
      return op.emitOpError("expects box_indices in the range [0, ")
             << data.size(0) << "), but got " << n;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        double y = getPosition(boxes(box, 0), boxes(box, 2), i, rows, height);
        double x = getPosition(boxes(box, 1), boxes(box, 3), j, columns, width);
        if (!(y >= 0 && y <= height - 1 && x >= 0 && x <= width - 1))
          continue;
        if (isNearest) {
          y = std::round(y);
          x = std::round(x);
        }
        int64_t y0 = std::floor(y), x0 = std::floor(x);
        int64_t y1 = std::min(y0 + 1, height - 1);
        int64_t x1 = std::min(x0 + 1, width - 1);
        for (int64_t c = 0; c < data.size(1); ++c) {
          double top = data(n, c, y0, x0) * (1 - (x - x0)) +
                       data(n, c, y0, x1) * (x - x0);
          double bottom = data(n, c, y1, x0) * (1 - (x - x0)) +
                          data(n, c, y1, x1) * (x - x0);
          result(box, c, i, j) = top * (1 - (y - y0)) + bottom * (y - y0);
        }
      }
  }
  return transformLayout(op, result.toTensor(getResultElementType(op)), "NCHW",
                         op.getLayout());
}

//===----------------------------------------------------------------------===//
// Dilation
//===----------------------------------------------------------------------===//

template <typename W>
static FailureOr<Tensor> dilate(ImageDilation2dOp op, const Tensor &images,
                                const Tensor &structure) {
  WideTensor<W> data(images), weight(structure);
  Padding padding = *expandPadding(op.getPadding(), 2);
  ArrayRef<int64_t> strides = op.getStrides(), dilations = op.getDilations();
  SmallVector<int64_t> shape = {data.size(0), data.size(1)};
  for (int64_t i = 0; i < 2; ++i) {
    int64_t room = data.size(2 + i) + padding.before[i] + padding.after[i] -
                   (weight.size(1 + i) - 1) * dilations[i] - 1;
    if (room < 0 || weight.size(1 + i) == 0 || weight.size(0) != data.size(1))
      return op.emitOpError("expects data and weight that fit, but got ")
             << images.getType() << " and " << structure.getType();
    shape.push_back(room / strides[i] + 1);
  }
  W lowest = std::numeric_limits<W>::lowest();
  if constexpr (std::is_same_v<W, double>)
    lowest = -std::numeric_limits<double>::infinity();
  WideTensor<W> result(shape, lowest);
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t y = 0; y < shape[2]; ++y)
        for (int64_t x = 0; x < shape[3]; ++x)
          for (int64_t i = 0; i < weight.size(1); ++i)
            for (int64_t j = 0; j < weight.size(2); ++j) {
              int64_t dy =
                  y * strides[0] + i * dilations[0] - padding.before[0];
              int64_t dx =
                  x * strides[1] + j * dilations[1] - padding.before[1];
              if (dy >= 0 && dy < data.size(2) && dx >= 0 && dx < data.size(3))
                result(n, c, y, x) = std::max(
                    result(n, c, y, x), data(n, c, dy, dx) + weight(c, i, j));
            }
  return result.toTensor(getResultElementType(op));
}

static FailureOr<Tensor> evaluateDilation2d(ImageDilation2dOp op,
                                            ArrayRef<Tensor> operands) {
  auto data = transformLayout(op, operands[0], op.getDataLayout(), "NCHW");
  auto weight = transformLayout(op, operands[1], op.getKernelLayout(), "IHW");
  if (failed(data) || failed(weight))
    return failure();
  FailureOr<Tensor> result =
      dispatchWideType(data->getElementType(), [&](auto wide) {
        return dilate<decltype(wide)>(op, *data, *weight);
      });
  if (failed(result))
    return failure();
  return transformLayout(op, *result, "NCHW", op.getDataLayout());
}

void relay::detail::populateGeometryEvaluators(EvaluatorTable &table) {
  table.add<ImageAffineGridOp>(evaluateAffineGrid);
  table.add<ImageGridSampleOp>(evaluateGridSample);
  table.add<ImageCropAndResizeOp>(evaluateCropAndResize);
  table.add<ImageDilation2dOp>(evaluateDilation2d);
}
