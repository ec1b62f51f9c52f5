//===- ImageSampling.cpp - Where a resized image reads its source ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageSampling.h"

#include "Gather.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::relay::detail;

bool ResizeMode::isValid() const {
  static constexpr StringLiteral methods[] = {"nearest_neighbor", "linear",
                                              "cubic"};
  static constexpr StringLiteral coordinateModes[] = {
      "half_pixel",         "align_corners",        "asymmetric",
      "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
  static constexpr StringLiteral roundings[] = {
      "", "round", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil"};
  return llvm::is_contained(methods, method) &&
         llvm::is_contained(coordinateModes, coordinates) &&
         llvm::is_contained(roundings, rounding);
}

LogicalResult
mlir::relay::detail::expectPixels(ConversionPatternRewriter &rewriter,
                                  LinalgBuilder &b, Operation *op, Value data,
                                  ArrayRef<int64_t> axes) {
  for (int64_t axis : axes) {
    OpFoldResult size = b.getSize(data, axis);
    if (isConstantIntValue(size, 0))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects images with pixels, but got " << data.getType();
      });
    b.assertAtLeast(size, 1, "expects images with pixels");
  }
  return success();
}

Value mlir::relay::detail::emitElement(const ElementMath &result, Type from,
                                       Value sum) {
  if (isa<FloatType>(from) && !result.isFloat())
    sum = math::RoundOp::create(result.getBuilder(), sum);
  return result.convertFrom(from, sum);
}

Value mlir::relay::detail::emitSamples(
    const ElementMath &math, llvm::function_ref<Value(ValueRange)> read,
    SmallVector<Value> &position, ArrayRef<int64_t> axes,
    ArrayRef<SmallVector<Tap>> taps) {
  if (axes.empty())
    return read(position);
  Value sum;
  for (const Tap &tap : taps.front()) {
    position[axes.front()] = tap.index;
    Value sample =
        emitSamples(math, read, position, axes.drop_front(), taps.drop_front());
    if (tap.isInside)
      sample = math.select(tap.isInside, sample, math.zero());
    if (tap.weight)
      sample = math.mul(sample, tap.weight);
    sum = sum ? math.add(sum, sample) : sample;
  }
  return sum;
}

Value mlir::relay::detail::emitSamples(const ElementMath &math, Value data,
                                       Type from, SmallVector<Value> &position,
                                       ArrayRef<int64_t> axes,
                                       ArrayRef<SmallVector<Tap>> taps) {
  auto read = [&](ValueRange at) {
    return math.convertFrom(from, emitExtract(math.getBuilder(), data, at));
  };
  return emitSamples(math, read, position, axes, taps);
}

StringRef ResizeMode::getRounding() const {
  if (!rounding.empty())
    return rounding;
  return coordinates == "align_corners" ? "round" : "floor";
}

Value AxisSampler::toFloat(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return math.number(*known);
  Value integer =
      arith::IndexCastOp::create(b, b.getI64Type(), cast<Value>(size));
  return math.convertFrom(b.getI64Type(), integer);
}

/// Multiplies before it divides: the product is exact, so that positions which
/// are integers come out as integers.
Value AxisSampler::getCoordinate(Value index) {
  Value position = arith::IndexCastOp::create(b, b.getI64Type(), index);
  position = math.convertFrom(b.getI64Type(), position);
  Value source = toFloat(sourceSize), result = toFloat(resultSize);
  Value half = math.number(0.5), one = math.one(), zero = math.zero();
  auto scale = [&](Value value) {
    return math.div(math.mul(value, source), result);
  };
  Value isSingle = math.compare(ElementMath::Order::LE, result, one);
  if (mode.coordinates == "asymmetric")
    return scale(position);
  if (mode.coordinates == "tf_half_pixel_for_nn")
    return scale(math.add(position, half));
  if (mode.coordinates == "half_pixel" ||
      mode.coordinates == "pytorch_half_pixel") {
    Value centred = math.sub(scale(math.add(position, half)), half);
    if (mode.coordinates == "half_pixel")
      return centred;
    return math.select(isSingle, zero, centred);
  }
  // What is left counts from the first to the last element. A single element
  // has no last one, and no division by zero may tell.
  Value steps = math.select(isSingle, one, math.sub(result, one));
  Value sourceSteps = math.sub(source, one);
  Value aligned = math.div(math.mul(position, sourceSteps), steps);
  if (mode.coordinates == "align_corners")
    return math.select(isSingle, zero, aligned);
  auto [begin, end] = roi;
  Value start = math.mul(begin, sourceSteps);
  Value many = math.add(start, math.mul(aligned, math.sub(end, begin)));
  Value middle = math.mul(math.mul(half, math.add(begin, end)), sourceSteps);
  return math.select(isSingle, middle, many);
}

Value AxisSampler::toIndex(Value position) {
  ElementMath index(b, b.getI64Type());
  Value integer = index.convertFrom(math.getType(), position);
  return arith::IndexCastOp::create(b, b.getIndexType(), integer);
}

SmallVector<Tap> AxisSampler::sampleNearest(Value coordinate) {
  StringRef rounding = mode.getRounding();
  Value half = math.number(0.5);
  Value position;
  if (rounding == "floor")
    position = math::FloorOp::create(b, coordinate);
  else if (rounding == "ceil")
    position = math::CeilOp::create(b, coordinate);
  else if (rounding == "round_prefer_floor")
    position = math::CeilOp::create(b, math.sub(coordinate, half));
  else if (rounding == "round_prefer_ceil")
    position = math::FloorOp::create(b, math.add(coordinate, half));
  else
    position = math::RoundOp::create(b, coordinate);
  return {{emitClamp(b, toIndex(position), sourceSize), Value(), Value()}};
}

SmallVector<Tap> AxisSampler::sampleLinear(Value coordinate) {
  Value floor = math::FloorOp::create(b, coordinate);
  Value weight = math.sub(coordinate, floor);
  Value first = toIndex(floor);
  Value second =
      arith::AddIOp::create(b, first, arith::ConstantIndexOp::create(b, 1));
  return {{emitClamp(b, first, sourceSize), math.sub(math.one(), weight), {}},
          {emitClamp(b, second, sourceSize), weight, {}}};
}

SmallVector<Value>
mlir::relay::detail::emitCubicWeights(const ElementMath &math, Value fraction,
                                      double cubicAlpha) {
  Value alpha = math.number(cubicAlpha), one = math.one();
  auto horner = [&](Value x, ArrayRef<Value> coefficients) {
    Value result = coefficients.front();
    for (Value coefficient : coefficients.drop_front())
      result = math.add(math.mul(result, x), coefficient);
    return result;
  };
  auto number = [&](double value) { return math.number(value); };
  auto near = [&](Value x) {
    return horner(x, {math.add(alpha, number(2)),
                      math.negate(math.add(alpha, number(3))), number(0), one});
  };
  auto far = [&](Value x) {
    return horner(x, {alpha, math.mul(alpha, number(-5)),
                      math.mul(alpha, number(8)), math.mul(alpha, number(-4))});
  };
  return {far(math.add(fraction, one)), near(fraction),
          near(math.sub(one, fraction)), far(math.sub(number(2), fraction))};
}

SmallVector<Tap> AxisSampler::sampleCubic(Value coordinate) {
  Value floor = math::FloorOp::create(b, coordinate);
  Value base = toIndex(floor);
  SmallVector<Value> weights =
      emitCubicWeights(math, math.sub(coordinate, floor), mode.cubicAlpha);
  SmallVector<Tap> taps;
  Value sum;
  for (auto [offset, weight] : llvm::enumerate(weights)) {
    Value step =
        arith::ConstantIndexOp::create(b, static_cast<int64_t>(offset) - 1);
    Value index = arith::AddIOp::create(b, base, step);
    Value clamped = emitClamp(b, index, sourceSize);
    if (mode.cubicExclude) {
      Value isInside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, index, clamped);
      weight = math.select(isInside, weight, math.zero());
      sum = sum ? math.add(sum, weight) : weight;
    }
    taps.push_back({clamped, weight, Value()});
  }
  if (sum)
    for (Tap &tap : taps)
      tap.weight = math.div(tap.weight, sum);
  return taps;
}

SmallVector<Tap> AxisSampler::sample(Value index) {
  Value coordinate = getCoordinate(index);
  if (mode.coordinates == "tf_crop_and_resize") {
    Value last = math.sub(toFloat(sourceSize), math.one());
    Value isBefore =
        math.compare(ElementMath::Order::LT, coordinate, math.zero());
    Value isBehind = math.compare(ElementMath::Order::GT, coordinate, last);
    isOutside = arith::OrIOp::create(b, isBefore, isBehind);
  }
  if (mode.method == "nearest_neighbor")
    return sampleNearest(coordinate);
  return mode.method == "linear" ? sampleLinear(coordinate)
                                 : sampleCubic(coordinate);
}
