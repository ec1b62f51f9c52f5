//===- Movement.cpp - Operators that move elements ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Layout.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Order of dimensions
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateTranspose(TransposeOp op,
                                           ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  SmallVector<int64_t> permutation;
  if (auto axes = op.getAxes())
    for (int64_t axis : *axes)
      permutation.push_back(normalizeAxis(axis, data.getRank()));
  else
    for (int64_t dim = data.getRank(); dim-- > 0;)
      permutation.push_back(dim);
  return transpose(data, permutation);
}

static FailureOr<Tensor> evaluateLayoutTransform(LayoutTransformOp op,
                                                 ArrayRef<Tensor> operands) {
  FailureOr<Tensor> result =
      transformLayout(op, operands[0], op.getSrcLayout(), op.getDstLayout());
  return result;
}

static FailureOr<Tensor> evaluateBroadcastTo(BroadcastToOp op,
                                             ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  SmallVector<int64_t> shape(op.getShape());
  for (size_t i = 0; i < shape.size(); ++i) {
    // -1 copies the size of the data, aligned at the last dimension.
    int64_t dim = static_cast<int64_t>(i) + data.getRank() - shape.size();
    if (shape[i] == -1)
      shape[i] = dim < 0 ? 1 : data.getDimSize(dim);
  }
  auto joined = broadcastShapes(data.getShape(), shape);
  if (!joined || *joined != shape)
    return op.emitOpError("expects data that broadcasts to ")
           << RankedTensorType::get(shape, data.getElementType())
           << ", but got " << data.getType();
  return broadcastTo(data, shape);
}

static FailureOr<Tensor> evaluateReverse(ReverseOp op,
                                         ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  SmallVector<int64_t> strides = getStrides(data.getShape());
  int64_t offset =
      std::max<int64_t>(data.getDimSize(axis) - 1, 0) * strides[axis];
  strides[axis] = -strides[axis];
  return copyStrided(data, data.getShape(), strides, offset);
}

//===----------------------------------------------------------------------===//
// Join and cut
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateConcatenate(ConcatenateOp op,
                                             ArrayRef<Tensor> operands) {
  return concatenate(operands,
                     normalizeAxis(op.getAxis(), operands[0].getRank()));
}

static FailureOr<Tensor> evaluateStack(StackOp op, ArrayRef<Tensor> operands) {
  int64_t axis = normalizeAxis(op.getAxis(), operands[0].getRank() + 1);
  SmallVector<Tensor> expanded;
  for (const Tensor &operand : operands) {
    SmallVector<int64_t> shape(operand.getShape());
    shape.insert(shape.begin() + axis, 1);
    expanded.push_back(operand.reshape(shape));
  }
  return concatenate(expanded, axis);
}

static FailureOr<InterpreterValue> evaluateSplit(SplitOp op,
                                                 ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  int64_t size = data.getDimSize(axis);
  SmallVector<int64_t> cuts = {0};
  if (auto sections = dyn_cast<IntegerAttr>(op.getIndicesOrSections())) {
    int64_t count = sections.getInt();
    if (count <= 0 || size % count)
      return op.emitOpError("expects ")
             << count << " equal parts, but got a dimension of size " << size;
    for (int64_t i = 1; i < count; ++i)
      cuts.push_back(i * (size / count));
  } else {
    auto positions = cast<DenseI64ArrayAttr>(op.getIndicesOrSections());
    for (int64_t position : positions.asArrayRef()) {
      if (position < cuts.back() || position > size)
        return op.emitOpError("expects increasing positions up to ")
               << size << ", but got " << position;
      cuts.push_back(position);
    }
  }
  cuts.push_back(size);

  SmallVector<int64_t> strides = getStrides(data.getShape());
  std::vector<InterpreterValue> parts;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    SmallVector<int64_t> shape(data.getShape());
    shape[axis] = cuts[i + 1] - cuts[i];
    parts.emplace_back(
        copyStrided(data, shape, strides, cuts[i] * strides[axis]));
  }
  return InterpreterValue(parts);
}

static FailureOr<Tensor> evaluateStridedSlice(StridedSliceOp op,
                                              ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  ArrayRef<int64_t> begins = op.getBegin(), ends = op.getEnd();
  bool endIsSize = op.getSliceMode() == "size";
  ArrayRef<int64_t> steps;
  if (op.getStrides() && !endIsSize)
    steps = *op.getStrides();
  SmallVector<int64_t> shape(data.getShape());
  SmallVector<int64_t> strides = getStrides(shape);
  int64_t offset = 0;

  size_t count = std::max({begins.size(), ends.size(), steps.size()});
  for (size_t i = 0; i < count; ++i) {
    int64_t dim = i;
    if (op.getAxes())
      dim = normalizeAxis((*op.getAxes())[i], data.getRank());
    int64_t size = data.getDimSize(dim);
    int64_t step = i < steps.size() ? steps[i] : 1;
    if (step == 0)
      return op.emitOpError("expects strides other than 0, but got 0");
    // A larger step takes the first element, too.
    step = std::clamp(step, -size - 1, size + 1);
    // The positions that exist: before the first one only when going down.
    int64_t lowest = step < 0 ? -1 : 0, highest = step < 0 ? size - 1 : size;
    auto clamp = [&](int64_t position) {
      if (position < 0)
        position += size;
      return std::clamp(position, lowest, std::max(lowest, highest));
    };
    int64_t begin = i < begins.size() ? clamp(begins[i])
                    : step < 0        ? highest
                                      : 0;
    int64_t end = i < ends.size() ? clamp(ends[i]) : (step < 0 ? -1 : size);
    if (endIsSize && i < ends.size())
      end =
          ends[i] < 0 ? size : std::min(size, begin + std::min(ends[i], size));
    int64_t distance = step > 0 ? end - begin : begin - end;
    int64_t magnitude = std::abs(step);
    shape[dim] = distance <= 0 ? 0 : (distance - 1) / magnitude + 1;
    offset += begin * strides[dim];
    strides[dim] *= step;
  }
  return copyStrided(data, shape, strides, offset);
}

//===----------------------------------------------------------------------===//
// Repetition and padding
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateTile(TileOp op, ArrayRef<Tensor> operands) {
  SmallVector<int64_t> reps(op.getReps()), shape(operands[0].getShape());
  size_t rank = std::max(reps.size(), shape.size());
  reps.insert(reps.begin(), rank - reps.size(), 1);
  shape.insert(shape.begin(), rank - shape.size(), 1);
  SmallVector<int64_t> resultShape;
  for (auto [size, count] : llvm::zip_equal(shape, reps))
    resultShape.push_back(size * count);
  return gatherDimensions(
      operands[0].reshape(shape), resultShape,
      [&](int64_t dim, int64_t i) { return i % shape[dim]; });
}

static FailureOr<Tensor> evaluateRepeat(RepeatOp op,
                                        ArrayRef<Tensor> operands) {
  Tensor data = operands[0];
  int64_t axis = 0;
  if (op.getAxis())
    axis = normalizeAxis(*op.getAxis(), data.getRank());
  else
    data = data.reshape(data.getNumElements());
  SmallVector<int64_t> shape(data.getShape());
  shape[axis] *= op.getRepeats();
  return gatherDimensions(data, shape, [&](int64_t dim, int64_t i) {
    return dim == axis ? i / static_cast<int64_t>(op.getRepeats()) : i;
  });
}

/// The source of padded position `position`, or -1 for the pad value.
static int64_t getPaddingSource(int64_t position, int64_t size,
                                StringRef mode) {
  if (position >= 0 && position < size)
    return position;
  if (mode == "edge")
    return std::clamp<int64_t>(position, 0, size - 1);
  if (mode == "reflect") // At the ends, which are not repeated.
    return position < 0 ? -position : 2 * (size - 1) - position;
  return -1;
}

static FailureOr<Tensor> evaluatePad(NNPadOp op, ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  ArrayRef<int64_t> widths = op.getPadWidth();
  StringRef mode = op.getPadMode();
  SmallVector<int64_t> shape(data.getShape());
  for (int64_t dim = 0; dim < data.getRank(); ++dim) {
    int64_t size = data.getDimSize(dim);
    int64_t before = widths[2 * dim], after = widths[2 * dim + 1];
    // One reflection reaches all elements but the first; an edge needs one.
    int64_t most = mode == "reflect" ? std::max<int64_t>(size - 1, 0)
                   : size || mode == "constant"
                       ? std::numeric_limits<int64_t>::max()
                       : 0;
    if (before > most || after > most)
      return op.emitOpError("expects widths of at most ")
             << most << " along dimension " << dim << ", but got " << before
             << " and " << after;
    shape[dim] += before + after;
  }
  Tensor value = castTo(operands[1], data.getElementType());
  return gatherDimensions(
      data, shape,
      [&](int64_t dim, int64_t i) {
        return getPaddingSource(i - widths[2 * dim], data.getDimSize(dim),
                                mode);
      },
      &value);
}

static FailureOr<Tensor> evaluateTrilu(TriluOp op, ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t k;
  operands[1].load(0, 1, 1, &k);
  int64_t rows = data.getDimSize(data.getRank() - 2);
  int64_t columns = data.getDimSize(data.getRank() - 1);
  Type boolType = IntegerType::get(op.getContext(), 1);
  Tensor keeps = Tensor::allocate({rows, columns}, boolType);
  MutableArrayRef<bool> mask = keeps.getMutableElements<bool>();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      mask[row * columns + column] =
          op.getUpper() ? column - row >= k : column - row <= k;
  return dispatchWideType(data.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    return mapElements<W>(
        {data, keeps}, data.getShape(), data.getElementType(),
        [](const W *x) { return x[1] != W(0) ? x[0] : W(0); });
  });
}

//===----------------------------------------------------------------------===//
// Blocks of pixels
//===----------------------------------------------------------------------===//

/// Reshapes NCHW data, permutes it and reshapes it again; other layouts are
/// brought to NCHW and back. Each dimension must be a multiple of `divisors`.
template <typename OpT>
static FailureOr<Tensor>
rearrangeBlocks(OpT op, const Tensor &operand, ArrayRef<int64_t> divisors,
                function_ref<Tensor(const Tensor &)> rearrange) {
  FailureOr<Tensor> data = transformLayout(op, operand, op.getLayout(), "NCHW");
  if (failed(data))
    return failure();
  for (auto [size, divisor] : llvm::zip(data->getShape(), divisors))
    if (divisor <= 0 || size % divisor)
      return op.emitOpError("expects a dimension that is a multiple of ")
             << divisor << ", but got " << size;
  FailureOr<Tensor> result =
      transformLayout(op, rearrange(*data), "NCHW", op.getLayout());
  return result;
}

static FailureOr<Tensor> evaluateDepthToSpace(NNDepthToSpaceOp op,
                                              ArrayRef<Tensor> operands) {
  int64_t block = op.getBlockSize();
  SmallVector<int64_t> divisors = {1, block * block, 1, 1};
  return rearrangeBlocks(op, operands[0], divisors, [&](const Tensor &data) {
    int64_t n = data.getDimSize(0), c = data.getDimSize(1) / (block * block);
    int64_t h = data.getDimSize(2), w = data.getDimSize(3);
    Tensor moved = op.getMode() == "CDR"
                       ? transpose(data.reshape({n, c, block, block, h, w}),
                                   {0, 1, 4, 2, 5, 3})
                       : transpose(data.reshape({n, block, block, c, h, w}),
                                   {0, 3, 4, 1, 5, 2});
    return moved.reshape({n, c, h * block, w * block});
  });
}

static FailureOr<Tensor> evaluateSpaceToDepth(NNSpaceToDepthOp op,
                                              ArrayRef<Tensor> operands) {
  int64_t block = op.getBlockSize();
  SmallVector<int64_t> divisors = {1, 1, block, block};
  return rearrangeBlocks(op, operands[0], divisors, [&](const Tensor &data) {
    int64_t n = data.getDimSize(0), c = data.getDimSize(1);
    int64_t h = data.getDimSize(2) / block, w = data.getDimSize(3) / block;
    Tensor blocks = data.reshape({n, c, h, block, w, block});
    Tensor moved = op.getMode() == "CDR"
                       ? transpose(blocks, {0, 1, 3, 5, 2, 4})
                       : transpose(blocks, {0, 3, 5, 1, 2, 4});
    return moved.reshape({n, c * block * block, h, w});
  });
}

void relay::detail::populateMovementEvaluators(EvaluatorTable &table) {
  table.add<TransposeOp>(evaluateTranspose);
  table.add<LayoutTransformOp>(evaluateLayoutTransform);
  table.add<BroadcastToOp>(evaluateBroadcastTo);
  table.add<ReverseOp>(evaluateReverse);
  table.add<ConcatenateOp>(evaluateConcatenate);
  table.add<StackOp>(evaluateStack);
  table.add<SplitOp>(evaluateSplit);
  table.add<StridedSliceOp>(evaluateStridedSlice);
  table.add<TileOp>(evaluateTile);
  table.add<RepeatOp>(evaluateRepeat);
  table.add<NNPadOp>(evaluatePad);
  table.add<TriluOp>(evaluateTrilu);
  table.add<NNDepthToSpaceOp>(evaluateDepthToSpace);
  table.add<NNSpaceToDepthOp>(evaluateSpaceToDepth);
}
