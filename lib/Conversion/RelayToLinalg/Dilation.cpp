//===- Dilation.cpp - Lower greyscale dilation to linalg ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "PoolBuilder.h"
#include "PopulatePatterns.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// max(acc, data + weight) over a window, which NaN does not win: padding of
/// floats is NaN. Padding of integers is left out where it is met.
class Dilation {
public:
  Dilation(LinalgBuilder &b, const PoolingData &pooling, Value weight,
           bool hasChannelsLast, const Window &window)
      : b(b), pooling(pooling), weight(weight),
        hasChannelsLast(hasChannelsLast), window(window),
        type(getAverageType(pooling.elementType)) {}

  /// The maxima, of the type that is returned as well.
  std::pair<Value, Type> build();

private:
  Value pad();
  /// Whether the step of the window meets the data, or null if all do.
  Value emitIsData(ImplicitLocOpBuilder &body, ArrayRef<OpFoldResult> sizes);

  LinalgBuilder &b;
  const PoolingData &pooling;
  Value weight;
  bool hasChannelsLast;
  const Window &window;
  /// What is computed in, so that no sum of integers leaves its type.
  Type type;
};

} // namespace

Value Dilation::pad() {
  TypedAttr value = getZeroAttr(pooling.elementType);
  if (auto floating = dyn_cast<FloatType>(pooling.elementType))
    value = FloatAttr::get(floating,
                           llvm::APFloat::getNaN(floating.getFloatSemantics()));
  return padAxes(b, pooling.data, pooling.spatial,
                 getAsIndexOpFoldResult(b.getContext(), window.padBefore),
                 getAsIndexOpFoldResult(b.getContext(), window.padAfter),
                 value);
}

Value Dilation::emitIsData(ImplicitLocOpBuilder &body,
                           ArrayRef<OpFoldResult> sizes) {
  if (isa<FloatType>(pooling.elementType))
    return {};
  Value isData;
  for (auto [number, axis] : llvm::enumerate(pooling.spatial)) {
    int64_t dim = number, before = window.padBefore[dim];
    if (before == 0 && window.padAfter[dim] == 0)
      continue;
    AffineExpr output = body.getAffineDimExpr(0);
    AffineExpr step = body.getAffineDimExpr(1);
    Value index = affine::makeComposedAffineApply(
        body, body.getLoc(),
        AffineMap::get(2, 0,
                       output * window.strides[dim] +
                           step * window.dilation[dim] - before),
        {OpFoldResult(emitLoopIndex(body, 2 + dim)),
         OpFoldResult(emitLoopIndex(body, pooling.getRank() + dim))});
    // As unsigned numbers, negative ones are large.
    Value isInside = arith::CmpIOp::create(body, arith::CmpIPredicate::ult,
                                           index, emitIndex(body, sizes[axis]));
    isData = isData ? arith::AndIOp::create(body, isData, isInside) : isInside;
  }
  return isData;
}

std::pair<Value, Type> Dilation::build() {
  int64_t rank = pooling.getRank(), loops = rank + 2;
  SmallVector<OpFoldResult> dataSizes = b.getSizes(pooling.data);
  // Where channels, rows and columns are in the weight.
  SmallVector<int64_t> dims = {0, 1, 2};
  if (hasChannelsLast)
    dims = {2, 0, 1};
  b.assertEqual(b.getSize(weight, dims[0]), dataSizes[pooling.others[1]],
                "expects a weight for each channel");
  SmallVector<OpFoldResult> sizes = dataSizes;
  for (auto [number, axis] : llvm::enumerate(pooling.spatial)) {
    OpFoldResult kernel = b.getSize(weight, dims[1 + number]);
    b.assertAtLeast(kernel, 1, "expects a weight with elements");
    sizes[axis] = getWindowCount(b, window, number, dataSizes[axis], kernel);
  }
  PoolingMaps maps = PoolingMaps::get(
      b, pooling, [&](int64_t axis, AffineExpr output, AffineExpr step) {
        return output * window.strides[axis] + step * window.dilation[axis];
      });
  SmallVector<AffineExpr> exprs(3);
  exprs[dims[0]] = b.dim(1);
  exprs[dims[1]] = b.dim(rank);
  exprs[dims[2]] = b.dim(rank + 1);
  TypedAttr lowest = getLowestAttr(type);
  Value init = b.filled(sizes, lowest, (b.getBlockName() + "_init").str());
  Value result = b.nest(
      b.getBlockName(), {{pad(), maps.data}, {weight, b.map(loops, exprs)}},
      {init, maps.result}, getIterators(rank, 2),
      [&](ImplicitLocOpBuilder &body, ValueRange args) {
        ElementMath math(body, type);
        Value sum = math.add(math.convertFrom(pooling.elementType, args[0]),
                             math.convertFrom(pooling.elementType, args[1]));
        Value wins = math.compare(ElementMath::Order::GT, sum, args[2]);
        if (Value isData = emitIsData(body, dataSizes))
          wins = arith::AndIOp::create(body, wins, isData);
        return math.select(wins, sum, args[2]);
      });
  return {result, type};
}

namespace {

struct Dilation2dToLinalg : OpConversionPattern<ImageDilation2dOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ImageDilation2dOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    FailureOr<PoolingData> pooling =
        PoolingData::get(op.getData(), adaptor.getData(), op.getDataLayout());
    if (failed(pooling))
      return rewriter.notifyMatchFailure(
          op, "expects a layout that the data fits, but got \"" +
                  op.getDataLayout() + "\"");
    LinalgBuilder b(rewriter, op);
    // Of four values, those of batch and channels are 1.
    Window window =
        Window::get(op.getStrides().take_front(2),
                    op.getDilations().take_front(2), op.getPadding());
    Dilation dilation(b, *pooling, adaptor.getWeight(),
                      op.getDataLayout() == "NHWC", window);
    auto [maxima, from] = dilation.build();
    Type to = getElementType(op.getResult());
    Value result = maxima;
    if (from != to)
      result = b.elements(
          "dilation2d_cast", {{maxima, b.identity(4)}}, b.getSizes(maxima),
          getSignless(to),
          [&, from = from](ImplicitLocOpBuilder &body, ValueRange args) {
            return ElementMath(body, to).convertFrom(from, args[0]);
          });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateDilationPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<Dilation2dToLinalg>(converter, patterns.getContext());
}
