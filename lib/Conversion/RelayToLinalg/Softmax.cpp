//===- Softmax.cpp - Lower softmax to linalg ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The maximum is subtracted before the exponential, which then cannot overflow.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"
#include "ReductionBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// The maximum along the reduced axis, which is kept with size one. It passes
/// over NaN, which is cheaper: the sum of exponentials will be NaN anyway.
static Value buildMax(AxisReduction &reduction, Type elementType) {
  return reduction.reduce(
      "softmax_max", getLowestAttr(elementType),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        if (elementType.isF32() || elementType.isF64())
          return arith::MaxNumFOp::create(b, args[1], args[0]);
        return ElementMath(b, elementType).max(args[1], args[0]);
      });
}

/// exp of a number that is at most zero: what is too small to be a normal
/// number does not count beside the largest one, which is 1.
static Value emitExp(ImplicitLocOpBuilder &b, Value shifted) {
  return math::ExpOp::create(b, shifted, arith::FastMathFlags::afn);
}

/// x - max, in at least f32.
static Value emitShifted(ImplicitLocOpBuilder &b, Value element, Value max) {
  ElementMath math(b, element.getType());
  Value wide = math.widen(element);
  return ElementMath(b, wide.getType()).sub(wide, math.widen(max));
}

namespace {

/// nn.softmax, nn.fast_softmax
template <typename OpT>
struct SoftmaxToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    int64_t rank = type.getRank();
    Type elementType = type.getElementType();
    Type wideType = getAccumulatorType(elementType);
    llvm::SmallBitVector axis(rank);
    axis.set(normalizeAxis(op.getAxis(), rank));

    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    AxisReduction overData(b, data, axis, /*keepDims=*/true);
    Value max = buildMax(overData, elementType);
    AffineMap alongAxis = overData.getBroadcastMap();
    Value exponential = b.elements(
        "softmax_exp", {{data, b.identity(rank)}, {max, alongAxis}}, sizes,
        wideType, [](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          Value shifted = emitShifted(bodyBuilder, args[0], args[1]);
          return emitExp(bodyBuilder, shifted);
        });
    AxisReduction overExponential(b, exponential, axis, /*keepDims=*/true);
    Value sum = buildSum(overExponential, "softmax_sum", wideType);
    // The largest element adds 1: no sum is so small that its inverse
    // overflows, and multiplying by it is several times faster than dividing.
    Value scale =
        b.elements("softmax_scale", {{sum, b.identity(rank)}},
                   overExponential.getResultSizes(), wideType,
                   [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                     ElementMath wide(bodyBuilder, wideType);
                     return wide.div(wide.one(), args[0]);
                   });
    Value result = b.elements(
        b.getBlockName(), {{exponential, b.identity(rank)}, {scale, alongAxis}},
        sizes, elementType,
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath wide(bodyBuilder, wideType);
          return ElementMath(bodyBuilder, elementType)
              .narrow(wide.mul(args[0], args[1]));
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LogSoftmaxToLinalg : OpConversionPattern<NNLogSoftmaxOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNLogSoftmaxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    int64_t rank = type.getRank();
    Type elementType = type.getElementType();
    Type wideType = getAccumulatorType(elementType);
    llvm::SmallBitVector axis(rank);
    axis.set(normalizeAxis(op.getAxis(), rank));

    LinalgBuilder b(rewriter, op);
    AxisReduction overData(b, data, axis, /*keepDims=*/true);
    Value max = buildMax(overData, elementType);
    AffineMap alongAxis = overData.getBroadcastMap();
    Value sum = overData.reduce(
        "softmax_sum", getZeroAttr(wideType),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          Value shifted = emitShifted(bodyBuilder, args[0], args[1]);
          Value exponential = emitExp(bodyBuilder, shifted);
          return ElementMath(bodyBuilder, wideType).add(args[2], exponential);
        },
        Access{max, overData.getKeptMap()});
    Value result = b.elements(
        b.getBlockName(),
        {{data, b.identity(rank)}, {max, alongAxis}, {sum, alongAxis}},
        b.getSizes(data), elementType,
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath wide(bodyBuilder, wideType);
          Value shifted = emitShifted(bodyBuilder, args[0], args[1]);
          Value logarithm = math::LogOp::create(bodyBuilder, args[2]);
          return ElementMath(bodyBuilder, elementType)
              .narrow(wide.sub(shifted, logarithm));
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateSoftmaxPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LogSoftmaxToLinalg, SoftmaxToLinalg<NNFastSoftmaxOp>,
               SoftmaxToLinalg<NNSoftmaxOp>>(converter, patterns.getContext());
}
