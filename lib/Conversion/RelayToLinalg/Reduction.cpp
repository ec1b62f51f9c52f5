//===- Reduction.cpp - Lower reductions to linalg -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"
#include "ReductionBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// The axes that `op` reduces; none given means all.
template <typename OpT>
static llvm::SmallBitVector getReducedAxes(OpT op, int64_t rank) {
  ArrayRef<int64_t> axes = op.getAxis().value_or(ArrayRef<int64_t>());
  if (axes.empty())
    return llvm::SmallBitVector(rank, !op.getExclude());
  llvm::SmallBitVector reduced(rank);
  for (int64_t axis : axes)
    reduced.set(normalizeAxis(axis, rank));
  if (op.getExclude())
    reduced.flip();
  return reduced;
}

namespace {

/// What a reduction folds with, and where it starts.
using Combine = Value (ElementMath::*)(Value, Value) const;
using Initial = TypedAttr (*)(Type);

/// One fold, in at least f32 for sums and products.
template <typename OpT>
struct FoldToLinalg : OpConversionPattern<OpT> {
  FoldToLinalg(const TypeConverter &converter, MLIRContext *context,
               Combine combine, Initial initial)
      : OpConversionPattern<OpT>(converter, context), combine(combine),
        initial(initial) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getData().getType());
    Type elementType = type.getElementType();
    Type foldType = getAccumulatorType(elementType);
    LinalgBuilder b(rewriter, op);
    AxisReduction reduction(b, adaptor.getData(),
                            getReducedAxes(op, type.getRank()),
                            op.getKeepdims());
    Value result = reduction.reduce(
        b.getBlockName(), initial(foldType),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, foldType);
          Value element = math.convertFrom(elementType, args[0]);
          return (math.*combine)(args[1], element);
        });
    result = buildNarrow(b, b.getBlockName(), result, getSignless(elementType));
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  Combine combine;
  Initial initial;
};

struct MeanToLinalg : OpConversionPattern<MeanOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(MeanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getData().getType());
    Type elementType = type.getElementType();
    Type sumType = getAverageType(elementType);
    LinalgBuilder b(rewriter, op);
    AxisReduction reduction(b, adaptor.getData(),
                            getReducedAxes(op, type.getRank()),
                            op.getKeepdims());
    Value sum = buildSum(reduction, "sum", elementType);
    OpFoldResult count = reduction.getCount();
    int64_t resultRank = reduction.getResultSizes().size();
    Value mean =
        b.elements(b.getBlockName(), {{sum, b.identity(resultRank)}},
                   reduction.getResultSizes(), getSignless(elementType),
                   [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                     ElementMath math(bodyBuilder, sumType);
                     return ElementMath(bodyBuilder, elementType)
                         .convertFrom(sumType, emitMean(math, args[0], count));
                   });
    rewriter.replaceOp(op, mean);
    return success();
  }
};

/// The mean is an operand that keeps the reduced axes.
struct VarianceToLinalg : OpConversionPattern<VarianceOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VarianceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getData().getType());
    Type elementType = type.getElementType();
    if (!isa<FloatType>(elementType))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects elements of a floating type, but got "
                   << elementType;
      });
    Type sumType = getAccumulatorType(elementType);
    LinalgBuilder b(rewriter, op);
    AxisReduction reduction(b, adaptor.getData(),
                            getReducedAxes(op, type.getRank()),
                            op.getKeepdims());
    Value sum = reduction.reduce(
        "squared_deviation", getZeroAttr(sumType),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, sumType);
          Value deviation = math.sub(math.convertFrom(elementType, args[0]),
                                     math.convertFrom(elementType, args[1]));
          return math.add(args[2], math.mul(deviation, deviation));
        },
        Access{adaptor.getMean(), reduction.getKeptMap()});
    OpFoldResult count = reduction.getCount();
    int64_t correction = op.getUnbiased() ? 1 : 0;
    Value variance =
        b.elements(b.getBlockName(),
                   {{sum, b.identity(reduction.getResultSizes().size())}},
                   reduction.getResultSizes(), elementType,
                   [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                     ElementMath math(bodyBuilder, sumType);
                     return ElementMath(bodyBuilder, elementType)
                         .narrow(emitMean(math, args[0], count, correction));
                   });
    rewriter.replaceOp(op, variance);
    return success();
  }
};

/// Of no elements there is no position: checks that there are any, now or, of
/// dynamic sizes, when the model runs.
template <typename OpT>
static LogicalResult requireElements(OpT op, LinalgBuilder &b,
                                     ConversionPatternRewriter &rewriter,
                                     AxisReduction &reduction, Value data) {
  if (llvm::any_of(reduction.getResultSizes(), isZeroInteger))
    return success();
  for (int64_t axis : reduction.getReducedAxes()) {
    OpFoldResult size = b.getSize(data, axis);
    if (isZeroInteger(size))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diag) {
        diag << "expects elements to reduce, but got "
             << op.getData().getType();
      });
    b.assertAtLeast(size, 1, "expects elements to reduce");
  }
  return success();
}

/// Finds the extreme, then the first (or last) position that has it: two folds
/// that machines have instructions for. A NaN wins over every number, as in
/// NumPy.
template <typename OpT>
struct ArgReductionToLinalg : OpConversionPattern<OpT> {
  ArgReductionToLinalg(const TypeConverter &converter, MLIRContext *context,
                       Combine combine, Initial initial)
      : OpConversionPattern<OpT>(converter, context), combine(combine),
        initial(initial) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getData().getType());
    Type elementType = type.getElementType();
    Type valueType = getAccumulatorType(elementType);
    Type indexType = cast<RankedTensorType>(op.getType()).getElementType();
    LinalgBuilder b(rewriter, op);
    AxisReduction reduction(b, adaptor.getData(),
                            getReducedAxes(op, type.getRank()),
                            op.getKeepdims());
    if (failed(requireElements(op, b, rewriter, reduction, adaptor.getData())))
      return failure();
    Value extremes = reduction.reduce(
        "extreme", initial(valueType),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, valueType);
          Value element = math.convertFrom(elementType, args[0]);
          return (math.*combine)(args[1], element);
        });

    // The position within the reduced axes, row-major.
    SmallVector<OpFoldResult> extents;
    for (int64_t axis : reduction.getReducedAxes())
      extents.push_back(b.getSize(adaptor.getData(), axis));
    Type positionType = getPositionType(b, extents, indexType);
    int64_t firstReduced = type.getRank() - extents.size();
    bool wantsLast = op.getSelectLastIndex();
    TypedAttr none = wantsLast ? getNumberAttr(positionType, -1)
                               : getHighestAttr(positionType);
    Value positions = reduction.reduce(
        b.getBlockName(), none,
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, valueType);
          ElementMath index(bodyBuilder, positionType);
          using Order = ElementMath::Order;
          Value element = math.convertFrom(elementType, args[0]);
          Value isExtreme = math.compare(Order::EQ, element, args[1]);
          if (math.isFloat())
            isExtreme = arith::OrIOp::create(bodyBuilder, isExtreme,
                                             math.isNaN(element));
          Value position = emitPosition(index, firstReduced, extents);
          position = index.select(isExtreme, position, index.constant(none));
          return wantsLast ? index.max(args[2], position)
                           : index.min(args[2], position);
        },
        Access{extremes, reduction.getResultMap()});
    if (positionType != indexType)
      positions = b.elements(
          b.getBlockName(),
          {{positions, b.identity(reduction.getResultSizes().size())}},
          reduction.getResultSizes(), getSignless(indexType),
          [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
            return ElementMath(bodyBuilder, indexType)
                .convertFrom(positionType, args[0]);
          });
    rewriter.replaceOp(op, positions);
    return success();
  }

private:
  /// As short as the elements often are, so that as many fit in a vector.
  static Type getPositionType(LinalgBuilder &b, ArrayRef<OpFoldResult> extents,
                              Type indexType) {
    int64_t count = 1;
    for (OpFoldResult extent : extents) {
      std::optional<int64_t> size = getConstantIntValue(extent);
      if (!size || *size > std::numeric_limits<int32_t>::max() / count)
        return indexType;
      count *= std::max<int64_t>(1, *size);
    }
    return b.getI32Type();
  }

  static Value emitPosition(const ElementMath &math, int64_t firstLoop,
                            ArrayRef<OpFoldResult> extents) {
    ImplicitLocOpBuilder &b = math.getBuilder();
    Value position;
    auto convert = [&](Value index) -> Value {
      return arith::IndexCastOp::create(b, math.getStorageType(), index);
    };
    for (auto [offset, extent] : llvm::enumerate(extents)) {
      Value index = convert(emitLoopIndex(b, firstLoop + offset));
      if (position)
        index =
            math.add(math.mul(position, convert(emitIndex(b, extent))), index);
      position = index;
    }
    return position ? position : math.zero();
  }

  Combine combine;
  Initial initial;
};

} // namespace

void mlir::relay::detail::populateReductionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<FoldToLinalg<SumOp>>(converter, context, &ElementMath::add,
                                    getZeroAttr);
  patterns.add<FoldToLinalg<ProdOp>>(converter, context, &ElementMath::mul,
                                     getOneAttr);
  patterns.add<FoldToLinalg<MaxOp>>(converter, context, &ElementMath::max,
                                    getLowestAttr);
  patterns.add<FoldToLinalg<MinOp>>(converter, context, &ElementMath::min,
                                    getHighestAttr);
  patterns.add<FoldToLinalg<AllOp>>(converter, context, &ElementMath::bitAnd,
                                    getOneAttr);
  patterns.add<FoldToLinalg<AnyOp>>(converter, context, &ElementMath::bitOr,
                                    getZeroAttr);
  patterns.add<ArgReductionToLinalg<ArgmaxOp>>(
      converter, context, &ElementMath::max, getLowestAttr);
  patterns.add<ArgReductionToLinalg<ArgminOp>>(
      converter, context, &ElementMath::min, getHighestAttr);
  patterns.add<MeanToLinalg, VarianceToLinalg>(converter, context);
}
