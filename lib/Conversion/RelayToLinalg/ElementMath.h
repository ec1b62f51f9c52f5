//===- ElementMath.h - Arithmetic on elements of relay tensors --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one element of a relay operator's result is, as arith and math ops.
// Values are signless; the relay element type tells what their bits mean.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_ELEMENTMATH_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_ELEMENTMATH_H

#include "relay-mlir/Dialect/Relay/IR/DType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::relay::detail {

/// The type that carries elements of `type` once signs are gone: ui8 -> i8. The
/// bits of small elements are a byte.
Type getSignless(Type type);

/// The type sums of `type` are accumulated in: f32 for narrower floats.
Type getAccumulatorType(Type type);

/// The type averages of `type` are computed in: 64 bits for integers and bools,
/// whose sums, and whose number, need not fit into `type`.
Type getAverageType(Type type);

/// Attributes of the signless form of `type`.
TypedAttr getNumberAttr(Type type, double value);
TypedAttr getZeroAttr(Type type);
TypedAttr getOneAttr(Type type);
/// Neutral elements of max and min: -inf and inf, or the ends of the integers.
TypedAttr getLowestAttr(Type type);
TypedAttr getHighestAttr(Type type);

class ElementMath {
public:
  /// Arithmetic on elements of the relay type `type`.
  ElementMath(ImplicitLocOpBuilder &builder, Type type)
      : b(builder), type(type), storage(getSignless(type)) {}

  bool isFloat() const { return isa<FloatType>(type); }
  bool isUnsigned() const {
    return type.isUnsignedInteger() || type.isInteger(1);
  }
  Type getType() const { return type; }
  Type getStorageType() const { return storage; }
  ImplicitLocOpBuilder &getBuilder() const { return b; }

  Value constant(TypedAttr value) const;
  Value number(double value) const;
  Value zero() const { return constant(getZeroAttr(type)); }
  Value one() const { return constant(getOneAttr(type)); }

  Value add(Value lhs, Value rhs) const;
  Value sub(Value lhs, Value rhs) const;
  Value mul(Value lhs, Value rhs) const;
  /// Quotient rounded toward zero for integers. Division of integers by zero
  /// is zero, and the lowest integer by -1 wraps, as in NumPy.
  Value div(Value lhs, Value rhs) const;
  Value rem(Value lhs, Value rhs) const;
  Value floorDiv(Value lhs, Value rhs) const;
  Value floorMod(Value lhs, Value rhs) const;
  /// Whether one of two is negative.
  Value differInSign(Value lhs, Value rhs) const;
  Value truncDiv(Value lhs, Value rhs) const;
  Value power(Value lhs, Value rhs) const;
  /// Shifts by the width or more move every bit out.
  Value shiftLeft(Value lhs, Value rhs) const;
  Value shiftRight(Value lhs, Value rhs) const;
  Value bitAnd(Value lhs, Value rhs) const;
  Value bitOr(Value lhs, Value rhs) const;
  Value bitXor(Value lhs, Value rhs) const;
  /// NaN if either is NaN.
  Value max(Value lhs, Value rhs) const;
  Value min(Value lhs, Value rhs) const;

  Value negate(Value value) const;
  Value abs(Value value) const;
  Value sign(Value value) const;

  enum class Order { EQ, NE, LT, LE, GT, GE };
  Value compare(Order order, Value lhs, Value rhs) const;
  Value isNaN(Value value) const;
  Value isNonZero(Value value) const;
  /// A total order: NaN comes after every number.
  Value precedes(Value lhs, Value rhs) const;

  Value select(Value condition, Value whenTrue, Value whenFalse) const;

  /// Applies the float function `OpT` in at least f32.
  template <typename OpT>
  Value inSinglePrecision(Value value) const {
    Value wide = widen(value);
    return narrow(OpT::create(b, wide));
  }
  /// `value` in f32 if its type is a narrower float.
  Value widen(Value value) const;
  /// `value` back in the element type.
  Value narrow(Value value) const;

  /// `value` of the relay type `from` as this type.
  Value convertFrom(Type from, Value value) const;

private:
  /// The divisor with the values that trap replaced, and what to do then.
  Value guardedDivide(Value lhs, Value rhs, bool remainder) const;
  Value integerPower(Value base, Value exponent) const;

  ImplicitLocOpBuilder &b;
  Type type;
  Type storage;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_ELEMENTMATH_H
