//===- ApproximateMath.cpp - Transcendental functions by polynomials ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "ExpandF16.h"
#include "Extremes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::relay {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;

namespace {

/// a * b + c with one rounding, if nobody else needs a * b.
struct FuseMultiplyAdd : OpRewritePattern<arith::AddFOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() &&
        !getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f32 or f64");
    for (auto [product, addend] : {std::pair(op.getLhs(), op.getRhs()),
                                   std::pair(op.getRhs(), op.getLhs())}) {
      auto mul = product.getDefiningOp<arith::MulFOp>();
      if (!mul || !mul->hasOneUse())
        continue;
      rewriter.replaceOpWithNewOp<math::FmaOp>(op, mul.getLhs(), mul.getRhs(),
                                               addend);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no product of its own");
  }
};

/// exp(x) = 2^n * exp(r) with n = round(x / ln 2) and |r| <= ln(2) / 2. Right
/// to about one unit in the last place for all x: results below the smallest
/// normal number are gradual, and infinities and NaN come out as they should.
struct ApproximateExp : OpRewritePattern<math::ExpOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type intType = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      intType = vector.clone(intType);
    auto getConstant = [&](Type type, auto value) -> Value {
      TypedAttr attr = cast<TypedAttr>(b.getZeroAttr(type));
      if constexpr (std::is_floating_point_v<decltype(value)>)
        attr = b.getFloatAttr(b.getF32Type(), value);
      else
        attr = b.getI32IntegerAttr(value);
      if (auto vector = dyn_cast<VectorType>(type))
        attr = DenseElementsAttr::get(vector, Attribute(attr));
      return arith::ConstantOp::create(b, attr);
    };
    auto real = [&](double value) { return getConstant(type, value); };
    auto integer = [&](int32_t value) { return getConstant(intType, value); };
    auto clamp = [&](Value value, arith::CmpFPredicate beyond, double limit) {
      // An ordered comparison leaves NaN as it is.
      Value isBeyond = arith::CmpFOp::create(b, beyond, value, real(limit));
      return arith::SelectOp::create(b, isBeyond, real(limit), value)
          .getResult();
    };

    // Beyond these the result is infinity, or 0.
    Value x = clamp(op.getOperand(), arith::CmpFPredicate::OLT, -105.0);
    x = clamp(x, arith::CmpFPredicate::OGT, 89.0);

    // Adding 1.5 * 2^23 rounds to an integer, which then is in the low bits.
    Value magic = real(12582912.0);
    Value shifted = math::FmaOp::create(b, x, real(1.44269504088896341), magic);
    Value n = arith::SubFOp::create(b, shifted, magic);
    Value nBits =
        arith::SubIOp::create(b, arith::BitcastOp::create(b, intType, shifted),
                              arith::BitcastOp::create(b, intType, magic));

    // The first part of ln 2 has so few bits that its product with n is exact.
    Value r = math::FmaOp::create(b, n, real(-0.693359375), x);
    r = math::FmaOp::create(b, n, real(2.12194440e-4), r);
    // Minimax on the interval, error 3e-9.
    Value p = real(1.381453942e-3);
    for (double coefficient : {8.368745446e-3, 4.166838899e-2, 1.666652113e-1,
                               4.999999404e-1, 1.0, 1.0})
      p = math::FmaOp::create(b, p, r, real(coefficient));

    // 2^n in two steps: n ranges beyond what one exponent can hold.
    auto power = [&](Value exponent) -> Value {
      Value biased = arith::AddIOp::create(b, exponent, integer(127));
      Value bits = arith::ShLIOp::create(b, biased, integer(23));
      return arith::BitcastOp::create(b, type, bits);
    };
    Value half = arith::ShRSIOp::create(b, nBits, integer(1));
    Value rest = arith::SubIOp::create(b, nBits, half);
    p = arith::MulFOp::create(b, p, power(half));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, p, power(rest));
    return success();
  }
};

/// Without the instruction, a fused multiply-add is a call for each element.
struct SplitMultiplyAdd : OpRewritePattern<math::FmaOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Value product =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

struct ApproximateMathPass
    : relay::impl::ApproximateMathPassBase<ApproximateMathPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    if (fma)
      patterns.add<FuseMultiplyAdd>(&getContext());
    else
      patterns.add<SplitMultiplyAdd>(&getContext());
    relay::detail::populateHalfSelectionPatterns(patterns);
    relay::detail::populateExtremePatterns(patterns);
    if (!nativeF16)
      relay::detail::populateExpandF16Patterns(patterns);
    // x^2, x^0.5 and the like.
    populateMathAlgebraicSimplificationPatterns(patterns);
    patterns.add<ApproximateExp>(&getContext());
    // The ones that hold to 1e-6 over the whole range of arguments. Where they
    // do not (sin of a large number), libm it is.
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained(
          ArrayRef<StringRef>{math::AcosOp::getOperationName(),
                              math::AsinOp::getOperationName(),
                              math::ErfOp::getOperationName(),
                              math::ErfcOp::getOperationName(),
                              math::ExpM1Op::getOperationName(),
                              math::LogOp::getOperationName(),
                              math::Log1pOp::getOperationName(),
                              math::Log2Op::getOperationName(),
                              math::TanhOp::getOperationName()},
          name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();

    // What is left is libm's, one element at a time. Functions that are
    // instructions, or that LLVM knows better, stay.
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<
        math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp,
        math::Atan2Op, math::AtanhOp, math::CbrtOp, math::CosOp, math::CoshOp,
        math::ErfOp, math::ErfcOp, math::ExpOp, math::Exp2Op, math::ExpM1Op,
        math::LogOp, math::Log10Op, math::Log1pOp, math::Log2Op, math::PowFOp,
        math::SinOp, math::SinhOp, math::TanOp, math::TanhOp>();
    RewritePatternSet calls(&getContext());
    populateMathToLibmConversionPatterns(calls);
    if (failed(
            applyPartialConversion(getOperation(), target, std::move(calls))))
      signalPassFailure();
  }
};
} // namespace
