//===- Indexing.cpp - Operators with positions as operands ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;

static InFlightDiagnostic emitIndexError(Operation *op, int64_t lowest,
                                         int64_t end, int64_t index) {
  return op->emitOpError("expects indices in [")
         << lowest << ", " << end << "), but got " << index;
}

//===----------------------------------------------------------------------===//
// Take and gather
//===----------------------------------------------------------------------===//

/// Brings the positions into [0, size) as the mode says.
static LogicalResult resolveIndices(TakeOp op, MutableArrayRef<int64_t> indices,
                                    int64_t size) {
  StringRef mode = op.getMode();
  for (int64_t &index : indices) {
    if (index >= 0 && index < size)
      continue;
    if (mode == "fast" && index < 0 && index >= -size) {
      index += size;
      continue;
    }
    if (mode == "fast" || size == 0)
      return emitIndexError(op, mode == "fast" ? -size : 0, size, index);
    index = mode == "wrap" ? ((index % size) + size) % size
                           : std::clamp<int64_t>(index, 0, size - 1);
  }
  return success();
}

static FailureOr<Tensor> evaluateTake(TakeOp op, ArrayRef<Tensor> operands) {
  Tensor data = operands[0];
  const Tensor &indices = operands[1];
  int64_t batchDims = normalizeAxis(op.getBatchDims(), indices.getRank());
  int64_t axis = 0;
  if (op.getAxis())
    axis = normalizeAxis(*op.getAxis(), data.getRank());
  else
    data = data.reshape(data.getNumElements());
  ArrayRef<int64_t> shape = data.getShape();
  ArrayRef<int64_t> batchShape = shape.take_front(batchDims);
  if (batchDims > axis ||
      batchShape != indices.getShape().take_front(batchDims))
    return op.emitOpError("expects ")
           << batchDims << " common dimensions, but got " << data.getType()
           << " and " << indices.getType();

  SmallVector<int64_t> positions = indices.loadAll<int64_t>();
  if (failed(resolveIndices(op, positions, shape[axis])))
    return failure();
  ArrayRef<int64_t> middleShape = shape.slice(batchDims, axis - batchDims);
  ArrayRef<int64_t> innerShape = shape.drop_front(axis + 1);
  ArrayRef<int64_t> takenShape = indices.getShape().drop_front(batchDims);
  SmallVector<int64_t> resultShape(shape.take_front(axis));
  llvm::append_range(resultShape, takenShape);
  llvm::append_range(resultShape, innerShape);

  Tensor result = Tensor::allocate(resultShape, data.getElementType());
  int64_t taken = getProduct(takenShape);
  int64_t middle = getProduct(middleShape);
  int64_t bytes =
      getProduct(innerShape) * getElementSize(data.getElementType());
  const char *from = data.getRawData();
  char *to = result.getMutableRawData();
  // Rows of the result: (batch, middle) outside, taken positions inside.
  auto takeRange = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t i = 0; i < taken; ++i) {
        int64_t position = positions[row / middle * taken + i];
        std::memcpy(to + (row * taken + i) * bytes,
                    from + (row * shape[axis] + position) * bytes, bytes);
      }
  };
  if (result.getNumElements())
    forEachRange(op.getContext(), getProduct(batchShape) * middle,
                 taken * (bytes + 8) / 8, takeRange);
  return result;
}

/// Calls `fn(element of data, element of indices)` for each position, where the
/// dimension `axis` of the data is replaced by the index.
static LogicalResult
forEachElementAlong(Operation *op, const Tensor &data, const Tensor &indices,
                    int64_t axis, function_ref<void(int64_t, int64_t)> fn) {
  for (int64_t dim = 0; dim < data.getRank(); ++dim)
    if (dim != axis && indices.getDimSize(dim) > data.getDimSize(dim))
      return op->emitOpError("expects indices within ")
             << data.getType() << " but along axis " << axis << ", but got "
             << indices.getType();
  SmallVector<int64_t> positions = indices.loadAll<int64_t>();
  SmallVector<int64_t> strides = getStrides(data.getShape());
  int64_t size = data.getDimSize(axis), axisStride = strides[axis];
  strides[axis] = 0;
  ArrayRef<int64_t> operandStrides[] = {strides};
  if (positions.empty())
    return success();
  StridedIterator it(indices.getShape(), operandStrides);
  for (auto [element, position] : llvm::enumerate(positions)) {
    if (position < -size || position >= size)
      return emitIndexError(op, -size, size, position);
    fn(it.getOffset(0) + normalizeAxis(position, size) * axisStride, element);
    it.advance();
  }
  return success();
}

static FailureOr<Tensor> evaluateGather(GatherOp op,
                                        ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0], &indices = operands[1];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  Tensor result = Tensor::allocate(indices.getShape(), data.getElementType());
  int64_t bytes = getElementSize(data.getElementType());
  const char *from = data.getRawData();
  char *to = result.getMutableRawData();
  auto copy = [&](int64_t source, int64_t target) {
    std::memcpy(to + target * bytes, from + source * bytes, bytes);
  };
  if (failed(forEachElementAlong(op, data, indices, axis, copy)))
    return failure();
  return result;
}

/// Calls `fn(offset in data, column)` for each column of `indices` (M, Y...),
/// where the column names a slice of data after `batchDims` common dimensions.
static LogicalResult forEachSlice(Operation *op, const Tensor &data,
                                  const Tensor &indices, int64_t batchDims,
                                  function_ref<void(int64_t, int64_t)> fn) {
  int64_t depth = indices.getDimSize(0);
  ArrayRef<int64_t> shape = data.getShape();
  ArrayRef<int64_t> columnShape = indices.getShape().drop_front();
  if (batchDims + depth > data.getRank() ||
      shape.take_front(batchDims) != columnShape.take_front(batchDims))
    return op->emitOpError("expects indices for ")
           << data.getType() << " after " << batchDims
           << " common dimensions, but got " << indices.getType();
  SmallVector<int64_t> strides = getStrides(shape);
  SmallVector<int64_t> positions = indices.loadAll<int64_t>();
  int64_t columns = getProduct(columnShape);
  int64_t columnsPerBatch = getProduct(columnShape.drop_front(batchDims));
  int64_t batchSize = getProduct(shape.drop_front(batchDims));
  for (int64_t column = 0; column < columns; ++column) {
    int64_t offset = column / columnsPerBatch * batchSize;
    for (int64_t i = 0; i < depth; ++i) {
      int64_t position = positions[i * columns + column];
      int64_t size = shape[batchDims + i];
      if (position < -size || position >= size)
        return emitIndexError(op, -size, size, position);
      offset += normalizeAxis(position, size) * strides[batchDims + i];
    }
    fn(offset, column);
  }
  return success();
}

static FailureOr<Tensor> evaluateGatherNd(GatherNdOp op,
                                          ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0], &indices = operands[1];
  int64_t batchDims = normalizeAxis(op.getBatchDims(), data.getRank());
  int64_t depth = std::min(batchDims + indices.getDimSize(0), data.getRank());
  ArrayRef<int64_t> sliceShape = data.getShape().drop_front(depth);
  SmallVector<int64_t> shape(indices.getShape().drop_front());
  llvm::append_range(shape, sliceShape);
  Tensor result = Tensor::allocate(shape, data.getElementType());
  int64_t elementBytes = getElementSize(data.getElementType());
  int64_t bytes = getProduct(sliceShape) * elementBytes;
  const char *from = data.getRawData();
  char *to = result.getMutableRawData();
  auto copy = [&](int64_t offset, int64_t column) {
    std::memcpy(to + column * bytes, from + offset * elementBytes, bytes);
  };
  if (failed(forEachSlice(op, data, indices, batchDims, copy)))
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

namespace {
enum class Update { Replace, Add, Multiply, Mean, Min, Max };
} // namespace

/// `name` is one of those that the operators' verifiers admit.
static Update parseUpdate(StringRef name) {
  return llvm::StringSwitch<Update>(name)
      .Case("update", Update::Replace)
      .Case("add", Update::Add)
      .Case("mul", Update::Multiply)
      .Case("mean", Update::Mean)
      .Case("min", Update::Min)
      .Case("max", Update::Max);
}

template <typename W>
static W applyUpdate(W old, W value, Update update) {
  // Unsigned arithmetic wraps where signed would be undefined.
  using Wrapping =
      std::conditional_t<std::is_same_v<W, double>, double, uint64_t>;
  Wrapping a = static_cast<Wrapping>(old), b = static_cast<Wrapping>(value);
  switch (update) {
  case Update::Replace:
    return value;
  case Update::Add:
    return static_cast<W>(a + b);
  case Update::Multiply:
    return static_cast<W>(a * b);
  case Update::Mean:
    return static_cast<W>(a + b) / W(2);
  case Update::Min:
    return value < old ? value : old;
  case Update::Max:
    return value > old ? value : old;
  }
  llvm_unreachable("unknown update");
}

/// Copies `data`, widened, lets `scatter(elements)` change it, and stores it.
template <typename W>
static FailureOr<Tensor>
updateCopy(const Tensor &data,
           function_ref<LogicalResult(MutableArrayRef<W>)> scatter) {
  SmallVector<W> elements = data.loadAll<W>();
  if (failed(scatter(elements)))
    return failure();
  Tensor result = Tensor::allocate(data.getShape(), data.getElementType());
  result.store(0, elements.size(), elements.data());
  return result;
}

static FailureOr<Tensor> evaluateScatterElements(ScatterElementsOp op,
                                                 ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0], &indices = operands[1];
  Update update = parseUpdate(op.getReduction());
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  return dispatchWideType(data.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    SmallVector<W> updates = operands[2].loadAll<W>();
    return updateCopy<W>(data, [&](MutableArrayRef<W> elements) {
      return forEachElementAlong(
          op, data, indices, axis, [&](int64_t target, int64_t source) {
            elements[target] =
                applyUpdate(elements[target], updates[source], update);
          });
    });
  });
}

static FailureOr<Tensor> evaluateScatterNd(ScatterNdOp op,
                                           ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0], &indices = operands[1];
  Update update = parseUpdate(op.getMode());
  int64_t sliceSize =
      getProduct(data.getShape().drop_front(indices.getDimSize(0)));
  return dispatchWideType(data.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    SmallVector<W> updates = operands[2].loadAll<W>();
    return updateCopy<W>(data, [&](MutableArrayRef<W> elements) {
      return forEachSlice(op, data, indices, /*batchDims=*/0,
                          [&](int64_t offset, int64_t column) {
                            for (int64_t i = 0; i < sliceSize; ++i)
                              elements[offset + i] = applyUpdate(
                                  elements[offset + i],
                                  updates[column * sliceSize + i], update);
                          });
    });
  });
}

void relay::detail::populateIndexingEvaluators(EvaluatorTable &table) {
  table.add<TakeOp>(evaluateTake);
  table.add<GatherOp>(evaluateGather);
  table.add<GatherNdOp>(evaluateGatherNd);
  table.add<ScatterElementsOp>(evaluateScatterElements);
  table.add<ScatterNdOp>(evaluateScatterNd);
}
