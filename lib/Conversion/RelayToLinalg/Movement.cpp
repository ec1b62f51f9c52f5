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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

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
    data = buildRuntimeBroadcast(b, data, sizes);
    AffineMap map =
        b.broadcast(cast<RankedTensorType>(data.getType()), type.getRank());
    rewriter.replaceOp(op, buildCopy(b, data, map, sizes));
    return success();
  }
};

/// Element i of a tiled axis is element i mod size of the data.
struct TileToLinalg : OpConversionPattern<TileOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(TileOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto dataType = cast<RankedTensorType>(data.getType());
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    ArrayRef<int64_t> reps = op.getReps();
    int64_t rank = type.getRank();
    int64_t firstDim = rank - dataType.getRank();
    int64_t firstRep = rank - reps.size();

    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes;
    SmallVector<AffineExpr> exprs;
    SmallVector<std::pair<int64_t, OpFoldResult>> wrapped;
    bool isAffine = true;
    for (int64_t axis = 0; axis < rank; ++axis) {
      int64_t count = axis < firstRep ? 1 : reps[axis - firstRep];
      if (axis < firstDim) {
        sizes.push_back(b.getIndexAttr(count));
        continue;
      }
      int64_t extent = dataType.getDimSize(axis - firstDim);
      OpFoldResult size = b.getSize(data, axis - firstDim);
      sizes.push_back(b.multiply(size, b.getIndexAttr(count)));
      exprs.push_back(extent == 1 ? b.constant(0)
                      : count == 1
                          ? b.dim(axis)
                          : b.dim(axis) % std::max<int64_t>(extent, 1));
      if (count == 1)
        continue;
      wrapped.push_back({axis - firstDim, size});
      isAffine &= !ShapedType::isDynamic(extent);
    }
    sizes = LinalgBuilder::refine(sizes, type);
    if (isAffine) {
      rewriter.replaceOp(
          op, b.castTo(buildCopy(b, data, b.map(rank, exprs), sizes), type));
      return success();
    }
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
  patterns.add<BroadcastToLinalg, ConcatenateToTensor, RepeatToLinalg,
               ReverseToLinalg, StackToTensor, TileToLinalg, TransposeToLinalg>(
      converter, patterns.getContext());
}
