//===- OpenSignal.cpp - Signals whose lengths are computed ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operators of Signal.cpp where lengths, steps or axes are known when the
// model runs: what is a constant there is computed here.
//
//===----------------------------------------------------------------------===//

#include "OpenSignal.h"
#include "ComputedAxes.h"
#include "Formula.h"
#include "Products.h"

#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// Arithmetic on integers of 64 bits, and on floats of as many.
class Computation : public Formula {
public:
  explicit Computation(NodeContext &node)
      : Formula(node, Value()), node(node), i64(node.getBuilder().getI64Type()),
        f64(node.getBuilder().getF64Type()) {}

  Value integer(int64_t value) const {
    return node.createScalar(static_cast<double>(value), i64);
  }
  Value number(double value) const { return node.createScalar(value, f64); }
  Value toNumber(Value value) const { return node.castTo(value, f64); }
  Value half(Value a) const {
    return node.create<FloorDivideOp>({a, integer(2)});
  }
  /// 0, 1, ..., as many as `count`, in `rank` dimensions, the last but
  /// `behind`.
  Value line(Value count, int64_t behind = 0) const {
    Value value = node.createRange(count, i64);
    return behind ? node.expandDims(value, 1, behind) : value;
  }
  /// (points, frequencies): the angles 2 pi n k / points. Whole turns are taken
  /// out while they are integers.
  Value angles(Value points, Value rows, Value columns) const {
    Value product = mul(line(rows, 1), line(columns));
    Value turns = toNumber(node.create<FloorModOp>({product, points}));
    return mul(div(turns, toNumber(points)), number(2 * M_PI));
  }

  NodeContext &node;
  Type i64, f64;
};

} // namespace

LogicalResult mlir::relay::onnx::convertOpenWindow(NodeContext &node,
                                                   ArrayRef<double> terms,
                                                   Type type) {
  Computation c(node);
  Value size = getScalar(node, 0, c.i64);
  if (!size)
    return failure();
  if (!node.getContents(0))
    size = node.assertNotNegative(size, "expects a size of 0 or more");
  Value period = size;
  if (!node.getBool("periodic", true))
    period = c.sub(size, c.integer(1));
  Value steps = c.toNumber(node.create<MaximumOp>({period, c.integer(1)}));
  Value angle =
      c.mul(c.div(c.toNumber(c.line(size)), steps), c.number(2 * M_PI));
  // A single element is the middle.
  angle = c.select(c.equal(period, c.integer(0)), c.number(M_PI), angle);
  Value sum;
  for (auto [k, term] : llvm::enumerate(terms)) {
    Value wave =
        k == 0 ? c.add(c.mul(angle, c.number(0)), c.number(term))
               : c.mul(node.create<CosOp>(
                           {c.mul(angle, c.number(static_cast<double>(k)))}),
                       c.number(term));
    sum = sum ? c.add(sum, wave) : wave;
  }
  return node.setResult(node.castTo(sum, type));
}

LogicalResult mlir::relay::onnx::convertOpenMelWeights(NodeContext &node,
                                                       Type type) {
  Computation c(node);
  Value bins = getScalar(node, 0, c.i64), length = getScalar(node, 1, c.i64);
  Value rate = getScalar(node, 2, c.f64);
  Value low = getScalar(node, 3, c.f64), high = getScalar(node, 4, c.f64);
  if (!bins || !length || !rate || !low || !high)
    return failure();
  auto toMel = [&](Value hertz) {
    Value ratio = c.add(c.div(hertz, c.number(700)), c.number(1));
    return c.mul(node.create<LogOp>({ratio}), c.number(2595 / std::log(10.0)));
  };
  Value rows = c.add(c.half(length), c.integer(1));
  Value edges = c.add(bins, c.integer(2));
  low = toMel(low);
  Value step = c.div(c.sub(toMel(high), low), c.toNumber(edges));
  Value mel = c.add(c.mul(c.toNumber(c.line(edges)), step), low);
  Value hertz = c.mul(
      c.sub(node.create<ExpOp>({c.mul(mel, c.number(std::log(10.0) / 2595))}),
            c.number(1)),
      c.number(700));
  Value centers = node.create<FloorOp>(
      {c.div(c.mul(c.toNumber(c.add(length, c.integer(1))), hertz), rate)});
  if (!centers)
    return failure();
  Value last = c.sub(c.toNumber(rows), c.number(1));
  Value isInside = node.create<AllOp>(
      {c.both(c.lessEqual(c.number(0), centers), c.lessEqual(centers, last))});
  centers = node.assertThat(centers, isInside,
                            "expects edges within the frequencies of the DFT");
  Value left = node.slice(centers, 0, 0, -2);
  Value center = node.slice(centers, 0, 1, -1);
  Value right = node.dropFirst(centers, 0, 2);
  Value position = c.toNumber(c.line(rows, 1));
  auto rise = [&](Value part, Value whole) {
    return c.div(part, node.create<MaximumOp>({whole, c.number(1)}));
  };
  Value up = c.select(
      c.both(c.lessEqual(left, position), c.lessEqual(position, center)),
      rise(c.sub(position, left), c.sub(center, left)), c.number(0));
  // Where the rise has no width there is its top.
  up = c.select(c.both(c.equal(left, center), c.equal(position, center)),
                c.number(1), up);
  Value down = rise(c.sub(right, position), c.sub(right, center));
  Value isDown = c.both(c.lessEqual(center, position), c.less(position, right));
  return node.setResult(node.castTo(c.select(isDown, down, up), type));
}

/// `data` (..., positions) with `count` positions: the first ones, or zeros
/// behind them.
static Value fitLength(const Computation &c, Value data, Value count) {
  NodeContext &node = c.node;
  if (!data)
    return nullptr;
  int64_t last = node.getRank(data) - 1;
  Value positions = c.line(count);
  Value isThere = c.less(positions, node.createSize(data, last));
  Value zero = node.createScalar(0, node.getElementType(data));
  return c.select(isThere, node.take(data, positions, last), zero);
}

std::pair<Value, Value>
mlir::relay::onnx::createTransform(NodeContext &node, Value real,
                                   Value imaginary, Value cosine, Value sine,
                                   bool inverse, bool isReal) {
  auto product = [&](Value lhs, Value rhs) -> Value {
    return lhs && rhs ? createMatmul(node, lhs, rhs) : nullptr;
  };
  // (a + ib) (cos - i sin), or + i sin for the inverse.
  Value first = product(real, cosine), second;
  if (!isReal)
    second = product(real, inverse ? sine : node.create<NegativeOp>({sine}));
  if (imaginary) {
    Value cross = product(imaginary, sine);
    first = inverse ? node.create<SubtractOp>({first, cross})
                    : node.create<AddOp>({first, cross});
    if (!isReal)
      second = node.create<AddOp>({second, product(imaginary, cosine)});
  }
  return {first, second};
}

Value mlir::relay::onnx::createOpenDFT(NodeContext &node, Value data,
                                       int64_t axis, Value points,
                                       bool isChosen) {
  Computation c(node);
  bool inverse = node.getBool("inverse", false);
  bool onesided = node.getBool("onesided", false);
  bool isReal = onesided && inverse;
  int64_t rank = node.getRank(data), last = rank - 1;
  Type type = node.getElementType(data);
  Value size = node.createSize(data, axis);
  if (!points)
    points = isReal ? c.mul(c.sub(size, c.integer(1)), c.integer(2)) : size;
  points = isChosen ? node.assertThat(points, c.less(c.integer(0), points),
                                      "expects a dft_length of at least 1")
                    : node.create<MaximumOp>({points, c.integer(1)});
  Value half = c.add(c.half(points), c.integer(1));
  Value rows = isReal ? half : points;
  Value columns = onesided && !isReal ? half : points;
  auto getPart = [&](int64_t part) {
    Value value = node.squeeze(node.slice(data, last, part, part + 1), {last});
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < last; ++i)
      if (i != axis)
        order.push_back(i);
    order.push_back(axis);
    return fitLength(c, node.transpose(value, order), rows);
  };
  Value angles = c.angles(points, rows, columns);
  Value cosine = node.create<CosOp>({angles});
  Value sine = node.create<SinOp>({angles});
  if (isReal) {
    // All but the first, and the last of an even number, stand for two.
    Value row = c.line(rows, 1);
    Value isSingle =
        node.create<LogicalOrOp>({c.equal(row, c.integer(0)),
                                  c.equal(c.mul(row, c.integer(2)), points)});
    Value count = c.select(isSingle, c.number(1), c.number(2));
    cosine = c.mul(cosine, count);
    sine = c.mul(sine, count);
  }
  if (inverse) {
    cosine = c.div(cosine, c.toNumber(points));
    sine = c.div(sine, c.toNumber(points));
  }
  cosine = node.castTo(cosine, type);
  sine = node.castTo(sine, type);
  Value real = getPart(0), imaginary;
  if (node.getType(data).getDimSize(last) == 2)
    imaginary = getPart(1);
  auto [first, second] =
      createTransform(node, real, imaginary, cosine, sine, inverse, isReal);
  if (!first)
    return nullptr;
  Value result = node.expandDims(first, last);
  if (!isReal)
    result = node.concatenate({result, node.expandDims(second, last)}, last);
  // The axis is the last but one now.
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < last - 1; ++i)
    order.push_back(i);
  order.insert(order.begin() + axis, last - 1);
  order.push_back(last);
  return result ? node.transpose(result, order) : nullptr;
}

LogicalResult mlir::relay::onnx::convertOpenSTFT(NodeContext &node,
                                                 Value data) {
  Computation c(node);
  Type type = node.getElementType(data);
  Value window = node.getInput(2);
  bool onesided = node.getBool("onesided", true);
  bool isComplex = node.getType(data).getDimSize(2) == 2;
  if (onesided && isComplex)
    return node.emitError()
           << "expects a real signal where onesided = 1, but got "
           << data.getType();
  Value step = getScalar(node, 1, c.i64);
  Value length = node.createSize(data, 1);
  Value points;
  if (node.hasInput(3))
    points = getScalar(node, 3, c.i64);
  else if (window && node.getRank(window) == 1)
    points = node.createSize(window, 0);
  else
    points = length;
  if (!step || !points)
    return failure();
  Value isRight =
      c.both(c.less(c.integer(0), step),
             c.both(c.less(c.integer(0), points), c.lessEqual(points, length)));
  points = node.assertThat(points, isRight,
                           "expects a frame_step of at least 1, and frames of "
                           "at least 1 and no more elements than the signal");
  Value room = c.sub(length, points);
  Value count = c.add(node.create<FloorDivideOp>(
                          {room, node.create<MaximumOp>({step, c.integer(1)})}),
                      c.integer(1));
  Value positions = c.add(c.mul(c.line(count, 1), step), c.line(points));
  Value columns = onesided ? c.add(c.half(points), c.integer(1)) : points;
  Value angles = c.angles(points, points, columns);
  auto getWave = [&](Value wave) {
    wave = node.castTo(wave, type);
    if (window)
      wave = c.mul(wave, node.expandDims(window, 1));
    return wave;
  };
  Value cosine = getWave(node.create<CosOp>({angles}));
  Value sine = getWave(node.create<SinOp>({angles}));
  auto getFrames = [&](int64_t part) {
    Value signal = node.squeeze(node.slice(data, 2, part, part + 1), {2});
    return node.take(signal, positions, 1);
  };
  auto product = [&](Value lhs, Value rhs) -> Value {
    return lhs && rhs ? createMatmul(node, lhs, rhs) : nullptr;
  };
  Value frames = getFrames(0);
  Value real = product(frames, cosine);
  Value imaginary = node.create<NegativeOp>({product(frames, sine)});
  if (isComplex) {
    Value other = getFrames(1);
    real = c.add(real, product(other, sine));
    imaginary = c.add(imaginary, product(other, cosine));
  }
  if (!real || !imaginary)
    return failure();
  return node.setResult(node.concatenate(
      {node.expandDims(real, 3), node.expandDims(imaginary, 3)}, 3));
}
