//===- Strided.h - Copies and maps over strided elements --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops that every family shares: split work over threads, copy elements in
// another order, and compute element by element with broadcasting.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_STRIDED_H
#define RELAY_MLIR_LIB_INTERPRETER_STRIDED_H

#include "relay-mlir/Interpreter/Tensor.h"

#include <optional>

namespace mlir::relay {

/// Calls `body(begin, end)` on pieces of [0, count), possibly from several
/// threads. `cost` is the work of one item, in elements or so.
void forEachRange(MLIRContext *context, int64_t count, int64_t cost,
                  function_ref<void(int64_t begin, int64_t end)> body);

/// Returns the product of `sizes`.
int64_t getProduct(ArrayRef<int64_t> sizes);

/// Returns the strides of a row-major tensor, in elements.
SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape);

/// Counts a negative axis from the end. The verifier has checked the range.
inline int64_t normalizeAxis(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

/// Returns the tensor of `shape` whose element i is element
/// `offset + sum(i[d] * strides[d])` of `source`. A stride may be zero or
/// negative.
Tensor copyStrided(const Tensor &source, ArrayRef<int64_t> shape,
                   ArrayRef<int64_t> strides, int64_t offset = 0);

/// Returns the tensor of `shape` whose element (i, j, ...) is element
/// (getIndex(0, i), getIndex(1, j), ...) of `source`, or the scalar `fill`
/// where an index is negative. Of no elements it asks for no index: a dimension
/// of an empty tensor may be larger than any memory.
Tensor
gatherDimensions(const Tensor &source, ArrayRef<int64_t> shape,
                 function_ref<int64_t(int64_t dim, int64_t position)> getIndex,
                 const Tensor *fill = nullptr);

/// Joins tensors that differ in the size of one dimension only.
Tensor concatenate(ArrayRef<Tensor> sources, int64_t axis);

/// Dimension d of the result is dimension `permutation[d]` of `source`. Shares
/// memory when only dimensions of size one move.
Tensor transpose(const Tensor &source, ArrayRef<int64_t> permutation);

/// Returns the permutation that moves `axes` behind all other dimensions.
SmallVector<int64_t> getAxesLastPermutation(int64_t rank,
                                            ArrayRef<int64_t> axes);
SmallVector<int64_t> invertPermutation(ArrayRef<int64_t> permutation);

/// Walks over the index space of `shape` and keeps offsets for several strides.
/// The arrays are kept by reference.
class StridedIterator {
public:
  StridedIterator(ArrayRef<int64_t> shape, ArrayRef<ArrayRef<int64_t>> strides,
                  int64_t begin = 0);

  ArrayRef<int64_t> getIndex() const { return index; }
  int64_t getOffset(size_t operand) const { return offsets[operand]; }
  void advance();

private:
  ArrayRef<int64_t> shape;
  ArrayRef<ArrayRef<int64_t>> strides;
  SmallVector<int64_t> index;
  SmallVector<int64_t> offsets;
};

/// Broadcasting as in NumPy: aligns shapes at the end.
std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> lhs,
                                                    ArrayRef<int64_t> rhs);
/// Returns the strides with which a tensor of shape `from` is read in the shape
/// `to`.
SmallVector<int64_t> getBroadcastStrides(ArrayRef<int64_t> from,
                                         ArrayRef<int64_t> to);
Tensor broadcastTo(const Tensor &source, ArrayRef<int64_t> shape);

/// Gives a vector the shape in which it broadcasts along `axis` of a tensor.
Tensor alignWithAxis(const Tensor &vector, int64_t axis, int64_t rank);

/// Computes a tensor of `shape` piece by piece from the elements of `operands`,
/// which broadcast to it: `fn` gets as many elements of each operand as it has
/// results to write. `W` is double, int64_t or uint64_t.
template <typename W>
Tensor mapBlocks(
    ArrayRef<Tensor> operands, ArrayRef<int64_t> shape, Type elementType,
    function_ref<void(ArrayRef<const W *> operands, MutableArrayRef<W> results)>
        fn);

/// Computes each element of a tensor of `shape` from the elements of
/// `operands`, which broadcast to it: `fn` gets one of each. It is inlined: a
/// call for each element would cost more than what most operators compute.
template <typename W, typename Fn>
Tensor mapElements(ArrayRef<Tensor> operands, ArrayRef<int64_t> shape,
                   Type elementType, const Fn &fn) {
  return mapBlocks<W>(
      operands, shape, elementType,
      [&](ArrayRef<const W *> columns, MutableArrayRef<W> results) {
        int64_t count = results.size();
        if (columns.size() == 1) {
          for (int64_t i = 0; i < count; ++i)
            results[i] = fn(columns[0] + i);
        } else if (columns.size() == 2) {
          const W *lhs = columns[0], *rhs = columns[1];
          for (int64_t i = 0; i < count; ++i) {
            W values[] = {lhs[i], rhs[i]};
            results[i] = fn(static_cast<const W *>(values));
          }
        } else {
          SmallVector<W, 8> values(columns.size());
          for (int64_t i = 0; i < count; ++i) {
            for (auto [value, column] : llvm::zip_equal(values, columns))
              value = column[i];
            results[i] = fn(static_cast<const W *>(values.data()));
          }
        }
      });
}

/// Applies `fn` to each row of the innermost dimension: it reads `row` and
/// overwrites it. The element type may change.
template <typename W>
Tensor mapRows(const Tensor &source, Type elementType,
               function_ref<void(MutableArrayRef<W> row)> fn);

/// Converts the element type.
Tensor castTo(const Tensor &source, Type elementType);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_STRIDED_H
