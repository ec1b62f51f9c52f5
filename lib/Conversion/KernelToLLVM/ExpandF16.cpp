//===- ExpandF16.cpp - Half precision without its instructions ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandF16.h"

#include "X86Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

using namespace mlir;

namespace {

/// 32-bit integer and f32 arithmetic on scalars or vectors.
class LaneBuilder {
public:
  LaneBuilder(Location loc, OpBuilder &builder, Type shapeOf)
      : b(loc, builder), shape(dyn_cast<VectorType>(shapeOf)) {}

  Type like(Type element) {
    return shape ? Type(shape.clone(element)) : element;
  }
  Type getI16() { return like(b.getI16Type()); }
  Type getI32() { return like(b.getI32Type()); }
  Type getF32() { return like(b.getF32Type()); }

  Value integer(uint32_t value) {
    TypedAttr attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
    if (shape)
      attr =
          DenseElementsAttr::get(cast<VectorType>(getI32()), Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  }
  Value bitsToReal(Value bits) {
    return arith::BitcastOp::create(b, getF32(), bits);
  }
  Value realToBits(Value real) {
    return arith::BitcastOp::create(b, getI32(), real);
  }
  template <typename Op>
  Value apply(Value lhs, Value rhs) {
    return Op::create(b, lhs, rhs);
  }
  template <typename Op>
  Value apply(Value lhs, uint32_t rhs) {
    return Op::create(b, lhs, integer(rhs));
  }
  Value choose(arith::CmpIPredicate predicate, Value lhs, uint32_t rhs,
               Value ifTrue, Value ifFalse) {
    Value condition = arith::CmpIOp::create(b, predicate, lhs, integer(rhs));
    return arith::SelectOp::create(b, condition, ifTrue, ifFalse);
  }

  ImplicitLocOpBuilder b;

private:
  VectorType shape;
};

struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isF16())
      return rewriter.notifyMatchFailure(op, "not from f16");
    LaneBuilder b(op.getLoc(), rewriter, op.getType());
    if (op.getType() != b.getF32()) {
      Value single = arith::ExtFOp::create(b.b, b.getF32(), op.getIn());
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), single);
      return success();
    }
    Value half = arith::BitcastOp::create(b.b, b.getI16(), op.getIn());
    Value bits = arith::ExtUIOp::create(b.b, b.getI32(), half);
    Value sign =
        b.apply<arith::ShLIOp>(b.apply<arith::AndIOp>(bits, 0x8000u), 16u);
    Value magnitude = b.apply<arith::AndIOp>(bits, 0x7fffu);
    Value shifted = b.apply<arith::ShLIOp>(magnitude, 13u);
    // The exponent's bias differs by 112; the product makes numbers below the
    // smallest normal one right, too.
    Value finite = b.realToBits(b.apply<arith::MulFOp>(
        b.bitsToReal(shifted), b.bitsToReal(b.integer((127 + 112) << 23))));
    Value infinite = b.apply<arith::OrIOp>(shifted, 0x7f800000u);
    Value result = b.choose(arith::CmpIPredicate::uge, magnitude, 0x7c00,
                            infinite, finite);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(
        op, op.getType(), b.apply<arith::OrIOp>(result, sign));
    return success();
  }
};

struct ExpandTruncation : OpRewritePattern<arith::TruncFOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF16())
      return rewriter.notifyMatchFailure(op, "not to f16");
    LaneBuilder b(op.getLoc(), rewriter, op.getType());
    if (op.getIn().getType() != b.getF32()) {
      Value single = arith::TruncFOp::create(b.b, b.getF32(), op.getIn());
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), single);
      return success();
    }
    Value bits = b.realToBits(op.getIn());
    Value sign = b.apply<arith::AndIOp>(bits, 0x80000000u);
    Value magnitude = b.apply<arith::XOrIOp>(bits, sign);

    // To the nearest, ties to even: half a unit less one, plus the last bit.
    Value odd =
        b.apply<arith::AndIOp>(b.apply<arith::ShRUIOp>(magnitude, 13u), 1u);
    Value rebased = b.apply<arith::AddIOp>(
        magnitude, static_cast<uint32_t>(-112 * (1 << 23) + 0xfff));
    Value normal =
        b.apply<arith::ShRUIOp>(b.apply<arith::AddIOp>(rebased, odd), 13u);
    // Below the smallest normal number, adding 0.5 aligns and rounds.
    Value aligned = b.realToBits(b.apply<arith::AddFOp>(
        b.bitsToReal(magnitude), b.bitsToReal(b.integer(0x3f000000))));
    Value small = b.apply<arith::SubIOp>(aligned, 0x3f000000u);
    Value large = b.choose(arith::CmpIPredicate::ugt, magnitude, 0x7f800000,
                           b.integer(0x7e00), b.integer(0x7c00));

    Value result = b.choose(arith::CmpIPredicate::ult, magnitude, 0x38800000,
                            small, normal);
    result = b.choose(arith::CmpIPredicate::uge, magnitude, 0x47800000, large,
                      result);
    result = b.apply<arith::OrIOp>(result, b.apply<arith::ShRUIOp>(sign, 16u));
    Value half = arith::TruncIOp::create(b.b, b.getI16(), result);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), half);
    return success();
  }
};

/// Machines without arithmetic on a type have no selection of it either; LLVM
/// would go through f32.
struct SelectBits : OpRewritePattern<arith::SelectOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF16() && !element.isBF16())
      return rewriter.notifyMatchFailure(op, "not of half precision");
    LaneBuilder b(op.getLoc(), rewriter, type);
    auto toBits = [&](Value value) {
      return arith::BitcastOp::create(b.b, b.getI16(), value);
    };
    Value bits = arith::SelectOp::create(b.b, op.getCondition(),
                                         toBits(op.getTrueValue()),
                                         toBits(op.getFalseValue()));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, bits);
    return success();
  }
};

/// From bf16 to f64 through the bits of f32. Of one extension LLVM makes
/// arithmetic on bf16 where that is as exact, which needs functions of the
/// compiler's run-time library.
struct ExtendBF16 : OpRewritePattern<arith::ExtFOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter, op.getType());
    if (!getElementTypeOrSelf(op.getIn().getType()).isBF16() ||
        op.getType() == b.getF32())
      return rewriter.notifyMatchFailure(op, "not from bf16 to f64");
    Value half = arith::BitcastOp::create(b.b, b.getI16(), op.getIn());
    Value bits = b.apply<arith::ShLIOp>(
        arith::ExtUIOp::create(b.b, b.getI32(), half), 16u);
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(),
                                               b.bitsToReal(bits));
    return success();
  }
};

/// Vectors to bf16 by the instruction of AVX512-BF16, which takes denormal
/// numbers for zero: for kernels whose precision allows that.
struct RoundVectorToBF16 : OpRewritePattern<arith::TruncFOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    using relay::detail::kLanes, relay::detail::kWideLanes;
    auto type = dyn_cast<VectorType>(op.getType());
    auto from = dyn_cast<VectorType>(op.getIn().getType());
    if (!type || type.getRank() != 1 || !type.getElementType().isBF16() ||
        !from.getElementType().isF32() || type.getDimSize(0) % kLanes != 0)
      return rewriter.notifyMatchFailure(op, "no vectors from f32 to bf16");
    auto kernel = op->getParentOfType<FunctionOpInterface>();
    if (!kernel || relay::getPrecision(kernel) != relay::Precision::Medium)
      return rewriter.notifyMatchFailure(op, "keeps denormal numbers");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t lanes = type.getDimSize(0);
    int64_t step = lanes % kWideLanes == 0 ? kWideLanes : kLanes;
    StringRef name = step == kWideLanes
                         ? "llvm.x86.avx512bf16.cvtneps2bf16.512"
                         : "llvm.x86.avx512bf16.cvtneps2bf16.256";
    auto part = VectorType::get(step, type.getElementType());
    auto bits = VectorType::get(step, b.getI16Type());
    Value result = relay::detail::joinRegisters(
        b, type.clone(b.getI16Type()), step, [&](int64_t lane) -> Value {
          Value half = relay::detail::callIntrinsic(
              b, name, part, relay::detail::slice(b, op.getIn(), lane, step));
          return arith::BitcastOp::create(b, bits, half);
        });
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateRoundToBF16Patterns(
    RewritePatternSet &patterns) {
  patterns.add<RoundVectorToBF16>(patterns.getContext());
}

void mlir::relay::detail::populateHalfBitsPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ExtendBF16, SelectBits>(patterns.getContext());
}

void mlir::relay::detail::populateExpandF16Patterns(
    RewritePatternSet &patterns) {
  patterns.add<ExpandExtension, ExpandTruncation>(patterns.getContext());
}
