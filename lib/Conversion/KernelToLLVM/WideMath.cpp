//===- WideMath.cpp - Functions of f64 as vector code ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp, exp(x) - 1, tanh and log of vectors, each within a few units in the last
// place. The series are Taylor's, as long as f64 needs them. Scalars, and other
// functions, are left to libm.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"
#include "VectorMath.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::relay::detail;

using Predicate = FloatMath::Predicate;

static constexpr int kMantissaBits = 52;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

namespace {

/// exp(x) = 2^n * (1 + rest), and n with a bias in the low bits.
struct ExpParts {
  Value rest, n, biased;
};

} // namespace

/// n = round(x / ln 2), 1 + rest = exp(r) with |r| <= ln(2) / 2.
static ExpParts emitExpParts(FloatMath &math, Value x, int bias) {
  // Adding 1.5 * 2^52 rounds to an integer, which then is in the low bits.
  double magic = 6755399441055744.0 + bias;
  Value biased =
      math.fma(x, math.real(1.44269504088896340736), math.real(magic));
  Value n = math.sub(biased, math.real(magic));
  // The first part of ln 2 has so few bits that its product with n is exact.
  Value r = math.fma(n, math.real(-6.93147180369123816490e-01), x);
  r = math.fma(n, math.real(-1.90821492927058770002e-10), r);
  // 1 / 2!, 1 / 3!, ...: what is left of the series is less than 4e-18.
  SmallVector<double> coefficients = {0.5};
  constexpr int kDegree = 13;
  for (int k = 3; k <= kDegree; ++k)
    coefficients.push_back(coefficients.back() / k);
  std::reverse(coefficients.begin(), coefficients.end());
  Value series = math.polynomial(r, coefficients);
  return {math.fma(math.mul(r, r), series, r), n, biased};
}

/// The power of two whose exponent, with its bias, is in the low bits.
static Value toPower(FloatMath &math, Value biased) {
  return math.fromBits(math.shiftLeft(biased, kMantissaBits));
}

static Value emitWideExp(FloatMath &math, Value x) {
  // Beyond these, exp is 0 or infinity.
  x = math.atMost(math.atLeast(x, -746.0), 710.0);
  // Two powers, each with half of n and a bias: n ranges beyond what one holds.
  ExpParts parts = emitExpParts(math, x, /*bias=*/2046);
  Value bits = math.bits(parts.biased);
  Value half = arith::ShRUIOp::create(math.getBuilder(), bits, math.integer(1));
  Value rest = math.subBits(bits, half);
  // The lower half comes first: where it is 0, p is still a normal number.
  Value p = math.add(parts.rest, math.real(1.0));
  return math.mul(math.mul(p, toPower(math, half)), toPower(math, rest));
}

/// exp(x) - 1 = 2^n * rest + (2^n - 1): where x is small, n is 0 and nothing
/// cancels.
static Value emitWideExpM1(FloatMath &math, Value x) {
  // Beyond these, it is -1 or infinity.
  x = math.atMost(math.atLeast(x, -40.0), 710.0);
  // 2^(n - 1), as 2^n may be more than a double holds.
  ExpParts parts = emitExpParts(math, x, /*bias=*/1022);
  Value power = toPower(math, math.bits(parts.biased));
  Value half = math.fma(parts.rest, power, math.sub(power, math.real(0.5)));
  return math.mul(half, math.real(2.0));
}

/// (e - 1) / (e + 1) with e = exp(2 |x|), of which e - 1 is exact.
static Value emitWideTanh(FloatMath &math, Value x) {
  // Beyond this, it is 1.
  Value size = math.atMost(math.abs(x), 20.0);
  Value below = emitWideExpM1(math, math.add(size, size));
  Value result = math.div(below, math.add(below, math.real(2.0)));
  return math.copySign(result, x);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {

/// x = 2^exponent * mantissa, with a mantissa from sqrt(1/2) to sqrt(2).
struct Factors {
  Value exponent, mantissa;
};

} // namespace

static Factors split(FloatMath &math, Value x) {
  ImplicitLocOpBuilder &b = math.getBuilder();
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  constexpr int64_t kOne = int64_t(1) << kMantissaBits;
  // 2^52 in the exponent: integers in the low bits are exact.
  constexpr int64_t kInteger = int64_t(0x433) << kMantissaBits;
  constexpr double kTwo52 = 4503599627370496.0, kBias = 1024.0;
  Value bits = math.bits(x);
  Value biased = math.addBits(bits, math.integer(1024 * kOne - kSqrtHalf));
  Value exponentBits =
      arith::ShRUIOp::create(b, biased, math.integer(kMantissaBits));
  Value exponent = math.sub(math.fromBits(arith::OrIOp::create(
                                b, exponentBits, math.integer(kInteger))),
                            math.real(kTwo52 + kBias));
  Value moved = math.subBits(math.integer(1024 * kOne),
                             math.shiftLeft(exponentBits, kMantissaBits));
  return {exponent, math.fromBits(math.addBits(bits, moved))};
}

/// The logarithms of 0, of infinity and of NaN in the place of `result`.
static Value selectLimits(FloatMath &math, Value x, Value result) {
  result =
      math.select(math.compare(Predicate::OLT, x, math.infinity()), result, x);
  return math.select(math.compare(Predicate::OEQ, x, math.real(0.0)),
                     math.real(-std::numeric_limits<double>::infinity()),
                     result);
}

static Value emitWideLog(FloatMath &math, Value x) {
  // Numbers below the smallest normal one are made 2^54 times larger.
  constexpr double kScale = 18014398509481984.0, kScaleExponent = 54.0;
  Value isSmall = math.compare(Predicate::OLT, x,
                               math.real(std::numeric_limits<double>::min()));
  Value normal = math.select(isSmall, math.mul(x, math.real(kScale)), x);
  auto [exponent, mantissa] = split(math, normal);
  exponent = math.sub(exponent, math.select(isSmall, math.real(kScaleExponent),
                                            math.real(0.0)));
  // With s = f / (2 + f), log(1 + f) = 2 s + s * R, which is
  // f - (f^2 / 2 - s * (f^2 / 2 + R)): the large part is exact.
  Value f = math.sub(mantissa, math.real(1.0));
  Value s = math.div(f, math.add(f, math.real(2.0)));
  Value square = math.mul(s, s);
  SmallVector<double> coefficients;
  // s is below 0.172: 2 * 0.172^24 / 25 is 4e-20.
  for (int k = 23; k >= 3; k -= 2)
    coefficients.push_back(2.0 / k);
  Value series = math.mul(square, math.polynomial(square, coefficients));
  Value half = math.mul(math.mul(f, f), math.real(0.5));
  // ln 2 in two parts; the product with the first is exact.
  constexpr double kHigh = 6.93147180369123816490e-01;
  constexpr double kLow = 1.90821492927058770002e-10;
  Value low =
      math.fma(s, math.add(half, series), math.mul(exponent, math.real(kLow)));
  Value rest = math.sub(math.sub(half, low), f);
  Value result = math.sub(math.mul(exponent, math.real(kHigh)), rest);
  result = selectLimits(math, x, result);
  return math.select(math.compare(Predicate::OLT, x, math.real(0.0)),
                     math.nan(), result);
}

//===----------------------------------------------------------------------===//
// Parts of powers
//===----------------------------------------------------------------------===//

Value mlir::relay::detail::emitWideLog2(FloatMath &math, Value x) {
  auto [exponent, mantissa] = split(math, x);
  // log2((1 + s) / (1 - s)) with s below 0.172: the odd series.
  Value s = math.div(math.sub(mantissa, math.real(1.0)),
                     math.add(mantissa, math.real(1.0)));
  Value square = math.mul(s, s);
  const double first = 2 / std::log(2.0);
  Value p = math.polynomial(square, {first / 13, first / 11, first / 9,
                                     first / 7, first / 5, first / 3, first});
  return selectLimits(math, x, math.fma(s, p, exponent));
}

Value mlir::relay::detail::emitWideExp2(FloatMath &math, Value x) {
  x = math.atMost(math.atLeast(x, -300.0), 300.0);
  constexpr double kMagic = 6755399441055744.0 + 1023;
  Value shifted = math.add(x, math.real(kMagic));
  Value r = math.sub(x, math.sub(shifted, math.real(kMagic)));
  Value p = math.polynomial(r, {0.000153458079, 0.00133999316, 0.00961848898,
                                0.0555032878, 0.240226469, 0.693147206, 1.0});
  return math.mul(p, toPower(math, math.bits(shifted)));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Replaces an operation on vectors of f64 by what `emit` makes of its operand.
template <typename OpT, Value (*emit)(FloatMath &, Value)>
struct ExpandWideOp : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isPlainVector(type) || !getElementTypeOrSelf(type).isF64())
      return rewriter.notifyMatchFailure(op, "no vector of f64");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FloatMath math(b, type);
    rewriter.replaceOp(op, emit(math, op.getOperand()));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateWideMathPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ExpandWideOp<math::ExpOp, emitWideExp>,
               ExpandWideOp<math::ExpM1Op, emitWideExpM1>,
               ExpandWideOp<math::TanhOp, emitWideTanh>,
               ExpandWideOp<math::LogOp, emitWideLog>>(patterns.getContext());
}
