//===- Pooling.cpp - Lower pooling to linalg ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops (n, c, y, x, kh, kw) over padded data: padding is zero for an average,
// for a maximum -inf, or the smallest number where a window may miss the data.
// The window's own extents come from an operand that has nothing but a shape.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "PoolBuilder.h"
#include "PopulatePatterns.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Folds every window of `padded` into one element, beginning with `first`.
static Value buildWindows(LinalgBuilder &b, const PoolingData &pooling,
                          Value padded, Pool pool, TypedAttr first,
                          const Window &window, ArrayRef<int64_t> kernel,
                          ArrayRef<OpFoldResult> sizes) {
  PoolingMaps maps = PoolingMaps::get(
      b, pooling, [&](int64_t axis, AffineExpr output, AffineExpr step) {
        return output * window.strides[axis] + step * window.dilation[axis];
      });
  Value init = b.filled(sizes, first, (b.getBlockName() + "_init").str());
  Value shape = b.shapeOnly(getAsIndexOpFoldResult(b.getContext(), kernel));
  return b.nest(getPoolBlockName(b, pool),
                {{padded, maps.data}, {shape, maps.window}},
                {init, maps.result},
                getIterators(pooling.getRank(), pooling.spatial.size()),
                [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                  return emitPool(bodyBuilder, pool, pooling.elementType,
                                  args[0], args[2]);
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
  // The average of no elements is 0, not NaN.
  return arith::MaxSIOp::create(b, arith::SubIOp::create(b, high, low),
                                arith::ConstantIndexOp::create(b, 1));
}

/// For each spatial axis, how many elements each window has along it: those of
/// the data, with `countPads` those of the padding too, but never those that
/// only ceil_mode adds; 1 where there are none. Tables, so that a result only
/// multiplies what it finds there.
static SmallVector<Value>
buildCounts(LinalgBuilder &b, const PoolingData &pooling, const Window &window,
            ArrayRef<int64_t> kernel, ArrayRef<OpFoldResult> sizes,
            bool countPads) {
  Type type = getAverageType(pooling.elementType);
  SmallVector<OpFoldResult> dataSizes = b.getSizes(pooling.data);
  SmallVector<Value> counts;
  for (size_t position = 0; position != pooling.spatial.size(); ++position) {
    int64_t axis = pooling.spatial[position];
    std::string name = (b.getBlockName() + "_count" + Twine(position)).str();
    counts.push_back(b.elements(
        name, {}, {sizes[axis]}, getSignless(type),
        [&](ImplicitLocOpBuilder &body, ValueRange) -> Value {
          Value count =
              emitCount(body, emitLoopIndex(body, 0), window.strides[position],
                        window.dilation[position], kernel[position],
                        window.padBefore[position], dataSizes[axis],
                        countPads ? window.padBefore[position] : 0,
                        countPads ? window.padAfter[position] : 0);
          count = arith::IndexCastOp::create(body, body.getI64Type(), count);
          return ElementMath(body, type).convertFrom(body.getI64Type(), count);
        }));
  }
  return counts;
}

/// Divides the sums of windows by the number of elements in each, the product
/// of `counts`, or, without these, of `kernel`.
static Value buildAverage(LinalgBuilder &b, const PoolingData &pooling,
                          Value sum, ArrayRef<int64_t> kernel,
                          ArrayRef<Value> counts) {
  if (counts.empty()) {
    int64_t elements = 1;
    for (int64_t extent : kernel)
      elements *= extent;
    return buildPoolMean(b, pooling, sum, [&](ImplicitLocOpBuilder &body) {
      return OpFoldResult(body.getIndexAttr(elements));
    });
  }
  Type sumType = getAverageType(pooling.elementType);
  SmallVector<Access> inputs = {{sum, b.identity(pooling.getRank())}};
  for (auto [count, axis] : llvm::zip_equal(counts, pooling.spatial))
    inputs.push_back({count, b.map(pooling.getRank(), {b.dim(axis)})});
  return b.elements(b.getBlockName(), inputs, b.getSizes(sum),
                    getSignless(pooling.elementType),
                    [&](ImplicitLocOpBuilder &body, ValueRange args) {
                      ElementMath math(body, sumType);
                      Value count = args[1];
                      for (Value along :
                           args.drop_front(2).take_front(counts.size() - 1))
                        count = math.mul(count, along);
                      return ElementMath(body, pooling.elementType)
                          .convertFrom(sumType, math.div(args[0], count));
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
          op, "expects one layout that the data fits, but got \"" +
                  op.getLayout() + "\" and \"" + op.getOutLayout() + "\"");

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

    // What padding has is no smaller than what a window begins with, which lets
    // schedules leave padding out.
    bool mayMiss = mayMissData(kernel, window.padBefore, window.padAfter,
                               window.dilation, ceilMode);
    auto getFirst = [&](Type type) {
      return mayMiss ? getPaddingAttr(pool, type) : getNeutralAttr(pool, type);
    };
    Value padded = padAxes(b, pooling->data, pooling->spatial, before, after,
                           getFirst(pooling->elementType));
    SmallVector<Value> counts;
    if (pool == Pool::Average && (ceilMode || (hasPads && !countsPads(op))))
      counts = buildCounts(b, *pooling, window, kernel, sizes, countsPads(op));
    Value result =
        buildWindows(b, *pooling, padded, pool,
                     getFirst(getPoolType(pool, pooling->elementType)), window,
                     kernel, sizes);
    if (pool == Pool::Average)
      result = buildAverage(b, *pooling, result, kernel, counts);
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

} // namespace

void mlir::relay::detail::populatePoolingPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<PoolToLinalg<NNMaxPool1dOp, Pool::Max>,
               PoolToLinalg<NNMaxPool2dOp, Pool::Max>,
               PoolToLinalg<NNMaxPool3dOp, Pool::Max>,
               PoolToLinalg<NNAvgPool1dOp, Pool::Average>,
               PoolToLinalg<NNAvgPool2dOp, Pool::Average>,
               PoolToLinalg<NNAvgPool3dOp, Pool::Average>>(
      converter, patterns.getContext());
}
