//===- Matmul.cpp - Lower matrix products to linalg -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Lowers rows of `lhs`, (m..., k) or transposed (..., k, m), times the matrix
/// `rhs` to loops (m..., n, k).
static Value buildMatmul(LinalgBuilder &b, Operation *op, Value lhs, Value rhs,
                         bool transposeLhs, bool transposeRhs) {
  int64_t rank = cast<RankedTensorType>(lhs.getType()).getRank();
  int64_t loops = rank + 1;
  AffineExpr n = b.dim(rank - 1), k = b.dim(rank);
  SmallVector<AffineExpr> lhsExprs, resultExprs;
  SmallVector<OpFoldResult> sizes = b.getSizes(lhs);
  for (int64_t loop = 0; loop < rank - 1; ++loop)
    lhsExprs.push_back(b.dim(loop));
  resultExprs = lhsExprs;
  resultExprs.push_back(n);
  lhsExprs.push_back(k);
  if (transposeLhs) {
    std::swap(lhsExprs[rank - 2], lhsExprs[rank - 1]);
    sizes[rank - 2] = sizes[rank - 1];
  }
  sizes[rank - 1] = b.getSize(rhs, transposeRhs ? 0 : 1);

  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  Value result = buildContraction(
      b, {lhs, b.map(loops, lhsExprs), getElementType(op->getOperand(0))},
      {rhs,
       b.map(loops, transposeRhs ? ArrayRef<AffineExpr>{n, k}
                                 : ArrayRef<AffineExpr>{k, n}),
       getElementType(op->getOperand(1))},
      LinalgBuilder::refine(sizes, resultType), b.map(loops, resultExprs),
      getIterators(rank, 1), resultType.getElementType());
  return result;
}

namespace {

struct DenseToLinalg : OpConversionPattern<NNDenseOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNDenseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(op, buildMatmul(b, op, adaptor.getData(),
                                       adaptor.getWeight(),
                                       /*transposeLhs=*/false,
                                       /*transposeRhs=*/true));
    return success();
  }
};

struct MatmulToLinalg : OpConversionPattern<NNMatmulOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNMatmulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto rhsType = cast<RankedTensorType>(op.getTensorB().getType());
    auto lhsType = cast<RankedTensorType>(op.getTensorA().getType());
    if (rhsType.getRank() != 2 || lhsType.getRank() < 2)
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects a matrix on the right and at least one on the "
                      "left, but got "
                   << lhsType << " and " << rhsType;
      });
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(op, buildMatmul(b, op, adaptor.getTensorA(),
                                       adaptor.getTensorB(), op.getTransposeA(),
                                       op.getTransposeB()));
    return success();
  }
};

/// Loops (b, m, n, k); a batch of one is repeated.
struct BatchMatmulToLinalg : OpConversionPattern<NNBatchMatmulOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNBatchMatmulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value lhs = adaptor.getTensorA(), rhs = adaptor.getTensorB();
    auto lhsType = cast<RankedTensorType>(lhs.getType());
    auto rhsType = cast<RankedTensorType>(rhs.getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    for (Value *operand : {&lhs, &rhs}) {
      SmallVector<OpFoldResult> target = b.getSizes(*operand);
      if (!resultType.isDynamicDim(0))
        target[0] = b.getIndexAttr(resultType.getDimSize(0));
      *operand = buildRuntimeBroadcast(b, *operand, target);
    }
    AffineExpr batch = b.dim(0), m = b.dim(1), n = b.dim(2), k = b.dim(3);
    auto getBatch = [&](RankedTensorType type) {
      return type.getDimSize(0) == 1 ? b.constant(0) : batch;
    };
    bool transposeLhs = op.getTransposeA(), transposeRhs = op.getTransposeB();
    SmallVector<AffineExpr> lhsExprs = {getBatch(lhsType), m, k};
    if (transposeLhs)
      std::swap(lhsExprs[1], lhsExprs[2]);
    SmallVector<AffineExpr> rhsExprs = {getBatch(rhsType), k, n};
    if (transposeRhs)
      std::swap(rhsExprs[1], rhsExprs[2]);
    Value batched = lhsType.getDimSize(0) == 1 ? rhs : lhs;
    SmallVector<OpFoldResult> sizes = {b.getSize(batched, 0),
                                       b.getSize(lhs, transposeLhs ? 2 : 1),
                                       b.getSize(rhs, transposeRhs ? 1 : 2)};

    Value result = buildContraction(
        b, {lhs, b.map(4, lhsExprs), getElementType(op.getTensorA())},
        {rhs, b.map(4, rhsExprs), getElementType(op.getTensorB())},
        LinalgBuilder::refine(sizes, resultType), b.map(4, {batch, m, n}),
        getIterators(3, 1), resultType.getElementType());
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateMatmulPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<BatchMatmulToLinalg, DenseToLinalg, MatmulToLinalg>(
      converter, patterns.getContext());
}
