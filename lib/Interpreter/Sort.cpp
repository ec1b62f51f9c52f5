//===- Sort.cpp - Sorting -------------------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All orders are stable, and a NaN is larger than every number.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace mlir::relay;

template <typename W>
static bool isLess(W a, W b) {
  return b != b ? a == a : a < b;
}

/// The positions of the elements of each row (the last dimension) in order, as
/// i64.
static Tensor sortPositions(const Tensor &rows, bool ascending) {
  Type indexType = IntegerType::get(rows.getContext(), 64);
  return dispatchWideType(rows.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    Tensor result = Tensor::allocate(rows.getShape(), indexType);
    int64_t columns = rows.getShape().back();
    MutableArrayRef<int64_t> all = result.getMutableElements<int64_t>();
    auto sortRange = [&](int64_t begin, int64_t end) {
      std::vector<W> row(columns);
      for (int64_t i = begin; i < end; ++i) {
        rows.load(i * columns, 1, columns, row.data());
        MutableArrayRef<int64_t> positions = all.slice(i * columns, columns);
        std::iota(positions.begin(), positions.end(), 0);
        auto comesFirst = [&](int64_t a, int64_t b) {
          W first = row[ascending ? a : b], second = row[ascending ? b : a];
          if (isLess(first, second) || isLess(second, first))
            return isLess(first, second);
          return a < b;
        };
        llvm::sort(positions, comesFirst);
      }
    };
    if (rows.getNumElements())
      forEachRange(rows.getContext(), rows.getNumElements() / columns,
                   columns * 16, sortRange);
    return result;
  });
}

/// The first `count` positions of each row.
static Tensor takeColumns(const Tensor &rows, int64_t count) {
  SmallVector<int64_t> shape(rows.getShape());
  shape.back() = count;
  return copyStrided(rows, shape, getStrides(rows.getShape()));
}

/// rows[..., positions[..., i]].
static Tensor gatherColumns(const Tensor &rows, const Tensor &positions) {
  Tensor result = Tensor::allocate(positions.getShape(), rows.getElementType());
  if (result.getNumElements() == 0)
    return result;
  int64_t columns = rows.getShape().back();
  int64_t count = positions.getShape().back();
  int64_t bytes = getElementSize(rows.getElementType());
  for (auto [i, position] : llvm::enumerate(positions.getElements<int64_t>()))
    std::copy_n(rows.getRawData() +
                    (static_cast<int64_t>(i) / count * columns + position) *
                        bytes,
                bytes, result.getMutableRawData() + i * bytes);
  return result;
}

namespace {

/// Data with the axis to sort along at the end.
struct SortRows {
  SortRows(const Tensor &data, int64_t axis)
      : permutation(getAxesLastPermutation(
            data.getRank(), normalizeAxis(axis, data.getRank()))),
        rows(transpose(data, permutation)) {}

  Tensor moveBack(const Tensor &sorted) const {
    return transpose(sorted, invertPermutation(permutation));
  }

  SmallVector<int64_t> permutation;
  Tensor rows;
};

} // namespace

static FailureOr<Tensor> evaluateSort(SortOp op, ArrayRef<Tensor> operands) {
  SortRows sort(operands[0], op.getAxis());
  Tensor positions = sortPositions(sort.rows, op.getIsAscend());
  return sort.moveBack(gatherColumns(sort.rows, positions));
}

static FailureOr<Tensor> evaluateArgsort(ArgsortOp op,
                                         ArrayRef<Tensor> operands) {
  SortRows sort(operands[0], op.getAxis());
  Tensor positions = sortPositions(sort.rows, op.getIsAscend());
  return castTo(sort.moveBack(positions), getResultElementType(op));
}

static FailureOr<InterpreterValue> evaluateTopk(TopkOp op,
                                                ArrayRef<Tensor> operands) {
  SortRows sort(operands[0], op.getAxis());
  int64_t size = sort.rows.getShape().back();
  int64_t k = op.getK() < 1 ? size : op.getK();
  if (k > size)
    return op.emitOpError("expects k of at most ") << size << ", but got " << k;
  Tensor positions = takeColumns(sortPositions(sort.rows, op.getIsAscend()), k);
  InterpreterValue values = sort.moveBack(gatherColumns(sort.rows, positions));
  if (op.getRetType() == "values")
    return values;

  Type resultType = op.getResult().getType();
  if (auto tuple = dyn_cast<TupleType>(resultType))
    resultType = tuple.getType(1);
  InterpreterValue indices =
      castTo(sort.moveBack(positions),
             cast<RankedTensorType>(resultType).getElementType());
  if (op.getRetType() == "indices")
    return indices;
  return InterpreterValue(std::vector<InterpreterValue>{values, indices});
}

void relay::detail::populateSortEvaluators(EvaluatorTable &table) {
  table.add<SortOp>(evaluateSort);
  table.add<ArgsortOp>(evaluateArgsort);
  table.add<TopkOp>(evaluateTopk);
}
