//===- HyperbolicMath.cpp - Hyperbolic functions and powers ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"
#include "VectorMath.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay::detail;

using Predicate = FloatMath::Predicate;

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

/// exp(|x|) / 2, and a quarter of its inverse: exp(-|x|) / 2.
static std::pair<Value, Value> emitHalves(FloatMath &math, Value x) {
  Value half = emitExp(math, math.abs(x), /*power=*/-1);
  return {half, math.div(math.real(0.25), half)};
}

static Value expandSinh(FloatMath &math, math::SinhOp op) {
  Value x = op.getOperand();
  auto [half, inverse] = emitHalves(math, x);
  Value large = math.copySign(math.sub(half, inverse), x);
  // Below 1 the difference would lose digits. Minimax, relative error 5e-11.
  Value square = math.mul(x, x);
  Value p = math.polynomial(
      square, {2.8169515e-06, 0.000198361597, 0.00833335006, 0.166666665});
  Value small = math.fma(math.mul(square, x), p, x);
  Value isSmall = math.compare(Predicate::OLT, math.abs(x), math.real(1.0));
  return math.select(isSmall, small, large);
}

static Value expandCosh(FloatMath &math, math::CoshOp op) {
  auto [half, inverse] = emitHalves(math, op.getOperand());
  return math.add(half, inverse);
}

/// Beyond this, the square root of x^2 + 1 or of x^2 - 1 is x.
static constexpr double kLarge = 1 << 30;

/// log(1 + x), or for `isLarge` log(2 * x).
static Value emitLogOrDouble(FloatMath &math, Value isLarge, Value x) {
  Value offset = math.select(isLarge, math.real(std::log(2.0)), math.real(0.0));
  return math.add(emitLog1p(math, x), offset);
}

static Value expandAsinh(FloatMath &math, math::AsinhOp op) {
  // log(x + sqrt(x^2 + 1)) = log(1 + x + x^2 / (1 + sqrt(x^2 + 1)))
  Value size = math.abs(op.getOperand());
  Value isLarge = math.compare(Predicate::OGT, size, math.real(kLarge));
  Value square = math.mul(size, size);
  Value root = math.sqrt(math.add(square, math.real(1.0)));
  Value rest = math.div(square, math.add(root, math.real(1.0)));
  Value argument = math.select(isLarge, size, math.add(size, rest));
  return math.copySign(emitLogOrDouble(math, isLarge, argument),
                       op.getOperand());
}

static Value expandAcosh(FloatMath &math, math::AcoshOp op) {
  // With t = x - 1: log(1 + t + sqrt(t * (t + 2)))
  Value x = op.getOperand();
  Value isLarge = math.compare(Predicate::OGT, x, math.real(kLarge));
  Value t = math.sub(x, math.real(1.0));
  Value root = math.sqrt(math.mul(t, math.add(t, math.real(2.0))));
  Value argument = math.select(isLarge, x, math.add(t, root));
  Value result = emitLogOrDouble(math, isLarge, argument);
  return math.select(math.compare(Predicate::OLT, x, math.real(1.0)),
                     math.nan(), result);
}

static Value expandAtanh(FloatMath &math, math::AtanhOp op) {
  Value size = math.abs(op.getOperand());
  Value ratio = math.div(math.add(size, size), math.sub(math.real(1.0), size));
  Value result = math.mul(emitLog1p(math, ratio), math.real(0.5));
  return math.copySign(result, op.getOperand());
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

static Value expandPow(FloatMath &math, math::PowFOp op) {
  ImplicitLocOpBuilder &b = math.getBuilder();
  Value x = op.getLhs(), y = op.getRhs();
  Type wideType = b.getF64Type();
  if (auto vector = dyn_cast<VectorType>(math.getType()))
    wideType = vector.clone(wideType);
  FloatMath wide(b, wideType);
  Value size = math.abs(x);
  Value exponent =
      wide.mul(emitWideLog2(wide, arith::ExtFOp::create(b, wideType, size)),
               arith::ExtFOp::create(b, wideType, y));
  Value result =
      arith::TruncFOp::create(b, math.getType(), emitWideExp2(wide, exponent));
  // Infinity and NaN times 0.
  Value one = math.real(1.0), zero = math.real(0.0);
  Value isOne = arith::OrIOp::create(
      b, math.compare(Predicate::OEQ, y, zero),
      arith::AndIOp::create(b, math.compare(Predicate::OEQ, size, one),
                            math.compare(Predicate::OEQ, y, y)));
  isOne = arith::OrIOp::create(b, isOne, math.compare(Predicate::OEQ, x, one));
  result = math.select(isOne, one, result);

  // Negative bases: the sign of odd powers, and no other powers but integers.
  auto isInteger = [&](Value value) {
    return math.compare(Predicate::OEQ, math::FloorOp::create(b, value), value);
  };
  Value isEven = isInteger(math.mul(y, math.real(0.5)));
  Value isWhole = isInteger(y);
  Value sign = math.andBits(math.bits(x),
                            math.integer(std::numeric_limits<int32_t>::min()));
  Value flipped = math.fromBits(math.xorBits(math.bits(result), sign));
  Value isOdd = arith::AndIOp::create(
      b, isWhole,
      arith::XOrIOp::create(b, isEven,
                            math.compare(Predicate::UEQ, zero, zero)));
  result = math.select(isOdd, flipped, result);
  Value isRoot = arith::AndIOp::create(
      b, math.compare(Predicate::OLT, x, zero),
      math.compare(Predicate::OLT, size, math.infinity()));
  Value hasNoPower = arith::AndIOp::create(
      b, isRoot, math.compare(Predicate::UNE, math::FloorOp::create(b, y), y));
  return math.select(hasNoPower, math.nan(), result);
}

/// x - trunc(x / y) * y, which is exact up to quotients of 2^23. What is
/// larger is left to libm.
static Value expandRemainder(FloatMath &math, arith::RemFOp op) {
  if (!isPlainVector(op.getType()))
    return {};
  using Predicate = FloatMath::Predicate;
  ImplicitLocOpBuilder &b = math.getBuilder();
  Value size = math.abs(op.getLhs()), divisor = math.abs(op.getRhs());
  Value quotient = math::TruncOp::create(b, math.div(size, divisor));
  Value rest = math.fma(arith::NegFOp::create(b, quotient), divisor, size);
  // Rounding may take the quotient up to the next integer, never down.
  rest = math.select(math.compare(Predicate::OLT, rest, math.real(0.0)),
                     math.add(rest, divisor), rest);
  // Also where the divisor is infinite.
  rest = math.select(math.compare(Predicate::OLT, size, divisor), size, rest);
  constexpr double kMaxQuotient = 1 << 23;
  Value isHard =
      math.compare(Predicate::OGT, quotient, math.real(kMaxQuotient));
  isHard = arith::AndIOp::create(
      b, isHard, math.compare(Predicate::OGT, divisor, math.real(0.0)));
  isHard = arith::AndIOp::create(
      b, isHard, math.compare(Predicate::OLT, size, math.infinity()));
  return orByElements(math, isHard, math.copySign(rest, op.getLhs()),
                      op->getOperands(), [&](ValueRange args) -> Value {
                        return arith::RemFOp::create(b, args[0], args[1]);
                      });
}

void mlir::relay::detail::populateRemainderPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ExpandFloatOp<arith::RemFOp, expandRemainder>>(
      patterns.getContext());
}

void mlir::relay::detail::populateHyperbolicPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ExpandFloatOp<math::SinhOp, expandSinh>,
               ExpandFloatOp<math::CoshOp, expandCosh>,
               ExpandFloatOp<math::AsinhOp, expandAsinh>,
               ExpandFloatOp<math::AcoshOp, expandAcosh>,
               ExpandFloatOp<math::AtanhOp, expandAtanh>,
               ExpandFloatOp<math::PowFOp, expandPow>>(patterns.getContext());
}
