//===- VectorMath.cpp - Functions as short vector code --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorMath.h"

#include "FloatMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>

using namespace mlir;
using namespace mlir::relay::detail;

namespace {

/// exp(x) = 2^n * p: the factor, what it is above 1, n, and n with a bias in
/// the low bits of a float.
struct ExpParts {
  Value p, rest, n, biased;
};

} // namespace

/// n = round(x / ln 2), p = exp(r) with |r| <= ln(2) / 2.
static ExpParts emitExpParts(FloatMath &math, Value x, int bias) {
  // Adding 1.5 * 2^23 rounds to an integer, which then is in the low bits.
  double magic = 12582912.0 + bias;
  Value biased = math.fma(x, math.real(1.44269504088896341), math.real(magic));
  Value n = math.sub(biased, math.real(magic));
  // The first part of ln 2 has so few bits that its product with n is exact.
  Value r = math.fma(n, math.real(-0.693359375), x);
  r = math.fma(n, math.real(2.12194440e-4), r);
  // Minimax on the interval, error 3e-9, in short chains of operations: each
  // waits for the one before it.
  Value square = math.mul(r, r);
  Value high = math.polynomial(r, {8.368745446e-3, 4.166838899e-2});
  Value low = math.polynomial(r, {1.666652113e-1, 4.999999404e-1});
  high = math.fma(square, math.real(1.381453942e-3), high);
  Value p = math.fma(math.fma(high, square, low), square, r);
  return {math.add(p, math.real(1.0)), p, n, biased};
}

/// p * 2^n with the bias of two exponents: n ranges beyond what one can hold.
/// The bits of the magic number are even and leave at the top. A factor, unlike
/// a sum of exponents, leaves a NaN what it is.
static Value emitTwoPowers(FloatMath &math, const ExpParts &parts) {
  Value bits = math.bits(parts.biased);
  Value half = arith::ShRUIOp::create(math.getBuilder(), bits, math.integer(1));
  Value rest = math.subBits(bits, half);
  auto toPower = [&](Value exponent) {
    return math.fromBits(math.shiftLeft(exponent, 23));
  };
  // The lower half comes first: where it is 0, p is still a normal number.
  return math.mul(math.mul(parts.p, toPower(half)), toPower(rest));
}

/// Beyond these exp is infinity, or 0: at the lower one, a power of two above
/// becomes 0. A product that underflows is slow on many CPUs, and masks of
/// attention bring large negative numbers.
static Value clampForExp(FloatMath &math, Value x, int power) {
  constexpr double kLn2 = 0.69314718;
  return math.atMost(math.atLeast(x, -(253 + power) * kLn2 + 0.1),
                     89.0 - power * kLn2);
}

Value mlir::relay::detail::emitExp(FloatMath &math, Value x, int power) {
  ExpParts parts =
      emitExpParts(math, clampForExp(math, x, power), /*bias=*/254 + power);
  return emitTwoPowers(math, parts);
}

/// p * 2^n register by register; null if `p` does not consist of registers.
static Value emitScale(ImplicitLocOpBuilder &b, Value p, Value n) {
  auto type = dyn_cast<VectorType>(p.getType());
  if (!type || type.getRank() != 1 || type.isScalable())
    return {};
  constexpr int64_t kLanes512 = 16, kLanes256 = 8;
  int64_t lanes = type.getNumElements();
  int64_t step = lanes % kLanes512 == 0 ? kLanes512 : kLanes256;
  if (lanes % step != 0)
    return {};
  bool isWide = step == kLanes512;
  Type part = VectorType::get({step}, type.getElementType());
  auto create = [&](Value p, Value n) -> Value {
    // All lanes; 4 is the rounding that is set.
    Value all = arith::ConstantOp::create(
        b, b.getIntegerAttr(b.getIntegerType(isWide ? 16 : 8), -1));
    SmallVector<Value> operands = {p, n, p, all};
    if (isWide)
      operands.push_back(arith::ConstantOp::create(b, b.getI32IntegerAttr(4)));
    StringRef name = isWide ? "llvm.x86.avx512.mask.scalef.ps.512"
                            : "llvm.x86.avx512.mask.scalef.ps.256";
    return LLVM::CallIntrinsicOp::create(b, part, b.getStringAttr(name),
                                         operands)
        .getResult(0);
  };
  if (lanes == step)
    return create(p, n);
  Value result = p;
  for (int64_t lane = 0; lane < lanes; lane += step) {
    auto slice = [&](Value value) -> Value {
      return vector::ExtractStridedSliceOp::create(b, value, lane, step, 1);
    };
    result = vector::InsertStridedSliceOp::create(b, create(slice(p), slice(n)),
                                                  result, lane, 1);
  }
  return result;
}

namespace {

/// Right to about one unit in the last place for all x: results below the
/// smallest normal number are gradual, and infinities and NaN come out as they
/// should.
///
/// An op that may be approximate (`afn`) saves the care at the ends: results
/// below the smallest normal number may be 0, and those above 2^127 infinity.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  ExpandExp(MLIRContext *context, bool scalef)
      : OpRewritePattern(context), scalef(scalef) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FloatMath math(b, type);
    Value x = op.getOperand();
    bool isApproximate =
        arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    if (isApproximate && !scalef) {
      // One power of two, which is 0 at the lower end and infinity at the
      // upper one.
      x = math.atMost(math.atLeast(x, -127 * 0.69314718 - 1e-3), 89.0);
      ExpParts parts = emitExpParts(math, x, /*bias=*/127);
      Value power = math.shiftLeft(math.bits(parts.biased), 23);
      rewriter.replaceOp(op, math.mul(parts.p, math.fromBits(power)));
      return success();
    }
    ExpParts parts = emitExpParts(math, clampForExp(math, x, 0), /*bias=*/254);
    Value scaled = scalef ? emitScale(b, parts.p, parts.n) : Value();
    Value result = scaled ? scaled : emitTwoPowers(math, parts);
    // Numbers that are too small to be normal are slow for everyone who reads
    // them: with a mask of -100, as shifted windows have it, the attention of a
    // Swin transformer took 15 times as long.
    if (isApproximate) {
      constexpr double kLogOfSmallestNormal = -87.3365447;
      Value isTiny = math.compare(FloatMath::Predicate::OLT, x,
                                  math.real(kLogOfSmallestNormal));
      result = math.select(isTiny, math.real(0.0), result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  bool scalef;
};

/// f(x) = x * P(x^2) / Q(x^2) for an odd function that is 1 from `oneBeyond`
/// on.
struct OddRational {
  double oneBeyond;
  std::array<double, 6> numerator, denominator;
};

/// Minimax approximations of the relative error (2e-8).
constexpr OddRational kErf = {3.92,
                              {2.05008928e-06, 2.84883223e-4, 3.76562704e-3,
                               5.27487546e-2, 1.90406665e-1, 1.12837911},
                              {3.80917591e-05, 1.16253842e-3, 1.49692371e-2,
                               1.14109196e-1, 5.02076268e-1, 1.0}};
constexpr OddRational kTanh = {
    9.02,
    {0.0, 1.33191422e-8, 2.05835368e-5, 3.49403825e-3, 1.33797213e-1, 1.0},
    {0.0, 7.76204956e-7, 3.28309863e-4, 2.58710869e-2, 4.67130363e-1, 1.0}};

template <typename OpType>
struct ExpandOdd : OpRewritePattern<OpType> {
  ExpandOdd(MLIRContext *context, const OddRational &function)
      : OpRewritePattern<OpType>(context), function(function) {}

  LogicalResult matchAndRewrite(OpType op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FloatMath math(b, type);
    double limit = function.oneBeyond;
    Value x = math.atMost(math.atLeast(op.getOperand(), -limit), limit);
    Value square = math.mul(x, x);
    auto evaluate = [&](ArrayRef<double> coefficients) {
      return math.polynomial(
          square, coefficients.drop_while([](double c) { return c == 0; }));
    };
    Value result =
        arith::DivFOp::create(b, math.mul(x, evaluate(function.numerator)),
                              evaluate(function.denominator));
    // Rounding must not lead beyond 1.
    rewriter.replaceOp(op, math.atMost(math.atLeast(result, -1.0), 1.0));
    return success();
  }

private:
  const OddRational &function;
};

/// exp(x) - 1 = 2^n * rest + (2^n - 1), right to about one unit in the last
/// place: where x is small, n is 0 and nothing cancels.
Value expandExpM1(FloatMath &math, math::ExpM1Op op) {
  // Beyond these, it is -1 or infinity.
  Value x = math.atMost(math.atLeast(op.getOperand(), -20.0), 89.0);
  // 2^(n - 1), as 2^n may be more than a float holds.
  ExpParts parts = emitExpParts(math, x, /*bias=*/126);
  Value power = math.fromBits(math.shiftLeft(math.bits(parts.biased), 23));
  Value half = math.fma(parts.rest, power, math.sub(power, math.real(0.5)));
  return math.mul(half, math.real(2.0));
}

Value expandLog(FloatMath &math, math::LogOp op) {
  return emitLog(math, op.getOperand(), LogBase::E);
}
Value expandLog2(FloatMath &math, math::Log2Op op) {
  return emitLog(math, op.getOperand(), LogBase::Two);
}
Value expandLog10(FloatMath &math, math::Log10Op op) {
  return emitLog(math, op.getOperand(), LogBase::Ten);
}
Value expandLog1p(FloatMath &math, math::Log1pOp op) {
  return emitLog1p(math, op.getOperand());
}

} // namespace

/// log(x + rest) = e * log(2) + log(1 + f) with f from sqrt(1/2) - 1 to
/// sqrt(2) - 1; `rest`, if there, is below a unit in the last place of x.
static Value emitLog(FloatMath &math, Value x, Value rest, LogBase base) {
  using Predicate = FloatMath::Predicate;
  auto select = [&](Predicate predicate, Value x, double limit, Value yes,
                    Value no) {
    return math.select(math.compare(predicate, x, math.real(limit)), yes, no);
  };

  // Numbers below the smallest normal one, 2^23 times larger. None comes from
  // adding 1.
  constexpr double kSmallestNormal = 1.17549435e-38, kScale = 8388608.0;
  constexpr double kScaleExponent = 23.0;
  Value normal = x, offset;
  if (!rest) {
    Value scaled = math.mul(x, math.real(kScale));
    offset = select(Predicate::OLT, x, kSmallestNormal,
                    math.real(-kScaleExponent), math.real(0.0));
    normal = select(Predicate::OLT, x, kSmallestNormal, scaled, x);
  }
  Value bits = math.bits(normal);

  constexpr int32_t kOne = 127 << 23, kSqrtHalf = 0x3f3504f3;
  constexpr int32_t kExponentMask = -(1 << 23);
  ImplicitLocOpBuilder &b = math.getBuilder();
  Value fromSqrtHalf = math.subBits(bits, math.integer(kSqrtHalf));
  Value power = math.andBits(fromSqrtHalf, math.integer(kExponentMask));
  Value exponent = arith::ShRSIOp::create(b, fromSqrtHalf, math.integer(23));
  exponent = arith::SIToFPOp::create(b, math.getType(), exponent);
  if (offset)
    exponent = math.add(exponent, offset);
  Value mantissa = math.fromBits(math.subBits(bits, power));
  Value f = math.sub(mantissa, math.real(1.0));
  if (rest) {
    // Of numbers that large, the rest is 0.
    Value scale = math.fromBits(arith::MaxSIOp::create(
        b, math.subBits(math.integer(kOne), power), math.integer(0)));
    f = math.fma(rest, scale, f);
  }
  // Minimax on the interval, relative error of the whole 4e-9.
  Value p = math.polynomial(f, {-7.62242824e-2, 1.29049435e-1, -1.32429674e-1,
                                1.41817331e-1, -1.66090727e-1, 2.00019792e-1,
                                -2.50015825e-1, 3.33333254e-1, -4.99999881e-1});
  Value result, square = math.mul(f, f);
  switch (base) {
  case LogBase::E:
    result = math.fma(exponent, math.real(0.693147182), math.fma(square, p, f));
    break;
  case LogBase::Two: {
    // The factor in two parts, or it would cost a unit in the last place.
    constexpr double kHigh = 1.4426950216293335, kLow = 1.9259629911e-8;
    Value low = math.fma(math.mul(square, p), math.real(kHigh),
                         math.mul(f, math.real(kLow)));
    result = math.add(exponent, math.fma(f, math.real(kHigh), low));
    break;
  }
  case LogBase::Ten: {
    constexpr double kHigh = 0.4342944920063019, kLow = -1.0103050118e-8;
    constexpr double kTwoHigh = 0.30102920532226562, kTwoLow = 7.9034151668e-7;
    Value low = math.fma(math.mul(square, p), math.real(kHigh),
                         math.mul(f, math.real(kLow)));
    low = math.fma(exponent, math.real(kTwoLow), low);
    result = math.fma(exponent, math.real(kTwoHigh),
                      math.fma(f, math.real(kHigh), low));
    break;
  }
  }

  // Infinity and NaN are their own logarithms.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  result = select(Predicate::OLT, x, kInfinity, result, x);
  result = select(Predicate::OLT, x, 0.0, math.nan(), result);
  return select(Predicate::OEQ, x, 0.0, math.real(-kInfinity), result);
}

Value mlir::relay::detail::emitLog(FloatMath &math, Value x, LogBase base) {
  return ::emitLog(math, x, Value(), base);
}

Value mlir::relay::detail::emitLog1p(FloatMath &math, Value x) {
  Value sum = math.add(x, math.real(1.0));
  // What the sum lost; of large numbers, all of the 1.
  Value rest = math.sub(x, math.sub(sum, math.real(1.0)));
  return ::emitLog(math, sum, rest, LogBase::E);
}

void mlir::relay::detail::populateVectorMathPatterns(
    RewritePatternSet &patterns, bool scalef) {
  patterns.add<ExpandExp>(patterns.getContext(), scalef);
  patterns.add<ExpandFloatOp<math::LogOp, expandLog>,
               ExpandFloatOp<math::Log2Op, expandLog2>,
               ExpandFloatOp<math::Log10Op, expandLog10>,
               ExpandFloatOp<math::Log1pOp, expandLog1p>,
               ExpandFloatOp<math::ExpM1Op, expandExpM1>>(
      patterns.getContext());
  populateTrigonometryPatterns(patterns);
  populateHyperbolicPatterns(patterns);
  populateWideMathPatterns(patterns);
  patterns.add<ExpandOdd<math::ErfOp>>(patterns.getContext(), kErf);
  patterns.add<ExpandOdd<math::TanhOp>>(patterns.getContext(), kTanh);
}
