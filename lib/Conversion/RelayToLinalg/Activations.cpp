//===- Activations.cpp - Lower activations to linalg ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise operators with attributes, and those that apply one value per
// channel.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "LinalgBuilder.h"
#include "PopulatePatterns.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Order = ElementMath::Order;

namespace {

/// One nest over the elements of `op`'s first operand; the second operand, if
/// any, lies along `axis`.
LogicalResult lowerAlongAxis(Operation *op, ValueRange operands, int64_t axis,
                             ConversionPatternRewriter &rewriter,
                             Value (*emit)(const ElementMath &, Operation *,
                                           ValueRange)) {
  auto dataType = cast<RankedTensorType>(op->getOperand(0).getType());
  auto storageType = cast<RankedTensorType>(operands[0].getType());
  int64_t rank = dataType.getRank();
  axis = normalizeAxis(axis, rank);

  LinalgBuilder b(rewriter, op);
  SmallVector<Access> inputs = {{operands[0], b.identity(rank)}};
  if (operands.size() > 1) {
    auto alongType = cast<RankedTensorType>(operands[1].getType());
    AffineExpr index =
        alongType.getDimSize(0) == 1 ? b.constant(0) : b.dim(axis);
    inputs.push_back({operands[1], b.map(rank, index)});
  }
  Value result =
      b.elements(b.getBlockName(), inputs, b.getSizes(operands[0]),
                 storageType.getElementType(),
                 [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                   ElementMath math(bodyBuilder, dataType.getElementType());
                   return emit(math, op, args);
                 });
  rewriter.replaceOp(op, result);
  return success();
}

struct BiasAddToLinalg : OpConversionPattern<NNBiasAddOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNBiasAddOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerAlongAxis(
        op, adaptor.getOperands(), op.getAxis(), rewriter,
        [](const ElementMath &math, Operation *, ValueRange args) {
          return math.add(args[0], args[1]);
        });
  }
};

struct PReluToLinalg : OpConversionPattern<NNPreluOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNPreluOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerAlongAxis(
        op, adaptor.getOperands(), op.getAxis(), rewriter,
        [](const ElementMath &math, Operation *, ValueRange args) {
          Value isPositive = math.compare(Order::GT, args[0], math.zero());
          return math.select(isPositive, args[0], math.mul(args[0], args[1]));
        });
  }
};

struct LeakyReluToLinalg : OpConversionPattern<NNLeakyReluOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNLeakyReluOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerAlongAxis(
        op, adaptor.getOperands(), /*axis=*/0, rewriter,
        [](const ElementMath &math, Operation *op, ValueRange args) {
          double alpha = cast<NNLeakyReluOp>(op).getAlpha().convertToDouble();
          Value x = math.widen(args[0]);
          ElementMath wide(math.getBuilder(), x.getType());
          Value isPositive = wide.compare(Order::GT, x, wide.zero());
          return math.narrow(
              wide.select(isPositive, x, wide.mul(x, wide.number(alpha))));
        });
  }
};

/// A comparison and a selection that keeps NaN: one machine instruction, which
/// arith.maximumf is not on x86.
struct ReluToLinalg : OpConversionPattern<NNReluOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNReluOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerAlongAxis(
        op, adaptor.getOperands(), /*axis=*/0, rewriter,
        [](const ElementMath &math, Operation *, ValueRange args) {
          Value zero = math.zero();
          if (!math.isFloat())
            return math.max(args[0], zero);
          return math.select(math.compare(Order::LT, args[0], zero), zero,
                             args[0]);
        });
  }
};

struct ClipToLinalg : OpConversionPattern<ClipOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ClipOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerAlongAxis(
        op, adaptor.getOperands(), /*axis=*/0, rewriter,
        [](const ElementMath &math, Operation *op, ValueRange args) {
          auto clip = cast<ClipOp>(op);
          double least = clip.getAMin().convertToDouble();
          // No bool is below false; as a bool, -1 would be true.
          if (math.getType().isInteger(1))
            least = std::max(least, 0.0);
          Value low = math.number(least);
          Value high = math.number(clip.getAMax().convertToDouble());
          Value value =
              math.select(math.compare(Order::LT, args[0], low), low, args[0]);
          return math.select(math.compare(Order::GT, value, high), high, value);
        });
  }
};

/// round(x * multiplier * 2^(shift - 31)) in 64 bits, halves up.
struct FixedPointMultiplyToLinalg : OpConversionPattern<FixedPointMultiplyOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(FixedPointMultiplyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return lowerAlongAxis(
        op, adaptor.getOperands(), /*axis=*/0, rewriter,
        [](const ElementMath &math, Operation *op, ValueRange args) {
          auto multiply = cast<FixedPointMultiplyOp>(op);
          ImplicitLocOpBuilder &b = math.getBuilder();
          ElementMath wide(b, b.getI64Type());
          auto constant = [&](int64_t value) {
            return wide.constant(b.getI64IntegerAttr(value));
          };
          int64_t shift = multiply.getShift();
          int64_t right = 31 + std::max<int64_t>(-shift, 0);
          Value value = arith::ExtSIOp::create(b, b.getI64Type(), args[0]);
          if (shift > 0)
            value = arith::ShLIOp::create(b, value, constant(shift));
          value = wide.mul(value, constant(multiply.getMultiplier()));
          value = wide.add(value, constant(int64_t(1) << (right - 1)));
          value = arith::ShRSIOp::create(b, value, constant(right));
          return arith::TruncIOp::create(b, math.getStorageType(), value)
              .getResult();
        });
  }
};

/// cast, cast_like
template <typename OpT>
struct CastToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = cast<RankedTensorType>(op.getData().getType()).getElementType();
    Type to = cast<RankedTensorType>(op.getType()).getElementType();
    Value data = adaptor.getData();
    LinalgBuilder b(rewriter, op);
    int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
    Value result = b.elements(
        b.getBlockName(), {{data, b.identity(rank)}}, b.getSizes(data),
        getSignless(to),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          return ElementMath(bodyBuilder, to).convertFrom(from, args[0]);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateActivationPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BiasAddToLinalg, CastToLinalg<CastOp>, ClipToLinalg,
               FixedPointMultiplyToLinalg, LeakyReluToLinalg, PReluToLinalg,
               ReluToLinalg>(converter, patterns.getContext());
}
