//===- Movement.cpp - Lower data movement to linalg -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that copy elements to places an affine map describes.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"
#include "SizeReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// A nest that copies the element of `data` at `map`.
static Value buildCopy(LinalgBuilder &b, Value data, AffineMap map,
                       ArrayRef<OpFoldResult> sizes) {
  Type elementType = cast<RankedTensorType>(data.getType()).getElementType();
  return b.elements(
      b.getBlockName(), {{data, map}}, sizes, elementType,
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
}

/// Joins tensors along `axis`.
static Value buildConcat(LinalgBuilder &b, ValueRange tensors, int64_t axis) {
  auto concat = tensor::ConcatOp::create(b, axis, tensors);
  b.name(concat, b.getBlockName());
  return concat;
}

/// Repeats `data` to `sizes`, aligned at the end.
static Value buildBroadcast(LinalgBuilder &b, Value data,
                            ArrayRef<OpFoldResult> sizes) {
  data = buildRuntimeBroadcast(b, data, sizes);
  AffineMap map =
      b.broadcast(cast<RankedTensorType>(data.getType()), sizes.size());
  return buildCopy(b, data, map, sizes);
}

/// Element i of a tiled axis is element i mod size of the data. `reps` and the
/// sizes of the data are aligned at the end.
static Value buildTile(LinalgBuilder &b, Value data,
                       ArrayRef<OpFoldResult> reps, RankedTensorType type) {
  auto dataType = cast<RankedTensorType>(data.getType());
  int64_t rank = type.getRank();
  int64_t firstDim = rank - dataType.getRank();
  int64_t firstRep = rank - reps.size();
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> exprs;
  SmallVector<std::pair<int64_t, OpFoldResult>> wrapped;
  bool isAffine = true;
  for (int64_t axis = 0; axis < rank; ++axis) {
    OpFoldResult count =
        axis < firstRep ? b.getIndexAttr(1) : reps[axis - firstRep];
    if (axis < firstDim) {
      sizes.push_back(count);
      continue;
    }
    int64_t extent = dataType.getDimSize(axis - firstDim);
    OpFoldResult size = b.getSize(data, axis - firstDim);
    sizes.push_back(b.multiply(size, count));
    exprs.push_back(extent == 1 ? b.constant(0)
                    : isOneInteger(count)
                        ? b.dim(axis)
                        : b.dim(axis) % std::max<int64_t>(extent, 1));
    if (isOneInteger(count))
      continue;
    wrapped.push_back({axis - firstDim, size});
    isAffine &= !ShapedType::isDynamic(extent);
  }
  sizes = LinalgBuilder::refine(sizes, type);
  if (isAffine)
    return b.castTo(buildCopy(b, data, b.map(rank, exprs), sizes), type);
  // The size to wrap at is known only at run time.
  Value result =
      b.elements(b.getBlockName(), {}, sizes, type.getElementType(),
                 [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange) {
                   SmallVector<Value> indices;
                   for (int64_t axis = firstDim; axis < rank; ++axis)
                     indices.push_back(emitLoopIndex(bodyBuilder, axis));
                   for (auto [axis, size] : wrapped)
                     indices[axis] =
                         arith::RemUIOp::create(bodyBuilder, indices[axis],
                                                emitIndex(bodyBuilder, size));
                   return emitExtract(bodyBuilder, data, indices);
                 });
  return b.castTo(result, type);
}

namespace {

struct TransposeToLinalg : OpConversionPattern<TransposeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    SmallVector<int64_t> axes = op.getPermutation();
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes;
    SmallVector<AffineExpr> exprs(rank);
    for (auto [loop, axis] : llvm::enumerate(axes)) {
      sizes.push_back(b.getSize(data, axis));
      exprs[axis] = b.dim(loop);
    }
    Value result = buildCopy(b, data, b.map(rank, exprs),
                             LinalgBuilder::refine(sizes, type));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct ConcatenateToTensor : OpConversionPattern<ConcatenateOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ConcatenateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    Value result = buildConcat(b, adaptor.getData(),
                               normalizeAxis(op.getAxis(), type.getRank()));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct StackToTensor : OpConversionPattern<StackOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(StackOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t axis = normalizeAxis(op.getAxis(), type.getRank());
    LinalgBuilder b(rewriter, op);
    SmallVector<Value> slices;
    for (Value data : adaptor.getData())
      slices.push_back(buildExpandDims(b, data, axis));
    rewriter.replaceOp(op, b.castTo(buildConcat(b, slices, axis), type));
    return success();
  }
};

struct BroadcastToLinalg : OpConversionPattern<BroadcastToOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(BroadcastToOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getBroadcastSizes(data, type);
    rewriter.replaceOp(op, buildBroadcast(b, data, sizes));
    return success();
  }
};

struct DynBroadcastToLinalg : OpConversionPattern<DynBroadcastToOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(DynBroadcastToOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    auto dataType = cast<RankedTensorType>(adaptor.getData().getType());
    LinalgBuilder b(rewriter, op);
    FailureOr<SmallVector<OpFoldResult>> sizes =
        SizeReader(rewriter, b, op).read(adaptor.getShapeValue(), "shape");
    if (failed(sizes))
      return failure();
    auto own = ArrayRef(*sizes).take_back(dataType.getRank());
    for (auto [extent, size] : llvm::zip_equal(dataType.getShape(), own)) {
      std::optional<int64_t> known = getConstantIntValue(size);
      if (known && *known != extent && extent != 1 &&
          !ShapedType::isDynamic(extent))
        return rewriter.notifyMatchFailure(op, "expects size " + Twine(extent) +
                                                   " in shape, but got " +
                                                   Twine(*known));
    }
    Value result = buildBroadcast(b, adaptor.getData(), *sizes);
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct TileToLinalg : OpConversionPattern<TileOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(TileOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(
        op,
        buildTile(b, adaptor.getData(),
                  getAsIndexOpFoldResult(b.getContext(), op.getReps()), type));
    return success();
  }
};

struct DynTileToLinalg : OpConversionPattern<DynTileOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(DynTileOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    FailureOr<SmallVector<OpFoldResult>> reps =
        SizeReader(rewriter, b, op).read(adaptor.getRepsValue(), "reps");
    if (failed(reps))
      return failure();
    for (OpFoldResult count : *reps)
      if (getConstantIntValue(count).value_or(0) < 0)
        return rewriter.notifyMatchFailure(
            op, "expects reps that are not negative");
    SmallVector<int64_t> open(type.getRank(), ShapedType::kDynamic);
    Value result = buildTile(b, adaptor.getData(), *reps, type.clone(open));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct RepeatToLinalg : OpConversionPattern<RepeatOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(RepeatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    int64_t axis = 0;
    if (std::optional<int64_t> given = op.getAxis())
      axis = normalizeAxis(*given, rank);
    else
      data = buildFlatten(b, data);
    int64_t repeats = op.getRepeats();
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    sizes[axis] = b.multiply(sizes[axis], b.getIndexAttr(repeats));
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < rank; ++dim)
      exprs.push_back(dim == axis ? b.dim(dim).floorDiv(repeats) : b.dim(dim));
    Value result = buildCopy(b, data, b.map(rank, exprs),
                             LinalgBuilder::refine(sizes, type));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct ReverseToLinalg : OpConversionPattern<ReverseOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ReverseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    int64_t rank = type.getRank();
    int64_t axis = normalizeAxis(op.getAxis(), rank);
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    if (!type.isDynamicDim(axis)) {
      SmallVector<AffineExpr> exprs;
      for (int64_t dim = 0; dim < rank; ++dim)
        exprs.push_back(dim == axis ? type.getDimSize(dim) - 1 - b.dim(dim)
                                    : b.dim(dim));
      rewriter.replaceOp(op, buildCopy(b, data, b.map(rank, exprs), sizes));
      return success();
    }
    Value result = b.elements(
        b.getBlockName(), {}, sizes, type.getElementType(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange) {
          SmallVector<Value> indices = emitLoopIndices(bodyBuilder, rank);
          Value last = arith::SubIOp::create(
              bodyBuilder, emitIndex(bodyBuilder, sizes[axis]),
              arith::ConstantIndexOp::create(bodyBuilder, 1));
          indices[axis] =
              arith::SubIOp::create(bodyBuilder, last, indices[axis]);
          return emitExtract(bodyBuilder, data, indices);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateMovementPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BroadcastToLinalg, ConcatenateToTensor, DynBroadcastToLinalg,
               DynTileToLinalg, RepeatToLinalg, ReverseToLinalg, StackToTensor,
               TileToLinalg, TransposeToLinalg>(converter,
                                                patterns.getContext());
}
