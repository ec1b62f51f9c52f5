//===- ElementTypes.cpp - Host form of tensor elements --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/ElementTypes.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

BFloat16 BFloat16::get(double value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(roundToOdd(value));
  if (value != value) // A payload in the low bits must not turn into infinity.
    return {static_cast<uint16_t>((bits >> 16) | 0x40)};
  bits += 0x7fff + ((bits >> 16) & 1);
  return {static_cast<uint16_t>(bits >> 16)};
}

Float16 Float16::get(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (value != value)
    return {static_cast<uint16_t>(sign | 0x7e00)};
  double magnitude = std::fabs(value);
  // Half way between the largest half and the next power of two.
  if (magnitude >= 65520.0)
    return {static_cast<uint16_t>(sign | 0x7c00)};
  if (magnitude == 0)
    return {sign};
  int exponent;
  std::frexp(magnitude, &exponent);
  // The last place of a half is 2^-10 of its leading power, at least 2^-24.
  int lastPlace = std::max(exponent - 11, -24);
  uint32_t significand =
      static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -lastPlace)));
  // Normal numbers: the implicit bit of `significand` adds one to the exponent.
  uint32_t biased = static_cast<uint32_t>(lastPlace + 24);
  return {static_cast<uint16_t>(sign | ((biased << 10) + significand))};
}

Float16::operator double() const {
  int exponent = (bits >> 10) & 0x1f;
  int significand = bits & 0x3ff;
  double magnitude;
  if (exponent == 0x1f)
    magnitude = significand ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(significand, -24);
  else
    magnitude = std::ldexp(significand + 0x400, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

uint8_t mlir::relay::getSmallFloatCode(SmallFloatKind kind, double value) {
  const SmallFloat &format = SmallFloat::get(kind);
  double magnitude = std::fabs(value);
  int exponent;
  double fraction = std::frexp(magnitude, &exponent);
  if (format.isExponentOnly()) {
    if (!(value > 0) || std::isinf(value))
      return format.nan;
    // Half way is up.
    int code = exponent - 1 + (fraction >= 0.75) + format.bias;
    return code > format.largest ? format.overflow
                                 : static_cast<uint8_t>(std::max(code, 0));
  }
  uint8_t sign = std::signbit(value) ? 1 << (format.width - 1) : 0;
  if (value != value)
    return format.nan | (format.nan > format.largest &&
                                 !format.isUnsignedZero && format.width == 8
                             ? sign
                             : 0);
  int code = format.largest + 1;
  if (!std::isinf(value)) {
    // The last place of the smallest numbers, and of this one.
    int least = 1 - format.bias - format.fractionBits;
    int lastPlace = magnitude == 0
                        ? least
                        : std::max(exponent - 1 - format.fractionBits, least);
    // The leading bit of a normal number adds one to the exponent.
    code = ((lastPlace - least) << format.fractionBits) +
           static_cast<int>(std::nearbyint(std::ldexp(magnitude, -lastPlace)));
  }
  if (code > format.largest)
    code = format.overflow;
  if (format.isUnsignedZero && (code == 0 || code == format.nan))
    return static_cast<uint8_t>(code);
  return static_cast<uint8_t>(code) | sign;
}

double mlir::relay::getSmallFloatValue(SmallFloatKind kind, uint8_t code) {
  const SmallFloat &format = SmallFloat::get(kind);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.isExponentOnly())
    return code == format.nan ? nan : std::ldexp(1.0, code - format.bias);
  int signBit = 1 << (format.width - 1);
  if (format.isUnsignedZero && code == format.nan)
    return nan;
  int bits = code & (signBit - 1);
  int exponent = bits >> format.fractionBits;
  int fraction = bits & ((1 << format.fractionBits) - 1);
  int least = 1 - format.bias - format.fractionBits;
  double magnitude;
  if (bits > format.largest)
    magnitude = bits == format.overflow && format.overflow != format.nan
                    ? std::numeric_limits<double>::infinity()
                    : nan;
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, least);
  else
    magnitude =
        std::ldexp(fraction + (1 << format.fractionBits), exponent - 1 + least);
  return code & signBit ? -magnitude : magnitude;
}

bool mlir::relay::isSupportedElementType(Type type) {
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(type) ||
      (isSmallElement(type) && !type.isSignedInteger()))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return (width == 1 && integer.isSignless()) || width == 8 || width == 16 ||
         width == 32 || width == 64;
}

int64_t mlir::relay::getElementSize(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}
