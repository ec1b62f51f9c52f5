//===- Strided.cpp - Copies and maps over strided elements ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strided.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;

void mlir::relay::forEachRange(
    MLIRContext *context, int64_t count, int64_t cost,
    function_ref<void(int64_t begin, int64_t end)> body) {
  // Below this much work per piece a thread costs more than it saves.
  constexpr int64_t minCost = 1 << 15;
  constexpr int64_t piecesPerThread = 4;
  if (count <= 0)
    return;
  int64_t pieces = 1;
  if (context->isMultithreadingEnabled())
    pieces = context->getNumThreads() * piecesPerThread;
  // In floating point, because the product may exceed 64 bits.
  double total = static_cast<double>(count) * std::max<int64_t>(cost, 1);
  pieces = std::min({pieces, count, static_cast<int64_t>(total / minCost) + 1});
  if (pieces == 1)
    return body(0, count);
  mlir::parallelFor(context, 0, pieces, [&](size_t piece) {
    int64_t quotient = count / pieces, remainder = count % pieces;
    auto getBegin = [&](int64_t p) {
      return p * quotient + std::min(p, remainder);
    };
    body(getBegin(piece), getBegin(piece + 1));
  });
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

int64_t mlir::relay::getProduct(ArrayRef<int64_t> sizes) {
  return llvm::product_of(sizes, int64_t(1));
}

SmallVector<int64_t> mlir::relay::getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return strides;
}

std::optional<SmallVector<int64_t>>
mlir::relay::broadcastShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  SmallVector<int64_t> result(lhs);
  for (size_t i = 0; i < rhs.size(); ++i) {
    int64_t &size = result[lhs.size() - rhs.size() + i];
    if (size == 1)
      size = rhs[i];
    else if (rhs[i] != 1 && rhs[i] != size)
      return std::nullopt;
  }
  return result;
}

SmallVector<int64_t> mlir::relay::getBroadcastStrides(ArrayRef<int64_t> from,
                                                      ArrayRef<int64_t> to) {
  SmallVector<int64_t> own = getStrides(from);
  SmallVector<int64_t> strides(to.size() - from.size(), 0);
  for (size_t dim = 0; dim < from.size(); ++dim)
    strides.push_back(from[dim] == 1 ? 0 : own[dim]);
  return strides;
}

/// Merges neighbouring dimensions that all operands walk as one, and drops
/// those of size one. At least one dimension remains.
static void coalesce(SmallVectorImpl<int64_t> &shape,
                     MutableArrayRef<SmallVector<int64_t>> strides) {
  SmallVector<int64_t> newShape;
  SmallVector<SmallVector<int64_t>> newStrides(strides.size());
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] == 1)
      continue;
    bool merges = !newShape.empty();
    for (size_t i = 0; i < strides.size() && merges; ++i)
      merges = newStrides[i].back() == strides[i][dim] * shape[dim];
    if (merges)
      newShape.back() *= shape[dim];
    else
      newShape.push_back(shape[dim]);
    for (size_t i = 0; i < strides.size(); ++i) {
      if (merges)
        newStrides[i].back() = strides[i][dim];
      else
        newStrides[i].push_back(strides[i][dim]);
    }
  }
  if (newShape.empty()) {
    newShape.push_back(1);
    for (SmallVector<int64_t> &operand : newStrides)
      operand.push_back(1);
  }
  shape = std::move(newShape);
  llvm::move(newStrides, strides.begin());
}

StridedIterator::StridedIterator(ArrayRef<int64_t> shape,
                                 ArrayRef<ArrayRef<int64_t>> strides,
                                 int64_t begin)
    : shape(shape), strides(strides), index(shape.size()),
      offsets(strides.size(), 0) {
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = begin % shape[dim];
    begin /= shape[dim];
    for (size_t i = 0; i < strides.size(); ++i)
      offsets[i] += index[dim] * strides[i][dim];
  }
}

void StridedIterator::advance() {
  for (size_t dim = shape.size(); dim-- > 0;) {
    bool wraps = ++index[dim] == shape[dim];
    if (wraps)
      index[dim] = 0;
    for (size_t i = 0; i < strides.size(); ++i)
      offsets[i] +=
          wraps ? -strides[i][dim] * (shape[dim] - 1) : strides[i][dim];
    if (!wraps)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Calls `fn` with an unsigned integer of the size of one element.
template <typename Fn>
static void dispatchElementSize(Type elementType, Fn fn) {
  switch (getElementSize(elementType)) {
  case 1:
    return fn(uint8_t());
  case 2:
    return fn(uint16_t());
  case 4:
    return fn(uint32_t());
  default:
    return fn(uint64_t());
  }
}

/// Copies rows (dimension `rowDim`) by columns (the innermost dimension) in
/// tiles: when the source is contiguous along rows, each cache line of it is
/// then used while it is there.
template <typename T>
static void copyTiles(const T *source, T *target, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> strides, size_t rowDim,
                      MLIRContext *context) {
  constexpr int64_t tile = 32;
  size_t last = shape.size() - 1;
  SmallVector<int64_t> targetStrides = getStrides(shape);
  int64_t columnStride = strides[last], rowStride = strides[rowDim];
  int64_t targetRowStride = targetStrides[rowDim];
  int64_t rows = shape[rowDim], columns = shape[last];

  SmallVector<int64_t> outerShape, outerStrides, outerTargetStrides;
  for (size_t dim = 0; dim < last; ++dim) {
    if (dim == rowDim)
      continue;
    outerShape.push_back(shape[dim]);
    outerStrides.push_back(strides[dim]);
    outerTargetStrides.push_back(targetStrides[dim]);
  }
  // The tiles of rows are one more dimension of the outer loop.
  int64_t rowTiles = (rows + tile - 1) / tile;
  outerShape.push_back(rowTiles);
  outerStrides.push_back(tile * rowStride);
  outerTargetStrides.push_back(tile * targetRowStride);

  ArrayRef<int64_t> bothStrides[] = {outerStrides, outerTargetStrides};
  auto copyRange = [&](int64_t begin, int64_t end) {
    StridedIterator it(outerShape, bothStrides, begin);
    for (int64_t i = begin; i < end; ++i, it.advance()) {
      const T *from = source + it.getOffset(0);
      T *to = target + it.getOffset(1);
      int64_t tileRows = std::min(tile, rows - (i % rowTiles) * tile);
      for (int64_t column = 0; column < columns; column += tile) {
        int64_t endColumn = std::min(column + tile, columns);
        for (int64_t row = 0; row < tileRows; ++row)
          for (int64_t c = column; c < endColumn; ++c)
            to[row * targetRowStride + c] =
                from[row * rowStride + c * columnStride];
      }
    }
  };
  forEachRange(context, getProduct(outerShape), tile * columns, copyRange);
}

template <typename T>
static void copyRows(const T *source, T *target, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> strides, MLIRContext *context) {
  int64_t columns = shape.back(), columnStride = strides.back();
  ArrayRef<int64_t> outerShape = shape.drop_back();
  ArrayRef<int64_t> outerStrides = strides.drop_back();
  auto copyRange = [&](int64_t begin, int64_t end) {
    StridedIterator it(outerShape, outerStrides, begin);
    for (int64_t row = begin; row < end; ++row, it.advance()) {
      const T *from = source + it.getOffset(0);
      T *to = target + row * columns;
      if (columnStride == 1)
        std::memcpy(to, from, columns * sizeof(T));
      else
        for (int64_t c = 0; c < columns; ++c)
          to[c] = from[c * columnStride];
    }
  };
  forEachRange(context, getProduct(outerShape), columns, copyRange);
}

Tensor mlir::relay::copyStrided(const Tensor &source, ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> strides, int64_t offset) {
  Tensor result = Tensor::allocate(shape, source.getElementType());
  if (result.getNumElements() == 0)
    return result;
  SmallVector<int64_t> dims(shape);
  SmallVector<int64_t> steps(strides);
  coalesce(dims, steps);

  dispatchElementSize(source.getElementType(), [&](auto element) {
    using T = decltype(element);
    auto *from = reinterpret_cast<const T *>(source.getRawData()) + offset;
    auto *to = reinterpret_cast<T *>(result.getMutableRawData());
    size_t last = dims.size() - 1;
    size_t rowDim = last;
    for (size_t dim = 0; dim < last; ++dim)
      if (steps[dim] && std::abs(steps[dim]) < std::abs(steps[rowDim]))
        rowDim = dim;
    if (rowDim == last)
      copyRows(from, to, dims, steps, source.getContext());
    else
      copyTiles(from, to, dims, steps, rowDim, source.getContext());
  });
  return result;
}

Tensor mlir::relay::gatherDimensions(
    const Tensor &source, ArrayRef<int64_t> shape,
    function_ref<int64_t(int64_t dim, int64_t position)> getIndex,
    const Tensor *fill) {
  Tensor result = Tensor::allocate(shape, source.getElementType());
  if (result.getNumElements() == 0)
    return result;
  if (shape.empty())
    return source;
  SmallVector<SmallVector<int64_t>> indices(shape.size());
  for (auto [dim, along] : llvm::enumerate(indices))
    for (int64_t i = 0; i < shape[dim]; ++i)
      along.push_back(getIndex(dim, i));
  SmallVector<int64_t> strides = getStrides(source.getShape());
  ArrayRef<int64_t> outerShape = shape.drop_back();
  ArrayRef<int64_t> columns = indices.back();
  int64_t numColumns = columns.size();
  dispatchElementSize(source.getElementType(), [&](auto element) {
    using T = decltype(element);
    auto *from = reinterpret_cast<const T *>(source.getRawData());
    auto *to = reinterpret_cast<T *>(result.getMutableRawData());
    T fillValue = fill ? *reinterpret_cast<const T *>(fill->getRawData()) : T();
    auto gatherRange = [&](int64_t begin, int64_t end) {
      StridedIterator it(outerShape, {}, begin);
      for (int64_t row = begin; row < end; ++row, it.advance()) {
        int64_t offset = 0;
        bool isFill = false;
        for (auto [dim, i] : llvm::enumerate(it.getIndex())) {
          isFill |= indices[dim][i] < 0;
          offset += indices[dim][i] * strides[dim];
        }
        T *target = to + row * numColumns;
        for (int64_t c = 0; c < numColumns; ++c)
          target[c] =
              isFill || columns[c] < 0 ? fillValue : from[offset + columns[c]];
      }
    };
    forEachRange(source.getContext(), getProduct(outerShape), numColumns,
                 gatherRange);
  });
  return result;
}

Tensor mlir::relay::concatenate(ArrayRef<Tensor> sources, int64_t axis) {
  SmallVector<int64_t> shape(sources.front().getShape());
  shape[axis] = 0;
  for (const Tensor &source : sources)
    shape[axis] += source.getDimSize(axis);
  Tensor result = Tensor::allocate(shape, sources.front().getElementType());
  int64_t rows = getProduct(ArrayRef(shape).take_front(axis));
  if (result.getNumElements() == 0)
    return result;
  int64_t rowBytes = result.getSizeInBytes() / rows;
  char *target = result.getMutableRawData();
  for (const Tensor &source : sources) {
    if (source.getNumElements() == 0)
      continue; // It may have no memory at all.
    int64_t bytes = source.getSizeInBytes() / rows;
    for (int64_t row = 0; row < rows; ++row)
      std::memcpy(target + row * rowBytes, source.getRawData() + row * bytes,
                  bytes);
    target += bytes;
  }
  return result;
}

Tensor mlir::relay::transpose(const Tensor &source,
                              ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> own = getStrides(source.getShape());
  SmallVector<int64_t> shape, strides;
  int64_t lastMoved = -1;
  bool isView = true;
  for (int64_t dim : permutation) {
    shape.push_back(source.getDimSize(dim));
    strides.push_back(own[dim]);
    if (source.getDimSize(dim) == 1)
      continue;
    isView &= dim > lastMoved;
    lastMoved = dim;
  }
  if (isView)
    return source.reshape(shape);
  return copyStrided(source, shape, strides);
}

SmallVector<int64_t>
mlir::relay::getAxesLastPermutation(int64_t rank, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(axes, dim))
      permutation.push_back(dim);
  permutation.append(axes.begin(), axes.end());
  return permutation;
}

SmallVector<int64_t>
mlir::relay::invertPermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [index, dim] : llvm::enumerate(permutation))
    inverse[dim] = index;
  return inverse;
}

Tensor mlir::relay::broadcastTo(const Tensor &source, ArrayRef<int64_t> shape) {
  if (source.getNumElements() == getProduct(shape))
    return source.reshape(shape);
  return copyStrided(source, shape,
                     getBroadcastStrides(source.getShape(), shape));
}

Tensor mlir::relay::alignWithAxis(const Tensor &vector, int64_t axis,
                                  int64_t rank) {
  SmallVector<int64_t> shape(rank - axis, 1);
  shape[0] = vector.getNumElements();
  return vector.reshape(shape);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

template <typename W>
Tensor mlir::relay::mapBlocks(
    ArrayRef<Tensor> operands, ArrayRef<int64_t> shape, Type elementType,
    function_ref<void(ArrayRef<const W *> operands, MutableArrayRef<W> results)>
        fn) {
  constexpr int64_t chunk = 512;
  Tensor result = Tensor::allocate(shape, elementType);
  if (result.getNumElements() == 0)
    return result;
  // Programs with loops compute on scalars mostly; spare them the buffers.
  if (result.getNumElements() == 1) {
    SmallVector<W, 4> values(operands.size());
    SmallVector<const W *, 4> places;
    for (auto [operand, value] : llvm::zip_equal(operands, values)) {
      operand.load(0, 1, 1, &value);
      places.push_back(&value);
    }
    W value;
    fn(places, MutableArrayRef(value));
    result.store(0, 1, &value);
    return result;
  }
  SmallVector<int64_t> dims(shape);
  SmallVector<SmallVector<int64_t>> strides;
  for (const Tensor &operand : operands)
    strides.push_back(getBroadcastStrides(operand.getShape(), shape));
  coalesce(dims, strides);

  size_t numOperands = operands.size();
  int64_t columns = dims.back();
  SmallVector<ArrayRef<int64_t>> outerStrides;
  for (ArrayRef<int64_t> operand : strides)
    outerStrides.push_back(operand.drop_back());
  ArrayRef<int64_t> outerShape = ArrayRef<int64_t>(dims).drop_back();
  // A single long row is split between threads as well.
  int64_t chunksPerRow = (columns + chunk - 1) / chunk;

  auto mapRange = [&](int64_t begin, int64_t end) {
    std::vector<W> buffer(chunk * (numOperands + 1));
    SmallVector<const W *, 8> places;
    for (size_t operand = 0; operand < numOperands; ++operand)
      places.push_back(buffer.data() + chunk * operand);
    W *results = buffer.data() + chunk * numOperands;
    StridedIterator it(outerShape, outerStrides, begin / chunksPerRow);
    for (int64_t i = begin; i < end; ++i) {
      int64_t row = i / chunksPerRow;
      int64_t column = i % chunksPerRow * chunk;
      int64_t count = std::min(chunk, columns - column);
      for (size_t operand = 0; operand < numOperands; ++operand) {
        int64_t stride = strides[operand].back();
        operands[operand].load(it.getOffset(operand) + column * stride, stride,
                               count, buffer.data() + chunk * operand);
      }
      fn(places, MutableArrayRef<W>(results, count));
      result.store(row * columns + column, count, results);
      if (column + count == columns)
        it.advance();
    }
  };
  forEachRange(result.getContext(), getProduct(outerShape) * chunksPerRow,
               std::min(columns, chunk) * 4, mapRange);
  return result;
}

template <typename W>
Tensor mlir::relay::mapRows(const Tensor &source, Type elementType,
                            function_ref<void(MutableArrayRef<W> row)> fn) {
  Tensor result = Tensor::allocate(source.getShape(), elementType);
  int64_t columns = source.getShape().back();
  if (result.getNumElements() == 0)
    return result;
  auto mapRange = [&](int64_t begin, int64_t end) {
    std::vector<W> buffer(columns);
    for (int64_t row = begin; row < end; ++row) {
      source.load(row * columns, 1, columns, buffer.data());
      fn(buffer);
      result.store(row * columns, columns, buffer.data());
    }
  };
  forEachRange(source.getContext(), source.getNumElements() / columns,
               columns * 8, mapRange);
  return result;
}

Tensor mlir::relay::castTo(const Tensor &source, Type elementType) {
  if (source.getElementType() == elementType)
    return source;
  return dispatchWideType(source.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    return mapElements<W>(source, source.getShape(), elementType,
                          [](const W *x) { return x[0]; });
  });
}

namespace mlir::relay {
template Tensor mapBlocks(
    ArrayRef<Tensor>, ArrayRef<int64_t>, Type,
    function_ref<void(ArrayRef<const double *>, MutableArrayRef<double>)>);
template Tensor mapBlocks(
    ArrayRef<Tensor>, ArrayRef<int64_t>, Type,
    function_ref<void(ArrayRef<const int64_t *>, MutableArrayRef<int64_t>)>);
template Tensor mapBlocks(
    ArrayRef<Tensor>, ArrayRef<int64_t>, Type,
    function_ref<void(ArrayRef<const uint64_t *>, MutableArrayRef<uint64_t>)>);
template Tensor mapRows(const Tensor &, Type,
                        function_ref<void(MutableArrayRef<double>)>);
template Tensor mapRows(const Tensor &, Type,
                        function_ref<void(MutableArrayRef<int64_t>)>);
template Tensor mapRows(const Tensor &, Type,
                        function_ref<void(MutableArrayRef<uint64_t>)>);
} // namespace mlir::relay
