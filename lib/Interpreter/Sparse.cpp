//===- Sparse.cpp - Operators on sparse tensors ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cumulative.h"
#include "Evaluators.h"
#include "Layout.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// COO
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateSparseToDense(SparseToDenseOp op,
                                               ArrayRef<Tensor> operands) {
  const Tensor &indices = operands[0], &values = operands[1];
  ArrayRef<int64_t> shape = op.getOutputShape();
  int64_t rank = shape.size();
  int64_t count = indices.getRank() ? indices.getDimSize(0) : 1;
  if ((indices.getRank() == 2 ? indices.getDimSize(1) : 1) != rank)
    return op.emitOpError("expects sparse_indices for ")
           << rank << " dimensions, but got " << indices.getType();
  if (values.getRank() == 1 && values.getNumElements() != count)
    return op.emitOpError("expects ")
           << count << " values, but got " << values.getNumElements();
  Tensor filled = broadcastTo(operands[2], shape);
  Tensor result = copyStrided(filled, shape, getStrides(shape));
  SmallVector<int64_t> positions = indices.loadAll<int64_t>();
  SmallVector<int64_t> strides = getStrides(shape);
  int64_t bytes = getElementSize(values.getElementType());
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t position = positions[i * rank + dim];
      if (position < 0 || position >= shape[dim])
        return op.emitOpError("expects indices in [0, ")
               << shape[dim] << "), but got " << position;
      offset += position * strides[dim];
    }
    std::memcpy(result.getMutableRawData() + offset * bytes,
                values.getRawData() + (values.getRank() ? i * bytes : 0),
                bytes);
  }
  return result;
}

static FailureOr<InterpreterValue>
evaluateSparseFillEmptyRows(SparseFillEmptyRowsOp op,
                            ArrayRef<Tensor> operands) {
  SmallVector<int64_t> indices = operands[0].loadAll<int64_t>(),
                       values = operands[1].loadAll<int64_t>(),
                       shape = operands[2].loadAll<int64_t>();
  int64_t rank = shape.size();
  int64_t count = values.size();
  if (rank == 0 || operands[0].getDimSize(0) != count ||
      operands[0].getDimSize(1) != rank)
    return op.emitOpError("expects sparse_indices (")
           << count << ", " << rank << "), but got " << operands[0].getType();
  if (operands[3].getNumElements() != 1)
    return op.emitOpError(
               "expects default_value to be a single value, but got ")
           << operands[3].getType();
  constexpr int64_t maxRows = int64_t(1) << 26;
  int64_t rows = shape.front();
  if (rows < 0 || rows > maxRows)
    return op.emitOpError("expects up to ")
           << maxRows << " rows, but got " << rows;
  std::vector<SmallVector<int64_t, 1>> elementsOfRow(rows);
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = indices[i * rank];
    if (row < 0 || row >= rows)
      return op.emitOpError("expects rows in [0, ")
             << rows << "), but got " << row;
    elementsOfRow[row].push_back(i);
  }
  int64_t fill = operands[3].loadAll<int64_t>().front();
  SmallVector<int64_t> newIndices, newValues, isEmpty;
  for (auto [row, elements] : llvm::enumerate(elementsOfRow)) {
    isEmpty.push_back(elements.empty());
    for (int64_t i : elements) {
      llvm::append_range(newIndices, ArrayRef(indices).slice(i * rank, rank));
      newValues.push_back(values[i]);
    }
    if (!elements.empty())
      continue;
    newIndices.push_back(row);
    newIndices.append(rank - 1, 0);
    newValues.push_back(fill);
  }
  Type type = IntegerType::get(op.getContext(), 64);
  return InterpreterValue(std::vector<InterpreterValue>{
      Tensor::getVector(type, newIndices)
          .reshape({static_cast<int64_t>(newValues.size()), rank}),
      Tensor::getVector(type, newValues), Tensor::getVector(type, isEmpty)});
}

static FailureOr<InterpreterValue>
evaluateSparseReshape(SparseReshapeOp op, ArrayRef<Tensor> operands) {
  SmallVector<int64_t> indices = operands[0].loadAll<int64_t>(),
                       from = operands[1].loadAll<int64_t>(),
                       to = operands[2].loadAll<int64_t>();
  int64_t rank = from.size(), count = operands[0].getDimSize(0);
  auto isNegative = [](int64_t size) { return size < 0; };
  int64_t total = 1, known = 1;
  if (operands[0].getDimSize(1) != rank || llvm::any_of(from, isNegative))
    return op.emitOpError("expects prev_shape of ")
           << operands[0].getDimSize(1) << " sizes, but got ["
           << ArrayRef<int64_t>(from) << "]";
  bool overflows = false;
  for (int64_t size : from)
    overflows |= llvm::MulOverflow(total, size, total);
  int64_t *inferred = nullptr;
  bool isValid = true;
  for (int64_t &size : to) {
    if (size == -1 && !inferred) {
      inferred = &size;
      continue;
    }
    isValid &= size >= 0;
    overflows |= llvm::MulOverflow(known, size, known);
  }
  if (inferred && known)
    *inferred = total / known;
  isValid &=
      !overflows && (inferred ? known && total % known == 0 : known == total);
  if (!isValid)
    return op.emitOpError("expects new_shape with the ")
           << total << " elements of prev_shape, but got ["
           << ArrayRef<int64_t>(operands[2].loadAll<int64_t>()) << "]";

  Tensor newShape = Tensor::getVector(operands[2].getElementType(), to);
  if (from == to)
    return InterpreterValue(
        std::vector<InterpreterValue>{operands[0], newShape});
  SmallVector<int64_t> newIndices(count * to.size());
  for (int64_t i = 0; i < count; ++i) {
    // Indices beyond their dimension count on, as long as there is an element.
    int64_t position = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t index = indices[i * rank + dim];
      bool isOutside =
          index < 0 || llvm::MulOverflow(position, from[dim], position) ||
          llvm::AddOverflow(position, index, position) || position >= total;
      if (isOutside)
        return op.emitOpError("expects indices of one of ")
               << total << " elements, but got ["
               << ArrayRef<int64_t>(indices).slice(i * rank, rank) << "]";
    }
    for (size_t dim = to.size(); dim-- > 0;) {
      newIndices[i * to.size() + dim] = position % to[dim];
      position /= to[dim];
    }
  }
  return InterpreterValue(std::vector<InterpreterValue>{
      Tensor::getVector(operands[0].getElementType(), newIndices)
          .reshape({count, static_cast<int64_t>(to.size())}),
      newShape});
}

//===----------------------------------------------------------------------===//
// CSR and BSR
//===----------------------------------------------------------------------===//

namespace {
/// A sparse matrix; the values are where `data` has them.
struct SparseMatrix {
  SmallVector<int64_t> indices, indptr;
  int64_t blockRows = 1, blockColumns = 1;

  int64_t getNumBlockRows() const { return indptr.size() - 1; }
  int64_t getNumRows() const { return getNumBlockRows() * blockRows; }

  /// Calls `fn(row, column, position in data)` for each element, row by row of
  /// blocks.
  void forEach(function_ref<void(int64_t, int64_t, int64_t)> fn) const {
    int64_t blockSize = blockRows * blockColumns;
    for (int64_t row = 0; row < getNumBlockRows(); ++row)
      for (int64_t k = indptr[row]; k < indptr[row + 1]; ++k)
        for (int64_t i = 0; i < blockSize; ++i)
          fn(row * blockRows + i / blockColumns,
             indices[k] * blockColumns + i % blockColumns, k * blockSize + i);
  }
};
} // namespace

/// Reads a matrix of `columns` columns from data, indices and indptr.
static FailureOr<SparseMatrix>
getSparseMatrix(Operation *op, ArrayRef<Tensor> operands, int64_t columns) {
  const Tensor &data = operands[0];
  SparseMatrix matrix = {operands[1].loadAll<int64_t>(),
                         operands[2].loadAll<int64_t>()};
  if (data.getRank() > 1)
    matrix.blockRows = data.getDimSize(1);
  if (data.getRank() > 2)
    matrix.blockColumns = data.getDimSize(2);
  if (matrix.blockRows == 0 || matrix.blockColumns == 0)
    return op->emitOpError("expects blocks with elements, but got ")
           << data.getType();
  int64_t count = data.getDimSize(0);
  if (static_cast<int64_t>(matrix.indices.size()) != count)
    return op->emitOpError("expects an index for each element of ")
           << data.getType() << ", but got " << operands[1].getType();
  if (matrix.indptr.empty() || matrix.indptr.front() < 0 ||
      matrix.indptr.back() > count || !llvm::is_sorted(matrix.indptr))
    return op->emitOpError("expects increasing positions up to ")
           << count << " in indptr, but got [" << ArrayRef(matrix.indptr)
           << "]";
  for (int64_t k = matrix.indptr.front(); k < matrix.indptr.back(); ++k) {
    int64_t index = matrix.indices[k];
    if (index < 0 || index >= columns / matrix.blockColumns)
      return op->emitOpError("expects sparse indices in [0, ")
             << columns / matrix.blockColumns << "), but got " << index;
  }
  return matrix;
}

/// Returns dense * sparse^T.
static FailureOr<Tensor> multiplyBySparse(Operation *op, const Tensor &dense,
                                          ArrayRef<Tensor> sparse) {
  int64_t rows = dense.getDimSize(0), depth = dense.getDimSize(1);
  FailureOr<SparseMatrix> matrix = getSparseMatrix(op, sparse, depth);
  if (failed(matrix))
    return failure();
  int64_t columns = matrix->getNumRows();
  Type elementType = dense.getElementType();
  return dispatchWideType(elementType, [&](auto wide) {
    using W = decltype(wide);
    SmallVector<W> lhs = dense.loadAll<W>(), rhs = sparse[0].loadAll<W>();
    std::vector<Wrapping<W>> sums(rows * columns, Wrapping<W>(0));
    matrix->forEach([&](int64_t column, int64_t k, int64_t position) {
      for (int64_t row = 0; row < rows; ++row)
        sums[row * columns + column] +=
            static_cast<Wrapping<W>>(lhs[row * depth + k]) *
            static_cast<Wrapping<W>>(rhs[position]);
    });
    Tensor result = Tensor::allocate({rows, columns}, elementType);
    result.store(0, sums.size(), sums.data());
    return result;
  });
}

template <typename OpT>
static FailureOr<Tensor> evaluateSparseDense(OpT op,
                                             ArrayRef<Tensor> operands) {
  FailureOr<Tensor> result =
      multiplyBySparse(op, operands[0], operands.drop_front());
  if (failed(result) || !op.getSparseLhs())
    return result;
  return transpose(*result, {1, 0});
}

static FailureOr<InterpreterValue>
evaluateSparseTranspose(NNSparseTransposeOp op, ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t size = operands[2].getNumElements() - 1;
  FailureOr<SparseMatrix> matrix = getSparseMatrix(op, operands, size);
  if (failed(matrix))
    return failure();
  if (matrix->indptr.back() - matrix->indptr.front() != data.getNumElements())
    return op.emitOpError("expects a matrix of ")
           << data.getNumElements() << " elements, but got "
           << matrix->indptr.back() - matrix->indptr.front();
  // Counting sort by column; rows stay in order.
  SmallVector<int64_t> indptr(size + 1, 0);
  matrix->forEach(
      [&](int64_t, int64_t column, int64_t) { ++indptr[column + 1]; });
  for (int64_t i = 0; i < size; ++i)
    indptr[i + 1] += indptr[i];
  SmallVector<int64_t> next(indptr), indices(data.getNumElements());
  Tensor values = Tensor::allocate(data.getType());
  int64_t bytes = getElementSize(data.getElementType());
  matrix->forEach([&](int64_t row, int64_t column, int64_t position) {
    int64_t target = next[column]++;
    indices[target] = row;
    std::memcpy(values.getMutableRawData() + target * bytes,
                data.getRawData() + position * bytes, bytes);
  });
  return InterpreterValue(std::vector<InterpreterValue>{
      values, Tensor::getVector(operands[1].getElementType(), indices),
      Tensor::getVector(operands[2].getElementType(), indptr)});
}

static FailureOr<Tensor> evaluateSparseAdd(NNSparseAddOp op,
                                           ArrayRef<Tensor> operands) {
  const Tensor &dense = operands[0];
  int64_t columns = dense.getDimSize(1);
  FailureOr<SparseMatrix> matrix =
      getSparseMatrix(op, operands.drop_front(), columns);
  if (failed(matrix))
    return failure();
  if (matrix->getNumRows() != dense.getDimSize(0))
    return op.emitOpError("expects a sparse matrix of ")
           << dense.getDimSize(0) << " rows, but got " << matrix->getNumRows();
  return dispatchWideType(dense.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    SmallVector<W> sums = dense.loadAll<W>(), values = operands[1].loadAll<W>();
    matrix->forEach([&](int64_t row, int64_t column, int64_t position) {
      W &sum = sums[row * columns + column];
      sum = static_cast<W>(static_cast<Wrapping<W>>(sum) +
                           static_cast<Wrapping<W>>(values[position]));
    });
    Tensor result = Tensor::allocate(dense.getType());
    result.store(0, sums.size(), sums.data());
    return result;
  });
}

/// The pixels as rows: of the pixel itself, or with `kernel` 3 of the nine
/// around it, with zeros outside the image. Data is NHWC.
static Tensor getPatches(const Tensor &data, int64_t kernel) {
  int64_t n = data.getDimSize(0), h = data.getDimSize(1),
          w = data.getDimSize(2), c = data.getDimSize(3);
  if (kernel == 1)
    return data.reshape({n * h * w, c});
  Tensor zero = Tensor::allocateZeros({}, data.getElementType());
  SmallVector<Tensor> taps;
  for (int64_t y = -1; y <= 1; ++y)
    for (int64_t x = -1; x <= 1; ++x)
      taps.push_back(gatherDimensions(
          data, data.getShape(),
          [&](int64_t dim, int64_t i) {
            int64_t position = i + (dim == 1 ? y : dim == 2 ? x : 0);
            return position < data.getDimSize(dim) ? position : -1;
          },
          &zero));
  return concatenate(taps, /*axis=*/3).reshape({n * h * w, 9 * c});
}

static FailureOr<Tensor> evaluateSparseConv2d(NNSparseConv2dOp op,
                                              ArrayRef<Tensor> operands) {
  FailureOr<Tensor> data =
      transformLayout(op, operands[0], op.getLayout(), "NHWC");
  if (failed(data))
    return failure();
  FailureOr<Tensor> result = multiplyBySparse(
      op, getPatches(*data, op.getKernelSize().front()), operands.drop_front());
  if (failed(result))
    return failure();
  SmallVector<int64_t> shape(data->getShape());
  shape.back() = result->getDimSize(1);
  FailureOr<Tensor> moved =
      transformLayout(op, result->reshape(shape), "NHWC", op.getLayout());
  return moved;
}

void relay::detail::populateSparseEvaluators(EvaluatorTable &table) {
  table.add<SparseToDenseOp>(evaluateSparseToDense);
  table.add<SparseFillEmptyRowsOp>(evaluateSparseFillEmptyRows);
  table.add<SparseReshapeOp>(evaluateSparseReshape);
  table.add<NNSparseDenseOp>(evaluateSparseDense<NNSparseDenseOp>);
  table.add<NNInternalSparseDensePaddedOp>(
      evaluateSparseDense<NNInternalSparseDensePaddedOp>);
  table.add<NNSparseTransposeOp>(evaluateSparseTranspose);
  table.add<NNSparseAddOp>(evaluateSparseAdd);
  table.add<NNSparseConv2dOp>(evaluateSparseConv2d);
}
