//===- ResizeTables.cpp - Resizing by tables of weights -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// relay.image.resize2d resizes two axes, at coordinates that follow from their
// sizes. What ONNX has besides is done here, one axis after the other: each
// element of the result is a sum of a few elements of the data, whose positions
// and weights are constants.
//
//===----------------------------------------------------------------------===//

#include "ResizeTables.h"

#include "Limits.h"
#include "Products.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// With more elements in a sum than this, it is a product with a matrix.
static constexpr size_t kMaxTaps = 4;
static constexpr int64_t kMaxMatrixElements = 1 << 22;

/// Where in `count` elements element `i` of the result looks. Floats as in ONNX
/// Runtime, where halves are rounded.
static float getCoordinate(const AxisResize &resize, int64_t count, int64_t i) {
  auto position = static_cast<float>(i);
  auto scale = static_cast<float>(resize.scale);
  auto length = static_cast<float>(count);
  auto resized = static_cast<float>(resize.size);
  StringRef name = resize.transformation;
  if (name == "asymmetric")
    return position / scale;
  if (name == "align_corners")
    return resize.size == 1 ? 0 : position * (length - 1) / (resized - 1);
  if (name == "tf_half_pixel_for_nn")
    return (position + 0.5F) / scale;
  float center = (position + 0.5F) / scale;
  if (name == "half_pixel_symmetric")
    return length / 2 * (1 - resized / (scale * length)) + center - 0.5F;
  if (name == "pytorch_half_pixel" && resize.size == 1)
    return 0;
  return center - 0.5F;
}

static int64_t roundNearest(StringRef rounding, float coordinate) {
  if (rounding == "floor")
    return static_cast<int64_t>(std::floor(coordinate));
  if (rounding == "ceil")
    return static_cast<int64_t>(std::ceil(coordinate));
  if (rounding == "round_prefer_floor")
    return static_cast<int64_t>(std::ceil(coordinate - 0.5F));
  return static_cast<int64_t>(std::floor(coordinate + 0.5F));
}

/// The filter of `resize` at a distance from its centre.
static double getWeight(const AxisResize &resize, double distance) {
  double x = std::abs(distance), a = resize.cubicAlpha;
  if (resize.method == "linear")
    return std::max(0.0, 1 - x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// The weights of elements by their positions, for each element of the result.
static std::vector<std::map<int64_t, double>>
getWeights(const AxisResize &resize, int64_t count) {
  std::vector<std::map<int64_t, double>> rows(resize.size);
  // Where the data shrinks, filters grow.
  double width = resize.antialias ? std::max(1.0, 1 / resize.scale) : 1;
  double radius = (resize.method == "cubic" ? 2 : 1) * width;
  for (auto [i, row] : llvm::enumerate(rows)) {
    float coordinate = getCoordinate(resize, count, static_cast<int64_t>(i));
    auto clamp = [&](int64_t position) {
      return std::clamp<int64_t>(position, 0, count - 1);
    };
    if (resize.method == "nearest_neighbor") {
      row[clamp(roundNearest(resize.rounding, coordinate))] = 1;
      continue;
    }
    double center = coordinate, total = 0;
    auto first = static_cast<int64_t>(std::floor(center - radius));
    auto last = static_cast<int64_t>(std::ceil(center + radius));
    for (int64_t j = first; j <= last; ++j) {
      double weight =
          getWeight(resize, (static_cast<double>(j) - center) / width);
      if (weight == 0 || (resize.excludesOutside && j != clamp(j)))
        continue;
      row[clamp(j)] += weight;
      total += weight;
    }
    if (total == 0)
      row = {{clamp(std::lround(coordinate)), total = 1}};
    for (auto &entry : row)
      entry.second /= total;
  }
  return rows;
}

Value mlir::relay::onnx::createTableResize(NodeContext &node, Value data,
                                           const AxisResize &resize) {
  RankedTensorType type = node.getType(data);
  Type elementType = type.getElementType();
  int64_t count = type.getDimSize(resize.axis), rank = type.getRank();
  if (resize.transformation == "tf_crop_and_resize") {
    node.emitError() << "expects tf_crop_and_resize of two axes";
    return nullptr;
  }
  bool isNearest = resize.method == "nearest_neighbor";
  if (!isNearest && !isa<FloatType>(elementType)) {
    node.emitError() << "expects floats for mode " << resize.method
                     << " of these axes and scales, but got " << type;
    return nullptr;
  }
  constexpr int64_t maxWork = int64_t(1) << 21;
  double taps = (resize.antialias ? 4 / std::min(1.0, resize.scale) : 4) + 2;
  if (resize.size == 0)
    return node.slice(data, resize.axis, 0, 0);
  if (count == 0 ||
      static_cast<double>(resize.size) * taps > static_cast<double>(maxWork)) {
    node.emitError() << "expects sizes that can be resized, but got " << count
                     << " and " << resize.size;
    return nullptr;
  }
  std::vector<std::map<int64_t, double>> rows = getWeights(resize, count);
  size_t most = 0;
  for (const auto &row : rows)
    most = std::max(most, row.size());
  auto createColumn = [&](ArrayRef<double> values) {
    return node.castTo(
        node.createConstant(DenseElementsAttr::get(
            RankedTensorType::get(static_cast<int64_t>(values.size()),
                                  node.getBuilder().getF64Type()),
            values)),
        node.getElementType(data));
  };
  data = isNearest ? data : node.widen(data);
  if (most <= kMaxTaps) {
    Value result;
    for (size_t tap = 0; tap < most; ++tap) {
      SmallVector<int64_t> positions;
      SmallVector<double> weights;
      for (const auto &row : rows) {
        auto it = row.begin();
        std::advance(it, std::min(tap, row.size() - 1));
        positions.push_back(it->first);
        weights.push_back(tap < row.size() ? it->second : 0);
      }
      Value part = node.take(data, node.createInts(positions), resize.axis);
      if (!part || isNearest)
        return part;
      if (llvm::any_of(weights, [](double weight) { return weight != 1; }))
        part = node.create<MultiplyOp>(
            {part, node.expandDims(createColumn(weights), 1,
                                   rank - 1 - resize.axis)});
      result = result ? node.create<AddOp>({result, part}) : part;
      if (!result)
        return nullptr;
    }
    return node.castTo(result, elementType);
  }

  if (count > kMaxMatrixElements / resize.size) {
    node.emitError() << "expects at most " << kMaxMatrixElements
                     << " weights, but got " << count << " times "
                     << resize.size;
    return nullptr;
  }
  std::vector<double> matrix(count * resize.size, 0.0);
  for (auto [i, row] : llvm::enumerate(rows))
    for (auto [position, weight] : row)
      matrix[position * resize.size + static_cast<int64_t>(i)] = weight;
  Value weights =
      node.reshape(createColumn(matrix), ArrayRef<int64_t>{count, resize.size});
  return node.castTo(multiplyAlong(node, data, resize.axis, weights),
                     elementType);
}
