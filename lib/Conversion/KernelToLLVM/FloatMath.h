//===- FloatMath.h - Arithmetic on vectors of floats ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_FLOATMATH_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_FLOATMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

namespace mlir::relay::detail {

/// Arithmetic on f32 (or f64), scalars or vectors of one type.
class FloatMath {
public:
  using Predicate = arith::CmpFPredicate;

  FloatMath(ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {
    intType =
        b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
    if (auto vector = dyn_cast<VectorType>(type))
      intType = vector.clone(intType);
  }

  ImplicitLocOpBuilder &getBuilder() const { return b; }
  Type getType() const { return type; }

  Value real(double value) {
    return constant(type, b.getFloatAttr(getElementTypeOrSelf(type), value));
  }
  Value integer(int64_t value) {
    return constant(intType,
                    b.getIntegerAttr(getElementTypeOrSelf(intType), value));
  }
  Value infinity() { return real(std::numeric_limits<double>::infinity()); }
  Value nan() { return real(std::numeric_limits<double>::quiet_NaN()); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, x); }
  Value copySign(Value x, Value sign) {
    return math::CopySignOp::create(b, x, sign);
  }
  Value compare(Predicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }
  /// The larger one (the smaller one) of `x` and a number; NaN stays.
  Value atLeast(Value x, double limit) {
    return clamp(x, Predicate::OLT, limit);
  }
  Value atMost(Value x, double limit) {
    return clamp(x, Predicate::OGT, limit);
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, intType, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }
  Value addBits(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value subBits(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value andBits(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value xorBits(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value shiftLeft(Value x, int64_t amount) {
    return arith::ShLIOp::create(b, x, integer(amount));
  }

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
  Value clamp(Value x, Predicate beyond, double limit) {
    // An ordered comparison does not hold for NaN. The constant comes first,
    // as in the instruction that this becomes.
    auto swapped = beyond == Predicate::OLT ? Predicate::OGT : Predicate::OLT;
    Value bound = real(limit);
    return select(compare(swapped, bound, x), bound, x);
  }

  ImplicitLocOpBuilder &b;
  Type type, intType;
};

/// 2^`power` * exp(x). See ExpandExp.
Value emitExp(FloatMath &math, Value x, int power = 0);

/// The logarithm of `x`, or of 1 + `x`.
enum class LogBase { E, Two, Ten };
Value emitLog(FloatMath &math, Value x, LogBase base);
Value emitLog1p(FloatMath &math, Value x);

/// log2 of a number of f64 that is not negative, right to about 1e-12, and
/// minus infinity, infinity and NaN where they should be.
Value emitWideLog2(FloatMath &math, Value x);
/// 2^x in f64, right to 2e-9; infinities of f32 stay beyond what it holds.
Value emitWideExp2(FloatMath &math, Value x);

/// Whether code for one lane after the other can be made for `type`.
inline bool isPlainVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable();
}
/// `result`, but if one of its lanes is hard, what `emit` makes of the elements
/// of `operands`, lane by lane.
Value orByElements(FloatMath &math, Value isHard, Value result,
                   ValueRange operands,
                   llvm::function_ref<Value(ValueRange)> emit);

/// sin, cos, tan, and their inverses.
void populateTrigonometryPatterns(RewritePatternSet &patterns);
/// sinh, cosh, their inverses and that of tanh, and powers.
void populateHyperbolicPatterns(RewritePatternSet &patterns);

/// exp, exp(x) - 1, tanh and log of vectors of f64.
void populateWideMathPatterns(RewritePatternSet &patterns);

/// Replaces an f32 operation by what `emit` makes of its operands.
template <typename OpT, Value (*emit)(FloatMath &, OpT)>
struct ExpandFloatOp : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FloatMath math(b, op.getType());
    Value result = emit(math, op);
    if (!result)
      return rewriter.notifyMatchFailure(op, "no code for this type");
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_FLOATMATH_H
