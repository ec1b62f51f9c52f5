//===- Pooling.cpp - Lower pooling to linalg ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops (n, c, y, x, kh, kw) over padded data: padding is -inf or the lowest
// integer for a maximum, zero for an average. The window's own extents come
// from an operand that has nothing but a shape.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Layout.h"
#include "PopulatePatterns.h"
#include "ReductionBuilder.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

enum class Pool { Max, Average };

/// The data of a pooling operator and where its axes are.
struct PoolingData {
  Value data;
  Type elementType;
  SmallVector<int64_t> batchAndChannel, spatial;

  static FailureOr<PoolingData> get(Value original, Value data,
                                    StringRef layout);
  int64_t getRank() const { return spatial.size() + 2; }
};

FailureOr<PoolingData> PoolingData::get(Value original, Value data,
                                        StringRef layout) {
  auto type = cast<RankedTensorType>(original.getType());
  FailureOr<SmallVector<int64_t>> axes =
      getAxisPositions(layout, getDataLetters(type.getRank() - 2));
  if (failed(axes))
    return failure();
  return PoolingData{data, type.getElementType(),
                     SmallVector<int64_t>(ArrayRef(*axes).take_front(2)),
                     SmallVector<int64_t>(ArrayRef(*axes).drop_front(2))};
}

TypedAttr getNeutralAttr(Pool pool, Type type) {
  return pool == Pool::Max ? getLowestAttr(type) : getZeroAttr(type);
}

/// acc + x or max(acc, x), `x` of the relay type `elementType`.
Value emitPool(ImplicitLocOpBuilder &b, Pool pool, Type elementType,
               Value element, Value accumulator) {
  if (pool == Pool::Max)
    return ElementMath(b, elementType).max(accumulator, element);
  ElementMath math(b, getAccumulatorType(elementType));
  return math.add(accumulator, math.convertFrom(elementType, element));
}

Type getPoolType(Pool pool, Type elementType) {
  return pool == Pool::Max ? elementType : getAccumulatorType(elementType);
}

} // namespace

//===----------------------------------------------------------------------===//
// Sliding windows
//===----------------------------------------------------------------------===//

/// Folds every window of `padded` into one element.
static Value buildWindows(LinalgBuilder &b, const PoolingData &pooling,
                          Value padded, Pool pool, const Window &window,
                          ArrayRef<int64_t> kernel,
                          ArrayRef<OpFoldResult> sizes) {
  int64_t rank = pooling.getRank(), spatialRank = pooling.spatial.size();
  int64_t loops = rank + spatialRank;
  SmallVector<AffineExpr> dataExprs, resultExprs, kernelExprs;
  dataExprs.resize(rank);
  resultExprs.resize(rank);
  for (auto [loop, axis] : llvm::enumerate(pooling.batchAndChannel))
    dataExprs[axis] = resultExprs[axis] = b.dim(loop);
  for (auto [position, axis] : llvm::enumerate(pooling.spatial)) {
    AffineExpr output = b.dim(2 + position), step = b.dim(rank + position);
    dataExprs[axis] =
        output * window.strides[position] + step * window.dilation[position];
    resultExprs[axis] = output;
    kernelExprs.push_back(step);
  }
  Type foldType = getPoolType(pool, pooling.elementType);
  Value init = b.filled(sizes, getNeutralAttr(pool, foldType),
                        (b.getBlockName() + "_init").str());
  Value shape = b.shapeOnly(getAsIndexOpFoldResult(b.getContext(), kernel));
  StringRef name = pool == Pool::Max ? b.getBlockName() : "pool_sum";
  return b.nest(
      name,
      {{padded, b.map(loops, dataExprs)}, {shape, b.map(loops, kernelExprs)}},
      {init, b.map(loops, resultExprs)}, getIterators(rank, spatialRank),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        return emitPool(bodyBuilder, pool, pooling.elementType, args[0],
                        args[2]);
      });
}

/// The number of window positions along one axis that lie in
/// [-before, size + after).
static Value emitCount(ImplicitLocOpBuilder &b, Value output, int64_t stride,
                       int64_t dilation, int64_t kernel, int64_t pad,
                       OpFoldResult size, int64_t before, int64_t after) {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  AffineExpr start = d0 * stride - pad;
  // Steps before the first and up to the last position that counts.
  AffineExpr first = (-before - start).ceilDiv(dilation);
  AffineExpr end = (d1 + after - 1 - start).floorDiv(dilation) + 1;
  Value extent = emitIndex(b, size);
  auto apply = [&](AffineExpr expr) {
    return affine::makeComposedAffineApply(
        b, b.getLoc(), AffineMap::get(2, 0, expr), {output, extent});
  };
  Value low = arith::MaxSIOp::create(b, apply(first),
                                     arith::ConstantIndexOp::create(b, 0));
  Value high = arith::MinSIOp::create(
      b, apply(end), arith::ConstantIndexOp::create(b, kernel));
  return arith::SubIOp::create(b, high, low);
}

/// Divides the sums of windows by the number of elements in each: those of the
/// data, with `countPads` those of the padding too, but never those that only
/// ceil_mode adds.
static Value buildAverage(LinalgBuilder &b, const PoolingData &pooling,
                          Value sum, const Window &window,
                          ArrayRef<int64_t> kernel, bool isCountConstant,
                          bool countPads) {
  int64_t rank = pooling.getRank();
  SmallVector<OpFoldResult> dataSizes = b.getSizes(pooling.data);
  Type sumType = getAccumulatorType(pooling.elementType);
  return b.elements(
      b.getBlockName(), {{sum, b.identity(rank)}}, b.getSizes(sum),
      getSignless(pooling.elementType),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        ElementMath math(bodyBuilder, sumType);
        ElementMath narrow(bodyBuilder, pooling.elementType);
        if (isCountConstant) {
          int64_t elements = 1;
          for (int64_t extent : kernel)
            elements *= extent;
          return narrow.narrow(
              emitMean(math, args[0], bodyBuilder.getIndexAttr(elements)));
        }
        Value count;
        for (auto [position, axis] : llvm::enumerate(pooling.spatial)) {
          Value along = emitCount(bodyBuilder, emitLoopIndex(bodyBuilder, axis),
                                  window.strides[position],
                                  window.dilation[position], kernel[position],
                                  window.padBefore[position], dataSizes[axis],
                                  countPads ? window.padBefore[position] : 0,
                                  countPads ? window.padAfter[position] : 0);
          count =
              count ? arith::MulIOp::create(bodyBuilder, count, along) : along;
        }
        return narrow.narrow(emitMean(math, args[0], count));
      });
}

namespace {

template <typename OpT, Pool pool>
struct PoolToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  static bool countsPads(OpT op) {
    if constexpr (pool == Pool::Average)
      return op.getCountIncludePad();
    return false;
  }

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<PoolingData> pooling =
        PoolingData::get(op.getData(), adaptor.getData(), op.getLayout());
    bool keepsLayout =
        op.getOutLayout().empty() || op.getOutLayout() == op.getLayout();
    if (failed(pooling) || !keepsLayout)
      return rewriter.notifyMatchFailure(
          op, "expects one layout that only permutes the axes");

    LinalgBuilder b(rewriter, op);
    Window window =
        Window::get(op.getStrides(), op.getDilation(), op.getPadding());
    ArrayRef<int64_t> kernel = op.getPoolSize();
    bool ceilMode = op.getCeilMode();
    auto resultType =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    SmallVector<OpFoldResult> dataSizes = b.getSizes(pooling->data);
    SmallVector<OpFoldResult> sizes = dataSizes, before, after;
    bool hasPads = false;
    for (auto [position, axis] : llvm::enumerate(pooling->spatial)) {
      OpFoldResult extent = b.getIndexAttr(kernel[position]);
      OpFoldResult size = dataSizes[axis];
      sizes[axis] = getWindowCount(b, window, position, size, extent, ceilMode);
      int64_t low = window.padBefore[position];
      int64_t high = window.padAfter[position];
      hasPads |= low != 0 || high != 0;
      before.push_back(b.getIndexAttr(low));
      after.push_back(b.getIndexAttr(high));
      // The last window may reach further than the padding.
      if (ceilMode)
        after.back() =
            getReach(b, window, position, sizes[axis], size, kernel[position]);
    }
    sizes = LinalgBuilder::refine(sizes, resultType);

    Value padded = padAxes(b, pooling->data, pooling->spatial, before, after,
                           getNeutralAttr(pool, pooling->elementType));
    Value result =
        buildWindows(b, *pooling, padded, pool, window, kernel, sizes);
    if (pool == Pool::Average) {
      bool isCountConstant = !ceilMode && (countsPads(op) || !hasPads);
      result = buildAverage(b, *pooling, result, window, kernel,
                            isCountConstant, countsPads(op));
    }
    rewriter.replaceOp(op, b.castTo(result, resultType));
    return success();
  }

private:
  /// How far the last window reaches behind the data, at least the padding.
  static OpFoldResult getReach(LinalgBuilder &b, const Window &window,
                               int64_t axis, OpFoldResult count,
                               OpFoldResult size, int64_t kernel) {
    int64_t extent = (kernel - 1) * window.dilation[axis] + 1;
    int64_t pad = window.padAfter[axis];
    AffineExpr beyond = (b.dim(0) - 1) * window.strides[axis] + extent -
                        window.padBefore[axis] - b.dim(1);
    OpFoldResult reach = b.apply(beyond, {count, size});
    if (std::optional<int64_t> known = getConstantIntValue(reach))
      return b.getIndexAttr(std::max(*known, pad));
    // At most stride - 1 more than the padding; more does no harm, as no window
    // reads it.
    return b.getIndexAttr(pad + window.strides[axis] - 1);
  }
};

//===----------------------------------------------------------------------===//
// Global and adaptive windows
//===----------------------------------------------------------------------===//

/// One window over all of the spatial axes, which keep size one.
Value buildGlobalPool(LinalgBuilder &b, const PoolingData &pooling, Pool pool) {
  llvm::SmallBitVector reduced(pooling.getRank());
  for (int64_t axis : pooling.spatial)
    reduced.set(axis);
  AxisReduction reduction(b, pooling.data, reduced, /*keepDims=*/true);
  Type elementType = pooling.elementType;
  Type foldType = getPoolType(pool, elementType);
  Value result = reduction.reduce(
      pool == Pool::Max ? b.getBlockName() : StringRef("pool_sum"),
      getNeutralAttr(pool, foldType),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        return emitPool(bodyBuilder, pool, elementType, args[0], args[1]);
      });
  if (pool == Pool::Max)
    return result;
  OpFoldResult count = reduction.getCount();
  return b.elements(b.getBlockName(), {{result, b.identity(pooling.getRank())}},
                    reduction.getResultSizes(), getSignless(elementType),
                    [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                      ElementMath math(bodyBuilder, foldType);
                      return ElementMath(bodyBuilder, elementType)
                          .narrow(emitMean(math, args[0], count));
                    });
}

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
          op, "expects a layout that only permutes the axes");
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(op, buildGlobalPool(b, *pooling, pool));
    return success();
  }
};

/// Window i of `count` is [i * size / count, ceil((i + 1) * size / count)).
struct AdaptiveAxis {
  int64_t size, count;

  int64_t getBegin(int64_t i) const { return i * size / count; }
  int64_t getEnd(int64_t i) const {
    return llvm::divideCeil((i + 1) * size, count);
  }
  int64_t getLongest() const {
    int64_t longest = 0;
    for (int64_t i = 0; i < count; ++i)
      longest = std::max(longest, getEnd(i) - getBegin(i));
    return longest;
  }
  bool isUniform() const { return size % count == 0; }
};

/// One nest with windows of the longest extent; a window's elements beyond its
/// end do not count.
Value buildAdaptivePool(LinalgBuilder &b, const PoolingData &pooling, Pool pool,
                        ArrayRef<AdaptiveAxis> axes, bool isAverage) {
  int64_t rank = pooling.getRank(), spatialRank = axes.size();
  int64_t loops = rank + spatialRank;
  Type elementType = pooling.elementType;
  Type foldType = getPoolType(pool, elementType);
  SmallVector<AffineExpr> dataExprs, resultExprs, kernelExprs;
  dataExprs.resize(rank);
  resultExprs.resize(rank);
  for (auto [loop, axis] : llvm::enumerate(pooling.batchAndChannel))
    dataExprs[axis] = resultExprs[axis] = b.dim(loop);
  SmallVector<OpFoldResult> sizes = b.getSizes(pooling.data);
  SmallVector<OpFoldResult> longest, before, after;
  for (auto [position, axis] : llvm::enumerate(pooling.spatial)) {
    auto [size, count] = axes[position];
    AffineExpr output = b.dim(2 + position), step = b.dim(rank + position);
    AffineExpr begin = axes[position].isUniform()
                           ? output * (size / count)
                           : (output * size).floorDiv(count);
    dataExprs[axis] = begin + step;
    resultExprs[axis] = output;
    kernelExprs.push_back(step);
    sizes[axis] = b.getIndexAttr(count);
    int64_t extent = axes[position].getLongest();
    longest.push_back(b.getIndexAttr(extent));
    before.push_back(b.getIndexAttr(0));
    int64_t reach = axes[position].getBegin(count - 1) + extent - size;
    after.push_back(b.getIndexAttr(std::max<int64_t>(reach, 0)));
  }
  TypedAttr neutral = getNeutralAttr(pool, elementType);
  Value padded =
      padAxes(b, pooling.data, pooling.spatial, before, after, neutral);
  Value init = b.filled(sizes, getNeutralAttr(pool, foldType),
                        (b.getBlockName() + "_init").str());
  Value result = b.nest(
      isAverage ? StringRef("pool_sum") : b.getBlockName(),
      {{padded, b.map(loops, dataExprs)},
       {b.shapeOnly(longest), b.map(loops, kernelExprs)}},
      {init, b.map(loops, resultExprs)}, getIterators(rank, spatialRank),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        Value element = args[0];
        for (auto [position, axis] : llvm::enumerate(axes)) {
          if (axis.isUniform())
            continue;
          AffineExpr output = bodyBuilder.getAffineDimExpr(0);
          AffineExpr step = bodyBuilder.getAffineDimExpr(1);
          AffineExpr left = ((output + 1) * axis.size).ceilDiv(axis.count) -
                            (output * axis.size).floorDiv(axis.count) - step;
          Value remaining = affine::makeComposedAffineApply(
              bodyBuilder, bodyBuilder.getLoc(), AffineMap::get(2, 0, left),
              {emitLoopIndex(bodyBuilder, 2 + position),
               emitLoopIndex(bodyBuilder, rank + position)});
          Value isInside = arith::CmpIOp::create(
              bodyBuilder, arith::CmpIPredicate::sgt, remaining,
              arith::ConstantIndexOp::create(bodyBuilder, 0));
          Value nothing = arith::ConstantOp::create(bodyBuilder, neutral);
          element =
              arith::SelectOp::create(bodyBuilder, isInside, element, nothing);
        }
        return emitPool(bodyBuilder, pool, elementType, element, args[2]);
      });
  if (!isAverage)
    return result;
  return b.elements(
      b.getBlockName(), {{result, b.identity(rank)}}, sizes,
      getSignless(elementType),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        AffineExpr output = bodyBuilder.getAffineDimExpr(0);
        Value count = arith::ConstantIndexOp::create(bodyBuilder, 1);
        for (auto [position, axis] : llvm::enumerate(axes)) {
          AffineExpr extent = ((output + 1) * axis.size).ceilDiv(axis.count) -
                              (output * axis.size).floorDiv(axis.count);
          Value index = emitLoopIndex(bodyBuilder, pooling.spatial[position]);
          Value along = affine::makeComposedAffineApply(
              bodyBuilder, bodyBuilder.getLoc(), AffineMap::get(1, 0, extent),
              {index});
          count = arith::MulIOp::create(bodyBuilder, count, along);
        }
        ElementMath math(bodyBuilder, foldType);
        return ElementMath(bodyBuilder, elementType)
            .narrow(emitMean(math, args[0], count));
      });
}

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
          op, "expects a layout that only permutes the axes");
    auto dataType = cast<RankedTensorType>(op.getData().getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    bool isGlobal = true;
    SmallVector<AdaptiveAxis> axes;
    for (int64_t axis : pooling->spatial) {
      axes.push_back({dataType.getDimSize(axis), resultType.getDimSize(axis)});
      isGlobal &= axes.back().count == 1;
    }
    bool isStatic = llvm::none_of(axes, [](AdaptiveAxis axis) {
      return ShapedType::isDynamic(axis.size) ||
             ShapedType::isDynamic(axis.count);
    });
    if (!isGlobal && !isStatic)
      return rewriter.notifyMatchFailure(
          op, "expects static spatial sizes unless the result has size one");
    LinalgBuilder b(rewriter, op);
    Value result = isGlobal ? buildGlobalPool(b, *pooling, pool)
                            : buildAdaptivePool(b, *pooling, pool, axes,
                                                pool == Pool::Average);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populatePoolingPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<PoolToLinalg<NNMaxPool1dOp, Pool::Max>,
               PoolToLinalg<NNMaxPool2dOp, Pool::Max>,
               PoolToLinalg<NNMaxPool3dOp, Pool::Max>,
               PoolToLinalg<NNAvgPool1dOp, Pool::Average>,
               PoolToLinalg<NNAvgPool2dOp, Pool::Average>,
               PoolToLinalg<NNAvgPool3dOp, Pool::Average>,
               GlobalPoolToLinalg<NNGlobalMaxPool2dOp, Pool::Max>,
               GlobalPoolToLinalg<NNGlobalAvgPool2dOp, Pool::Average>,
               AdaptivePoolToLinalg<NNAdaptiveMaxPool2dOp, Pool::Max>,
               AdaptivePoolToLinalg<NNAdaptiveAvgPool2dOp, Pool::Average>>(
      converter, patterns.getContext());
}
