//===- Search.cpp - Operators that search and give positions --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace mlir::relay;

static InFlightDiagnostic emitIndexError(Operation *op, int64_t lowest,
                                         int64_t end, int64_t index) {
  return op->emitOpError("expects indices in [")
         << lowest << ", " << end << "), but got " << index;
}

static FailureOr<Tensor> evaluateAdvIndex(AdvIndexOp op,
                                          ArrayRef<Tensor> operands) {
  const Tensor &data = operands.front();
  ArrayRef<Tensor> indices = operands.drop_front();
  SmallVector<int64_t> indexShape;
  for (const Tensor &index : indices) {
    auto joined = broadcastShapes(indexShape, index.getShape());
    if (!joined)
      return op.emitOpError("expects indices that broadcast together, but got ")
             << index.getType();
    indexShape = *joined;
  }
  int64_t count = getProduct(indexShape);
  SmallVector<int64_t> strides = getStrides(data.getShape());
  SmallVector<int64_t> offsets(count, 0);
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t size = data.getDimSize(dim);
    SmallVector<int64_t> positions =
        broadcastTo(index, indexShape).loadAll<int64_t>();
    for (auto [offset, position] : llvm::zip_equal(offsets, positions)) {
      if (position < -size || position >= size)
        return emitIndexError(op, -size, size, position);
      offset += normalizeAxis(position, size) * strides[dim];
    }
  }
  ArrayRef<int64_t> sliceShape = data.getShape().drop_front(indices.size());
  SmallVector<int64_t> shape = indexShape;
  llvm::append_range(shape, sliceShape);
  Tensor result = Tensor::allocate(shape, data.getElementType());
  int64_t elementBytes = getElementSize(data.getElementType());
  int64_t bytes = getProduct(sliceShape) * elementBytes;
  for (auto [i, offset] : llvm::enumerate(offsets))
    std::memcpy(result.getMutableRawData() + i * bytes,
                data.getRawData() + offset * elementBytes, bytes);
  return result;
}

static FailureOr<Tensor> evaluateArgwhere(ArgwhereOp op,
                                          ArrayRef<Tensor> operands) {
  const Tensor &condition = operands[0];
  SmallVector<int64_t> positions;
  int64_t count = 0;
  dispatchWideType(condition.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    SmallVector<W> elements = condition.loadAll<W>();
    if (elements.empty())
      return;
    StridedIterator it(condition.getShape(), {});
    for (W element : elements) {
      if (element != W(0)) {
        llvm::append_range(positions, it.getIndex());
        ++count;
      }
      it.advance();
    }
  });
  return Tensor::getVector(getResultElementType(op), positions)
      .reshape({count, condition.getRank()});
}

static FailureOr<Tensor> evaluateInvertPermutation(InvertPermutationOp op,
                                                   ArrayRef<Tensor> operands) {
  SmallVector<int64_t> permutation = operands[0].loadAll<int64_t>();
  int64_t size = permutation.size();
  SmallVector<int64_t> inverse(size, -1);
  for (auto [i, position] : llvm::enumerate(permutation)) {
    if (position < 0 || position >= size)
      return emitIndexError(op, 0, size, position);
    if (inverse[position] >= 0)
      return op.emitOpError("expects a permutation, but got ")
             << position << " twice";
    inverse[position] = i;
  }
  return Tensor::getVector(operands[0].getElementType(), inverse);
}

static FailureOr<InterpreterValue> evaluateMeshgrid(MeshgridOp op,
                                                    ArrayRef<Tensor> operands) {
  SmallVector<int64_t> shape;
  for (const Tensor &vector : operands)
    shape.push_back(vector.getNumElements());
  bool swaps = op.getIndexing() == "xy" && shape.size() > 1;
  if (swaps)
    std::swap(shape[0], shape[1]);
  std::vector<InterpreterValue> fields;
  for (auto [i, vector] : llvm::enumerate(operands)) {
    int64_t axis = swaps && i < 2 ? 1 - i : i;
    fields.push_back(
        broadcastTo(alignWithAxis(vector, axis, shape.size()), shape));
  }
  return InterpreterValue(fields);
}

static FailureOr<Tensor> evaluateSearchsorted(SearchsortedOp op,
                                              ArrayRef<Tensor> operands) {
  const Tensor &sequence = operands[0], &values = operands[1];
  bool isVector = sequence.getRank() == 1;
  if (!isVector &&
      sequence.getShape().drop_back() != values.getShape().drop_back())
    return op.emitOpError("expects values with the leading dimensions of ")
           << sequence.getType() << ", but got " << values.getType();
  int64_t length = sequence.getShape().back();
  int64_t perRow =
      isVector ? values.getNumElements() : values.getShape().back();
  SmallVector<int64_t> positions(values.getNumElements());
  dispatchWideType(values.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    SmallVector<W> sorted = sequence.loadAll<W>();
    SmallVector<W> wanted = values.loadAll<W>();
    for (size_t i = 0; i < wanted.size(); ++i) {
      auto begin = sorted.begin() + i / perRow * length;
      auto end = begin + length;
      const W *found = op.getRight() ? std::upper_bound(begin, end, wanted[i])
                                     : std::lower_bound(begin, end, wanted[i]);
      positions[i] = found - begin;
    }
  });
  return Tensor::getVector(getResultElementType(op), positions)
      .reshape(values.getShape());
}

/// A tensor whose first elements are `values` and whose others are zero.
static Tensor pad(ArrayRef<int64_t> values, int64_t size, Type elementType) {
  SmallVector<int64_t> padded(values);
  padded.resize(size, 0);
  return Tensor::getVector(elementType, padded);
}

static FailureOr<InterpreterValue> evaluateUnique(UniqueOp op,
                                                  ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t size = data.getNumElements();
  // The positions of the distinct values, and for each element which it is.
  SmallVector<int64_t> first, inverse(size), counts;
  Tensor values = Tensor::allocateZeros(size, data.getElementType());
  dispatchWideType(data.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    SmallVector<W> elements = data.loadAll<W>();
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(size));
    // NaNs, each distinct from all others, come last.
    auto isLess = [&](int64_t a, int64_t b) {
      W x = elements[a], y = elements[b];
      if (x == y || (x != x && y != y))
        return a < b;
      return y != y || x < y;
    };
    llvm::sort(order, isLess);
    for (auto [i, position] : llvm::enumerate(order)) {
      if (i == 0 || !(elements[position] == elements[order[i - 1]])) {
        first.push_back(position);
        counts.push_back(0);
      }
      inverse[position] = first.size() - 1;
      ++counts.back();
    }
    if (!op.getSorted()) {
      SmallVector<int64_t> rank =
          llvm::to_vector(llvm::seq<int64_t>(first.size()));
      llvm::sort(rank,
                 [&](int64_t a, int64_t b) { return first[a] < first[b]; });
      auto reorder = [&](ArrayRef<int64_t> from) {
        return llvm::map_to_vector(rank, [&](int64_t i) { return from[i]; });
      };
      SmallVector<int64_t> newFirst = reorder(first);
      SmallVector<int64_t> newCounts = reorder(counts);
      SmallVector<int64_t> newPosition = invertPermutation(rank);
      for (int64_t &value : inverse)
        value = newPosition[value];
      first = newFirst;
      counts = newCounts;
    }
    SmallVector<W> distinct = llvm::map_to_vector(
        first, [&](int64_t position) { return elements[position]; });
    values.store(0, distinct.size(), distinct.data());
  });

  Type indexType = IntegerType::get(op.getContext(), 32);
  std::vector<InterpreterValue> fields = {
      values, pad(first, size, indexType), pad(inverse, size, indexType),
      Tensor::getVector(indexType, {static_cast<int64_t>(first.size())})};
  if (op.getReturnCounts())
    fields.push_back(pad(counts, size, indexType));
  return InterpreterValue(fields);
}

static FailureOr<Tensor> evaluateUnravelIndex(UnravelIndexOp op,
                                              ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  SmallVector<int64_t> sizes = operands[1].loadAll<int64_t>();
  if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return op.emitOpError("expects sizes not to be negative, but got [")
           << ArrayRef<int64_t>(sizes) << "]";
  int64_t count = data.getNumElements(), end = getProduct(sizes);
  SmallVector<int64_t> indices = data.loadAll<int64_t>();
  SmallVector<int64_t> result(sizes.size() * count);
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (index < 0 || index >= end)
      return emitIndexError(op, 0, end, index);
    int64_t rest = index;
    for (size_t dim = sizes.size(); dim-- > 0;) {
      result[dim * count + i] = rest % sizes[dim];
      rest /= sizes[dim];
    }
  }
  SmallVector<int64_t> shape = {static_cast<int64_t>(sizes.size())};
  llvm::append_range(shape, data.getShape());
  return Tensor::getVector(data.getElementType(), result).reshape(shape);
}

void relay::detail::populateSearchEvaluators(EvaluatorTable &table) {
  table.add<AdvIndexOp>(evaluateAdvIndex);
  table.add<ArgwhereOp>(evaluateArgwhere);
  table.add<InvertPermutationOp>(evaluateInvertPermutation);
  table.add<MeshgridOp>(evaluateMeshgrid);
  table.add<SearchsortedOp>(evaluateSearchsorted);
  table.add<UniqueOp>(evaluateUnique);
  table.add<UnravelIndexOp>(evaluateUnravelIndex);
}
