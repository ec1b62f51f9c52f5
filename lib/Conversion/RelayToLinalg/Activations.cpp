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
#include "Gather.h"
#include "LinalgBuilder.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

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

/// The same with a multiplier and shifts for each index of some axes.
struct FixedPointMultiplyPerAxisToLinalg
    : OpConversionPattern<FixedPointMultiplyPerAxisOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(FixedPointMultiplyPerAxisOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    SmallVector<AffineExpr> own;
    for (int64_t axis : op.getAxes().value_or(ArrayRef<int64_t>()))
      own.push_back(b.dim(normalizeAxis(axis, type.getRank())));
    SmallVector<Access> inputs = {{data, b.identity(type.getRank())}};
    auto addParameter = [&](Value parameter) {
      for (auto [dim, index] : llvm::enumerate(own))
        b.assertEqual(b.getSize(parameter, dim),
                      sizes[cast<AffineDimExpr>(index).getPosition()],
                      "expects a number for each index of the axes");
      inputs.push_back({parameter, b.map(type.getRank(), own)});
    };
    addParameter(adaptor.getFpMultiplier());
    if (op.getIsLshiftRequired())
      addParameter(adaptor.getLeftShift());
    if (op.getIsRshiftRequired())
      addParameter(adaptor.getRightShift());
    for (const Access &shifts : ArrayRef(inputs).drop_front(2))
      checkShifts(b, shifts.tensor);
    rewriter.replaceOp(
        op, b.elements(b.getBlockName(), inputs, sizes, type.getElementType(),
                       [&](ImplicitLocOpBuilder &body, ValueRange args) {
                         return emitProduct(body, args,
                                            op.getIsLshiftRequired(),
                                            op.getIsRshiftRequired());
                       }));
    return success();
  }

private:
  /// Ends the kernel if a shift is not in [0, 31].
  static void checkShifts(LinalgBuilder &b, Value shifts) {
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange buffers,
                    ValueRange) {
      Value end = arith::ConstantIndexOp::create(body, 32);
      Value areWithin =
          emitAll(body, emitSizes(body, buffers[0]), [&](ValueRange position) {
            Value shift = memref::LoadOp::create(body, buffers[0], position);
            return emitIsWithin(body, emitToIndex(body, shift.getType(), shift),
                                end);
          });
      cf::AssertOp::create(body, areWithin, "expects shifts in [0, 31]");
    };
    b.opaque((b.getBlockName() + "_check").str(), /*along=*/{}, shifts,
             /*destinations=*/{}, emit);
  }

  /// In as many bits as the product has.
  static Value emitProduct(ImplicitLocOpBuilder &b, ValueRange args,
                           bool shiftsLeft, bool shiftsRight) {
    Type type = b.getIntegerType(shiftsLeft ? 128 : 64);
    auto extend = [&](Value value) -> Value {
      return arith::ExtSIOp::create(b, type, value);
    };
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
    };
    Value value = extend(args[0]), right = constant(31);
    // What reads at a shift must not rely on its check.
    auto getShift = [&](Value shift) {
      return arith::AndIOp::create(b, extend(shift), constant(31));
    };
    if (shiftsLeft)
      value = arith::ShLIOp::create(b, value, getShift(args[2]));
    if (shiftsRight)
      right = arith::AddIOp::create(b, right, getShift(args[2 + shiftsLeft]));
    value = arith::MulIOp::create(b, value, extend(args[1]));
    Value half = arith::ShLIOp::create(
        b, constant(1), arith::SubIOp::create(b, right, constant(1)));
    value =
        arith::ShRSIOp::create(b, arith::AddIOp::create(b, value, half), right);
    return arith::TruncIOp::create(b, args[0].getType(), value);
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

/// The same bits under another name.
struct ReinterpretToLinalg : OpConversionPattern<ReinterpretOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ReinterpretOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    Type to = getSignless(op.getDtype());
    if (to == type.getElementType()) {
      rewriter.replaceOp(op, data);
      return success();
    }
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(
        op, b.elements(b.getBlockName(), {{data, b.identity(type.getRank())}},
                       b.getSizes(data), to,
                       [&](ImplicitLocOpBuilder &body, ValueRange args) {
                         return arith::BitcastOp::create(body, to, args[0]);
                       }));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateActivationPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BiasAddToLinalg, CastToLinalg<CastLikeOp>, CastToLinalg<CastOp>,
               ClipToLinalg, FixedPointMultiplyPerAxisToLinalg,
               FixedPointMultiplyToLinalg, LeakyReluToLinalg, PReluToLinalg,
               ReinterpretToLinalg, ReluToLinalg>(converter,
                                                  patterns.getContext());
}
