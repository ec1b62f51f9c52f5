//===- Matmul.cpp - Matrix products ---------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel: rows of a times rows of b. Sums are in double, or in integers
// that wrap, and are rounded once.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;

/// Several sums side by side, because additions of one wait for each other.
template <typename W>
static W dotProduct(const W *a, const W *b, int64_t size) {
  constexpr int64_t lanes = 16;
  W sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] += a[i + lane] * b[i + lane];
  W total = 0;
  for (; i < size; ++i)
    total += a[i] * b[i];
  for (W sum : sums)
    total += sum;
  return total;
}

/// result[batch, m, n] = sum over k of a[batch, m, k] * b[batch, n, k], where a
/// batch of one is used for all.
template <typename W>
static Tensor multiplyRows(const Tensor &a, const Tensor &b, Type elementType) {
  constexpr int64_t block = 32; // Rows of b that are widened at a time.
  int64_t batches = std::max(a.getDimSize(0), b.getDimSize(0));
  if (a.getDimSize(0) == 0 || b.getDimSize(0) == 0)
    batches = 0;
  int64_t m = a.getDimSize(1), n = b.getDimSize(1), k = a.getDimSize(2);
  Tensor result = Tensor::allocate({batches, m, n}, elementType);
  if (result.getNumElements() == 0)
    return result;
  int64_t blocks = (n + block - 1) / block;

  auto multiplyRange = [&](int64_t begin, int64_t end) {
    std::vector<W> rowsOfB(block * k), rowOfA(k), sums(block);
    for (int64_t i = begin; i < end; ++i) {
      int64_t batch = i / blocks, first = i % blocks * block;
      int64_t count = std::min(block, n - first);
      int64_t batchOfA = a.getDimSize(0) == 1 ? 0 : batch;
      int64_t batchOfB = b.getDimSize(0) == 1 ? 0 : batch;
      b.load((batchOfB * n + first) * k, 1, count * k, rowsOfB.data());
      for (int64_t row = 0; row < m; ++row) {
        a.load((batchOfA * m + row) * k, 1, k, rowOfA.data());
        for (int64_t column = 0; column < count; ++column)
          sums[column] =
              dotProduct(rowOfA.data(), rowsOfB.data() + column * k, k);
        result.store((batch * m + row) * n + first, count, sums.data());
      }
    }
  };
  forEachRange(a.getContext(), batches * blocks, block * m * k, multiplyRange);
  return result;
}

/// Both operands as (batch, rows, k).
static FailureOr<Tensor> evaluateProduct(Operation *op, const Tensor &a,
                                         const Tensor &b,
                                         ArrayRef<int64_t> shape) {
  if (a.getDimSize(2) != b.getDimSize(2))
    return op->emitOpError("expects equal sizes to sum over, but got ")
           << a.getDimSize(2) << " and " << b.getDimSize(2);
  int64_t batchOfA = a.getDimSize(0), batchOfB = b.getDimSize(0);
  if (batchOfA != batchOfB && batchOfA != 1 && batchOfB != 1)
    return op->emitOpError("expects equal batch sizes or 1, but got ")
           << batchOfA << " and " << batchOfB;
  Type elementType = getResultElementType(op);
  // Sums of signed integers have the same bits as those of unsigned ones.
  Tensor result = isa<FloatType>(elementType)
                      ? multiplyRows<double>(a, b, elementType)
                      : multiplyRows<uint64_t>(a, b, elementType);
  return shape.empty() ? result : result.reshape(shape);
}

/// Swaps the last two dimensions if `swap` is set.
static Tensor transposeMatrices(const Tensor &tensor, bool swap) {
  if (!swap)
    return tensor;
  int64_t rank = tensor.getRank();
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    permutation.push_back(dim);
  permutation.append({rank - 1, rank - 2});
  return transpose(tensor, permutation);
}

/// Merges all dimensions but the last into rows.
static Tensor toRows(const Tensor &tensor) {
  int64_t k = tensor.getShape().back();
  return tensor.reshape({1, getProduct(tensor.getShape().drop_back()), k});
}

static FailureOr<Tensor> evaluateRowsTimesMatrix(Operation *op, const Tensor &a,
                                                 const Tensor &b) {
  SmallVector<int64_t> shape(a.getShape());
  shape.back() = b.getDimSize(0);
  return evaluateProduct(op, toRows(a), toRows(b), shape);
}

static FailureOr<Tensor> evaluateDense(NNDenseOp op,
                                       ArrayRef<Tensor> operands) {
  return evaluateRowsTimesMatrix(op, operands[0], operands[1]);
}

static FailureOr<Tensor> evaluateMatmul(NNMatmulOp op,
                                        ArrayRef<Tensor> operands) {
  return evaluateRowsTimesMatrix(
      op, transposeMatrices(operands[0], op.getTransposeA()),
      transposeMatrices(operands[1], !op.getTransposeB()));
}

static FailureOr<Tensor> evaluateBatchMatmul(NNBatchMatmulOp op,
                                             ArrayRef<Tensor> operands) {
  return evaluateProduct(op, transposeMatrices(operands[0], op.getTransposeA()),
                         transposeMatrices(operands[1], !op.getTransposeB()),
                         /*shape=*/{});
}

void relay::detail::populateMatmulEvaluators(EvaluatorTable &table) {
  table.add<NNDenseOp>(evaluateDense);
  table.add<NNMatmulOp>(evaluateMatmul);
  table.add<NNBatchMatmulOp>(evaluateBatchMatmul);
}
