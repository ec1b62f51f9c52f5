//===- ApproximateMath.cpp - Transcendental functions by polynomials ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "ExpandF16.h"
#include "Extremes.h"
#include "MultiplyBytes.h"
#include "RoundToBytes.h"
#include "RoundToIntegers.h"
#include "TabulateBytes.h"
#include "VectorMath.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::relay {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;

namespace {

/// Whether `value` is an integer made a float, or arithmetic on such.
static bool comesFromInteger(Value value) {
  constexpr size_t kMaxOps = 16;
  llvm::SmallSetVector<Operation *, kMaxOps> ops;
  auto add = [&](Value operand) {
    if (Operation *op = operand.getDefiningOp())
      ops.insert(op);
  };
  add(value);
  for (size_t i = 0; i < std::min(ops.size(), kMaxOps); ++i) {
    Operation *op = ops[i];
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
      return true;
    if (isa<arith::MulFOp, arith::AddFOp, arith::SubFOp, arith::DivFOp,
            arith::SelectOp, vector::BroadcastOp>(op))
      llvm::for_each(op->getOperands(), add);
  }
  return false;
}

/// a * b + c with one rounding, if nobody else needs a * b. Products of
/// integers with scales, as dequantisation makes them, keep their own: sums of
/// such often lie in the middle between two steps of the next quantizer, where
/// the last bit decides.
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
      if (!mul || !mul->hasOneUse() || comesFromInteger(product))
        continue;
      rewriter.replaceOpWithNewOp<math::FmaOp>(op, mul.getLhs(), mul.getRhs(),
                                               addend);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no product of its own");
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

static bool isNumber(Value value, double number) {
  APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) &&
         constant.isExactlyValue(number);
}

/// Rounding to even as relay spells it, whose own rounding goes away from zero:
/// |x - trunc(x)| == 0.5 ? 2 * round(x / 2) : round(x). It is one instruction.
struct FindRoundEven : OpRewritePattern<arith::SelectOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto near = op.getFalseValue().getDefiningOp<math::RoundOp>();
    auto twice = op.getTrueValue().getDefiningOp<arith::MulFOp>();
    auto isTie = op.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!near || !twice || !isTie ||
        isTie.getPredicate() != arith::CmpFPredicate::OEQ ||
        !isNumber(isTie.getRhs(), 0.5) || !isNumber(twice.getRhs(), 2.0))
      return rewriter.notifyMatchFailure(op, "no rounding to even");
    Value x = near.getOperand();
    auto distance = isTie.getLhs().getDefiningOp<math::AbsFOp>();
    auto rest = distance ? distance.getOperand().getDefiningOp<arith::SubFOp>()
                         : arith::SubFOp();
    auto whole =
        rest ? rest.getRhs().getDefiningOp<math::TruncOp>() : math::TruncOp();
    auto even = twice.getLhs().getDefiningOp<math::RoundOp>();
    if (!whole || rest.getLhs() != x || whole.getOperand() != x || !even)
      return rewriter.notifyMatchFailure(op, "no rounding to even");
    Operation *half = even.getOperand().getDefiningOp();
    bool isHalf =
        isa_and_nonnull<arith::MulFOp, arith::DivFOp>(half) &&
        half->getOperand(0) == x &&
        isNumber(half->getOperand(1), isa<arith::MulFOp>(half) ? 0.5 : 2.0);
    if (!isHalf)
      return rewriter.notifyMatchFailure(op, "no rounding to even");
    rewriter.replaceOpWithNewOp<math::RoundEvenOp>(op, x);
    return success();
  }
};

/// exp(x) - 1 without losing the digits of a small x.
struct FindExpM1 : OpRewritePattern<arith::SubFOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::SubFOp op,
                                PatternRewriter &rewriter) const override {
    auto exp = op.getLhs().getDefiningOp<math::ExpOp>();
    if (!exp || !exp->hasOneUse() || !isNumber(op.getRhs(), 1.0) ||
        (!getElementTypeOrSelf(op.getType()).isF32() &&
         !getElementTypeOrSelf(op.getType()).isF64()))
      return rewriter.notifyMatchFailure(op, "no exp(x) - 1 of f32 or f64");
    rewriter.replaceOpWithNewOp<math::ExpM1Op>(op, exp.getOperand());
    return success();
  }
};

/// log(1 + x) without losing the digits of a small x.
struct FindLog1p : OpRewritePattern<math::LogOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::LogOp op,
                                PatternRewriter &rewriter) const override {
    auto sum = op.getOperand().getDefiningOp<arith::AddFOp>();
    if (!sum || !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "no log(1 + x) of f32");
    for (auto [one, x] : {std::pair(sum.getLhs(), sum.getRhs()),
                          std::pair(sum.getRhs(), sum.getLhs())}) {
      if (!isNumber(one, 1.0))
        continue;
      rewriter.replaceOpWithNewOp<math::Log1pOp>(op, x);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no log(1 + x) of f32");
  }
};

struct ApproximateMathPass
    : relay::impl::ApproximateMathPassBase<ApproximateMathPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registry
        .insert<LLVM::LLVMDialect, scf::SCFDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    FailureOr<relay::TargetAttrInterface> target =
        relay::getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    auto cpu = dyn_cast<relay::CPUAttr>(*target);
    const relay::CPUInfo *info = cpu ? &cpu.getInfo() : nullptr;
    bool hasAVX2 = info && info->isX86() && info->hasFeature("avx2");
    if (hasAVX2) {
      // Tables are of what functions are, not of their approximations.
      RewritePatternSet rounding(&getContext());
      rounding.add<FindRoundEven>(&getContext());
      if (failed(applyPatternsGreedily(getOperation(), std::move(rounding))))
        return signalPassFailure();
      relay::detail::tabulateBytes(getOperation());
    }
    RewritePatternSet patterns(&getContext());
    // Whatever is no processor has fused instructions.
    if (!info || info->hasFMA()) {
      patterns.add<FuseMultiplyAdd>(&getContext());
      relay::detail::populateRemainderPatterns(patterns);
    } else {
      patterns.add<SplitMultiplyAdd>(&getContext());
    }
    patterns.add<FindExpM1, FindLog1p, FindRoundEven>(&getContext());
    relay::detail::populateHalfBitsPatterns(patterns);
    relay::detail::populateExtremePatterns(patterns);
    if (info && info->hasFeature("avx512bf16"))
      relay::detail::populateRoundToBF16Patterns(patterns);
    if (info && info->isX86() && !info->hasFeature("f16c"))
      relay::detail::populateExpandF16Patterns(patterns);
    // x^2, x^0.5 and the like.
    populateMathAlgebraicSimplificationPatterns(patterns);
    relay::detail::populateVectorMathPatterns(
        patterns, /*scalef=*/info && info->hasFeature("avx512vl"));
    // The ones that hold to 1e-6 over the whole range of arguments. Where they
    // do not (sin of a large number), libm it is.
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained(
          ArrayRef<StringRef>{math::ErfcOp::getOperationName()}, name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    if (hasAVX2) {
      bool hasAVX512 = info->hasFeature("avx512f");
      relay::detail::roundToBytes(getOperation(), hasAVX512);
      relay::detail::roundToIntegers(getOperation(), hasAVX512);
      relay::detail::multiplyBytes(getOperation(), *info);
    }

    // What is left is libm's, one element at a time. Functions that are
    // instructions, or that LLVM knows better, stay; other targets have
    // libraries of their own.
    if (info)
      callLibm();
  }

  void callLibm() {
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
