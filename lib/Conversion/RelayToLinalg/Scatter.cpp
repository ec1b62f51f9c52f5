//===- Scatter.cpp - Lower scatters to linalg -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest can write only where an affine map says, so a scatter gathers: each
// element of the result looks through the updates, in order, for those that
// name it. That takes time in the number of updates, and no atomics.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static RankedTensorType getTensorType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

/// How an update meets what is there, or null for an unknown mode.
using Meet = Value (*)(const ElementMath &, Value present, Value update);

static Meet getMeet(StringRef mode) {
  if (mode == "update")
    return [](const ElementMath &, Value, Value update) { return update; };
  if (mode == "add")
    return [](const ElementMath &math, Value present, Value update) {
      return math.add(present, update);
    };
  if (mode == "mul")
    return [](const ElementMath &math, Value present, Value update) {
      return math.mul(present, update);
    };
  if (mode == "min")
    return [](const ElementMath &math, Value present, Value update) {
      return math.min(present, update);
    };
  if (mode == "max")
    return [](const ElementMath &math, Value present, Value update) {
      return math.max(present, update);
    };
  if (mode == "mean")
    return [](const ElementMath &math, Value present, Value update) {
      return math.div(math.add(present, update), math.number(2));
    };
  return nullptr;
}

/// A copy of `data` to start from.
static Value buildStart(LinalgBuilder &b, Value data) {
  auto type = getTensorType(data);
  return b.elements(
      (b.getBlockName() + "_init").str(), {{data, b.identity(type.getRank())}},
      b.getSizes(data), type.getElementType(),
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
}

/// True if `index`, of relay type `type`, names where loop `loop` is on an axis
/// of `size`.
static Value emitHit(ImplicitLocOpBuilder &b, Type type, Value index,
                     OpFoldResult size, int64_t loop) {
  Value target = emitFromEnd(b, emitToIndex(b, type, index), size);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, target,
                               emitLoopIndex(b, loop));
}

/// The axes but `axis` of which the updates may cover only the beginning.
static SmallVector<int64_t> getPartialAxes(Value updates, Value data,
                                           int64_t axis) {
  SmallVector<int64_t> partialAxes;
  for (auto [dim, extent] : llvm::enumerate(getTensorType(updates).getShape()))
    if (static_cast<int64_t>(dim) != axis &&
        (ShapedType::isDynamic(extent) ||
         extent != getTensorType(data).getDimSize(dim)))
      partialAxes.push_back(dim);
  return partialAxes;
}

namespace {

/// Loops over the data, then over the updates along `axis`.
struct ScatterElementsToLinalg : OpConversionPattern<ScatterElementsOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ScatterElementsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Meet meet = getMeet(op.getReduction());
    if (!meet)
      return rewriter.notifyMatchFailure(
          op, "expects reduction update, add, mul, mean, min or max");
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    Value updates = adaptor.getUpdates();
    auto type = getTensorType(data);
    int64_t rank = type.getRank();
    int64_t axis = normalizeAxis(op.getAxis(), rank);
    Type indexType = getTensorType(op.getIndices()).getElementType();
    Type elementType = getTensorType(op.getData()).getElementType();

    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> dataSizes = b.getSizes(data);
    SmallVector<OpFoldResult> updateSizes = b.getSizes(indices);
    SmallVector<int64_t> partialAxes = getPartialAxes(indices, data, axis);
    AffineMap dataMap =
        b.select(rank + 1, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    SmallVector<AffineExpr> exprs(dataMap.getResults());
    exprs[axis] = b.dim(rank);
    AffineMap updateMap = b.map(rank + 1, exprs);

    SmallVector<Access> inputs;
    if (partialAxes.empty())
      inputs = {{indices, updateMap}, {updates, updateMap}};
    else
      inputs = {{b.shapeOnly(updateSizes[axis]), b.select(rank + 1, rank)}};
    Value result = b.nest(
        b.getBlockName(), inputs, {buildStart(b, data), dataMap},
        getIterators(rank, 1),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          Value present = args.back();
          Value isCovered, index = args[0], update = args[1];
          if (!partialAxes.empty()) {
            SmallVector<Value> position = emitLoopIndices(bodyBuilder, rank);
            position[axis] = emitLoopIndex(bodyBuilder, rank);
            isCovered =
                emitCover(bodyBuilder, position, partialAxes, updateSizes);
            index = emitExtract(bodyBuilder, indices, position);
            update = emitExtract(bodyBuilder, updates, position);
          }
          Value isHit =
              emitHit(bodyBuilder, indexType, index, dataSizes[axis], axis);
          if (isCovered)
            isHit = arith::AndIOp::create(bodyBuilder, isHit, isCovered);
          ElementMath math(bodyBuilder, elementType);
          return math.select(isHit, meet(math, present, update), present);
        });
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Moves `position` into the updates and tells whether it was there.
  static Value emitCover(ImplicitLocOpBuilder &b,
                         MutableArrayRef<Value> position,
                         ArrayRef<int64_t> axes, ArrayRef<OpFoldResult> sizes) {
    Value isCovered;
    for (int64_t axis : axes) {
      Value clamped = emitClamp(b, position[axis], sizes[axis]);
      Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                             clamped, position[axis]);
      position[axis] = clamped;
      isCovered =
          isCovered ? arith::AndIOp::create(b, isCovered, isInside) : isInside;
    }
    return isCovered;
  }
};

/// Loops over the data, then over the columns of the indices.
struct ScatterNdToLinalg : OpConversionPattern<ScatterNdOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ScatterNdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Meet meet = op.getMode() == "mean" ? nullptr : getMeet(op.getMode());
    if (!meet)
      return rewriter.notifyMatchFailure(
          op, "expects mode update, add, mul, min or max");
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    if (getTensorType(indices).isDynamicDim(0))
      return rewriter.notifyMatchFailure(
          op, "expects a static first dimension of indices");
    int64_t rank = getTensorType(data).getRank();
    int64_t depth = getTensorType(indices).getDimSize(0);
    int64_t columnRank = getTensorType(indices).getRank() - 1;
    int64_t loops = rank + columnRank;
    Type indexType = getTensorType(op.getIndices()).getElementType();
    Type elementType = getTensorType(op.getData()).getElementType();

    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> dataSizes = b.getSizes(data);
    SmallVector<AffineExpr> column, slice;
    for (int64_t loop = rank; loop < loops; ++loop)
      column.push_back(b.dim(loop));
    for (int64_t dim = depth; dim < rank; ++dim)
      slice.push_back(b.dim(dim));
    SmallVector<AffineExpr> updateExprs = column;
    llvm::append_range(updateExprs, slice);
    SmallVector<Access> inputs = {
        {adaptor.getUpdates(), b.map(loops, updateExprs)}};
    for (int64_t row = 0; row < depth; ++row) {
      SmallVector<AffineExpr> exprs = {b.constant(row)};
      llvm::append_range(exprs, column);
      inputs.push_back({indices, b.map(loops, exprs)});
    }
    AffineMap dataMap =
        b.select(loops, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    Value result = b.nest(
        b.getBlockName(), inputs, {buildStart(b, data), dataMap},
        getIterators(rank, columnRank),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          Value isHit;
          for (int64_t row = 0; row < depth; ++row) {
            Value target = emitFromEnd(
                bodyBuilder, emitToIndex(bodyBuilder, indexType, args[row + 1]),
                dataSizes[row]);
            Value isHere =
                arith::CmpIOp::create(bodyBuilder, arith::CmpIPredicate::eq,
                                      target, emitLoopIndex(bodyBuilder, row));
            isHit = isHit ? arith::AndIOp::create(bodyBuilder, isHit, isHere)
                          : isHere;
          }
          ElementMath math(bodyBuilder, elementType);
          Value present = args.back();
          Value met = meet(math, present, args[0]);
          return isHit ? math.select(isHit, met, present) : met;
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateScatterPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ScatterElementsToLinalg, ScatterNdToLinalg>(
      converter, patterns.getContext());
}
