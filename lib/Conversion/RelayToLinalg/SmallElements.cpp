//===- SmallElements.cpp - Elements of 2, 4 and 8 bits --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processors have no such types, so their values are made of bits: shifts and
// additions of vectors, without branches and tables.
//
//===----------------------------------------------------------------------===//

#include "SmallElements.h"

#include "ElementMath.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

constexpr unsigned kFloatFractionBits = 23;
constexpr int kFloatBias = 127;
constexpr uint32_t kFloatInfinity = 0x7f800000;

/// Conversions between a format and the bits of an f32.
class SmallFloatBuilder {
public:
  SmallFloatBuilder(ImplicitLocOpBuilder &b, const SmallFloat &format)
      : b(b), format(format) {}

  Value widen(Value byte) const;
  Value narrow(Value value) const;

private:
  using Predicate = arith::CmpIPredicate;

  Value constant(uint32_t bits) const {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(bits));
  }
  Value number(double value) const {
    return arith::ConstantOp::create(
        b, b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value toFloat(Value bits) const {
    return arith::BitcastOp::create(b, b.getF32Type(), bits);
  }
  Value toBits(Value value) const {
    return arith::BitcastOp::create(b, b.getI32Type(), value);
  }
  Value add(Value lhs, Value rhs) const {
    return arith::AddIOp::create(b, lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) const {
    return arith::SubIOp::create(b, lhs, rhs);
  }
  Value bitAnd(Value lhs, uint32_t mask) const {
    return arith::AndIOp::create(b, lhs, constant(mask));
  }
  Value bitOr(Value lhs, Value rhs) const {
    return arith::OrIOp::create(b, lhs, rhs);
  }
  Value shiftLeft(Value value, unsigned count) const {
    return arith::ShLIOp::create(b, value, constant(count));
  }
  Value shiftRight(Value value, unsigned count) const {
    return arith::ShRUIOp::create(b, value, constant(count));
  }
  Value is(Predicate predicate, Value lhs, uint32_t rhs) const {
    return arith::CmpIOp::create(b, predicate, lhs, constant(rhs));
  }
  Value select(Value condition, Value whenTrue, Value whenFalse) const {
    return arith::SelectOp::create(b, condition, whenTrue, whenFalse);
  }

  Value widenExponent(Value code) const;
  Value narrowExponent(Value bits) const;

  /// How far the fractions are apart.
  unsigned getShift() const { return kFloatFractionBits - format.fractionBits; }
  uint32_t getSignBit() const { return 1u << (format.width - 1); }

  ImplicitLocOpBuilder &b;
  const SmallFloat &format;
};

} // namespace

/// E8M0: the exponent of an f32. Its lowest value is no normal f32.
Value SmallFloatBuilder::widenExponent(Value code) const {
  Value bits = shiftLeft(code, kFloatFractionBits);
  bits = select(is(Predicate::eq, code, 0),
                constant(1u << (kFloatFractionBits - 1)), bits);
  bits = select(is(Predicate::eq, code, format.nan),
                constant(kFloatInfinity | (kFloatInfinity >> 1)), bits);
  return toFloat(bits);
}

Value SmallFloatBuilder::widen(Value byte) const {
  Value code = arith::ExtUIOp::create(b, b.getI32Type(), byte);
  if (format.isExponentOnly())
    return widenExponent(code);
  Value magnitude = bitAnd(code, getSignBit() - 1);
  Value normal =
      toFloat(add(shiftLeft(magnitude, getShift()),
                  constant((kFloatBias - format.bias) << kFloatFractionBits)));
  Value subnormal = arith::MulFOp::create(
      b, arith::SIToFPOp::create(b, b.getF32Type(), magnitude),
      number(std::ldexp(1.0, 1 - format.bias - format.fractionBits)));
  Value isNormal = is(Predicate::uge, magnitude, 1u << format.fractionBits);
  Value bits = toBits(select(isNormal, normal, subnormal));
  if (!format.isUnsignedZero && format.largest < getSignBit() - 1) {
    bool hasInfinity = format.overflow != format.nan;
    uint32_t nan = kFloatInfinity | (kFloatInfinity >> 1);
    bits = select(is(Predicate::ugt, magnitude, format.largest), constant(nan),
                  bits);
    if (hasInfinity)
      bits = select(is(Predicate::eq, magnitude, format.overflow),
                    constant(kFloatInfinity), bits);
  }
  bits = bitOr(bits, shiftLeft(bitAnd(code, getSignBit()), 32 - format.width));
  if (format.isUnsignedZero)
    bits = select(is(Predicate::eq, bitAnd(code, 0xff), format.nan),
                  constant(kFloatInfinity | (kFloatInfinity >> 1)), bits);
  return toFloat(bits);
}

/// E8M0: the nearest exponent, half way up.
Value SmallFloatBuilder::narrowExponent(Value bits) const {
  uint32_t half = 1u << (kFloatFractionBits - 1);
  Value code = shiftRight(add(bits, constant(half)), kFloatFractionBits);
  // Below the normal numbers of f32, whose last place is that of the lowest
  // exponent, a power of two more has one place more.
  Value isTiny = is(Predicate::ult, bits, 1u << kFloatFractionBits);
  Value tiny = arith::ExtUIOp::create(
      b, b.getI32Type(), is(Predicate::uge, bits, half + (half >> 1)));
  code = select(isTiny, tiny, code);
  // Nothing but a positive number has an exponent: minus has the highest bit.
  Value isNumber =
      is(Predicate::ult, sub(bits, constant(1)), kFloatInfinity - 1);
  return select(isNumber, code, constant(format.nan));
}

Value SmallFloatBuilder::narrow(Value value) const {
  Value bits = toBits(value);
  if (format.isExponentOnly())
    return arith::TruncIOp::create(b, b.getI8Type(), narrowExponent(bits));
  unsigned shift = getShift();
  Value magnitude = bitAnd(bits, 0x7fffffff);
  // To the nearest, half way to the even one: a carry goes to the exponent.
  Value isOdd = bitAnd(shiftRight(magnitude, shift), 1);
  Value normal = shiftRight(
      add(magnitude, add(isOdd, constant((1u << (shift - 1)) - 1))), shift);
  normal =
      sub(normal, constant((kFloatBias - format.bias) << format.fractionBits));
  // Smaller numbers are rounded by the sum with one whose last place is theirs.
  Value unit =
      number(std::ldexp(1.0, 1 - format.bias - format.fractionBits +
                                 static_cast<int>(kFloatFractionBits)));
  Value subnormal = sub(
      toBits(arith::AddFOp::create(b, toFloat(magnitude), unit)), toBits(unit));
  Value isNormal = is(Predicate::uge, magnitude,
                      (kFloatBias + 1 - format.bias) << kFloatFractionBits);
  Value code = select(isNormal, normal, subnormal);
  code = select(is(Predicate::ugt, code, format.largest),
                constant(format.overflow), code);
  code = select(is(Predicate::ugt, magnitude, kFloatInfinity),
                constant(format.nan), code);
  Value signedCode =
      bitOr(code, bitAnd(shiftRight(bits, 32 - format.width), getSignBit()));
  if (format.isUnsignedZero) {
    Value isUnsigned = arith::OrIOp::create(
        b, is(Predicate::eq, code, 0), is(Predicate::eq, code, format.nan));
    code = select(isUnsigned, code, signedCode);
  } else {
    code = signedCode;
  }
  return arith::TruncIOp::create(b, b.getI8Type(), code);
}

Type mlir::relay::detail::getWideElementType(Type type) {
  if (isa<FloatType>(type))
    return Float32Type::get(type.getContext());
  return IntegerType::get(type.getContext(), 8,
                          cast<IntegerType>(type).getSignedness());
}

Value mlir::relay::detail::widenSmallElement(ImplicitLocOpBuilder &b, Type type,
                                             Value byte) {
  if (const SmallFloat *format = SmallFloat::get(type))
    return SmallFloatBuilder(b, *format).widen(byte);
  unsigned width = type.getIntOrFloatBitWidth();
  ElementMath math(b, getWideElementType(type));
  if (type.isUnsignedInteger())
    return math.bitAnd(byte, math.number((1 << width) - 1));
  return math.shiftRight(math.shiftLeft(byte, math.number(8 - width)),
                         math.number(8 - width));
}

Value mlir::relay::detail::narrowToSmallElement(ImplicitLocOpBuilder &b,
                                                Type type, Value value,
                                                bool saturates) {
  if (const SmallFloat *format = SmallFloat::get(type))
    return SmallFloatBuilder(b, *format).narrow(value);
  unsigned width = type.getIntOrFloatBitWidth();
  ElementMath math(b, getWideElementType(type));
  if (saturates) {
    auto [first, last] = getIntegerRange(type);
    value = math.min(math.max(value, math.number(first)), math.number(last));
  }
  return math.bitAnd(value, math.number((1 << width) - 1));
}
