//===- Extremes.cpp - Maxima and minima that keep NaN ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extremes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace {

/// The extreme of all lanes, by halves. LLVM goes from lane to lane, with a
/// branch for each, because of the sign of zero.
struct HalveReduction : OpRewritePattern<vector::ReductionOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(vector::ReductionOp op,
                                PatternRewriter &rewriter) const override {
    bool isMaximum = op.getKind() == vector::CombiningKind::MAXIMUMF;
    bool isMinimum = op.getKind() == vector::CombiningKind::MINIMUMF;
    int64_t lanes = op.getSourceVectorType().getNumElements();
    bool isNumber = op.getKind() == vector::CombiningKind::MAXNUMF ||
                    op.getKind() == vector::CombiningKind::MINNUMF;
    if ((!isMaximum && !isMinimum && !isNumber) ||
        !llvm::isPowerOf2_64(lanes) || op.getSourceVectorType().isScalable())
      return rewriter.notifyMatchFailure(op, "no extreme of 2^n lanes");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool areNumbers =
        arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::nnan);
    auto combine = [&](Value lhs, Value rhs) -> Value {
      // Of numbers it is one instruction.
      if (isNumber && areNumbers) {
        auto predicate = op.getKind() == vector::CombiningKind::MAXNUMF
                             ? arith::CmpFPredicate::OGT
                             : arith::CmpFPredicate::OLT;
        Value isFirst = arith::CmpFOp::create(b, predicate, lhs, rhs);
        return arith::SelectOp::create(b, isFirst, lhs, rhs);
      }
      if (op.getKind() == vector::CombiningKind::MAXNUMF)
        return arith::MaxNumFOp::create(b, lhs, rhs);
      if (op.getKind() == vector::CombiningKind::MINNUMF)
        return arith::MinNumFOp::create(b, lhs, rhs);
      if (isMaximum)
        return arith::MaximumFOp::create(b, lhs, rhs);
      return arith::MinimumFOp::create(b, lhs, rhs);
    };
    Value value = op.getVector();
    while (lanes > 1) {
      lanes /= 2;
      auto half = [&](int64_t first) -> Value {
        return vector::ExtractStridedSliceOp::create(
            b, value, ArrayRef{first}, ArrayRef{lanes}, ArrayRef<int64_t>{1});
      };
      value = combine(half(0), half(lanes));
    }
    value = vector::ExtractOp::create(b, value, 0);
    if (op.getAcc())
      value = combine(op.getAcc(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// The extreme of a value and a number: one comparison, in the order in which a
/// NaN passes through.
template <typename OpT, arith::CmpFPredicate predicate>
struct CompareWithNumber : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    APFloat number(0.0);
    if (!matchPattern(op.getRhs(), m_ConstantFloat(&number)) || number.isNaN())
      return rewriter.notifyMatchFailure(op, "no number on the right");
    Value isBeyond = arith::CmpFOp::create(rewriter, op.getLoc(), predicate,
                                           op.getRhs(), op.getLhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isBeyond, op.getRhs(),
                                                 op.getLhs());
    return success();
  }
};

/// A bound of a clip: the number that takes the place of a value that is less,
/// or greater. NaN stays.
struct ClipBound {
  Value value;
  APFloat number = APFloat(0.0);
  bool isLow;
};

std::optional<ClipBound> matchClip(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto isBeyond = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                         : arith::CmpFOp();
  ClipBound bound;
  if (!isBeyond || isBeyond.getLhs() != select.getFalseValue() ||
      isBeyond.getRhs() != select.getTrueValue() ||
      !matchPattern(isBeyond.getRhs(), m_ConstantFloat(&bound.number)))
    return std::nullopt;
  bound.value = isBeyond.getLhs();
  bound.isLow = isBeyond.getPredicate() == arith::CmpFPredicate::OLT;
  if (!bound.isLow && isBeyond.getPredicate() != arith::CmpFPredicate::OGT)
    return std::nullopt;
  return bound;
}

/// A bound of what other bounds hold within it, as conversions to integers have
/// it after a clip to their range.
struct DropClip : OpRewritePattern<arith::SelectOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ClipBound> outer = matchClip(op.getResult());
    if (!outer)
      return rewriter.notifyMatchFailure(op, "no clip");
    // Every bound on the way, up to one of the same side, must be within.
    for (Value value = outer->value;;) {
      std::optional<ClipBound> inner = matchClip(value);
      if (!inner)
        return rewriter.notifyMatchFailure(op, "nothing holds the value");
      auto order = inner->number.compare(outer->number);
      if (order != APFloat::cmpEqual &&
          order !=
              (outer->isLow ? APFloat::cmpGreaterThan : APFloat::cmpLessThan))
        return rewriter.notifyMatchFailure(op, "the value may be beyond");
      if (inner->isLow == outer->isLow)
        break;
      value = inner->value;
    }
    rewriter.replaceOp(op, outer->value);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateExtremePatterns(RewritePatternSet &patterns) {
  patterns.add<DropClip, HalveReduction,
               CompareWithNumber<arith::MaximumFOp, arith::CmpFPredicate::OGT>,
               CompareWithNumber<arith::MinimumFOp, arith::CmpFPredicate::OLT>>(
      patterns.getContext());
}
