//===- VectorMath.cpp - Functions as short vector code --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

#include <array>
#include <limits>

using namespace mlir;

namespace {

/// Arithmetic on f32, scalars or vectors of one type.
class FloatMath {
public:
  FloatMath(ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {
    intType = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      intType = vector.clone(intType);
  }

  Value real(double value) {
    return constant(type, b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value integer(int32_t value) {
    return constant(intType, b.getI32IntegerAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  /// The larger one (the smaller one) of `x` and a number; NaN stays.
  Value atLeast(Value x, double limit) {
    return clamp(x, arith::CmpFPredicate::OLT, limit);
  }
  Value atMost(Value x, double limit) {
    return clamp(x, arith::CmpFPredicate::OGT, limit);
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, intType, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }

  /// A polynomial, highest coefficient first.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = real(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, real(coefficient));
    return sum;
  }

private:
  Value constant(Type type, TypedAttr attr) {
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  }
  Value clamp(Value x, arith::CmpFPredicate beyond, double limit) {
    // An ordered comparison does not hold for NaN. The constant comes first,
    // as in the instruction that this becomes.
    auto swapped = beyond == arith::CmpFPredicate::OLT
                       ? arith::CmpFPredicate::OGT
                       : arith::CmpFPredicate::OLT;
    Value bound = real(limit);
    Value isBeyond = arith::CmpFOp::create(b, swapped, bound, x);
    return arith::SelectOp::create(b, isBeyond, bound, x);
  }

  ImplicitLocOpBuilder &b;
  Type type, intType;
};

/// exp(x) = 2^n * exp(r) with n = round(x / ln 2) and |r| <= ln(2) / 2. Right
/// to about one unit in the last place for all x: results below the smallest
/// normal number are gradual, and infinities and NaN come out as they should.
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

    // Beyond these the result is infinity, or 0. At the lower one, the power of
    // two below becomes 0: a product that underflows is slow on many CPUs, and
    // masks of attention bring large negative numbers.
    constexpr double kSmallest = -253 * 0.69314718 + 0.1;
    Value x = math.atMost(math.atLeast(op.getOperand(), kSmallest), 89.0);
    // Adding 1.5 * 2^23 rounds to an integer, which then is in the low bits.
    constexpr double kMagic = 12582912.0;
    Value shifted =
        math.fma(x, math.real(1.44269504088896341), math.real(kMagic));
    Value n = math.sub(shifted, math.real(kMagic));
    // The first part of ln 2 has so few bits that its product with n is exact.
    Value r = math.fma(n, math.real(-0.693359375), x);
    r = math.fma(n, math.real(2.12194440e-4), r);
    // Minimax on the interval, error 3e-9.
    Value p =
        math.polynomial(r, {1.381453942e-3, 8.368745446e-3, 4.166838899e-2,
                            1.666652113e-1, 4.999999404e-1, 1.0, 1.0});
    if (scalef)
      if (Value scaled = emitScale(b, p, n)) {
        rewriter.replaceOp(op, scaled);
        return success();
      }

    // 2^n in two steps: n ranges beyond what one exponent can hold. The bits of
    // the magic number are even and leave at the top. The lower half of n goes
    // to the factor: at -253, that is 0 while `p` is still a normal number.
    Value nBits = math.bits(shifted);
    Value half = arith::ShRUIOp::create(b, nBits, math.integer(1));
    Value rest = arith::SubIOp::create(b, nBits, half);
    auto toExponent = [&](Value exponent, Value bits) {
      Value moved = arith::ShLIOp::create(b, exponent, math.integer(23));
      return math.fromBits(arith::AddIOp::create(b, moved, bits));
    };
    constexpr int32_t kOne = 127 << 23;
    rewriter.replaceOp(op, math.mul(toExponent(rest, math.bits(p)),
                                    toExponent(half, math.integer(kOne))));
    return success();
  }

private:
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
        operands.push_back(
            arith::ConstantOp::create(b, b.getI32IntegerAttr(4)));
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
      result = vector::InsertStridedSliceOp::create(
          b, create(slice(p), slice(n)), result, lane, 1);
    }
    return result;
  }

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

/// log(x) = e * ln 2 + log(1 + f) with f from sqrt(1/2) - 1 to sqrt(2) - 1.
struct ExpandLog : OpRewritePattern<math::LogOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::LogOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FloatMath math(b, type);
    auto select = [&](arith::CmpFPredicate predicate, Value x, double limit,
                      Value yes, Value no) -> Value {
      Value holds = arith::CmpFOp::create(b, predicate, x, math.real(limit));
      return arith::SelectOp::create(b, holds, yes, no);
    };
    using Predicate = arith::CmpFPredicate;
    Value x = op.getOperand();

    // Numbers below the smallest normal one, 2^23 times larger.
    constexpr double kSmallestNormal = 1.17549435e-38, kScale = 8388608.0;
    constexpr double kScaleExponent = 23.0;
    Value scaled = math.mul(x, math.real(kScale));
    Value offset = select(Predicate::OLT, x, kSmallestNormal,
                          math.real(-kScaleExponent), math.real(0.0));
    Value bits =
        math.bits(select(Predicate::OLT, x, kSmallestNormal, scaled, x));

    constexpr int32_t kSqrtHalf = 0x3f3504f3, kExponentMask = -(1 << 23);
    Value fromSqrtHalf =
        arith::SubIOp::create(b, bits, math.integer(kSqrtHalf));
    Value power =
        arith::AndIOp::create(b, fromSqrtHalf, math.integer(kExponentMask));
    Value exponent = arith::ShRSIOp::create(b, fromSqrtHalf, math.integer(23));
    exponent = math.add(arith::SIToFPOp::create(b, type, exponent), offset);
    Value mantissa = math.fromBits(arith::SubIOp::create(b, bits, power));
    Value f = math.sub(mantissa, math.real(1.0));
    // Minimax on the interval, relative error of the whole 4e-9.
    Value p =
        math.polynomial(f, {-7.62242824e-2, 1.29049435e-1, -1.32429674e-1,
                            1.41817331e-1, -1.66090727e-1, 2.00019792e-1,
                            -2.50015825e-1, 3.33333254e-1, -4.99999881e-1});
    p = math.fma(math.mul(f, f), p, f);
    Value result = math.fma(exponent, math.real(0.693147182), p);

    // Infinity and NaN are their own logarithms.
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    result = select(Predicate::OLT, x, kInfinity, result, x);
    result = select(Predicate::OLT, x, 0.0, math.real(kNaN), result);
    rewriter.replaceOp(
        op, select(Predicate::OEQ, x, 0.0, math.real(-kInfinity), result));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateVectorMathPatterns(
    RewritePatternSet &patterns, bool scalef) {
  patterns.add<ExpandExp>(patterns.getContext(), scalef);
  patterns.add<ExpandLog>(patterns.getContext());
  patterns.add<ExpandOdd<math::ErfOp>>(patterns.getContext(), kErf);
  patterns.add<ExpandOdd<math::TanhOp>>(patterns.getContext(), kTanh);
}
