//===- Transform.cpp - Operators that follow other shapes -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Delegate.h"
#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Types of other tensors
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateBroadcastToLike(BroadcastToLikeOp op,
                                                 ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  ArrayRef<int64_t> shape = operands[1].getShape();
  auto joined = broadcastShapes(data.getShape(), shape);
  if (!joined || ArrayRef<int64_t>(*joined) != shape)
    return op.emitOpError("expects data that broadcasts to ")
           << operands[1].getType() << ", but got " << data.getType();
  return broadcastTo(data, shape);
}

static FailureOr<Tensor> evaluateCastLike(CastLikeOp op,
                                          ArrayRef<Tensor> operands) {
  return castTo(operands[0], operands[1].getElementType());
}

/// Adds each element of `data` to the element of a tensor of `shape` from which
/// a broadcast would have made it.
static FailureOr<Tensor> collapseSum(Operation *op, const Tensor &data,
                                     ArrayRef<int64_t> shape) {
  auto joined = broadcastShapes(shape, data.getShape());
  if (!joined || ArrayRef<int64_t>(*joined) != data.getShape())
    return op->emitOpError("expects a shape that broadcasts to ")
           << data.getType() << ", but got "
           << RankedTensorType::get(shape, data.getElementType());
  SmallVector<int64_t> strides = getBroadcastStrides(shape, data.getShape());
  return dispatchWideType(data.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    // Unsigned sums wrap where signed ones would be undefined.
    using Sum = std::conditional_t<std::is_same_v<W, double>, double, uint64_t>;
    SmallVector<Sum> sums(getProduct(shape), Sum(0));
    SmallVector<W> elements = data.loadAll<W>();
    ArrayRef<int64_t> operandStrides[] = {strides};
    if (!elements.empty()) {
      StridedIterator it(data.getShape(), operandStrides);
      for (W element : elements) {
        sums[it.getOffset(0)] += static_cast<Sum>(element);
        it.advance();
      }
    }
    Tensor result = Tensor::allocate(shape, data.getElementType());
    result.store(0, sums.size(), sums.data());
    return result;
  });
}

static FailureOr<Tensor> evaluateCollapseSumLike(CollapseSumLikeOp op,
                                                 ArrayRef<Tensor> operands) {
  return collapseSum(op, operands[0], operands[1].getShape());
}

static FailureOr<Tensor> evaluateCollapseSumTo(CollapseSumToOp op,
                                               ArrayRef<Tensor> operands) {
  SmallVector<int64_t> shape = operands[1].loadAll<int64_t>();
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return op.emitOpError("expects sizes not to be negative, but got [")
           << ArrayRef<int64_t>(shape) << "]";
  if (auto expected = op.getShape();
      expected && *expected != ArrayRef<int64_t>(shape))
    return op.emitOpError("expects the shape [")
           << *expected << "], but got [" << ArrayRef<int64_t>(shape) << "]";
  return collapseSum(op, operands[0], shape);
}

static FailureOr<Tensor> evaluateReshapeLike(ReshapeLikeOp op,
                                             ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0], &like = operands[1];
  int64_t lhsBegin = normalizeAxis(op.getLhsBegin(), data.getRank());
  int64_t lhsEnd =
      normalizeAxis(op.getLhsEnd().value_or(data.getRank()), data.getRank());
  int64_t rhsBegin = normalizeAxis(op.getRhsBegin(), like.getRank());
  int64_t rhsEnd =
      normalizeAxis(op.getRhsEnd().value_or(like.getRank()), like.getRank());
  SmallVector<int64_t> shape(data.getShape().take_front(lhsBegin));
  llvm::append_range(shape, like.getShape().slice(rhsBegin, rhsEnd - rhsBegin));
  llvm::append_range(shape, data.getShape().drop_front(lhsEnd));
  if (getProduct(shape) != data.getNumElements())
    return op.emitOpError("expects a shape of ")
           << data.getNumElements() << " elements, but got "
           << RankedTensorType::get(shape, data.getElementType());
  return data.reshape(shape);
}

static FailureOr<Tensor> evaluateSliceLike(SliceLikeOp op,
                                           ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0], &like = operands[1];
  SmallVector<int64_t> axes(op.getAxes().value_or(ArrayRef<int64_t>()));
  if (axes.empty())
    axes = llvm::to_vector(llvm::seq<int64_t>(like.getRank()));
  SmallVector<int64_t> shape(data.getShape());
  for (int64_t axis : axes) {
    axis = normalizeAxis(axis, data.getRank());
    if (like.getDimSize(axis) > shape[axis])
      return op.emitOpError("expects shape_like within ")
             << data.getType() << " along axis " << axis << ", but got "
             << like.getType();
    shape[axis] = like.getDimSize(axis);
  }
  return copyStrided(data, shape, getStrides(data.getShape()));
}

//===----------------------------------------------------------------------===//
// Shapes, layouts and bits
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> reversed(ArrayRef<int64_t> values) {
  return llvm::to_vector(llvm::reverse(values));
}

/// A reshape of the mirrored shape with the mirrored codes, mirrored.
static FailureOr<InterpreterValue>
evaluateReverseReshape(ContribReverseReshapeOp op, const Tensor &data,
                       const Delegate<ReshapeOp> &reshape) {
  Builder builder(op.getContext());
  ReshapeOp::Properties properties;
  properties.newshape =
      builder.getDenseI64ArrayAttr(reversed(op.getNewshape()));
  properties.allowzero = op.getAllowzeroAttr();
  FailureOr<InterpreterValue> result =
      reshape(op, data.reshape(reversed(data.getShape())), properties);
  if (failed(result))
    return failure();
  const Tensor &tensor = result->getTensor();
  return InterpreterValue(tensor.reshape(reversed(tensor.getShape())));
}

static FailureOr<Tensor> evaluateReinterpret(ReinterpretOp op,
                                             ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  Tensor result = Tensor::allocate(data.getShape(), op.getDtype());
  std::memcpy(result.getMutableRawData(), data.getRawData(),
              data.getSizeInBytes());
  return result;
}

static FailureOr<Tensor>
evaluateAutoSchedulerLayout(AutoSchedulerLayoutTransformOp op,
                            ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  FailureOr<TiledLayout> src = TiledLayout::parse(op.getSrcLayout());
  FailureOr<TiledLayout> dst = TiledLayout::parse(op.getDstLayout());
  if (failed(src) || failed(dst))
    return op.emitOpError("expects layouts such as \"4N16C\"");
  if (ArrayRef<int64_t>(src->sizes) != data.getShape())
    return op.emitOpError("expects data of the sizes of src_layout \"")
           << op.getSrcLayout() << "\", but got " << data.getType();
  // An inner tile of an axis is as far from the next as all tiles within it
  // hold.
  SmallVector<int64_t> dataStrides = getStrides(data.getShape());
  SmallVector<int64_t> strides(dst->axes.size());
  for (auto [axis, stride] : llvm::zip_equal(src->axes, dataStrides)) {
    int64_t step = stride;
    for (size_t i = dst->axes.size(); i-- > 0;) {
      if (dst->axes[i] != axis)
        continue;
      strides[i] = step;
      step *= dst->sizes[i];
    }
  }
  return copyStrided(data, dst->sizes, strides);
}

static FailureOr<Tensor>
evaluateMetaScheduleLayout(MetaScheduleLayoutTransformOp op,
                           ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  AffineMap map = op.getIndexMap();
  FailureOr<SmallVector<int64_t>> shape = mapShape(map, data.getShape());
  auto notBijective = [&] {
    return op.emitOpError("expects a bijective index_map for ")
           << data.getType() << ", but got " << op.getIndexMapAttr();
  };
  if (failed(shape) || getProduct(*shape) != data.getNumElements())
    return notBijective();
  SmallVector<int64_t> strides = getStrides(*shape);
  SmallVector<bool> isSet(data.getNumElements(), false);
  Tensor result = Tensor::allocate(*shape, data.getElementType());
  int64_t bytes = getElementSize(data.getElementType());
  Type indexType = IntegerType::get(op.getContext(), 64);
  if (data.getNumElements() == 0)
    return result;
  StridedIterator it(data.getShape(), {});
  for (int64_t source = 0; source < data.getNumElements(); ++source) {
    SmallVector<Attribute> index, target;
    for (int64_t i : it.getIndex())
      index.push_back(IntegerAttr::get(indexType, i));
    if (failed(map.constantFold(index, target)))
      return notBijective();
    int64_t offset = 0;
    for (auto [position, stride] : llvm::zip_equal(target, strides))
      offset += cast<IntegerAttr>(position).getInt() * stride;
    if (std::exchange(isSet[offset], true))
      return notBijective();
    std::memcpy(result.getMutableRawData() + offset * bytes,
                data.getRawData() + source * bytes, bytes);
    it.advance();
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Windows and parts
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateSlidingWindow(SlidingWindowOp op,
                                               ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  SmallVector<int64_t> own = getStrides(data.getShape());
  SmallVector<int64_t> shape(data.getShape().take_front(axis));
  SmallVector<int64_t> strides(ArrayRef(own).take_front(axis));
  for (auto [i, window, step] :
       llvm::enumerate(op.getWindowShape(), op.getStrides())) {
    int64_t size = data.getDimSize(axis + i);
    if (window > size)
      return op.emitOpError("expects a window within ")
             << data.getType() << ", but got [" << op.getWindowShape() << "]";
    shape.push_back((size - window) / step + 1);
    strides.push_back(own[axis + i] * step);
  }
  llvm::append_range(shape, op.getWindowShape());
  llvm::append_range(strides, ArrayRef(own).drop_front(axis));
  return copyStrided(data, shape, strides);
}

static FailureOr<Tensor> evaluateStridedSet(StridedSetOp op,
                                            ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  SmallVector<int64_t> begins = operands[2].loadAll<int64_t>(),
                       ends = operands[3].loadAll<int64_t>(),
                       steps = operands[4].loadAll<int64_t>();
  size_t count = std::max({begins.size(), ends.size(), steps.size()});
  if (static_cast<int64_t>(count) > data.getRank())
    return op.emitOpError("expects begin, end and strides of sizes up to ")
           << data.getRank() << ", but got " << begins.size() << ", "
           << ends.size() << " and " << steps.size();
  SmallVector<int64_t> shape(data.getShape()), strides = getStrides(shape);
  int64_t offset = 0;
  for (size_t dim = 0; dim < count; ++dim) {
    int64_t size = shape[dim], step = dim < steps.size() ? steps[dim] : 1;
    if (step == 0)
      return op.emitOpError("expects strides other than 0, but got 0");
    // Going down, a slice may end before the first element.
    int64_t lowest = step < 0 ? -1 : 0, highest = step < 0 ? size - 1 : size;
    auto clamp = [&](int64_t position) {
      return std::clamp(position < 0 ? position + size : position, lowest,
                        std::max(lowest, highest));
    };
    // Without a bound the slice reaches to the end.
    int64_t begin = dim < begins.size() ? clamp(begins[dim])
                    : step > 0          ? 0
                                        : highest;
    int64_t end = dim < ends.size() ? clamp(ends[dim]) : step > 0 ? size : -1;
    int64_t distance = step > 0 ? end - begin : begin - end;
    shape[dim] = distance <= 0 ? 0 : (distance - 1) / std::abs(step) + 1;
    offset += begin * strides[dim];
    strides[dim] *= step;
  }
  auto joined = broadcastShapes(operands[1].getShape(), shape);
  if (!joined || *joined != shape)
    return op.emitOpError("expects v that broadcasts to ")
           << RankedTensorType::get(shape, data.getElementType())
           << ", but got " << operands[1].getType();
  Tensor values = broadcastTo(operands[1], shape);
  Tensor result =
      copyStrided(data, data.getShape(), getStrides(data.getShape()));
  int64_t bytes = getElementSize(data.getElementType());
  ArrayRef<int64_t> operandStrides[] = {strides};
  if (values.getNumElements() == 0)
    return result;
  StridedIterator it(shape, operandStrides);
  for (int64_t i = 0; i < values.getNumElements(); ++i) {
    std::memcpy(result.getMutableRawData() + (offset + it.getOffset(0)) * bytes,
                values.getRawData() + i * bytes, bytes);
    it.advance();
  }
  return result;
}

static FailureOr<Tensor> evaluateMatrixSetDiag(MatrixSetDiagOp op,
                                               ArrayRef<Tensor> operands) {
  const Tensor &input = operands[0], &diagonal = operands[1];
  int64_t rank = input.getRank();
  int64_t rows = input.getDimSize(rank - 2);
  int64_t columns = input.getDimSize(rank - 1);
  int64_t k1 = op.getK1(), k2 = op.getK2();
  auto getLength = [&](int64_t k) {
    return std::min(rows + std::min<int64_t>(k, 0),
                    columns - std::max<int64_t>(k, 0));
  };
  int64_t longest = 0;
  for (int64_t k = k1; k <= k2; ++k)
    longest = std::max(longest, getLength(k));
  SmallVector<int64_t> expected(input.getShape().drop_back(2));
  if (k1 != k2)
    expected.push_back(k2 - k1 + 1);
  expected.push_back(longest);
  if (k1 <= -rows || k2 >= columns ||
      diagonal.getShape() != ArrayRef<int64_t>(expected))
    return op.emitOpError("expects the diagonals ")
           << k1 << " to " << k2 << " of " << input.getType() << ", but got "
           << diagonal.getType();

  Tensor result =
      copyStrided(input, input.getShape(), getStrides(input.getShape()));
  int64_t bytes = getElementSize(input.getElementType());
  int64_t batch = getProduct(input.getShape().drop_back(2));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t k = k1; k <= k2; ++k) {
      bool alignsRight =
          k >= 0 ? op.getSuperDiagRightAlign() : op.getSubDiagRightAlign();
      int64_t length = getLength(k);
      int64_t source = (b * (k2 - k1 + 1) + k2 - k) * longest +
                       (alignsRight ? longest - length : 0);
      for (int64_t i = 0; i < length; ++i) {
        int64_t row = i - std::min<int64_t>(k, 0);
        int64_t target = (b * rows + row) * columns + row + k;
        std::memcpy(result.getMutableRawData() + target * bytes,
                    diagonal.getRawData() + (source + i) * bytes, bytes);
      }
    }
  return result;
}

/// Copies data; along `timeAxis` of batch element b, position t comes from
/// `getSource(b, t)`, or is `fill` for -1.
static Tensor mapSequences(const Tensor &data, int64_t timeAxis,
                           int64_t batchAxis, const Tensor *fill,
                           function_ref<int64_t(int64_t, int64_t)> getSource) {
  SmallVector<int64_t> permutation =
      getAxesLastPermutation(data.getRank(), {batchAxis, timeAxis});
  // Batch and time first: the rest moves as one.
  std::rotate(permutation.begin(), permutation.end() - 2, permutation.end());
  Tensor moved = transpose(data, permutation);
  std::vector<Tensor> sequences;
  int64_t batch = data.getDimSize(batchAxis), time = data.getDimSize(timeAxis);
  int64_t rest = batch * time ? data.getNumElements() / (batch * time) : 0;
  Tensor rows = moved.reshape({batch, time, rest});
  if (data.getNumElements() == 0)
    return data;
  for (int64_t b = 0; b < batch; ++b) {
    sequences.push_back(gatherDimensions(
        rows, {1, time, rest},
        [&](int64_t dim, int64_t i) {
          return dim == 0 ? b : dim == 1 ? getSource(b, i) : i;
        },
        fill));
  }
  Tensor joined = concatenate(sequences, /*axis=*/0);
  return transpose(joined.reshape(moved.getShape()),
                   invertPermutation(permutation));
}

static FailureOr<Tensor> evaluateReverseSequence(ReverseSequenceOp op,
                                                 ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t seqAxis = normalizeAxis(op.getSeqAxis(), data.getRank());
  int64_t batchAxis = normalizeAxis(op.getBatchAxis(), data.getRank());
  SmallVector<int64_t> lengths = operands[1].loadAll<int64_t>();
  if (static_cast<int64_t>(lengths.size()) != data.getDimSize(batchAxis))
    return op.emitOpError("expects seq_lengths for ")
           << data.getDimSize(batchAxis) << " sequences, but got "
           << lengths.size();
  for (int64_t &length : lengths)
    length = std::clamp<int64_t>(length, 0, data.getDimSize(seqAxis));
  return mapSequences(data, seqAxis, batchAxis, /*fill=*/nullptr,
                      [&](int64_t b, int64_t t) {
                        return t < lengths[b] ? lengths[b] - 1 - t : t;
                      });
}

static FailureOr<Tensor> evaluateSequenceMask(SequenceMaskOp op,
                                              ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = op.getAxis();
  SmallVector<double> lengths = operands[1].loadAll<double>();
  if (static_cast<int64_t>(lengths.size()) != data.getDimSize(1 - axis))
    return op.emitOpError("expects valid_length of size ")
           << data.getDimSize(1 - axis) << ", but got " << lengths.size();
  Tensor fill = Tensor::allocate({}, data.getElementType());
  double value = op.getMaskValue().convertToDouble();
  fill.store(0, 1, &value);
  return mapSequences(data, axis, 1 - axis, &fill,
                      [&](int64_t b, int64_t t) -> int64_t {
                        return static_cast<double>(t) < lengths[b] ? t : -1;
                      });
}

void relay::detail::populateTransformEvaluators(EvaluatorTable &table) {
  table.add<BroadcastToLikeOp>(evaluateBroadcastToLike);
  table.add<CastLikeOp>(evaluateCastLike);
  table.add<CollapseSumLikeOp>(evaluateCollapseSumLike);
  table.add<CollapseSumToOp>(evaluateCollapseSumTo);
  table.add<ReshapeLikeOp>(evaluateReshapeLike);
  table.add<SliceLikeOp>(evaluateSliceLike);
  table.add<ContribReverseReshapeOp>(
      [reshape = Delegate<ReshapeOp>(table)](ContribReverseReshapeOp op,
                                             ArrayRef<Tensor> operands) {
        return evaluateReverseReshape(op, operands[0], reshape);
      });
  table.add<ReinterpretOp>(evaluateReinterpret);
  table.add<AutoSchedulerLayoutTransformOp>(evaluateAutoSchedulerLayout);
  table.add<MetaScheduleLayoutTransformOp>(evaluateMetaScheduleLayout);
  table.add<SlidingWindowOp>(evaluateSlidingWindow);
  table.add<StridedSetOp>(evaluateStridedSet);
  table.add<MatrixSetDiagOp>(evaluateMatrixSetDiag);
  table.add<ReverseSequenceOp>(evaluateReverseSequence);
  table.add<SequenceMaskOp>(evaluateSequenceMask);
}
