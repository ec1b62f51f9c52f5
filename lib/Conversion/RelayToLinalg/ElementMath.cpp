//===- ElementMath.cpp - Arithmetic on elements of relay tensors ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"

#include "SmallElements.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

Type mlir::relay::detail::getSignless(Type type) {
  if (isSmallElement(type))
    return IntegerType::get(type.getContext(), 8);
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSignless())
    return type;
  return IntegerType::get(type.getContext(), integer.getWidth());
}

Type mlir::relay::detail::getAccumulatorType(Type type) {
  auto floating = dyn_cast<FloatType>(type);
  if (floating && floating.getWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

Type mlir::relay::detail::getAverageType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return getAccumulatorType(type);
  bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
  return IntegerType::get(type.getContext(), 64,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

TypedAttr mlir::relay::detail::getNumberAttr(Type type, double value) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, value);
  auto integer = cast<IntegerType>(getSignless(type));
  if (integer.getWidth() == 1)
    return IntegerAttr::get(integer, value != 0);
  // Out of range bounds (a clip to infinity) mean the ends of the type.
  bool isUnsigned = type.isUnsignedInteger();
  llvm::APSInt bits(integer.getWidth(), isUnsigned);
  bool isExact;
  if (llvm::APFloat(value).convertToInteger(bits, llvm::APFloat::rmTowardZero,
                                            &isExact) ==
      llvm::APFloat::opInvalidOp)
    bits = value < 0
               ? llvm::APSInt::getMinValue(integer.getWidth(), isUnsigned)
               : llvm::APSInt::getMaxValue(integer.getWidth(), isUnsigned);
  return IntegerAttr::get(integer, bits);
}

TypedAttr mlir::relay::detail::getZeroAttr(Type type) {
  return getNumberAttr(type, 0);
}

TypedAttr mlir::relay::detail::getOneAttr(Type type) {
  return getNumberAttr(type, 1);
}

TypedAttr mlir::relay::detail::getLowestAttr(Type type) {
  if (auto floating = dyn_cast<FloatType>(type))
    return FloatAttr::get(type,
                          llvm::APFloat::getInf(floating.getFloatSemantics(),
                                                /*Negative=*/true));
  auto integer = cast<IntegerType>(getSignless(type));
  bool isUnsigned = type.isUnsignedInteger() || integer.getWidth() == 1;
  return IntegerAttr::get(
      integer, llvm::APSInt::getMinValue(integer.getWidth(), isUnsigned));
}

TypedAttr mlir::relay::detail::getHighestAttr(Type type) {
  if (auto floating = dyn_cast<FloatType>(type))
    return FloatAttr::get(type,
                          llvm::APFloat::getInf(floating.getFloatSemantics()));
  auto integer = cast<IntegerType>(getSignless(type));
  bool isUnsigned = type.isUnsignedInteger() || integer.getWidth() == 1;
  return IntegerAttr::get(
      integer, llvm::APSInt::getMaxValue(integer.getWidth(), isUnsigned));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ElementMath::constant(TypedAttr value) const {
  return arith::ConstantOp::create(b, value);
}

Value ElementMath::number(double value) const {
  return constant(getNumberAttr(type, value));
}

Value ElementMath::add(Value lhs, Value rhs) const {
  if (isFloat())
    return arith::AddFOp::create(b, lhs, rhs);
  if (type.isInteger(1))
    return bitOr(lhs, rhs);
  return arith::AddIOp::create(b, lhs, rhs);
}

Value ElementMath::sub(Value lhs, Value rhs) const {
  if (isFloat())
    return arith::SubFOp::create(b, lhs, rhs);
  return arith::SubIOp::create(b, lhs, rhs);
}

Value ElementMath::mul(Value lhs, Value rhs) const {
  if (isFloat())
    return arith::MulFOp::create(b, lhs, rhs);
  return arith::MulIOp::create(b, lhs, rhs);
}

Value ElementMath::guardedDivide(Value lhs, Value rhs, bool remainder) const {
  Value isZero = compare(Order::EQ, rhs, zero());
  // Quotient and remainder where the machine would trap.
  Value traps = isZero;
  Value whenMinusOne;
  if (!isUnsigned()) {
    Value isMinusOne = compare(Order::EQ, rhs, number(-1));
    traps = arith::OrIOp::create(b, isZero, isMinusOne);
    whenMinusOne = select(isMinusOne, negate(lhs), zero());
  }
  Value divisor = select(traps, one(), rhs);
  Value result;
  if (isUnsigned()) {
    result = remainder ? arith::RemUIOp::create(b, lhs, divisor).getResult()
                       : arith::DivUIOp::create(b, lhs, divisor).getResult();
  } else if (storage.isInteger(32) && !matchPattern(rhs, m_Constant())) {
    // Vectors have a division of f64, whose 53 bits make it exact. What is
    // divided by a constant is multiplied instead.
    Type wide = b.getF64Type();
    Value quotient =
        arith::DivFOp::create(b, arith::SIToFPOp::create(b, wide, lhs),
                              arith::SIToFPOp::create(b, wide, divisor));
    result = arith::FPToSIOp::create(b, storage, quotient);
    if (remainder)
      result = sub(lhs, mul(result, divisor));
  } else {
    result = remainder ? arith::RemSIOp::create(b, lhs, divisor).getResult()
                       : arith::DivSIOp::create(b, lhs, divisor).getResult();
  }
  if (remainder || isUnsigned())
    return select(traps, zero(), result);
  return select(traps, whenMinusOne, result);
}

Value ElementMath::div(Value lhs, Value rhs) const {
  if (isFloat())
    return arith::DivFOp::create(b, lhs, rhs);
  return guardedDivide(lhs, rhs, /*remainder=*/false);
}

Value ElementMath::rem(Value lhs, Value rhs) const {
  if (isFloat())
    return arith::RemFOp::create(b, lhs, rhs);
  return guardedDivide(lhs, rhs, /*remainder=*/true);
}

Value ElementMath::differInSign(Value lhs, Value rhs) const {
  // Of sizes, comparisons are understood, and bits are not.
  return arith::XOrIOp::create(b, compare(Order::LT, lhs, zero()),
                               compare(Order::LT, rhs, zero()));
}

Value ElementMath::floorMod(Value lhs, Value rhs) const {
  Value remainder = rem(lhs, rhs);
  if (isFloat()) {
    // Not lhs - floor(lhs / rhs) * rhs, which is NaN for an infinite divisor
    // and loses all digits of a large quotient.
    Value moved =
        select(differInSign(remainder, rhs), add(remainder, rhs), remainder);
    // A remainder of zero takes the sign, too.
    Value signedZero =
        select(compare(Order::LT, rhs, zero()), number(-0.0), zero());
    return select(compare(Order::EQ, remainder, zero()), signedZero, moved);
  }
  if (isUnsigned())
    return remainder;
  // The remainder takes the divisor's sign.
  Value isOff = arith::AndIOp::create(b, isNonZero(remainder),
                                      differInSign(remainder, rhs));
  return select(isOff, add(remainder, rhs), remainder);
}

/// A quotient that is not a whole number may be rounded up to one: whether
/// `whole` * `rhs` is beyond `lhs`, away from zero. The difference is exact
/// enough for its sign, and NaN, which is no difference, for what is infinite.
static Value emitIsBeyond(const ElementMath &math, Value whole, Value lhs,
                          Value rhs, Value positive) {
  ImplicitLocOpBuilder &b = math.getBuilder();
  using Order = ElementMath::Order;
  Value rest = math::FmaOp::create(b, math.negate(whole), rhs, lhs);
  Value zero = math.zero();
  return math.select(positive, math.compare(Order::LT, rest, zero),
                     math.compare(Order::GT, rest, zero));
}

Value ElementMath::floorDiv(Value lhs, Value rhs) const {
  if (isFloat()) {
    ElementMath wide(b, widen(lhs).getType());
    lhs = widen(lhs), rhs = widen(rhs);
    Value whole = math::FloorOp::create(b, wide.div(lhs, rhs));
    Value isBeyond = emitIsBeyond(wide, whole, lhs, rhs,
                                  wide.compare(Order::GT, rhs, wide.zero()));
    return narrow(wide.select(isBeyond, wide.sub(whole, wide.one()), whole));
  }
  Value quotient = div(lhs, rhs);
  if (isUnsigned())
    return quotient;
  Value remainder = rem(lhs, rhs);
  Value isOff = arith::AndIOp::create(b, isNonZero(remainder),
                                      differInSign(remainder, rhs));
  return select(isOff, sub(quotient, one()), quotient);
}

Value ElementMath::truncDiv(Value lhs, Value rhs) const {
  if (!isFloat())
    return div(lhs, rhs);
  ElementMath wide(b, widen(lhs).getType());
  lhs = widen(lhs), rhs = widen(rhs);
  Value whole = math::TruncOp::create(b, wide.div(lhs, rhs));
  Value isBeyond = emitIsBeyond(wide, whole, lhs, rhs,
                                wide.compare(Order::GT, lhs, wide.zero()));
  Value isNegative = wide.compare(Order::LT, whole, wide.zero());
  Value unit = wide.select(isNegative, wide.number(-1), wide.one());
  return narrow(wide.select(isBeyond, wide.sub(whole, unit), whole));
}

Value ElementMath::power(Value lhs, Value rhs) const {
  if (!isFloat())
    return integerPower(lhs, rhs);
  return narrow(math::PowFOp::create(b, widen(lhs), widen(rhs)));
}

/// Square and multiply over all bits of the exponent, exact modulo 2^width.
Value ElementMath::integerPower(Value base, Value exponent) const {
  unsigned width = storage.getIntOrFloatBitWidth();
  Value result = one();
  Value square = base;
  for (unsigned bit = 0; bit < width; ++bit) {
    Value mask =
        constant(b.getIntegerAttr(storage, APInt::getOneBitSet(width, bit)));
    Value isSet = isNonZero(bitAnd(exponent, mask));
    result = select(isSet, mul(result, square), result);
    if (bit + 1 < width)
      square = mul(square, square);
  }
  if (isUnsigned())
    return result;
  // A negative power of anything but 1 and -1 rounds to zero; the sign of a
  // power of -1 is that of the low exponent bit, which `result` has.
  Value isUnit = arith::OrIOp::create(b, compare(Order::EQ, base, one()),
                                      compare(Order::EQ, base, number(-1)));
  Value isNegative = compare(Order::LT, exponent, zero());
  Value whenNegative = select(isUnit, result, zero());
  return select(isNegative, whenNegative, result);
}

Value ElementMath::shiftLeft(Value lhs, Value rhs) const {
  // What is not zero is true, and the shift of a number that is not is not.
  if (type.isInteger(1))
    return lhs;
  Value width = number(storage.getIntOrFloatBitWidth());
  Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, rhs, width);
  Value amount = select(fits, rhs, zero());
  return select(fits, arith::ShLIOp::create(b, lhs, amount), zero());
}

Value ElementMath::shiftRight(Value lhs, Value rhs) const {
  unsigned bits = storage.getIntOrFloatBitWidth();
  Value fits =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, rhs, number(bits));
  if (isUnsigned()) {
    Value amount = select(fits, rhs, zero());
    return select(fits, arith::ShRUIOp::create(b, lhs, amount), zero());
  }
  Value amount = select(fits, rhs, number(bits - 1));
  return arith::ShRSIOp::create(b, lhs, amount);
}

Value ElementMath::bitAnd(Value lhs, Value rhs) const {
  return arith::AndIOp::create(b, lhs, rhs);
}

Value ElementMath::bitOr(Value lhs, Value rhs) const {
  return arith::OrIOp::create(b, lhs, rhs);
}

Value ElementMath::bitXor(Value lhs, Value rhs) const {
  return arith::XOrIOp::create(b, lhs, rhs);
}

Value ElementMath::max(Value lhs, Value rhs) const {
  if (isFloat())
    return arith::MaximumFOp::create(b, lhs, rhs);
  if (isUnsigned())
    return arith::MaxUIOp::create(b, lhs, rhs);
  return arith::MaxSIOp::create(b, lhs, rhs);
}

Value ElementMath::min(Value lhs, Value rhs) const {
  if (isFloat())
    return arith::MinimumFOp::create(b, lhs, rhs);
  if (isUnsigned())
    return arith::MinUIOp::create(b, lhs, rhs);
  return arith::MinSIOp::create(b, lhs, rhs);
}

Value ElementMath::negate(Value value) const {
  if (isFloat())
    return arith::NegFOp::create(b, value);
  return sub(zero(), value);
}

Value ElementMath::abs(Value value) const {
  if (isFloat())
    return math::AbsFOp::create(b, value);
  if (isUnsigned())
    return value;
  return max(value, negate(value));
}

Value ElementMath::sign(Value value) const {
  if (isUnsigned())
    return select(isNonZero(value), one(), zero());
  // What is neither above nor below zero (zero, NaN) is its own sign.
  Value negative = select(compare(Order::LT, value, zero()), number(-1), value);
  return select(compare(Order::GT, value, zero()), one(), negative);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

Value ElementMath::compare(Order order, Value lhs, Value rhs) const {
  using FloatPredicate = arith::CmpFPredicate;
  using IntPredicate = arith::CmpIPredicate;
  if (isFloat()) {
    static constexpr FloatPredicate predicates[] = {
        FloatPredicate::OEQ, FloatPredicate::UNE, FloatPredicate::OLT,
        FloatPredicate::OLE, FloatPredicate::OGT, FloatPredicate::OGE};
    return arith::CmpFOp::create(b, predicates[static_cast<unsigned>(order)],
                                 lhs, rhs);
  }
  static constexpr IntPredicate signedPredicates[] = {
      IntPredicate::eq,  IntPredicate::ne,  IntPredicate::slt,
      IntPredicate::sle, IntPredicate::sgt, IntPredicate::sge};
  static constexpr IntPredicate unsignedPredicates[] = {
      IntPredicate::eq,  IntPredicate::ne,  IntPredicate::ult,
      IntPredicate::ule, IntPredicate::ugt, IntPredicate::uge};
  const IntPredicate *predicates =
      isUnsigned() ? unsignedPredicates : signedPredicates;
  return arith::CmpIOp::create(b, predicates[static_cast<unsigned>(order)], lhs,
                               rhs);
}

Value ElementMath::isNaN(Value value) const {
  if (!isFloat())
    return arith::ConstantOp::create(b, b.getBoolAttr(false));
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
}

Value ElementMath::isNonZero(Value value) const {
  if (type.isInteger(1))
    return value;
  return compare(Order::NE, value, zero());
}

Value ElementMath::precedes(Value lhs, Value rhs) const {
  Value isLess = compare(Order::LT, lhs, rhs);
  if (!isFloat())
    return isLess;
  Value isNumber =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, lhs, lhs);
  Value isBeforeNaN = arith::AndIOp::create(b, isNumber, isNaN(rhs));
  return arith::OrIOp::create(b, isLess, isBeforeNaN);
}

Value ElementMath::select(Value condition, Value whenTrue,
                          Value whenFalse) const {
  return arith::SelectOp::create(b, condition, whenTrue, whenFalse);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

Value ElementMath::widen(Value value) const {
  if (getAccumulatorType(value.getType()) == value.getType())
    return value;
  return arith::ExtFOp::create(b, b.getF32Type(), value);
}

Value ElementMath::narrow(Value value) const {
  if (value.getType() == storage)
    return value;
  return arith::TruncFOp::create(b, storage, value);
}

/// Converts a float to an integer type: rounds to zero; what is beyond the
/// range becomes its nearest end, and NaN 0. The conversion itself only gets
/// what its result can hold: of anything else it makes poison, and LLVM drops
/// the store.
static Value convertFloatToInteger(const ElementMath &source, Value value,
                                   const ElementMath &target) {
  using Order = ElementMath::Order;
  ImplicitLocOpBuilder &b = source.getBuilder();
  value = source.widen(value);
  auto type = cast<FloatType>(value.getType());
  ElementMath math(b, type);
  unsigned width = target.getStorageType().getIntOrFloatBitWidth();
  unsigned numBits = target.isUnsigned() ? width : width - 1;
  double end = std::ldexp(1.0, numBits);

  Value isAbove;
  if (numBits <= type.getFPMantissaWidth()) {
    Value last = math.number(end - 1);
    value = math.select(math.compare(Order::GT, value, last), last, value);
  } else {
    // There is no such float as the highest integer.
    isAbove = math.compare(Order::GE, value, math.number(end));
    value = math.select(isAbove, math.zero(), value);
  }
  if (target.isUnsigned()) {
    // NaN is not greater.
    value = math.select(math.compare(Order::GT, value, math.zero()), value,
                        math.zero());
  } else {
    Value first = math.number(-end);
    value = math.select(math.compare(Order::LT, value, first), first, value);
    value = math.select(math.isNaN(value), math.zero(), value);
  }

  // Vectors have a conversion to i32, but none to narrower types.
  Type result = target.getStorageType();
  Type via = width < 32 ? b.getI32Type() : result;
  if (target.isUnsigned() && via == result)
    value = arith::FPToUIOp::create(b, via, value);
  else
    value = arith::FPToSIOp::create(b, via, value);
  if (via != result)
    value = arith::TruncIOp::create(b, result, value);
  if (!isAbove)
    return value;
  Value highest = target.constant(getHighestAttr(target.getType()));
  return target.select(isAbove, highest, value);
}

/// An f64 as an f32 that rounds to the same narrower float as the f64 does:
/// where it is not exact, it is cut off and its last bit is set, so that it is
/// no tie of theirs.
static Value roundToOdd(ImplicitLocOpBuilder &b, Value value) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, predicate, lhs, rhs);
  };
  Value near = arith::TruncFOp::create(b, f32, value);
  Value back = arith::ExtFOp::create(b, value.getType(), near);
  Value isAway =
      compare(arith::CmpFPredicate::OGT, math::AbsFOp::create(b, back),
              math::AbsFOp::create(b, value));
  Value isInexact = compare(arith::CmpFPredicate::ONE, back, value);
  Value bits = arith::BitcastOp::create(b, i32, near);
  bits = arith::SubIOp::create(b, bits, arith::ExtUIOp::create(b, i32, isAway));
  bits =
      arith::OrIOp::create(b, bits, arith::ExtUIOp::create(b, i32, isInexact));
  return arith::BitcastOp::create(b, f32, bits);
}

Value ElementMath::convertFrom(Type from, Value value) const {
  if (from == type)
    return value;
  if (isSmallElement(from)) {
    Type wide = getWideElementType(from);
    return convertFrom(wide, widenSmallElement(b, from, value));
  }
  if (isSmallElement(type)) {
    Type wide = getWideElementType(type);
    if (isa<FloatType>(type) && !from.isF32()) {
      // One rounding only: of what f64 holds, and f32 may not.
      if (from.getIntOrFloatBitWidth() > 16) {
        value = ElementMath(b, b.getF64Type()).convertFrom(from, value);
        value = roundToOdd(b, value);
      } else {
        value = ElementMath(b, wide).convertFrom(from, value);
      }
    } else {
      value = ElementMath(b, wide).convertFrom(from, value);
    }
    return narrowToSmallElement(b, type, value, isa<FloatType>(from));
  }
  ElementMath source(b, from);
  if (type.isInteger(1))
    return source.isNonZero(value);

  if (source.isFloat() && isFloat()) {
    unsigned fromWidth = from.getIntOrFloatBitWidth();
    unsigned toWidth = type.getIntOrFloatBitWidth();
    // f16 and bf16 do not contain each other.
    if (fromWidth == toWidth)
      return narrow(source.widen(value));
    if (fromWidth < toWidth)
      return arith::ExtFOp::create(b, type, value);
    if (fromWidth == 64 && toWidth < 32)
      value = roundToOdd(b, value);
    return arith::TruncFOp::create(b, type, value);
  }
  if (source.isFloat())
    return convertFloatToInteger(source, value, *this);
  if (isFloat()) {
    if (source.isUnsigned())
      return arith::UIToFPOp::create(b, type, value);
    return arith::SIToFPOp::create(b, type, value);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = type.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return value;
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(b, storage, value);
  if (source.isUnsigned())
    return arith::ExtUIOp::create(b, storage, value);
  return arith::ExtSIOp::create(b, storage, value);
}
