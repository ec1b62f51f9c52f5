//===- Sampling.cpp - ONNX operators that sample images -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sample of an image is a sum of a few of its elements. Images become rows of
// channels, in which `relay.take` finds them; which rows they are, and how much
// each counts, is computed for each axis by itself. Positions of samples are
// data, so each index is brought into its range, also where a position is NaN.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "Regions.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// One of the elements along an axis that a sample is made of.
struct Tap {
  /// In range, of 64 bits.
  Value index;
  /// Null where it is 1.
  Value weight;
  /// Where the element is none, and counts as 0; null if nowhere.
  Value isOutside;
};

} // namespace

/// `value`, whose fusion with a transposition of its channels would end what is
/// done for vectors of them: each channel would find its elements anew, one by
/// one.
static Value separateChannels(NodeContext &node, Value value, Value data) {
  constexpr int64_t kMinChannels = 8;
  bool areMany = data && node.getType(data).getDimSize(1) >= kMinChannels;
  return areMany && value ? node.create<AnnotationStopFusionOp>({value})
                          : value;
}

/// (batch * elements, channels) from (batch, channels, spatial...), floats of
/// at least 32 bits.
static Value createRows(NodeContext &node, Value data) {
  SmallVector<ShapeScalar> dims = node.getDims(data);
  if (!isa<FloatType>(node.getElementType(data)))
    data = node.castTo(data, node.getBuilder().getF32Type());
  data = node.widen(data);
  ShapeScalar elements = ShapeScalar::get(1);
  for (const ShapeScalar &dim : ArrayRef(dims).drop_front(2))
    elements = multiplySizes(elements, dim);
  data = node.reshape(data, ArrayRef<ShapeScalar>{dims[0], dims[1], elements});
  Value rows = data ? node.transpose(data, {0, 2, 1}) : nullptr;
  rows = node.reshape(
      rows, ArrayRef<ShapeScalar>{multiplySizes(dims[0], elements), dims[1]});
  return separateChannels(node, rows, data);
}

/// The sum of what `taps`, those of each axis, make of `rows`; `base` is the
/// row of the first element of an image. All broadcast to one shape, and the
/// result has the channels behind it. `takeMode` says what becomes of rows that
/// are not there.
static Value createSamples(NodeContext &node, Value rows, Value data,
                           Value base, ArrayRef<SmallVector<Tap>> taps,
                           StringRef takeMode, bool isMaximum = false) {
  Arithmetic math(node);
  if (!rows)
    return nullptr;
  Value result;
  SmallVector<size_t> choice(taps.size(), 0);
  while (true) {
    Value index, weight, isOutside;
    for (auto [axis, which] : llvm::enumerate(choice)) {
      const Tap &tap = taps[axis][which];
      index = index
                  ? math.add(math.mul(index,
                                      node.createSize(data, int64_t(axis) + 2)),
                             tap.index)
                  : tap.index;
      if (tap.weight)
        weight = weight ? math.mul(weight, tap.weight) : tap.weight;
      if (tap.isOutside)
        isOutside =
            isOutside ? math.either(isOutside, tap.isOutside) : tap.isOutside;
    }
    Value sample = node.take(rows, math.add(index, base), 0, takeMode);
    if (!sample)
      return nullptr;
    int64_t last = node.getRank(sample) - 1;
    if (isOutside)
      sample = math.select(node.expandDims(isOutside, last),
                           math.number(0, sample), sample);
    if (weight) {
      weight = node.castTo(weight, node.getElementType(sample));
      sample = math.mul(sample, node.expandDims(weight, last));
    }
    if (!result)
      result = sample;
    else if (isMaximum)
      result = node.create<MaximumOp>({result, sample});
    else
      result = math.add(result, sample);
    if (!result)
      return nullptr;
    // The next choice, the last axis first.
    size_t axis = choice.size();
    while (axis > 0 && ++choice[axis - 1] == taps[axis - 1].size())
      choice[--axis] = 0;
    if (axis == 0)
      return result;
  }
}

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

namespace {

class GridSampler : public Arithmetic {
public:
  explicit GridSampler(NodeContext &node) : Arithmetic(node) {}

  LogicalResult convert();

private:
  enum class Padding { Zeros, Border, Reflection };

  LogicalResult readAttributes();
  SmallVector<Tap> getTaps(Value position, int64_t axis);
  Tap getTap(Value position, Value size);
  Value reflect(Value position, Value size);

  Value data;
  StringRef mode;
  Padding padding = Padding::Zeros;
  bool alignCorners = false;
};

} // namespace

LogicalResult GridSampler::readAttributes() {
  mode = node.getString("mode", "linear");
  // The names of opset 16.
  if (mode == "bilinear")
    mode = "linear";
  else if (mode == "bicubic")
    mode = "cubic";
  if (!llvm::is_contained({"linear", "nearest", "cubic"}, mode))
    return node.emitError()
           << "expects mode linear, nearest or cubic, but got \"" << mode
           << "\"";
  StringRef name = node.getString("padding_mode", "zeros");
  if (name == "border")
    padding = Padding::Border;
  else if (name == "reflection")
    padding = Padding::Reflection;
  else if (name != "zeros")
    return node.emitError()
           << "expects padding_mode zeros, border or reflection, but got \""
           << name << "\"";
  alignCorners = node.getBool("align_corners", false);
  return success(!node.hasFailed());
}

/// Mirrors positions at the first and the last element, or at their outer
/// edges, until they lie between them.
Value GridSampler::reflect(Value position, Value size) {
  double edge = alignCorners ? 0 : -0.5;
  Value low = number(edge, position), high = add(size, -1 - edge);
  Value range = sub(high, low);
  Value isBelow = less(position, low);
  Value distance = select(isBelow, sub(low, position), sub(position, high));
  Value turns = floor(div(distance, range));
  Value rest = sub(distance, mul(turns, range));
  Value isOdd = less(mul(floor(mul(turns, 0.5)), 2), turns);
  // Seen from the edge that is passed first.
  Value fromLow = node.create<NotEqualOp>({isBelow, isOdd});
  Value mirrored = select(fromLow, add(low, rest), sub(high, rest));
  Value isWithin = node.create<LogicalNotOp>(
      {either(isBelow, node.create<GreaterOp>({position, high}))});
  Value result = select(isWithin, position, mirrored);
  // A single element has no range.
  return select(node.create<GreaterOp>({range, number(0, range)}), result, low);
}

/// The element at `position`, which is a whole number.
Tap GridSampler::getTap(Value position, Value size) {
  Tap tap;
  Value zero = number(0, position), last = add(size, -1);
  if (padding == Padding::Zeros)
    tap.isOutside =
        either(less(position, zero), node.create<GreaterOp>({position, last}));
  else if (padding == Padding::Reflection)
    position = node.create<TruncOp>({reflect(position, size)});
  tap.index = toIndex(clamp(position, zero, last));
  return tap;
}

SmallVector<Tap> GridSampler::getTaps(Value position, int64_t axis) {
  Value size = this->size(data, axis + 2, position);
  if (!size)
    return {};
  // From [-1, 1] to elements.
  position = add(position, 1);
  position = alignCorners ? mul(mul(position, 0.5), add(size, -1))
                          : mul(add(mul(position, size), -1), 0.5);
  if (mode == "nearest")
    position = node.roundToEven(position);
  // A cubic looks beyond the border from where it is.
  if (padding == Padding::Border && mode != "cubic")
    position = clamp(position, number(0, position), add(size, -1));
  else if (padding == Padding::Reflection)
    position = reflect(position, size);
  if (mode == "nearest")
    return {getTap(padding == Padding::Reflection
                       ? node.create<TruncOp>({position})
                       : position,
                   size)};

  Value first = floor(position), fraction = sub(position, first);
  SmallVector<Tap> taps;
  if (mode == "linear") {
    taps = {getTap(first, size), getTap(add(first, 1), size)};
    taps[0].weight = sub(number(1, fraction), fraction);
    taps[1].weight = fraction;
    return taps;
  }
  // Keys' cubic convolution: near the element, and one further off.
  constexpr double a = -0.75;
  auto near = [&](Value x) {
    Value inner = add(mul(x, a + 2), -(a + 3));
    return add(mul(mul(inner, x), x), 1);
  };
  auto far = [&](Value x) {
    Value inner = mul(add(mul(x, a), -5 * a), x);
    return add(mul(add(inner, 8 * a), x), -4 * a);
  };
  for (int64_t i = -1; i <= 2; ++i) {
    Tap tap = getTap(add(first, static_cast<double>(i)), size);
    Value distance =
        i <= 0 ? add(fraction, static_cast<double>(-i))
               : sub(number(static_cast<double>(i), fraction), fraction);
    tap.weight = i == 0 || i == 1 ? near(distance) : far(distance);
    taps.push_back(tap);
  }
  return taps;
}

LogicalResult GridSampler::convert() {
  data = node.getInput(0);
  Value grid = node.widen(node.getInput(1));
  if (failed(readAttributes()))
    return failure();
  RankedTensorType type = node.getType(data);
  RankedTensorType gridType = node.getType(grid);
  int64_t rank = type.getRank() - 2;
  int64_t maxRank = mode == "cubic" ? 2 : 3;
  if (rank < 1 || rank > maxRank || gridType.getRank() != rank + 2 ||
      gridType.getShape().back() != rank)
    return node.emitError()
           << "expects data with 1 to " << maxRank
           << " spatial dimensions, and a grid of the same rank with a "
              "position along each of them, but got "
           << type << " and " << gridType;
  if (llvm::is_contained(type.getShape().drop_front(2), 0))
    return node.emitError() << "expects data with elements, but got " << type;
  int64_t batch = type.getDimSize(0), gridBatch = gridType.getDimSize(0);
  if (batch != gridBatch && ShapedType::isStatic(batch) &&
      ShapedType::isStatic(gridBatch))
    return node.emitError()
           << "expects data and grid of the same batch, but got " << type
           << " and " << gridType;
  node.expectEqualSizes(data, 0, grid, 0);
  if (!data || !grid)
    return failure();

  // The grid has the last axis of the data first.
  Value elements = node.createScalar(1, node.getBuilder().getI64Type());
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t column = rank - 1 - axis;
    Value position = node.slice(grid, rank + 1, column, column + 1);
    taps.push_back(getTaps(node.squeeze(position, {rank + 1}), axis));
    elements = mul(elements, node.createSize(data, axis + 2));
  }
  if (node.hasFailed())
    return failure();
  Value images = node.createPositions(node.getDims(data)[0],
                                      node.getBuilder().getI64Type());
  Value base = node.expandDims(mul(images, elements), 1, rank);
  Value result =
      createSamples(node, createRows(node, data), data, base, taps, "clip");
  if (!result)
    return failure();
  result = separateChannels(node, result, data);
  SmallVector<int64_t> order = {0, rank + 1};
  llvm::append_range(order, llvm::seq<int64_t>(1, rank + 1));
  return node.setResult(
      node.castTo(node.transpose(result, order), type.getElementType()));
}

static LogicalResult convertGridSample(NodeContext &node) {
  return GridSampler(node).convert();
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

/// The two elements that each of (rois, samples) positions lies between.
static SmallVector<Tap> getRoiTaps(NodeContext &node, Value position,
                                   Value size) {
  Arithmetic math(node);
  Value zero = math.number(0, position);
  Value isOutside = math.either(math.less(position, math.number(-1, position)),
                                node.create<GreaterOp>({position, size}));
  Value last = math.add(size, -1);
  position = math.clamp(position, zero, last);
  Value first = math.floor(position);
  Value fraction = math.sub(position, first);
  Value second = math.clamp(math.add(first, 1), zero, last);
  auto mask = [&](Value weight) {
    return math.select(isOutside, zero, weight);
  };
  return {{math.toIndex(first),
           mask(math.sub(math.number(1, position), fraction)), nullptr},
          {math.toIndex(second), mask(fraction), nullptr}};
}

static LogicalResult convertRoiAlign(NodeContext &node) {
  Arithmetic math(node);
  Value data = node.getInput(0), rois = node.getInput(1);
  Value images = node.getInput(2);
  RankedTensorType type = node.getType(data);
  RankedTensorType roiType = node.getType(rois);
  if (type.getRank() != 4 || roiType.getRank() != 2 ||
      roiType.getDimSize(1) != 4 || node.getRank(images) != 1)
    return node.emitError()
           << "expects data of rank 4, regions (count, 4) and an image for "
              "each, but got "
           << type << ", " << roiType << " and " << images.getType();
  if (type.getDimSize(2) == 0 || type.getDimSize(3) == 0)
    return node.emitError() << "expects data with elements, but got " << type;
  // Other indices count from the end.
  images = node.assertNotNegative(
      images, "expects batch_indices that are not negative");
  StringRef mode = node.getString("mode", "avg");
  if (mode != "avg" && mode != "max")
    return node.emitError()
           << "expects mode avg or max, but got \"" << mode << "\"";
  bool isOld = node.getOpset() < 16;
  StringRef transformation =
      node.getString("coordinate_transformation_mode",
                     isOld ? "output_half_pixel" : "half_pixel");
  bool isShifted = transformation == "half_pixel";
  if (!isShifted && transformation != "output_half_pixel")
    return node.emitError()
           << "expects coordinate_transformation_mode half_pixel or "
              "output_half_pixel, but got \""
           << transformation << "\"";
  int64_t ratio = node.getInt("sampling_ratio", 0);
  constexpr int64_t maxRatio = 256, maxSize = 4096;
  if (ratio < 0 || ratio > maxRatio)
    return node.emitError() << "expects sampling_ratio in [0, " << maxRatio
                            << "], but got " << ratio;
  double scale = node.getFloat("spatial_scale", 1);
  int64_t counts[2] = {node.getInt("output_height", 1),
                       node.getInt("output_width", 1)};
  for (int64_t count : counts)
    if (count < 1 || count > maxSize)
      return node.emitError()
             << "expects output_height and output_width in [1, " << maxSize
             << "], but got " << count;

  if (ratio == 0) {
    if (mode != "avg")
      return node.emitError()
             << "expects a sampling_ratio for mode max, as a number of samples "
                "that depends on the regions is not supported, but got 0";
    Value pooled = createAdaptiveRoiAlign(node, counts, scale, isShifted);
    return pooled ? node.setResult(pooled) : failure();
  }

  // (rois, samples) for each axis.
  auto getCorner = [&](int64_t column) {
    Value corner = math.mul(node.slice(rois, 1, column, column + 1), scale);
    return isShifted ? math.add(corner, -0.5) : corner;
  };
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t axis = 0; axis < 2; ++axis) {
    Value begin = getCorner(1 - axis), end = getCorner(3 - axis);
    Value extent = math.sub(end, begin);
    if (!isShifted)
      extent = node.create<MaximumOp>({extent, math.number(1, extent)});
    if (!extent)
      return failure();
    // In the middle of equal parts.
    int64_t samples = counts[axis] * ratio;
    Value line = node.createPositions(ShapeScalar::get(samples),
                                      node.getElementType(extent));
    line = math.mul(math.add(line, 0.5), 1 / static_cast<double>(samples));
    Value position = math.add(begin, math.mul(extent, line));
    taps.push_back(
        getRoiTaps(node, position, math.size(data, axis + 2, position)));
    // (rois, height, width).
    for (Tap &tap : taps.back()) {
      tap.index = node.expandDims(tap.index, axis == 0 ? 2 : 1);
      tap.weight = node.expandDims(tap.weight, axis == 0 ? 2 : 1);
    }
  }
  Value base =
      math.mul(math.toIndex(images),
               math.mul(node.createSize(data, 2), node.createSize(data, 3)));
  Value samples =
      createSamples(node, createRows(node, data), data,
                    node.expandDims(base, 1, 2), taps, "fast", mode == "max");
  if (!samples)
    return failure();
  SmallVector<ShapeScalar> dims = node.getDims(samples);
  samples = node.reshape(
      samples, ArrayRef<ShapeScalar>{dims[0], ShapeScalar::get(counts[0]),
                                     ShapeScalar::get(ratio),
                                     ShapeScalar::get(counts[1]),
                                     ShapeScalar::get(ratio), dims[3]});
  auto reduce = [&](auto properties, auto build) {
    properties.axis = node.getBuilder().getDenseI64ArrayAttr({2, 4});
    return build(properties);
  };
  Value pooled =
      mode == "max" ? reduce(MaxOp::Properties(),
                             [&](auto properties) {
                               return node.create<MaxOp>({samples}, properties);
                             })
                    : reduce(MeanOp::Properties(), [&](auto properties) {
                        return node.create<MeanOp>({samples}, properties);
                      });
  if (!pooled)
    return failure();
  return node.setResult(node.transpose(pooled, {0, 3, 1, 2}));
}

void mlir::relay::onnx::addSamplingOps(OpTable &table) {
  table.add({"GridSample"}, {convertGridSample, 16, kNewestOpset, 2, 2});
  table.add({"MaxRoiPool"},
            {convertMaxRoiPool, kOldestOpset, kNewestOpset, 2, 2});
  table.add({"RoiAlign"}, {convertRoiAlign, 10, kNewestOpset, 3, 3,
                           /*contentInputs=*/0, /*isComposed=*/true});
}
