//===- Sparse.cpp - Gradients of products with sparse matrices ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product as a formula: columns of the dense matrix that elements of the
// sparse one meet, their products, and sums by rows of the sparse one.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

// Found by GradientModel.
namespace mlir::relay::gradients {

static LogicalResult differentiate(NNSparseDenseOp op, Gradient &d) {
  Term x = d.term(op.getDenseData()), data = d.term(op.getSparseData());
  Term indptr = d.term(op.getSparseIndptr());
  for (Term each : {x, data, indptr})
    if (!each.getType().hasStaticShape())
      return d.refuse() << "known sizes of its matrices, but got "
                        << each.getType();
  Type i64 = d.getI64Type();
  // Elements of CSR are blocks of size 1.
  int64_t count = data.getSize(0), rows = indptr.getSize(0) - 1;
  int64_t height = data.getRank() > 1 ? data.getSize(1) : 1;
  int64_t width = data.getRank() > 2 ? data.getSize(2) : 1;
  int64_t columns = x.getSize(1) / width;
  Term blocks = d.reshape(data, {count, height, width});
  Term dense = d.reshape(d.slice(x, 1, 0, columns * width),
                         {x.getSize(0), columns, width});
  // (blocks, rows of dense, width).
  Term met = d.transpose(
      d.make<TakeOp>(dense.get(), op.getSparseIndices(), d.getI64IntegerAttr(0),
                     d.getI64IntegerAttr(1), d.getStringAttr("clip")),
      {1, 0, 2});
  Term products =
      d.make<NNBatchMatmulOp>(met.get(), blocks.get(), TypeAttr(), false, true);
  // The row of each block, from 1: how many rows begin at it or before it. The
  // blocks before the first row and behind the last one go where nothing reads.
  Term numbers = d.make<ArangeOp>(d.number(0, i64).get(),
                                  d.number(double(count), i64).get(),
                                  d.number(1, i64).get(), i64);
  Term row = d.make<SearchsortedOp>(d.castTo(indptr, i64).get(), numbers.get(),
                                    d.getBoolAttr(true), TypeAttr::get(i64));
  Term zeros = d.make<ZerosOp>(
      ArrayRef<int64_t>{rows + 2, x.getSize(0), height}, x.getElementType());
  Term sums = d.make<ScatterNdOp>(
      zeros.get(),
      d.make<ExpandDimsOp>(row.get(), int64_t(0), int64_t(1)).get(),
      products.get(), "add");
  Term result = d.slice(sums, 0, 1, rows + 1);
  // (rows of dense, rows of sparse).
  result =
      d.reshape(d.transpose(result, {1, 0, 2}), {x.getSize(0), rows * height});
  return d.setByFormula(op.getSparseLhs() ? d.transposeMatrix(result) : result);
}

} // namespace mlir::relay::gradients

void gradients::registerSparse(MLIRContext *context) {
  attach<NNSparseDenseOp>(context);
}
