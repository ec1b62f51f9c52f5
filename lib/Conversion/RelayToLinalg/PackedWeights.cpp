//===- PackedWeights.cpp - Lower packing of bits and weights to linalg ----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// One bit of consecutive elements is a word, the first of them in front:
/// word(..., b, ..., i, ...) = sum_k bit b of data(..., i * width + k, ...) <<
/// (width - 1 - k)
struct BitpackToLinalg : OpConversionPattern<NNBitpackOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNBitpackOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    Type from = cast<RankedTensorType>(op.getData().getType()).getElementType();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Type word = *op.getPackType();
    int64_t rank = type.getRank(), width = word.getIntOrFloatBitWidth();
    int64_t packAxis = normalizeAxis(op.getPackAxis(), rank - 1);
    int64_t bitAxis = normalizeAxis(op.getBitAxis(), rank);

    SmallVector<AffineExpr> exprs;
    SmallVector<OpFoldResult> sizes;
    for (int64_t axis = 0; axis < rank - 1; ++axis) {
      AffineExpr position = b.dim(axis < bitAxis ? axis : axis + 1);
      OpFoldResult size = b.getSize(data, axis);
      if (axis == packAxis) {
        position = position * width + b.dim(rank);
        b.assertEqual(b.apply(b.dim(0) % width, size), b.getIndexAttr(0),
                      "expects a size divisible by " + Twine(width) +
                          " along pack_axis");
        size = b.apply(b.dim(0).floorDiv(width), size);
      }
      exprs.push_back(position);
      sizes.push_back(size);
    }
    sizes.insert(sizes.begin() + bitAxis, b.getIndexAttr(op.getBits()));

    Value init = b.filled(sizes, getZeroAttr(word));
    Value result = b.nest(
        b.getBlockName(),
        {{data, b.map(rank + 1, exprs)},
         {b.shapeOnly({b.getIndexAttr(width)}), b.select(rank + 1, rank)}},
        {init, b.select(rank + 1, llvm::to_vector(llvm::seq(rank)))},
        getIterators(rank, 1),
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          Type u64 = body.getIntegerType(64, /*isSigned=*/false);
          ElementMath wide(body, u64), math(body, word);
          auto getIndex = [&](int64_t loop) -> Value {
            return arith::IndexCastOp::create(body, body.getI64Type(),
                                              emitLoopIndex(body, loop));
          };
          Value bits = wide.shiftRight(wide.convertFrom(from, args[0]),
                                       getIndex(bitAxis));
          Value bit = wide.bitAnd(bits, wide.one());
          Value place = wide.sub(wide.number(width - 1), getIndex(rank));
          return math.bitOr(args[2],
                            math.convertFrom(u64, wide.shiftLeft(bit, place)));
        });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

/// Pads the matrix that a weight is and reads it tile by tile.
struct GemmWeightToLinalg
    : OpConversionPattern<NNContribConv2dGemmWeightTransformOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNContribConv2dGemmWeightTransformOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Type elementType = type.getElementType();
    int64_t tileN = op.getTile_N(), tileK = op.getTile_K();
    Value matrix = buildMerge(b, adaptor.getWeights(), {{0, 1, 2}, {3}});
    auto roundUp = [&](int64_t dim, int64_t multiple) {
      return b.apply(b.dim(0).ceilDiv(multiple) * multiple,
                     b.getSize(matrix, dim));
    };
    OpFoldResult k = roundUp(0, 4 * tileK), n = roundUp(1, tileN);
    auto getRest = [&](OpFoldResult size, int64_t dim) {
      return b.apply(b.dim(0) - b.dim(1), {size, b.getSize(matrix, dim)});
    };
    OpFoldResult zero = b.getIndexAttr(0);
    Value padded = b.pad(matrix, {zero, zero}, {getRest(k, 0), getRest(n, 1)},
                         getZeroAttr(elementType));
    SmallVector<OpFoldResult> sizes = {b.floorDiv(n, b.getIndexAttr(tileN)),
                                       b.floorDiv(k, b.getIndexAttr(tileK)),
                                       b.getIndexAttr(tileK),
                                       b.getIndexAttr(tileN)};
    // Tiles of 8-bit integers are transposed.
    bool isTransposed = elementType.isInteger(8);
    if (isTransposed)
      std::swap(sizes[2], sizes[3]);
    AffineExpr row = b.dim(1) * tileK + b.dim(isTransposed ? 3 : 2);
    AffineExpr column = b.dim(0) * tileN + b.dim(isTransposed ? 2 : 3);
    Value result = b.elements(
        b.getBlockName(), {{padded, b.map(4, {row, column})}},
        LinalgBuilder::refine(sizes, type), elementType,
        [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populatePackedWeightPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BitpackToLinalg, GemmWeightToLinalg>(converter,
                                                    patterns.getContext());
}
