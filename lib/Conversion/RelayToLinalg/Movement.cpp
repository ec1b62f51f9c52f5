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

#include "ElementMath.h"
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
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

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

struct BroadcastLikeToLinalg : OpConversionPattern<BroadcastToLikeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(BroadcastToLikeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto dataType = cast<RankedTensorType>(data.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(adaptor.getBroadcastType());
    auto own = ArrayRef(sizes).take_back(dataType.getRank());
    // Where the data may have size 1, buildBroadcast looks.
    for (auto [dim, size] : llvm::enumerate(own))
      if (dataType.getDimSize(dim) != 1 && !getConstantIntValue(size))
        b.assertEqual(b.getSize(data, dim), size,
                      "expects a size that is known to be repeated when it is "
                      "compiled");
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
    for (auto [dim, size] : llvm::enumerate(own)) {
      int64_t extent = dataType.getDimSize(dim);
      std::optional<int64_t> known = getConstantIntValue(size);
      if (known && *known != extent && extent != 1 &&
          !ShapedType::isDynamic(extent))
        return rewriter.notifyMatchFailure(op, "expects size " + Twine(extent) +
                                                   " in shape, but got " +
                                                   Twine(*known));
      // Where the data may have size 1, buildBroadcast looks.
      if (!known && extent != 1)
        b.assertEqual(b.getSize(adaptor.getData(), dim), size,
                      "expects a size that is known to be repeated when it is "
                      "compiled");
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

/// Each vector along an axis of its own.
struct MeshgridToLinalg : OpConversionPattern<MeshgridOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(MeshgridOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValueRange vectors = adaptor.getData();
    int64_t rank = vectors.size();
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes(rank, b.getIndexAttr(1));
    SmallVector<AffineMap> maps;
    for (auto [i, vector] : llvm::enumerate(vectors)) {
      bool isScalar = cast<RankedTensorType>(vector.getType()).getRank() == 0;
      int64_t axis = op.getIndexing() == "xy" && rank > 1 && i < 2 ? 1 - i : i;
      if (!isScalar)
        sizes[axis] = b.getSize(vector, 0);
      maps.push_back(isScalar ? b.map(rank, {}) : b.map(rank, b.dim(axis)));
    }
    SmallVector<Value> fields;
    for (auto [vector, map] : llvm::zip_equal(vectors, maps))
      fields.push_back(buildCopy(b, vector, map, sizes));
    rewriter.replaceOpWithMultiple(op, {fields});
    return success();
  }
};

/// Loops over the windows, then over the elements of one.
struct SlidingWindowToLinalg : OpConversionPattern<SlidingWindowOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SlidingWindowOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
    int64_t axis = normalizeAxis(op.getAxis(), rank);
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < axis; ++dim)
      exprs.push_back(b.dim(dim));
    for (auto [i, window, step] :
         llvm::enumerate(op.getWindowShape(), op.getStrides())) {
      OpFoldResult &size = sizes[axis + i];
      b.assertAtLeast(size, window, "expects a window within the data");
      size = b.apply((b.dim(0) - window).floorDiv(step) + 1, size);
      exprs.push_back(b.dim(axis + i) * step + b.dim(rank + i));
    }
    for (int64_t window : op.getWindowShape())
      sizes.push_back(b.getIndexAttr(window));
    Value result = buildCopy(b, data, b.map(type.getRank(), exprs),
                             LinalgBuilder::refine(sizes, type));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

/// Elements where all positions are multiples of the strides, and a value
/// between them.
struct DilateToLinalg : OpConversionPattern<NNDilateOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNDilateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getX();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Type elementType = op.getX().getType().getElementType();
    int64_t rank = type.getRank();
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    SmallVector<AffineExpr> exprs;
    for (auto [dim, stride] : llvm::enumerate(op.getStrides())) {
      exprs.push_back(b.dim(dim).floorDiv(stride));
      if (stride == 1)
        continue;
      // Nothing stays nothing.
      OpFoldResult size = b.apply((b.dim(0) - 1) * stride + 1, sizes[dim]);
      sizes[dim] = arith::MaxSIOp::create(b, b.toValue(size), b.indexValue(0))
                       .getResult();
    }
    Value result = b.elements(
        b.getBlockName(), {{data, b.map(rank, exprs)}},
        LinalgBuilder::refine(sizes, type), type.getElementType(),
        [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
          Value isElement;
          for (auto [dim, stride] : llvm::enumerate(op.getStrides())) {
            if (stride == 1)
              continue;
            Value rest = arith::RemUIOp::create(
                body, emitLoopIndex(body, dim),
                arith::ConstantIndexOp::create(body, stride));
            Value isOn =
                arith::CmpIOp::create(body, arith::CmpIPredicate::eq, rest,
                                      arith::ConstantIndexOp::create(body, 0));
            isElement =
                isElement ? arith::AndIOp::create(body, isElement, isOn) : isOn;
          }
          if (!isElement)
            return args[0];
          Value between = ElementMath(body, elementType)
                              .number(op.getDilationValue().convertToDouble());
          return arith::SelectOp::create(body, isElement, args[0], between);
        });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateMovementPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BroadcastLikeToLinalg, BroadcastToLinalg, ConcatenateToTensor,
               DilateToLinalg, DynBroadcastToLinalg, DynTileToLinalg,
               MeshgridToLinalg, RepeatToLinalg, ReverseToLinalg,
               SlidingWindowToLinalg, StackToTensor, TileToLinalg,
               TransposeToLinalg>(converter, patterns.getContext());
}
