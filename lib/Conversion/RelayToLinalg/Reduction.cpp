//===- Reduction.cpp - Lower reductions to linalg -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"
#include "ReductionBuilder.h"

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
    Type sumType = getAccumulatorType(elementType);
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
                         .narrow(emitMean(math, args[0], count));
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
      return rewriter.notifyMatchFailure(op, "expects a float element type");
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

/// Folds (value, position) pairs; ties are decided by the position, so the fold
/// may run in any order. A NaN wins over every number, as in NumPy.
template <typename OpT>
struct ArgReductionToLinalg : OpConversionPattern<OpT> {
  ArgReductionToLinalg(const TypeConverter &converter, MLIRContext *context,
                       ElementMath::Order better, Initial initial)
      : OpConversionPattern<OpT>(converter, context), better(better),
        initial(initial) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getData().getType());
    Type elementType = type.getElementType();
    Type indexType = cast<RankedTensorType>(op.getType()).getElementType();
    LinalgBuilder b(rewriter, op);
    AxisReduction reduction(b, adaptor.getData(),
                            getReducedAxes(op, type.getRank()),
                            op.getKeepdims());
    bool wantsLast = op.getSelectLastIndex();
    ArrayRef<OpFoldResult> sizes = reduction.getResultSizes();
    Value values = b.filled(sizes, initial(elementType), "value_init");
    Value positions = b.filled(sizes,
                               wantsLast ? getNumberAttr(indexType, -1)
                                         : getHighestAttr(indexType),
                               "index_init");
    // The position within the reduced axes, row-major.
    SmallVector<OpFoldResult> extents;
    for (int64_t axis : reduction.getReducedAxes())
      extents.push_back(b.getSize(adaptor.getData(), axis));
    int64_t firstReduced = type.getRank() - extents.size();

    AffineMap resultMap = reduction.getResultMap();
    SmallVector<Value> results = b.nest(
        b.getBlockName(), {{adaptor.getData(), reduction.getDataMap()}},
        {{values, resultMap}, {positions, resultMap}}, reduction.getIterators(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          Value position =
              emitPosition(bodyBuilder, indexType, firstReduced, extents);
          return emitBest(bodyBuilder, elementType, indexType, wantsLast, args,
                          position);
        });
    rewriter.replaceOp(op, results[1]);
    return success();
  }

private:
  static Value emitPosition(ImplicitLocOpBuilder &b, Type indexType,
                            int64_t firstLoop, ArrayRef<OpFoldResult> extents) {
    Value position;
    for (auto [offset, extent] : llvm::enumerate(extents)) {
      Value index = emitLoopIndex(b, firstLoop + offset);
      if (!position) {
        position = index;
        continue;
      }
      position = arith::MulIOp::create(b, position, emitIndex(b, extent));
      position = arith::AddIOp::create(b, position, index);
    }
    if (!position)
      position = arith::ConstantIndexOp::create(b, 0);
    return arith::IndexCastOp::create(b, getSignless(indexType), position);
  }

  SmallVector<Value> emitBest(ImplicitLocOpBuilder &b, Type elementType,
                              Type indexType, bool wantsLast, ValueRange args,
                              Value position) const {
    using Order = ElementMath::Order;
    ElementMath math(b, elementType), index(b, indexType);
    Value element = args[0], best = args[1], bestPosition = args[2];
    Value isBetter = math.compare(better, element, best);
    Value isTie = math.compare(Order::EQ, element, best);
    if (math.isFloat()) {
      Value isNaN = math.isNaN(element), bestIsNaN = math.isNaN(best);
      // best is a number or element is: exactly one NaN decides.
      Value onlyElement =
          arith::AndIOp::create(b, isNaN, math.compare(Order::EQ, best, best));
      isBetter = arith::OrIOp::create(b, isBetter, onlyElement);
      Value bothNaN = arith::AndIOp::create(b, isNaN, bestIsNaN);
      isTie = arith::OrIOp::create(b, isTie, bothNaN);
    }
    Value comesFirst = index.compare(wantsLast ? Order::GT : Order::LT,
                                     position, bestPosition);
    Value takes = arith::OrIOp::create(
        b, isBetter, arith::AndIOp::create(b, isTie, comesFirst));
    return {math.select(takes, element, best),
            math.select(takes, position, bestPosition)};
  }

  ElementMath::Order better;
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
      converter, context, ElementMath::Order::GT, getLowestAttr);
  patterns.add<ArgReductionToLinalg<ArgminOp>>(
      converter, context, ElementMath::Order::LT, getHighestAttr);
  patterns.add<MeanToLinalg, VarianceToLinalg>(converter, context);
}
