//===- Indexing.cpp - Lower gathers to linalg -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// (d<first>, ..., d<first + count - 1>)
static SmallVector<int64_t> getLoopRange(int64_t first, int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(first, first + count));
}

namespace {

/// result[a..., i..., c...] = data[a..., indices[a[:batch]..., i...], c...]
struct TakeToLinalg : OpConversionPattern<TakeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(TakeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    StringRef mode = op.getMode();
    if (mode != "clip" && mode != "wrap" && mode != "fast")
      return rewriter.notifyMatchFailure(
          op, "expects mode clip, wrap or fast, but got " + mode);
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    int64_t axis = 0;
    if (std::optional<int64_t> given = op.getAxis()) {
      axis = normalizeAxis(*given, getTensorType(data).getRank());
    } else {
      data = buildFlatten(b, data);
    }
    int64_t dataRank = getTensorType(data).getRank();
    int64_t indexRank = getTensorType(indices).getRank();
    int64_t batchRank = normalizeAxis(op.getBatchDims(), indexRank);
    int64_t rank = type.getRank();
    int64_t ownRank = indexRank - batchRank;

    SmallVector<OpFoldResult> dataSizes = b.getSizes(data), sizes = dataSizes;
    SmallVector<OpFoldResult> indexSizes = b.getSizes(indices);
    for (int64_t dim = 0; dim < batchRank; ++dim)
      b.assertEqual(dataSizes[dim], indexSizes[dim],
                    "expects common dimensions");
    sizes.erase(sizes.begin() + axis);
    sizes.insert(sizes.begin() + axis, indexSizes.begin() + batchRank,
                 indexSizes.end());
    SmallVector<int64_t> indexLoops = getLoopRange(0, batchRank);
    llvm::append_range(indexLoops, getLoopRange(axis, ownRank));
    Type indexType = getTensorType(op.getIndices()).getElementType();
    bool isFast = mode == "fast";
    if (isFast) {
      if (op.getAxis())
        assertNotEmpty(b, data, axis, indices);
      if (failed(
              checkIndices(rewriter, b, op, op.getIndices(), dataSizes[axis])))
        return failure();
    } else if (failed(checkNotEmpty(rewriter, b, op, dataSizes[axis],
                                    indexSizes))) {
      return failure();
    }

    Value result = b.elements(
        b.getBlockName(), {{indices, b.select(rank, indexLoops)}},
        LinalgBuilder::refine(sizes, type), type.getElementType(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          Value index = isFast ? emitPosition(bodyBuilder, indexType, args[0],
                                              dataSizes[axis])
                               : emitToIndex(bodyBuilder, indexType, args[0]);
          if (mode == "clip")
            index = emitClamp(bodyBuilder, index, dataSizes[axis]);
          else if (mode == "wrap")
            index = emitWrap(bodyBuilder, index, dataSizes[axis]);
          SmallVector<Value> position;
          for (int64_t dim = 0; dim < dataRank; ++dim)
            position.push_back(
                dim == axis
                    ? index
                    : emitLoopIndex(bodyBuilder,
                                    dim < axis ? dim : dim + ownRank - 1));
          return emitExtract(bodyBuilder, data, position);
        });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  /// Indices are moved to the nearest element, or around to one: fails with a
  /// reason, or asserts when the model runs, where there is none of `size`, but
  /// are indices, of `counts` along each dimension.
  static LogicalResult checkNotEmpty(ConversionPatternRewriter &rewriter,
                                     LinalgBuilder &b, TakeOp op,
                                     OpFoldResult size,
                                     ArrayRef<OpFoldResult> counts) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (known.value_or(0) != 0)
      return success();
    OpFoldResult least = b.getIndexAttr(1);
    for (OpFoldResult count : counts) {
      if (std::optional<int64_t> number = getConstantIntValue(count)) {
        if (*number == 0)
          return success();
        continue;
      }
      least = arith::MinSIOp::create(b, b.toValue(count), b.toValue(least))
                  .getResult();
    }
    if (known && isOneInteger(least))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects elements for the indices, but got "
                   << op.getData().getType();
      });
    b.assertAtLeast(size, least, "expects elements for the indices");
    return success();
  }
};

/// result[i...] = data[..., indices[i...], ...]
struct GatherToLinalg : OpConversionPattern<GatherOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    int64_t axis = normalizeAxis(op.getAxis(), rank);
    Type indexType = getTensorType(op.getIndices()).getElementType();
    LinalgBuilder b(rewriter, op);
    OpFoldResult size = b.getSize(data, axis);
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != axis)
        b.assertAtLeast(b.getSize(data, dim), b.getSize(indices, dim),
                        "expects indices within the data");
    assertNotEmpty(b, data, axis, indices);
    if (failed(checkIndices(rewriter, b, op, op.getIndices(), size)))
      return failure();
    Value result = b.elements(
        b.getBlockName(), {{indices, b.identity(rank)}},
        LinalgBuilder::refine(b.getSizes(indices), type), type.getElementType(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          SmallVector<Value> position = emitLoopIndices(bodyBuilder, rank);
          position[axis] = emitPosition(bodyBuilder, indexType, args[0], size);
          return emitExtract(bodyBuilder, data, position);
        });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

/// result[y..., s...] = data[y[:batch]..., indices[0, y...], ..., s...]
struct GatherNdToLinalg : OpConversionPattern<GatherNdOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(GatherNdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData(), indices = adaptor.getIndices();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t depth = getTensorType(indices).getDimSize(0);
    int64_t outerRank = getTensorType(indices).getRank() - 1;
    int64_t dataRank = getTensorType(data).getRank();
    int64_t batchRank = op.getBatchDims();
    int64_t rank = type.getRank();
    Type indexType = getTensorType(op.getIndices()).getElementType();

    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> dataSizes = b.getSizes(data);
    SmallVector<OpFoldResult> sizes = b.getSizes(indices);
    sizes.erase(sizes.begin());
    for (int64_t dim = 0; dim < batchRank; ++dim)
      b.assertEqual(dataSizes[dim], sizes[dim], "expects common dimensions");
    for (int64_t row = 0; row < depth; ++row)
      assertNotEmpty(b, data, batchRank + row, indices);
    if (failed(checkIndices(rewriter, b, op, op.getIndices(),
                            ArrayRef(dataSizes).slice(batchRank, depth))))
      return failure();
    llvm::append_range(sizes,
                       ArrayRef(dataSizes).drop_front(batchRank + depth));
    // One operand per row of the indices.
    SmallVector<Access> rows;
    for (int64_t row = 0; row < depth; ++row) {
      SmallVector<AffineExpr> exprs = {b.constant(row)};
      for (int64_t loop = 0; loop < outerRank; ++loop)
        exprs.push_back(b.dim(loop));
      rows.push_back({indices, b.map(rank, exprs)});
    }
    Value result = b.elements(
        b.getBlockName(), rows, LinalgBuilder::refine(sizes, type),
        type.getElementType(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          SmallVector<Value> position;
          for (int64_t dim = 0; dim < dataRank; ++dim) {
            int64_t row = dim - batchRank;
            if (row < 0)
              position.push_back(emitLoopIndex(bodyBuilder, dim));
            else if (row < depth)
              position.push_back(emitPosition(bodyBuilder, indexType, args[row],
                                              dataSizes[dim]));
            else
              position.push_back(
                  emitLoopIndex(bodyBuilder, outerRank + row - depth));
          }
          return emitExtract(bodyBuilder, data, position);
        });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

/// result[y..., s...] = data[i0[y...], i1[y...], ..., s...], where the indices
/// are repeated to one shape.
struct AdvIndexToLinalg : OpConversionPattern<AdvIndexOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(AdvIndexOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Value data = adaptor.getInputs().front();
    ValueRange indices = adaptor.getInputs().drop_front();
    ValueRange relayIndices = op.getInputs().drop_front();
    int64_t rank = type.getRank(), depth = indices.size();
    int64_t sliceRank = getTensorType(data).getRank() - depth;
    int64_t indexRank = rank - sliceRank;

    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> dataSizes = b.getSizes(data);
    SmallVector<OpFoldResult> sizes = b.getBroadcastSizes(
        indices, RankedTensorType::get(type.getShape().take_front(indexRank),
                                       b.getI64Type()));
    SmallVector<Access> inputs;
    for (auto [dim, index] : llvm::enumerate(indices)) {
      assertNotEmpty(b, data, dim, index);
      if (failed(
              checkIndices(rewriter, b, op, relayIndices[dim], dataSizes[dim])))
        return failure();
      Value repeated = buildRuntimeBroadcast(b, index, sizes);
      inputs.push_back(
          {repeated, b.map(rank, b.broadcast(getTensorType(repeated), indexRank)
                                     .getResults())});
    }
    llvm::append_range(sizes, ArrayRef(dataSizes).drop_front(depth));
    Value result = b.elements(
        b.getBlockName(), inputs, LinalgBuilder::refine(sizes, type),
        type.getElementType(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          SmallVector<Value> position;
          for (int64_t dim = 0; dim < depth; ++dim)
            position.push_back(emitPosition(
                bodyBuilder, getTensorType(relayIndices[dim]).getElementType(),
                args[dim], dataSizes[dim]));
          for (int64_t dim = indexRank; dim < rank; ++dim)
            position.push_back(emitLoopIndex(bodyBuilder, dim));
          return emitExtract(bodyBuilder, data, position);
        });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateIndexingPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns
      .add<AdvIndexToLinalg, GatherNdToLinalg, GatherToLinalg, TakeToLinalg>(
          converter, patterns.getContext());
}
