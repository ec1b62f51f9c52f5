//===- ElementTypes.h - Host form of tensor elements ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ type that stands for each element type, and the wide types in which
// the interpreter computes: double for floats, int64_t and uint64_t for
// integers. Storing a wide value rounds or wraps it once.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INTERPRETER_ELEMENTTYPES_H
#define RELAY_MLIR_INTERPRETER_ELEMENTTYPES_H

#include "relay-mlir/Dialect/Relay/IR/DType.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace mlir::relay {

/// Rounds to odd: a second rounding, to any narrower format, then gives what
/// one rounding of `value` would have given.
inline float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  // NaN compares unequal to itself, and infinity must not step back into range.
  if (static_cast<double>(nearest) == value || value != value ||
      (llvm::bit_cast<uint32_t>(nearest) & 1))
    return nearest;
  bool away = (static_cast<double>(nearest) > value) == (value > 0);
  uint32_t bits = llvm::bit_cast<uint32_t>(nearest);
  return llvm::bit_cast<float>(away ? bits - 1 : bits + 1);
}

/// An IEEE half, stored; computed on as double.
struct Float16 {
  uint16_t bits;
  static Float16 get(double value);
  operator double() const;
};

/// A bfloat16, stored; computed on as double.
struct BFloat16 {
  uint16_t bits;
  static BFloat16 get(double value);
  operator double() const {
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

/// The code of the float nearest to `value`, and the value of a code; what the
/// format of `kind` makes of values it has not is in SmallFloat.
uint8_t getSmallFloatCode(SmallFloatKind kind, double value);
double getSmallFloatValue(SmallFloatKind kind, uint8_t code);

/// A float of 4 or 8 bits, stored in a byte; computed on as double.
template <SmallFloatKind kind>
struct SmallFloatElement {
  uint8_t code;
  static SmallFloatElement get(double value) {
    return {getSmallFloatCode(kind, value)};
  }
  operator double() const { return getSmallFloatValue(kind, code); }
};

/// An integer of 2 or 4 bits, the low ones of a byte.
template <unsigned width, bool isSignedElement>
struct SmallInteger {
  static constexpr bool isSigned = isSignedElement;
  using Wide = std::conditional_t<isSigned, int64_t, uint64_t>;
  static constexpr Wide min = isSigned ? -(1 << (width - 1)) : 0;
  static constexpr Wide max = (1 << (width - isSigned)) - 1;
  uint8_t bits;
  static SmallInteger get(uint64_t value) {
    return {static_cast<uint8_t>(value & ((1 << width) - 1))};
  }
  operator Wide() const {
    if constexpr (isSigned)
      return llvm::SignExtend64<width>(bits);
    else
      return bits & ((1 << width) - 1);
  }
};

template <typename T>
inline constexpr bool isRoundedFloat =
    std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <SmallFloatKind kind>
inline constexpr bool isRoundedFloat<SmallFloatElement<kind>> = true;

template <typename T>
inline constexpr bool isFloatElement =
    std::is_floating_point_v<T> || isRoundedFloat<T>;

template <typename T>
inline constexpr bool isSmallInteger = false;
template <unsigned width, bool isSigned>
inline constexpr bool isSmallInteger<SmallInteger<width, isSigned>> = true;

template <typename T>
constexpr bool isSignedElement() {
  if constexpr (isSmallInteger<T>)
    return T::isSigned;
  else
    return std::is_signed_v<T>;
}

/// The type in which elements of type `T` are computed.
template <typename T>
using WideType = std::conditional_t<
    isFloatElement<T>, double,
    std::conditional_t<isSignedElement<T>(), int64_t, uint64_t>>;

/// Converts a wide value to an element. Integers wrap; a float that an integer
/// type cannot hold becomes the nearest value of that type, NaN becomes 0.
template <typename T, typename W>
T narrow(W value) {
  if constexpr (isRoundedFloat<T>) {
    return T::get(static_cast<double>(value));
  } else if constexpr (isSmallInteger<T>) {
    if constexpr (std::is_floating_point_v<W>) {
      if (value != value)
        return T::get(0);
      W bounded = value > static_cast<W>(T::max)   ? static_cast<W>(T::max)
                  : value < static_cast<W>(T::min) ? static_cast<W>(T::min)
                                                   : value;
      return T::get(static_cast<uint64_t>(static_cast<int64_t>(bounded)));
    } else {
      return T::get(static_cast<uint64_t>(value));
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != W(0);
  } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<W>) {
    // The upper bound itself may round up when converted, hence `>=`.
    if (value != value)
      return 0;
    if (value >= static_cast<W>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    if (value <= static_cast<W>(std::numeric_limits<T>::min()))
      return std::numeric_limits<T>::min();
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

/// Whether the interpreter has a host form for `type`.
bool isSupportedElementType(Type type);

/// Size of one stored element in bytes; a bool takes one.
int64_t getElementSize(Type type);

/// Calls `fn` with a value of the C++ type that stands for `type`.
template <typename Fn>
decltype(auto) dispatchElementType(Type type, Fn &&fn) {
  if (type.isF32())
    return fn(float());
  if (type.isF64())
    return fn(double());
  if (type.isF16())
    return fn(Float16());
  if (type.isBF16())
    return fn(BFloat16());
  if (const SmallFloat *format = SmallFloat::get(type))
    switch (format->kind) {
    case SmallFloatKind::Float8E4M3FN:
      return fn(SmallFloatElement<SmallFloatKind::Float8E4M3FN>());
    case SmallFloatKind::Float8E4M3FNUZ:
      return fn(SmallFloatElement<SmallFloatKind::Float8E4M3FNUZ>());
    case SmallFloatKind::Float8E5M2:
      return fn(SmallFloatElement<SmallFloatKind::Float8E5M2>());
    case SmallFloatKind::Float8E5M2FNUZ:
      return fn(SmallFloatElement<SmallFloatKind::Float8E5M2FNUZ>());
    case SmallFloatKind::Float8E8M0FNU:
      return fn(SmallFloatElement<SmallFloatKind::Float8E8M0FNU>());
    case SmallFloatKind::Float4E2M1FN:
      return fn(SmallFloatElement<SmallFloatKind::Float4E2M1FN>());
    }
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return fn(bool());
  case 2:
    return isUnsigned ? fn(SmallInteger<2, false>())
                      : fn(SmallInteger<2, true>());
  case 4:
    return isUnsigned ? fn(SmallInteger<4, false>())
                      : fn(SmallInteger<4, true>());
  case 8:
    return isUnsigned ? fn(uint8_t()) : fn(int8_t());
  case 16:
    return isUnsigned ? fn(uint16_t()) : fn(int16_t());
  case 32:
    return isUnsigned ? fn(uint32_t()) : fn(int32_t());
  case 64:
    return isUnsigned ? fn(uint64_t()) : fn(int64_t());
  default:
    llvm_unreachable("tensors have supported element types only");
  }
}

/// Calls `fn` with a value of the wide type of `type`.
template <typename Fn>
decltype(auto) dispatchWideType(Type type, Fn &&fn) {
  if (isa<FloatType>(type))
    return fn(double());
  if (type.isUnsignedInteger() || type.isInteger(1))
    return fn(uint64_t());
  return fn(int64_t());
}

} // namespace mlir::relay

#endif // RELAY_MLIR_INTERPRETER_ELEMENTTYPES_H
