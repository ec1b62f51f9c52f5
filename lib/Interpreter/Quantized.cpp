//===- Quantized.cpp - Arithmetic on quantized tensors --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantized.h"
#include "Strided.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Fixed point
//===----------------------------------------------------------------------===//

int32_t mlir::relay::multiplyFixedPoint(int32_t value, double factor,
                                        HalfRounding rounding) {
  if (factor == 0 || !std::isfinite(factor))
    return 0;
  int exponent;
  double significand = std::frexp(factor, &exponent);
  auto mantissa = static_cast<int64_t>(
      std::round(significand * static_cast<double>(int64_t(1) << 31)));
  // Rounded up to the next power of two.
  if (mantissa == int64_t(1) << 31) {
    mantissa /= 2;
    ++exponent;
  }
  int leftShift = std::max(exponent, 0);
  int rightShift = 31 + std::max(-exponent, 0);
  // Beyond these the product has no bit left, or none that 32 bits hold.
  if (rightShift > 63 || leftShift > 31)
    return 0;
  // Unsigned, because the product wraps where it is too large.
  uint64_t product = static_cast<uint64_t>(static_cast<int64_t>(value))
                     << leftShift;
  product *= static_cast<uint64_t>(mantissa);
  uint64_t half = uint64_t(1) << (rightShift - 1);
  if (rounding == HalfRounding::AwayFromZero &&
      static_cast<int64_t>(product) < 0)
    --half;
  auto sum = static_cast<int64_t>(product + half);
  return static_cast<int32_t>(sum >> rightShift);
}

//===----------------------------------------------------------------------===//
// Scales and zero points
//===----------------------------------------------------------------------===//

Tensor mlir::relay::alignParam(const Tensor &param, int64_t axis,
                               int64_t rank) {
  if (param.getNumElements() == 1 || rank == 0)
    return param.reshape({});
  return alignWithAxis(param, normalizeAxis(axis, rank), rank);
}

/// Whether two parameters are the same single value.
static bool isSameScalar(const Tensor &a, const Tensor &b) {
  return a.getNumElements() == 1 && b.getNumElements() == 1 &&
         a.loadAll<double>() == b.loadAll<double>();
}

template <typename T>
static T roundFloat(T value, HalfRounding rounding) {
  switch (rounding) {
  case HalfRounding::Upward:
    return std::floor(value + static_cast<T>(0.5));
  case HalfRounding::AwayFromZero:
    return std::round(value);
  case HalfRounding::ToEven:
    return std::nearbyint(value);
  }
  llvm_unreachable("all are there");
}

static float clipToRange(float value, Type type) {
  auto [low, high] = getIntegerRange(type);
  return std::fmin(std::fmax(value, static_cast<float>(low)),
                   static_cast<float>(high));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Tensor mlir::relay::quantize(const Tensor &data, const Tensor &scale,
                             const Tensor &zeroPoint, int64_t axis,
                             Type elementType, HalfRounding rounding) {
  int64_t rank = data.getRank();
  return mapElements<double>(
      {data, alignParam(scale, axis, rank), alignParam(zeroPoint, axis, rank)},
      data.getShape(), elementType, [&](const double *operands) -> double {
        auto x = static_cast<float>(operands[0]);
        auto s = static_cast<float>(operands[1]);
        auto z = static_cast<float>(operands[2]);
        float quotient = x / s;
        if (quotient != quotient)
          return 0; // No integer stands for it.
        return clipToRange(roundFloat(quotient, rounding) + z, elementType);
      });
}

Tensor mlir::relay::dequantize(const Tensor &data, const Tensor &scale,
                               const Tensor &zeroPoint, int64_t axis,
                               Type elementType) {
  int64_t rank = data.getRank();
  double largest = elementType.isF16() ? 65504.0 : INFINITY;
  return mapElements<double>(
      {data, alignParam(scale, axis, rank), alignParam(zeroPoint, axis, rank)},
      data.getShape(), elementType, [&](const double *operands) -> double {
        auto shifted = static_cast<int32_t>(
            static_cast<uint32_t>(static_cast<int64_t>(operands[0])) -
            static_cast<uint32_t>(static_cast<int64_t>(operands[2])));
        float value =
            static_cast<float>(shifted) * static_cast<float>(operands[1]);
        return std::clamp<double>(value, -largest, largest);
      });
}

/// Multiplies, moves the zero point and rounds in floats of type `T`.
template <typename T>
static int64_t requantizeInFloats(int64_t value, int64_t fromZeroPoint,
                                  T factor, int64_t toZeroPoint,
                                  HalfRounding rounding) {
  T result = static_cast<T>(value) - static_cast<T>(fromZeroPoint);
  // Two statements, lest they become one operation that rounds once.
  result *= factor;
  if (rounding == HalfRounding::ToEven)
    return narrow<int32_t>(roundFloat(result, rounding) +
                           static_cast<T>(toZeroPoint));
  result += static_cast<T>(toZeroPoint);
  return narrow<int32_t>(roundFloat(result, rounding));
}

Tensor mlir::relay::requantize(const Tensor &data, const Tensor &fromScale,
                               const Tensor &fromZeroPoint, int64_t axis,
                               const Tensor &toScale, const Tensor &toZeroPoint,
                               Type elementType, RequantizeMode mode) {
  int64_t rank = data.getRank();
  bool isSameScale = isSameScalar(fromScale, toScale);
  auto [low, high] = getIntegerRange(elementType);
  int64_t lowest = low, highest = high;
  // A double holds every int32.
  Tensor wrapped = castTo(data, IntegerType::get(data.getContext(), 32));
  return mapElements<double>(
      {wrapped, alignParam(fromScale, axis, rank),
       alignParam(fromZeroPoint, axis, rank), toScale, toZeroPoint},
      data.getShape(), elementType, [&](const double *operands) -> double {
        auto value = static_cast<int64_t>(operands[0]);
        auto from = static_cast<int64_t>(operands[2]);
        auto to = static_cast<int64_t>(operands[4]);
        double factor = isSameScale ? 1.0 : operands[1] / operands[3];
        int64_t result;
        if (mode.floatBits == 64) {
          result = requantizeInFloats<double>(value, from, factor, to,
                                              mode.rounding);
        } else if (mode.floatBits == 32) {
          result = requantizeInFloats<float>(
              value, from, static_cast<float>(factor), to, mode.rounding);
        } else {
          auto shifted = static_cast<int32_t>(value - from);
          int32_t scaled =
              isSameScale ? shifted
                          : multiplyFixedPoint(shifted, factor, mode.rounding);
          result = static_cast<int32_t>(scaled + to);
        }
        return std::clamp(result, lowest, highest);
      });
}

Tensor mlir::relay::requantizeToInt32(const Tensor &data,
                                      const Tensor &fromScale,
                                      const Tensor &fromZeroPoint, int64_t axis,
                                      const Tensor &toScale,
                                      const Tensor &toZeroPoint) {
  Type i32 = IntegerType::get(data.getContext(), 32);
  if (isSameScalar(fromScale, toScale) &&
      isSameScalar(fromZeroPoint, toZeroPoint))
    return castTo(data, i32);
  return requantize(data, fromScale, fromZeroPoint, axis, toScale, toZeroPoint,
                    i32);
}

Tensor mlir::relay::saturateTo(const Tensor &data, Type elementType) {
  auto [low, high] = getIntegerRange(elementType);
  int64_t lowest = low, highest = high;
  return mapElements<int64_t>({data}, data.getShape(), elementType,
                              [&](const int64_t *value) {
                                return std::clamp(*value, lowest, highest);
                              });
}
