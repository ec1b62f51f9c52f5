//===- Normalization.cpp - Lower normalisations to linalg -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statistics take two passes, mean and then squared deviation, in at least f32.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"
#include "ReductionBuilder.h"
#include "ReshapeBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Mean and 1 / sqrt(variance + epsilon), reduced axes kept with size one.
struct Statistics {
  Value mean, scale;
};

/// How elements are scaled and shifted after normalisation.
struct Affine {
  Value gamma, beta;
  bool hasGamma, hasBeta;
};

} // namespace

static Statistics buildStatistics(LinalgBuilder &b, Value data,
                                  const llvm::SmallBitVector &reduced,
                                  double epsilon) {
  Type elementType = cast<RankedTensorType>(data.getType()).getElementType();
  Type wideType = getAccumulatorType(elementType);
  AxisReduction reduction(b, data, reduced, /*keepDims=*/true);
  int64_t rank = reduced.size();
  OpFoldResult count = reduction.getCount();
  ArrayRef<OpFoldResult> sizes = reduction.getResultSizes();

  Value sum = buildSum(reduction, "norm_sum", elementType);
  Value mean = b.elements(
      "norm_mean", {{sum, b.identity(rank)}}, sizes, wideType,
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        return emitMean(ElementMath(bodyBuilder, wideType), args[0], count);
      });
  Value squares = reduction.reduce(
      "norm_squares", getZeroAttr(wideType),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        ElementMath math(bodyBuilder, wideType);
        Value deviation =
            math.sub(math.convertFrom(elementType, args[0]), args[1]);
        return math.add(args[2], math.mul(deviation, deviation));
      },
      Access{mean, reduction.getKeptMap()});
  Value scale = b.elements(
      "norm_scale", {{squares, b.identity(rank)}}, sizes, wideType,
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        ElementMath math(bodyBuilder, wideType);
        Value variance = emitMean(math, args[0], count);
        Value shifted = math.add(variance, math.number(epsilon));
        return math::RsqrtOp::create(bodyBuilder, shifted).getResult();
      });
  return {mean, scale};
}

/// (x - mean) * scale * gamma + beta, in at least f32.
static Value emitNormalized(ImplicitLocOpBuilder &b, Type elementType,
                            const Affine &affine, ValueRange args) {
  ElementMath math(b, getAccumulatorType(elementType));
  auto widen = [&](Value value) {
    return math.convertFrom(elementType, value);
  };
  Value result = math.mul(math.sub(widen(args[0]), args[1]), args[2]);
  if (affine.hasGamma)
    result = math.mul(result, widen(args[3]));
  if (affine.hasBeta)
    result = math.add(result, widen(args[3 + affine.hasGamma]));
  return ElementMath(b, elementType).narrow(result);
}

/// Normalises `data` by statistics read through `statisticsMap`; gamma and beta
/// lie along `axis`.
static Value buildNormalize(LinalgBuilder &b, Value data,
                            const Statistics &statistics,
                            AffineMap statisticsMap, const Affine &affine,
                            int64_t axis) {
  auto type = cast<RankedTensorType>(data.getType());
  int64_t rank = type.getRank();
  AffineMap alongAxis = b.select(rank, axis);
  SmallVector<Access> inputs = {{data, b.identity(rank)},
                                {statistics.mean, statisticsMap},
                                {statistics.scale, statisticsMap}};
  if (affine.hasGamma)
    inputs.push_back({affine.gamma, alongAxis});
  if (affine.hasBeta)
    inputs.push_back({affine.beta, alongAxis});
  return b.elements(
      b.getBlockName(), inputs, b.getSizes(data), type.getElementType(),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        return emitNormalized(bodyBuilder, type.getElementType(), affine, args);
      });
}

namespace {

/// layer_norm over one axis, instance_norm over all but batch and channel.
template <typename OpT>
struct NormToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
    int64_t axis = normalizeAxis(op.getAxis(), rank);
    llvm::SmallBitVector reduced(rank);
    reduced.set(axis);
    if constexpr (std::is_same_v<OpT, NNInstanceNormOp>) {
      reduced.set(0);
      reduced.flip();
    }
    LinalgBuilder b(rewriter, op);
    Statistics statistics =
        buildStatistics(b, data, reduced, op.getEpsilon().convertToDouble());
    AffineMap statisticsMap =
        AxisReduction(b, data, reduced, /*keepDims=*/true).getBroadcastMap();
    Affine affine{adaptor.getGamma(), adaptor.getBeta(), op.getScale(),
                  op.getCenter()};
    rewriter.replaceOp(
        op, buildNormalize(b, data, statistics, statisticsMap, affine, axis));
    return success();
  }
};

struct GroupNormToLinalg : OpConversionPattern<NNGroupNormOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNGroupNormOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    int64_t rank = type.getRank();
    int64_t axis = normalizeAxis(op.getAxis(), rank);
    if (type.isDynamicDim(axis))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects a number of channels that is known when it is "
                      "compiled, but got "
                   << type;
      });
    int64_t groups = op.getNumGroups();
    int64_t groupSize = type.getDimSize(axis) / groups;

    LinalgBuilder b(rewriter, op);
    // Groups and the channels within become dimensions of their own.
    SmallVector<SmallVector<int64_t, 2>> split;
    for (int64_t dim = 0, next = 0; dim < rank; ++dim) {
      split.push_back({next++});
      if (dim == axis)
        split.back().push_back(next++);
    }
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    sizes[axis] = b.getIndexAttr(groups);
    sizes.insert(sizes.begin() + axis + 1, b.getIndexAttr(groupSize));
    Value grouped = buildSplit(b, data, split, sizes);

    llvm::SmallBitVector reduced(rank + 1, true);
    reduced.reset(0);
    reduced.reset(axis);
    Statistics statistics =
        buildStatistics(b, grouped, reduced, op.getEpsilon().convertToDouble());
    SmallVector<AffineExpr> exprs(rank + 1, b.constant(0));
    exprs[0] = b.dim(0);
    exprs[axis] = b.dim(axis).floorDiv(groupSize);
    Affine affine{adaptor.getGamma(), adaptor.getBeta(), op.getScale(),
                  op.getCenter()};
    rewriter.replaceOp(op, buildNormalize(b, data, statistics,
                                          b.map(rank, exprs), affine, axis));
    return success();
  }
};

/// The inference form: the statistics are operands. Scale and shift are
/// computed once per channel. Results 1 and 2 are the statistics, unchanged.
struct BatchNormToLinalg : OpConversionPattern<NNBatchNormOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNBatchNormOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    int64_t rank = type.getRank();
    int64_t axis = normalizeAxis(op.getAxis(), rank);
    Type elementType = type.getElementType();
    Type wideType = getAccumulatorType(elementType);
    double epsilon = op.getEpsilon().convertToDouble();
    bool hasGamma = op.getScale(), hasBeta = op.getCenter();

    LinalgBuilder b(rewriter, op);
    AffineMap channel = b.identity(1);
    OpFoldResult channels = b.getSize(data, axis);
    Value scale = b.elements(
        "norm_scale",
        {{adaptor.getMovingVar(), channel}, {adaptor.getGamma(), channel}},
        channels, wideType,
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, wideType);
          Value variance = math.convertFrom(elementType, args[0]);
          Value root = math::SqrtOp::create(
              bodyBuilder, math.add(variance, math.number(epsilon)));
          Value gamma =
              hasGamma ? math.convertFrom(elementType, args[1]) : math.one();
          return math.div(gamma, root);
        });
    Value shift =
        b.elements("norm_shift",
                   {{adaptor.getMovingMean(), channel},
                    {scale, channel},
                    {adaptor.getBeta(), channel}},
                   channels, wideType,
                   [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                     ElementMath math(bodyBuilder, wideType);
                     Value mean = math.convertFrom(elementType, args[0]);
                     Value beta = hasBeta
                                      ? math.convertFrom(elementType, args[2])
                                      : math.zero();
                     return math.sub(beta, math.mul(mean, args[1]));
                   });
    AffineMap alongAxis = b.select(rank, axis);
    Value result = b.elements(
        b.getBlockName(),
        {{data, b.identity(rank)}, {scale, alongAxis}, {shift, alongAxis}},
        b.getSizes(data), elementType,
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, wideType);
          Value element = math.convertFrom(elementType, args[0]);
          return ElementMath(bodyBuilder, elementType)
              .narrow(math.add(math.mul(element, args[1]), args[2]));
        });
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>{result, adaptor.getMovingMean(),
                                adaptor.getMovingVar()}});
    return success();
  }
};

/// x / (bias + alpha / size * (sum of squares of `size` neighbours))^beta
struct LRNToLinalg : OpConversionPattern<NNLrnOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNLrnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    int64_t rank = type.getRank();
    int64_t axis = normalizeAxis(op.getAxis(), rank);
    int64_t size = op.getSize();
    Type elementType = type.getElementType();
    Type wideType = getAccumulatorType(elementType);

    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high = low;
    // An even window reaches one further up than down.
    low[axis] = b.getIndexAttr((size - 1) / 2);
    high[axis] = b.getIndexAttr(size / 2);
    Value padded = b.pad(data, low, high, getZeroAttr(elementType));
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < rank; ++dim)
      exprs.push_back(dim == axis ? b.dim(dim) + b.dim(rank) : b.dim(dim));
    SmallVector<int64_t> outer = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    Value init = b.filled(sizes, getZeroAttr(wideType), "lrn_init");
    Value squares = b.nest(
        "lrn_squares",
        {{padded, b.map(rank + 1, exprs)},
         {b.shapeOnly({b.getIndexAttr(size)}), b.select(rank + 1, rank)}},
        {init, b.select(rank + 1, outer)}, getIterators(rank, 1),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, wideType);
          Value element = math.convertFrom(elementType, args[0]);
          return math.add(args[2], math.mul(element, element));
        });
    double alpha = op.getAlpha().convertToDouble() / size;
    double beta = op.getBeta().convertToDouble();
    double bias = op.getBias().convertToDouble();
    Value result = b.elements(
        b.getBlockName(),
        {{data, b.identity(rank)}, {squares, b.identity(rank)}}, sizes,
        elementType, [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, wideType);
          Value element = math.convertFrom(elementType, args[0]);
          Value sum = math.add(math.mul(args[1], math.number(alpha)),
                               math.number(bias));
          return ElementMath(bodyBuilder, elementType)
              .narrow(math.div(element, math.power(sum, math.number(beta))));
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// x / sqrt(max(sum of squares, eps))
struct L2NormalizeToLinalg : OpConversionPattern<NNL2NormalizeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNL2NormalizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    int64_t rank = type.getRank();
    Type elementType = type.getElementType();
    Type wideType = getAccumulatorType(elementType);
    llvm::SmallBitVector reduced(rank, op.getAxis().empty());
    for (int64_t axis : op.getAxis())
      reduced.set(normalizeAxis(axis, rank));

    LinalgBuilder b(rewriter, op);
    AxisReduction reduction(b, data, reduced, /*keepDims=*/true);
    Value squares = reduction.reduce(
        "norm_squares", getZeroAttr(wideType),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, wideType);
          Value element = math.convertFrom(elementType, args[0]);
          return math.add(args[1], math.mul(element, element));
        });
    double epsilon = op.getEps().convertToDouble();
    Value result = b.elements(
        b.getBlockName(),
        {{data, b.identity(rank)}, {squares, reduction.getBroadcastMap()}},
        b.getSizes(data), elementType,
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, wideType);
          Value element = math.convertFrom(elementType, args[0]);
          Value norm = math::SqrtOp::create(
              bodyBuilder, math.max(args[1], math.number(epsilon)));
          return ElementMath(bodyBuilder, elementType)
              .narrow(math.div(element, norm));
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateNormalizationPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BatchNormToLinalg, GroupNormToLinalg, L2NormalizeToLinalg,
               LRNToLinalg, NormToLinalg<NNInstanceNormOp>,
               NormToLinalg<NNLayerNormOp>>(converter, patterns.getContext());
}
