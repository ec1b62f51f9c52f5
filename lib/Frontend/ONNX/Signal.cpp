//===- Signal.cpp - Signal processing of ONNX -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fourier transforms are products with matrices of cosines and sines. These are
// taken from one period, which is a constant, so that each angle is exact,
// however long the transform is.
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "Limits.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "OpenSignal.h"
#include "Products.h"
#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// Points of a transform at most: the work grows with the square.
static constexpr int64_t kMaxPoints = 1 << 12;

/// A constant of `elementType`, rounded once.
static Value createNumbers(NodeContext &node, ArrayRef<double> numbers,
                           ArrayRef<int64_t> shape, Type elementType) {
  auto type = RankedTensorType::get(shape, node.getBuilder().getF64Type());
  return node.castTo(node.createConstant(DenseElementsAttr::get(type, numbers)),
                     elementType);
}

/// Whether an input is left out or constant.
static bool isKnown(NodeContext &node, unsigned index) {
  const ShapeTensor *contents = node.getContents(index);
  return !node.hasInput(index) ||
         (contents && (contents->isFloat() || contents->getConstants()));
}

/// An integer in an input from `low` to `high`.
static FailureOr<int64_t> getConstantIntIn(NodeContext &node, unsigned index,
                                           StringRef name, int64_t low,
                                           int64_t high) {
  FailureOr<int64_t> value = node.getConstantInt(index);
  if (failed(value))
    return failure();
  if (*value >= low && *value <= high)
    return *value;
  node.emitError() << "expects " << name << " in [" << low << ", " << high
                   << "], but got " << *value;
  return failure();
}

static FailureOr<Type> getOutputType(NodeContext &node) {
  DataType dtype = node.getDataType("output_datatype", DataType::Float);
  Type type = getElementType(node.getContext(), dtype);
  if (type && (isa<FloatType>(type) || isa<IntegerType>(type)))
    return type;
  node.emitError()
      << "expects output_datatype to be a type of numbers, but got "
      << getDataTypeName(dtype);
  return failure();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The sum of `terms[i]` * cos(i * angle), which goes once round in `size` or,
/// where the window is symmetric, in one element less.
static LogicalResult convertWindow(NodeContext &node, ArrayRef<double> terms) {
  FailureOr<Type> type = getOutputType(node);
  if (succeeded(type) && !isKnown(node, 0))
    return convertOpenWindow(node, terms, *type);
  FailureOr<int64_t> size =
      getConstantIntIn(node, 0, "size", 0, kMaxMadeUpElements);
  if (failed(size) || failed(type))
    return failure();
  int64_t period = node.getBool("periodic", true) ? *size : *size - 1;
  SmallVector<double> numbers;
  for (int64_t i = 0; i < *size; ++i) {
    // A single element is the middle.
    double angle = period == 0 ? M_PI
                               : 2 * M_PI * static_cast<double>(i) /
                                     static_cast<double>(period);
    double sum = 0;
    for (auto [k, term] : llvm::enumerate(terms))
      sum += term * std::cos(static_cast<double>(k) * angle);
    numbers.push_back(sum);
  }
  return node.setResult(createNumbers(node, numbers, {*size}, *type));
}

static LogicalResult convertHannWindow(NodeContext &node) {
  return convertWindow(node, {0.5, -0.5});
}
static LogicalResult convertHammingWindow(NodeContext &node) {
  return convertWindow(node, {25.0 / 46, -21.0 / 46});
}
static LogicalResult convertBlackmanWindow(NodeContext &node) {
  return convertWindow(node, {0.42, -0.5, 0.08});
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

/// Triangles over the bins of a spectrum, equally far from each other in mel.
static LogicalResult convertMelWeightMatrix(NodeContext &node) {
  for (unsigned index = 0; index < 5; ++index)
    if (!isKnown(node, index)) {
      FailureOr<Type> type = getOutputType(node);
      return failed(type) ? failure() : convertOpenMelWeights(node, *type);
    }
  FailureOr<int64_t> bins =
      getConstantIntIn(node, 0, "num_mel_bins", 1, kMaxMadeUpElements);
  FailureOr<int64_t> length =
      getConstantIntIn(node, 1, "dft_length", 1, kMaxMadeUpElements);
  FailureOr<int64_t> rate = getConstantIntIn(
      node, 2, "sample_rate", 1, std::numeric_limits<int32_t>::max());
  FailureOr<Type> type = getOutputType(node);
  if (failed(bins) || failed(length) || failed(rate) || failed(type))
    return failure();
  std::optional<double> edges[2] = {node.getConstantFloat(3),
                                    node.getConstantFloat(4)};
  for (std::optional<double> edge : edges)
    if (!edge || std::isnan(*edge) || *edge < 0 ||
        *edge > static_cast<double>(*rate))
      return node.emitError() << "expects constant edges from 0 to sample_rate";
  int64_t rows = *length / 2 + 1;
  if (*bins > kMaxMadeUpElements / rows)
    return node.emitError()
           << "expects at most " << kMaxMadeUpElements << " weights, but got "
           << rows << " times " << *bins;
  auto toMel = [](double hertz) {
    return 2595 * std::log1p(hertz / 700) / std::log(10.0);
  };
  double low = toMel(*edges[0]), high = toMel(*edges[1]);
  double step = (high - low) / static_cast<double>(*bins + 2);
  SmallVector<int64_t> centers;
  for (int64_t i = 0; i < *bins + 2; ++i) {
    double mel = low + step * static_cast<double>(i);
    double hertz = 700 * std::expm1(mel / 2595 * std::log(10.0));
    centers.push_back(
        static_cast<int64_t>(std::floor(static_cast<double>(*length + 1) *
                                        hertz / static_cast<double>(*rate))));
    if (centers.back() < 0 || centers.back() >= rows)
      return node.emitError()
             << "expects edges below half of sample_rate, but bin " << i
             << " lies at element " << centers.back() << " of " << rows;
  }
  std::vector<double> weights(rows * *bins, 0.0);
  for (int64_t i = 0; i < *bins; ++i) {
    int64_t left = centers[i], center = centers[i + 1], right = centers[i + 2];
    if (left == center)
      weights[center * *bins + i] = 1;
    for (int64_t j = left; left != center && j <= center; ++j)
      weights[j * *bins + i] =
          static_cast<double>(j - left) / static_cast<double>(center - left);
    for (int64_t j = center; j < right; ++j)
      weights[j * *bins + i] =
          static_cast<double>(right - j) / static_cast<double>(right - center);
  }
  return node.setResult(createNumbers(node, weights, {rows, *bins}, *type));
}

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

namespace {

/// (points, frequencies): cosine and sine of 2 pi n k / points.
struct Waves {
  Value cosine, sine;

  Waves(NodeContext &node, int64_t points, int64_t frequencies, Type type);
};

} // namespace

Waves::Waves(NodeContext &node, int64_t points, int64_t frequencies,
             Type type) {
  SmallVector<double> cosines, sines;
  for (int64_t i = 0; i < points; ++i) {
    double angle =
        2 * M_PI * static_cast<double>(i) / static_cast<double>(points);
    cosines.push_back(std::cos(angle));
    sines.push_back(std::sin(angle));
  }
  Type index = node.getBuilder().getI64Type();
  Value row =
      node.expandDims(node.createPositions(ShapeScalar::get(points), index), 1);
  Value column = node.createPositions(ShapeScalar::get(frequencies), index);
  Value turns = node.create<FloorModOp>(
      {node.create<MultiplyOp>({row, column}),
       node.createScalar(static_cast<double>(points), index)});
  cosine = node.take(createNumbers(node, cosines, {points}, type), turns, 0);
  sine = node.take(createNumbers(node, sines, {points}, type), turns, 0);
}

/// `value` with its axis `axis` last.
static Value moveToBack(NodeContext &node, Value value, int64_t axis) {
  if (!value)
    return nullptr;
  SmallVector<int64_t> order;
  for (int64_t i = 0, rank = node.getRank(value); i < rank; ++i)
    if (i != axis)
      order.push_back(i);
  order.push_back(axis);
  return node.transpose(value, order);
}

/// `value` with its axis `from` at `axis`, before it.
static Value moveFrom(NodeContext &node, Value value, int64_t from,
                      int64_t axis) {
  if (!value)
    return nullptr;
  SmallVector<int64_t> order;
  for (int64_t i = 0, rank = node.getRank(value); i < rank; ++i)
    if (i != from)
      order.push_back(i);
  order.insert(order.begin() + axis, from);
  return node.transpose(value, order);
}

/// What one of the two parts of `data` is, its axis `axis` the last and with
/// `points` elements: the first ones, or zeros behind them.
static Value getPart(NodeContext &node, Value data, int64_t part, int64_t axis,
                     int64_t points) {
  int64_t last = node.getRank(data) - 1;
  Value value = node.squeeze(node.slice(data, last, part, part + 1), {last});
  value = moveToBack(node, value, axis);
  if (!value)
    return nullptr;
  int64_t size = node.getType(value).getDimSize(last - 1);
  if (size > points)
    return node.slice(value, last - 1, 0, points);
  return node.pad(value, last - 1, 0, points - size, 0);
}

static LogicalResult convertDFT(NodeContext &node) {
  Value data = node.getInput(0);
  RankedTensorType type = node.getType(data);
  int64_t rank = type.getRank();
  int64_t parts = rank < 2 ? 0 : type.getDimSize(rank - 1);
  if (parts != 1 && parts != 2)
    return node.emitError() << "expects data of rank 2 or more whose last size "
                               "is 1 or 2, but got "
                            << type;
  bool isOld = node.getOpset() < 20;
  bool inverse = node.getBool("inverse", false);
  bool onesided = node.getBool("onesided", false);
  if (onesided && parts != (inverse ? 2 : 1))
    return node.emitError() << "expects " << (inverse ? "complex" : "real")
                            << " data where onesided = 1, but got " << type;
  int64_t wanted = isOld ? node.getInt("axis", 1) : -2;
  Value openPoints;
  if (!isKnown(node, 1) &&
      !(openPoints = getScalar(node, 1, node.getBuilder().getI64Type())))
    return failure();
  if (!isKnown(node, 2)) {
    // Along all axes, and then a choice.
    Type index = node.getBuilder().getI64Type();
    if (node.hasInput(1) && !openPoints)
      openPoints = getScalar(node, 1, index);
    Value axis = getScalar(node, 2, index);
    if (!axis)
      return failure();
    axis = node.wrapIndices(
        axis, node.createScalar(static_cast<double>(rank), index));
    // The last dimension has real and imaginary parts.
    Value last = node.createScalar(static_cast<double>(rank - 1), index);
    axis = node.assertThat(axis, node.isWithin(axis, last),
                           "expects an axis of the data other than the last");
    SmallVector<Value> results;
    for (int64_t i = 0; i < rank - 1; ++i)
      results.push_back(
          createOpenDFT(node, data, i, openPoints, /*isChosen=*/false));
    return node.setResult(chooseTensor(node, results, axis));
  }
  if (node.hasInput(2)) {
    FailureOr<int64_t> value = node.getConstantInt(2);
    if (failed(value))
      return failure();
    wanted = *value;
  }
  FailureOr<int64_t> axis = node.normalizeAxis(wanted, rank);
  if (failed(axis))
    return failure();
  if (*axis == rank - 1)
    return node.emitError() << "expects an axis of the signal, but got "
                            << wanted << ", that of its two parts";
  int64_t size = type.getDimSize(*axis);
  if (openPoints || ShapedType::isDynamic(size)) {
    if (node.hasInput(1) && !openPoints)
      openPoints = getScalar(node, 1, node.getBuilder().getI64Type());
    return node.setResult(createOpenDFT(node, data, *axis, openPoints));
  }
  bool isReal = onesided && inverse;
  int64_t points = isReal ? 2 * (size - 1) : size;
  if (node.hasInput(1)) {
    FailureOr<int64_t> value = node.getConstantInt(1);
    if (failed(value))
      return failure();
    points = *value;
  }
  if (points < 1 || points > kMaxPoints)
    return node.emitError() << "expects a length in [1, " << kMaxPoints
                            << "], but got " << points;

  int64_t half = points / 2 + 1;
  Type elementType = node.getElementType(data);
  auto number = [&](double value) {
    return node.createScalar(value, elementType);
  };
  Waves waves(node, points, onesided ? half : points, elementType);
  Value cosine = waves.cosine, sine = waves.sine;
  Value real = getPart(node, data, 0, *axis, isReal ? half : points);
  Value imaginary = parts == 2
                        ? getPart(node, data, 1, *axis, isReal ? half : points)
                        : nullptr;
  if (isReal) {
    // All but the first, and the last of an even number, stand for two.
    cosine = node.transpose(cosine, {1, 0});
    sine = node.transpose(sine, {1, 0});
    SmallVector<double> counts(half, 2);
    counts.front() = 1;
    if (points % 2 == 0)
      counts.back() = 1;
    Value count = createNumbers(node, counts, {half, 1}, elementType);
    cosine = node.create<MultiplyOp>({cosine, count});
    sine = node.create<MultiplyOp>({sine, count});
  }
  if (inverse) {
    Value scale = number(1 / static_cast<double>(points));
    cosine = node.create<MultiplyOp>({cosine, scale});
    sine = node.create<MultiplyOp>({sine, scale});
  }
  if (!real || !cosine || !sine)
    return failure();
  auto [first, second] =
      createTransform(node, real, imaginary, cosine, sine, inverse, isReal);
  if (node.hasFailed())
    return failure();
  Value result;
  if (isReal) {
    result = node.expandDims(first, rank - 1);
  } else {
    StackOp::Properties properties;
    properties.axis = node.getBuilder().getI64IntegerAttr(rank - 1);
    result = node.create<StackOp>({first, second}, properties);
  }
  return node.setResult(moveFrom(node, result, rank - 2, *axis));
}

/// A convolution with the waves as weights.
static LogicalResult convertSTFT(NodeContext &node) {
  Value data = node.getInput(0);
  // PyTorch leaves out the dimension of the parts of a real signal.
  if (node.getRank(data) == 2)
    data = node.expandDims(data, 2);
  RankedTensorType type = node.getType(data);
  int64_t parts = type.getRank() != 3 ? 0 : type.getDimSize(2);
  if (parts != 1 && parts != 2)
    return node.emitError() << "expects a signal (batch, length) or (batch, "
                               "length, 1 or 2), but got "
                            << type;
  if (!isKnown(node, 1) || !isKnown(node, 3) ||
      (!node.hasInput(3) && type.isDynamicDim(1) && !node.hasInput(2)))
    return convertOpenSTFT(node, data);
  FailureOr<int64_t> step = getConstantIntIn(
      node, 1, "frame_step", 1, std::numeric_limits<int32_t>::max());
  if (failed(step))
    return failure();
  Value window = node.getInput(2);
  int64_t points = type.getDimSize(1);
  if (node.hasInput(3)) {
    FailureOr<int64_t> value = node.getConstantInt(3);
    if (failed(value))
      return failure();
    points = *value;
  } else if (window && node.getRank(window) == 1) {
    points = node.getType(window).getDimSize(0);
  }
  if (points < 1 || points > kMaxPoints)
    return node.emitError()
           << "expects frames of a static length in [1, " << kMaxPoints
           << "], but got "
           << (ShapedType::isDynamic(points) ? std::string("an open one")
                                             : std::to_string(points));
  if (window && (node.getRank(window) != 1 ||
                 (ShapedType::isStatic(node.getType(window).getDimSize(0)) &&
                  node.getType(window).getDimSize(0) != points)))
    return node.emitError() << "expects a window of " << points
                            << " elements, but got " << window.getType();
  if (ShapedType::isStatic(type.getDimSize(1)) && type.getDimSize(1) < points)
    return node.emitError() << "expects a signal of " << points
                            << " elements or more, but got " << type;
  bool onesided = node.getBool("onesided", true);
  if (onesided && parts == 2)
    return node.emitError()
           << "expects a real signal where onesided = 1, but got " << type;
  int64_t frequencies = onesided ? points / 2 + 1 : points;
  Waves waves(node, points, frequencies, node.getElementType(data));
  // (2 * frequencies, parts, points).
  auto getWeight = [&](Value wave) {
    wave = node.transpose(wave, {1, 0});
    if (window)
      wave =
          node.create<MultiplyOp>({wave, node.expectSize(window, 0, points)});
    return node.expandDims(wave, 1);
  };
  Value cosine = getWeight(waves.cosine), sine = getWeight(waves.sine);
  Value negative = node.create<NegativeOp>({sine});
  Value weight =
      parts == 1 ? node.concatenate({cosine, negative})
                 : node.concatenate({node.concatenate({cosine, sine}, 1),
                                     node.concatenate({negative, cosine}, 1)});
  NNConv1dOp::Properties properties;
  OpBuilder &b = node.getBuilder();
  properties.strides = b.getDenseI64ArrayAttr(*step);
  properties.padding = b.getDenseI64ArrayAttr({0, 0});
  properties.dilation = b.getDenseI64ArrayAttr(1);
  properties.groups = b.getI64IntegerAttr(1);
  properties.channels = b.getI64IntegerAttr(2 * frequencies);
  properties.kernel_size = b.getDenseI64ArrayAttr(points);
  Value signal = node.transpose(data, {0, 2, 1});
  Value result = node.create<NNConv1dOp>({signal, weight}, properties);
  if (!result)
    return failure();
  // (batch, 2, frequencies, frames).
  SmallVector<ShapeScalar> dims = node.getDims(result);
  result = node.reshape(
      result, ArrayRef<ShapeScalar>{dims[0], ShapeScalar::get(2),
                                    ShapeScalar::get(frequencies), dims[2]});
  return node.setResult(result ? node.transpose(result, {0, 3, 2, 1})
                               : nullptr);
}

void mlir::relay::onnx::addSignalOps(OpTable &table) {
  auto window = [&](StringRef name, OpEntry::Converter convert) {
    table.add({name}, {convert, 17, kNewestOpset, 1, 1, /*contentInputs=*/0b1});
  };
  window("BlackmanWindow", convertBlackmanWindow);
  window("HammingWindow", convertHammingWindow);
  window("HannWindow", convertHannWindow);
  table.add({"DFT"}, {convertDFT, 17, kNewestOpset, 1, 3,
                      /*contentInputs=*/0b110, /*isComposed=*/true});
  table.add({"MelWeightMatrix"}, {convertMelWeightMatrix, 17, kNewestOpset, 5,
                                  5, /*contentInputs=*/0b11111});
  table.add({"STFT"}, {convertSTFT, 17, kNewestOpset, 2, 4,
                       /*contentInputs=*/0b1010, /*isComposed=*/true});
}
