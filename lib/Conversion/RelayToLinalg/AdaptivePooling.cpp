//===- AdaptivePooling.cpp - Lower global and adaptive pooling to linalg --===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows that follow from the size of the result: all of the data, or parts of
// nearly equal extent.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PoolBuilder.h"
#include "PopulatePatterns.h"
#include "ReductionBuilder.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Window i of `count` is [i * size / count, ceil((i + 1) * size / count)).
struct AdaptiveAxis {
  int64_t size, count;

  int64_t getLongest() const {
    int64_t longest = 0;
    for (int64_t i = 0; i < count; ++i) {
      int64_t end = llvm::divideCeil((i + 1) * size, count);
      longest = std::max(longest, end - i * size / count);
    }
    return longest;
  }
  bool isUniform() const { return size % count == 0; }
};

} // namespace

/// One window over all of the spatial axes, which keep size one.
static Value buildGlobalPool(LinalgBuilder &b, const PoolingData &pooling,
                             Pool pool) {
  llvm::SmallBitVector reduced(pooling.getRank());
  for (int64_t axis : pooling.spatial)
    reduced.set(axis);
  AxisReduction reduction(b, pooling.data, reduced, /*keepDims=*/true);
  Type elementType = pooling.elementType;
  Value fold = reduction.reduce(
      getPoolBlockName(b, pool),
      getNeutralAttr(pool, getPoolType(pool, elementType)),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        return emitPool(bodyBuilder, pool, elementType, args[0], args[1]);
      });
  if (pool == Pool::Max)
    return fold;
  OpFoldResult count = reduction.getCount();
  return buildPoolMean(b, pooling, fold,
                       [&](ImplicitLocOpBuilder &) { return count; });
}

/// A window's first element and, exclusively, its last, as positions.
static AffineExpr getBegin(AdaptiveAxis axis, AffineExpr output) {
  if (axis.isUniform())
    return output * (axis.size / axis.count);
  return (output * axis.size).floorDiv(axis.count);
}
static AffineExpr getEnd(AdaptiveAxis axis, AffineExpr output) {
  return ((output + 1) * axis.size).ceilDiv(axis.count);
}

/// The value of `expr` over dimensions d0, d1, ... that are `loops`.
static Value emitAffine(ImplicitLocOpBuilder &b, AffineExpr expr,
                        ArrayRef<int64_t> loops) {
  SmallVector<OpFoldResult> operands;
  for (int64_t loop : loops)
    operands.push_back(emitLoopIndex(b, loop));
  return affine::makeComposedAffineApply(
      b, b.getLoc(), AffineMap::get(loops.size(), 0, expr), operands);
}

/// Replaces elements behind the end of their window by `neutral`.
static Value emitInside(ImplicitLocOpBuilder &b, ArrayRef<AdaptiveAxis> axes,
                        int64_t rank, Value element, TypedAttr neutral) {
  int64_t first = rank - static_cast<int64_t>(axes.size());
  AffineExpr output = b.getAffineDimExpr(0), step = b.getAffineDimExpr(1);
  for (auto [position, axis] : llvm::enumerate(axes)) {
    if (axis.isUniform())
      continue;
    int64_t loop = position;
    AffineExpr left = getEnd(axis, output) - getBegin(axis, output) - step;
    Value remaining = emitAffine(b, left, {first + loop, rank + loop});
    Value isInside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, remaining,
                              arith::ConstantIndexOp::create(b, 0));
    Value nothing = arith::ConstantOp::create(b, neutral);
    element = arith::SelectOp::create(b, isInside, element, nothing);
  }
  return element;
}

/// One nest with windows of the longest extent; a window's elements beyond its
/// end do not count.
static Value buildAdaptiveFold(LinalgBuilder &b, const PoolingData &pooling,
                               Pool pool, ArrayRef<AdaptiveAxis> axes) {
  int64_t rank = pooling.getRank();
  Type elementType = pooling.elementType;
  PoolingMaps maps = PoolingMaps::get(
      b, pooling, [&](int64_t axis, AffineExpr output, AffineExpr step) {
        return getBegin(axes[axis], output) + step;
      });
  SmallVector<OpFoldResult> sizes = b.getSizes(pooling.data);
  SmallVector<OpFoldResult> longest, before, after;
  for (auto [axis, dim] : llvm::zip_equal(axes, pooling.spatial)) {
    sizes[dim] = b.getIndexAttr(axis.count);
    int64_t extent = axis.getLongest();
    int64_t reach = (axis.count - 1) * axis.size / axis.count + extent;
    longest.push_back(b.getIndexAttr(extent));
    before.push_back(b.getIndexAttr(0));
    after.push_back(b.getIndexAttr(std::max<int64_t>(reach - axis.size, 0)));
  }
  TypedAttr neutral = getNeutralAttr(pool, elementType);
  Value padded =
      padAxes(b, pooling.data, pooling.spatial, before, after, neutral);
  Value init =
      b.filled(sizes, getNeutralAttr(pool, getPoolType(pool, elementType)),
               (b.getBlockName() + "_init").str());
  return b.nest(
      getPoolBlockName(b, pool),
      {{padded, maps.data}, {b.shapeOnly(longest), maps.window}},
      {init, maps.result}, getIterators(rank, axes.size()),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        Value element = emitInside(bodyBuilder, axes, rank, args[0], neutral);
        return emitPool(bodyBuilder, pool, elementType, element, args[2]);
      });
}

static Value buildAdaptivePool(LinalgBuilder &b, const PoolingData &pooling,
                               Pool pool, ArrayRef<AdaptiveAxis> axes) {
  Value fold = buildAdaptiveFold(b, pooling, pool, axes);
  if (pool == Pool::Max)
    return fold;
  return buildPoolMean(
      b, pooling, fold, [&](ImplicitLocOpBuilder &bodyBuilder) -> OpFoldResult {
        AffineExpr output = bodyBuilder.getAffineDimExpr(0);
        Value count = arith::ConstantIndexOp::create(bodyBuilder, 1);
        for (auto [axis, dim] : llvm::zip_equal(axes, pooling.spatial)) {
          AffineExpr extent = getEnd(axis, output) - getBegin(axis, output);
          count = arith::MulIOp::create(bodyBuilder, count,
                                        emitAffine(bodyBuilder, extent, dim));
        }
        return count;
      });
}

//===----------------------------------------------------------------------===//
// Sizes of the run
//===----------------------------------------------------------------------===//

namespace {

/// An axis whose size may be known when the model runs: no affine map of loops
/// says where its windows are.
struct OpenAxis {
  OpFoldResult size;
  int64_t count;

  /// The longest window has one element more than a `count`-th, rounded up.
  OpFoldResult getLongest(LinalgBuilder &b) const {
    OpFoldResult bound = b.apply(b.dim(0).ceilDiv(count) + 1, size);
    // Of no elements, none is read.
    return arith::MinSIOp::create(b, b.toValue(bound), b.toValue(size))
        .getResult();
  }
  /// Begin and end of window `output`.
  std::pair<Value, Value> emitWindow(ImplicitLocOpBuilder &b,
                                     Value output) const {
    Value extent = emitIndex(b, size), one = emitIndex(b, b.getIndexAttr(1));
    Value parts = emitIndex(b, b.getIndexAttr(count));
    Value begin = arith::DivSIOp::create(
        b, arith::MulIOp::create(b, output, extent), parts);
    Value next = arith::AddIOp::create(b, output, one);
    Value end = arith::CeilDivSIOp::create(
        b, arith::MulIOp::create(b, next, extent), parts);
    return {begin, end};
  }
};

} // namespace

static Value buildOpenAdaptivePool(LinalgBuilder &b, const PoolingData &pooling,
                                   Pool pool, ArrayRef<OpenAxis> axes) {
  int64_t rank = pooling.getRank();
  Type elementType = pooling.elementType;
  // The data is read at places that the body computes.
  PoolingMaps maps =
      PoolingMaps::get(b, pooling, [](int64_t, AffineExpr output, AffineExpr) {
        return output;
      });
  SmallVector<OpFoldResult> sizes = b.getSizes(pooling.data), longest;
  for (auto [axis, dim] : llvm::zip_equal(axes, pooling.spatial)) {
    sizes[dim] = b.getIndexAttr(axis.count);
    longest.push_back(axis.getLongest(b));
  }
  Value init =
      b.filled(sizes, getNeutralAttr(pool, getPoolType(pool, elementType)),
               (b.getBlockName() + "_init").str());
  int64_t first = rank - static_cast<int64_t>(axes.size());
  Value fold = b.nest(
      getPoolBlockName(b, pool), {{b.shapeOnly(longest), maps.window}},
      {init, maps.result}, getIterators(rank, axes.size()),
      [&](ImplicitLocOpBuilder &body, ValueRange args) {
        SmallVector<Value> position(rank);
        for (auto [loop, dim] : llvm::enumerate(pooling.others))
          position[dim] = emitLoopIndex(body, loop);
        SmallVector<Value> areInside;
        for (auto [number, dim] : llvm::enumerate(pooling.spatial)) {
          int64_t loop = number;
          auto [begin, end] =
              axes[number].emitWindow(body, emitLoopIndex(body, first + loop));
          Value index = arith::AddIOp::create(body, begin,
                                              emitLoopIndex(body, rank + loop));
          areInside.push_back(arith::CmpIOp::create(
              body, arith::CmpIPredicate::slt, index, end));
          position[dim] = emitClamp(body, index, axes[number].size);
        }
        Value element = emitExtract(body, pooling.data, position);
        Value nothing =
            arith::ConstantOp::create(body, getNeutralAttr(pool, elementType));
        for (Value isInside : areInside)
          element = arith::SelectOp::create(body, isInside, element, nothing);
        return emitPool(body, pool, elementType, element, args.back());
      });
  if (pool == Pool::Max)
    return fold;
  return buildPoolMean(
      b, pooling, fold, [&](ImplicitLocOpBuilder &body) -> OpFoldResult {
        Value count = arith::ConstantIndexOp::create(body, 1);
        for (auto [axis, dim] : llvm::zip_equal(axes, pooling.spatial)) {
          auto [begin, end] = axis.emitWindow(body, emitLoopIndex(body, dim));
          count = arith::MulIOp::create(
              body, count, arith::SubIOp::create(body, end, begin));
        }
        return count;
      });
}

namespace {

template <typename OpT, Pool pool>
struct GlobalPoolToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<PoolingData> pooling =
        PoolingData::get(op.getData(), adaptor.getData(), op.getLayout());
    if (failed(pooling))
      return rewriter.notifyMatchFailure(
          op, "expects a layout that the data fits, but got \"" +
                  op.getLayout() + "\"");
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(op, buildGlobalPool(b, *pooling, pool));
    return success();
  }
};

template <typename OpT, Pool pool>
struct AdaptivePoolToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<PoolingData> pooling =
        PoolingData::get(op.getData(), adaptor.getData(), op.getLayout());
    if (failed(pooling))
      return rewriter.notifyMatchFailure(
          op, "expects a layout that the data fits, but got \"" +
                  op.getLayout() + "\"");
    // Without a size for the result, each window has one element.
    if (op.getOutputSize().empty()) {
      rewriter.replaceOp(op, adaptor.getData());
      return success();
    }
    auto dataType = cast<RankedTensorType>(op.getData().getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<AdaptiveAxis> axes;
    SmallVector<OpenAxis> openAxes;
    for (int64_t axis : pooling->spatial) {
      int64_t count = resultType.getDimSize(axis);
      axes.push_back({dataType.getDimSize(axis), count});
      openAxes.push_back({b.getSize(adaptor.getData(), axis), count});
    }
    Value result;
    if (llvm::all_of(axes, [](AdaptiveAxis axis) { return axis.count == 1; }))
      result = buildGlobalPool(b, *pooling, pool);
    else if (llvm::any_of(axes, [](AdaptiveAxis axis) {
               return ShapedType::isDynamic(axis.size);
             }))
      result = buildOpenAdaptivePool(b, *pooling, pool, openAxes);
    else
      result = buildAdaptivePool(b, *pooling, pool, axes);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateAdaptivePoolingPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AdaptivePoolToLinalg<NNAdaptiveAvgPool1dOp, Pool::Average>,
               AdaptivePoolToLinalg<NNAdaptiveAvgPool2dOp, Pool::Average>,
               AdaptivePoolToLinalg<NNAdaptiveAvgPool3dOp, Pool::Average>,
               AdaptivePoolToLinalg<NNAdaptiveMaxPool1dOp, Pool::Max>,
               AdaptivePoolToLinalg<NNAdaptiveMaxPool2dOp, Pool::Max>,
               AdaptivePoolToLinalg<NNAdaptiveMaxPool3dOp, Pool::Max>,
               GlobalPoolToLinalg<NNGlobalAvgPool2dOp, Pool::Average>,
               GlobalPoolToLinalg<NNGlobalMaxPool2dOp, Pool::Max>>(
      converter, patterns.getContext());
}
