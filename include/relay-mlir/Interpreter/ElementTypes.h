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

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

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

template <typename T>
inline constexpr bool isFloatElement =
    std::is_floating_point_v<T> || std::is_same_v<T, Float16> ||
    std::is_same_v<T, BFloat16>;

/// The type in which elements of type `T` are computed.
template <typename T>
using WideType = std::conditional_t<
    isFloatElement<T>, double,
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

/// Converts a wide value to an element. Integers wrap; a float that an integer
/// type cannot hold becomes the nearest value of that type, NaN becomes 0.
template <typename T, typename W>
T narrow(W value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return T::get(static_cast<double>(value));
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
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return fn(bool());
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
