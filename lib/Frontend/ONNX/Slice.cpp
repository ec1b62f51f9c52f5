//===- Slice.cpp - Operators of ONNX that cut tensors --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// A position along a dimension of size `dim`, as relay.strided_slice wants it:
/// a number, negative if it counts from the end.
static std::optional<int64_t> getPosition(const ShapeScalar &position,
                                          const ShapeScalar &dim) {
  if (std::optional<int64_t> constant = position.getConstant())
    return constant;
  if (position.isSame(dim))
    return std::numeric_limits<int64_t>::max();
  // n - 1 is -1, whatever n is; n - 5 may be negative, and counts from the end
  // then.
  ShapeScalar distance;
  bool isNegative = false;
  for (unsigned i = 0; i < kNumCases; ++i)
    if (position.isPossible(i) && dim.isPossible(i)) {
      distance.set(i, position[i] - dim[i]);
      isNegative |= position[i] < 0;
    }
  std::optional<int64_t> constant = distance.getConstant();
  return constant && *constant < 0 && !isNegative ? constant : std::nullopt;
}

namespace {

/// The bounds of a Slice, for each of `axes`.
struct SliceBounds {
  /// Unknown where they are computed when the model runs.
  SmallVector<ShapeScalar> begin, end;
  SmallVector<int64_t> axes, steps;
};

} // namespace

/// Gives bounds of unknown length, of the first axes, those of the other axes,
/// which are whole.
static LogicalResult completeBounds(NodeContext &node) {
  Type type = node.getBuilder().getI64Type();
  int64_t rank = node.getInputType(0).getRank();
  SmallVector<Value, 2> bounds;
  for (unsigned index : {1, 2}) {
    Value value = node.castTo(node.materializeInput(index), type);
    if (!value)
      return failure();
    bounds.push_back(value);
  }
  Value count = node.createSize(bounds[0], 0);
  Value isRight = node.create<LogicalAndOp>(
      {node.create<EqualOp>({count, node.createSize(bounds[1], 0)}),
       node.create<LessEqualOp>(
           {count, node.createScalar(static_cast<double>(rank), type)})});
  for (auto [number, value] : llvm::enumerate(bounds)) {
    SmallVector<int64_t> whole(
        rank, number == 0 ? 0 : std::numeric_limits<int64_t>::max());
    value = node.assertThat(value, isRight,
                            "expects as many starts as ends, and no more than "
                            "axes");
    value = node.concatenate({value, node.createInts(ArrayRef(whole))}, 0);
    value = value ? node.slice(value, 0, 0, rank) : nullptr;
    value = value ? node.expectSize(value, 0, rank) : nullptr;
    if (!value)
      return failure();
    node.setInput(static_cast<unsigned>(number) + 1, value);
  }
  return success();
}

/// Vectors of bounds, axes and steps have one length. Where that of one is not
/// known, as of a Slice of another vector, it is that of the others, or that of
/// the shape of a vector, 1; that is checked when the model runs.
static LogicalResult settleCount(NodeContext &node) {
  std::optional<int64_t> count;
  SmallVector<unsigned> open;
  for (unsigned index = 1; index < node.getNumInputs(); ++index) {
    if (!node.hasInput(index) || node.getInputType(index).getRank() != 1)
      continue;
    int64_t size = node.getInputType(index).getDimSize(0);
    if (ShapedType::isDynamic(size))
      open.push_back(index);
    else
      count = size;
  }
  if (!count && node.getInputType(0).getRank() == 1)
    count = 1;
  if (!count && open == SmallVector<unsigned>{1, 2})
    return completeBounds(node);
  if (!count)
    return success();
  for (unsigned index : open) {
    Value value = node.materializeInput(index);
    value = value ? node.expectSize(value, 0, *count) : nullptr;
    if (!value)
      return failure();
    node.setInput(index, value);
  }
  return success();
}

/// The numbers of input `index`, unknown ones if they are computed when the
/// model runs.
static FailureOr<SmallVector<ShapeScalar>> readBounds(NodeContext &node,
                                                      unsigned index) {
  if (!node.hasInput(index)) {
    node.emitError() << "expects input " << index << ", which is left out";
    return failure();
  }
  RankedTensorType type = node.getInputType(index);
  if (!type.getElementType().isInteger() || type.getRank() != 1 ||
      !type.hasStaticShape()) {
    node.emitError() << "expects bounds that are vectors of integers, but \""
                     << node.getNode().inputs[index] << "\" is " << type;
    return failure();
  }
  // Each is of another axis.
  if (type.getDimSize(0) > kMaxTensorRank) {
    node.emitError() << "expects bounds of at most " << kMaxTensorRank
                     << " axes, but \"" << node.getNode().inputs[index]
                     << "\" is " << type;
    return failure();
  }
  if (const ShapeTensor *contents = node.getContents(index))
    return SmallVector<ShapeScalar>(contents->elements.begin(),
                                    contents->elements.end());
  return SmallVector<ShapeScalar>(type.getDimSize(0));
}

static FailureOr<SliceBounds> readSlice(NodeContext &node, int64_t rank) {
  SliceBounds bounds;
  bool hasAxes;
  if (node.getOpset() < 10) {
    auto read = [&](StringRef name, SmallVector<ShapeScalar> &list) {
      for (int64_t value : node.getInts(name).value_or(ArrayRef<int64_t>()))
        list.push_back(ShapeScalar::get(value));
    };
    read("starts", bounds.begin);
    read("ends", bounds.end);
    std::optional<ArrayRef<int64_t>> values = node.getInts("axes");
    if ((hasAxes = values.has_value()))
      bounds.axes = llvm::to_vector(*values);
  } else {
    FailureOr<SmallVector<ShapeScalar>> begin = readBounds(node, 1);
    if (failed(begin))
      return failure();
    FailureOr<SmallVector<ShapeScalar>> end = readBounds(node, 2);
    if (failed(end))
      return failure();
    bounds.begin = *begin;
    bounds.end = *end;
    if ((hasAxes = node.hasInput(3))) {
      FailureOr<SmallVector<int64_t>> values = node.getConstantInts(3);
      if (failed(values))
        return failure();
      bounds.axes = *values;
    }
    if (node.hasInput(4)) {
      FailureOr<SmallVector<int64_t>> values = node.getConstantInts(4);
      if (failed(values))
        return failure();
      bounds.steps = *values;
    }
  }
  if (!hasAxes)
    bounds.axes = llvm::to_vector(llvm::seq<int64_t>(bounds.begin.size()));
  if (bounds.steps.empty())
    bounds.steps.assign(bounds.axes.size(), 1);
  FailureOr<SmallVector<int64_t>> normalized =
      node.normalizeAxes(bounds.axes, rank);
  if (failed(normalized))
    return failure();
  bounds.axes = *normalized;
  size_t count = bounds.axes.size();
  if (bounds.begin.size() != count || bounds.end.size() != count ||
      bounds.steps.size() != count) {
    node.emitError() << "expects as many starts, ends, axes and steps, but got "
                     << bounds.begin.size() << ", " << bounds.end.size() << ", "
                     << count << " and " << bounds.steps.size();
    return failure();
  }
  if (llvm::is_contained(bounds.steps, 0)) {
    node.emitError() << "expects steps other than 0";
    return failure();
  }
  return bounds;
}

/// How many elements there are from `begin` to `end` in a dimension of size
/// `dim`; unknown if a bound is.
static ShapeScalar getSliceSize(const ShapeScalar &begin,
                                const ShapeScalar &end, const ShapeScalar &dim,
                                int64_t step) {
  ShapeScalar size;
  for (unsigned i = 0; i < kNumCases; ++i) {
    if (!begin.isPossible(i) || !end.isPossible(i) || !dim.isPossible(i))
      continue;
    auto clamp = [&](int64_t bound) {
      if (bound < 0)
        bound = std::max(bound, -dim[i] - 1) + dim[i];
      return step > 0 ? std::clamp<int64_t>(bound, 0, dim[i])
                      : std::clamp<int64_t>(bound, -1, dim[i] - 1);
    };
    int64_t span = clamp(end[i]) - clamp(begin[i]);
    size.set(i, std::max<int64_t>(0, llvm::divideCeilSigned(span, step)));
  }
  return size;
}

/// The slices along those of the axes, `numbers`, whose bounds are computed
/// when the model runs.
static Value sliceByValue(NodeContext &node, Value data,
                          const SliceBounds &bounds,
                          ArrayRef<int64_t> numbers) {
  SmallVector<ShapeScalar> dims = node.getDims(data);
  SmallVector<ShapeScalar> begin, end;
  SmallVector<int64_t> axes, steps;
  for (int64_t number : numbers) {
    int64_t axis = bounds.axes[number], step = bounds.steps[number];
    begin.push_back(bounds.begin[number]);
    end.push_back(bounds.end[number]);
    axes.push_back(axis);
    steps.push_back(step);
    ShapeScalar size = getSliceSize(begin.back(), end.back(), dims[axis], step);
    // All cases may be larger than a constant, but not all inputs.
    dims[axis] = size.getConstant() ? ShapeScalar() : size;
  }
  // The numbers among those of an input.
  auto getBounds = [&](unsigned index, ArrayRef<ShapeScalar> values) -> Value {
    if (llvm::all_of(values, [](const ShapeScalar &value) {
          return value.getConstant().has_value();
        }))
      return node.createInts(values);
    Value all = node.getIntsValue(index);
    return numbers.size() == bounds.axes.size()
               ? all
               : node.take(all, node.createInts(numbers), 0);
  };
  Value from = getBounds(1, begin), to = getBounds(2, end);
  DynStridedSliceOp::Properties properties;
  properties.axes = node.getBuilder().getDenseI64ArrayAttr(axes);
  return node.refineDims(
      node.create<DynStridedSliceOp>({data, from, to, node.createInts(steps)},
                                     properties),
      dims);
}

/// Each `step`-th element of `data` from `begin` to `end` along an axis; all
/// three are computed when the model runs, vectors of one element.
static Value sliceByStep(NodeContext &node, Value data, Value begin, Value end,
                         Value step, int64_t axis) {
  if (!data)
    return nullptr;
  Type type = node.getBuilder().getI64Type();
  Value zero = node.createScalar(0, type);
  // What lies before the first element begins there, also backwards.
  Value wrapped = node.create<AddOp>({begin, node.createSize(data, axis)});
  Value isNegative = node.create<LessOp>({begin, zero});
  begin = node.create<MaximumOp>(
      {node.create<WhereOp>({isNegative, wrapped, begin}), zero});
  DynStridedSliceOp::Properties properties;
  properties.axes = node.getBuilder().getDenseI64ArrayAttr({axis});
  return node.create<DynStridedSliceOp>({data, begin, end, step}, properties);
}

/// The slices along axes, or by steps, that are computed when the model runs.
static LogicalResult sliceByAxes(NodeContext &node, Value data) {
  Type type = node.getBuilder().getI64Type();
  Value begin = node.getIntsValue(1), end = node.getIntsValue(2);
  if (!begin || !end)
    return failure();
  int64_t count = node.getType(begin).getDimSize(0);
  Value steps = node.hasInput(4)
                    ? node.getIntsValue(4)
                    : node.createInts(SmallVector<int64_t>(count, 1));
  if (!steps)
    return failure();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq(node.getRank(data)));
  if (node.hasInput(3) && !node.getContents(3)) {
    FailureOr<ComputedAxes> axes =
        ComputedAxes::get(node, 3, node.getRank(data));
    if (failed(axes))
      return failure();
    if (axes->getCount() != count || node.getType(end).getDimSize(0) != count ||
        node.getType(steps).getDimSize(0) != count)
      return node.emitError()
             << "expects as many starts, ends, axes and steps, but got "
             << count << ", " << node.getType(end).getDimSize(0) << ", "
             << axes->getCount() << " and "
             << node.getType(steps).getDimSize(0);
    SmallVector<int64_t> last(node.getRank(data),
                              std::numeric_limits<int64_t>::max());
    Value zero = node.createScalar(0, type);
    begin = axes->pick(node, begin, zero);
    end = axes->pick(node, end, node.createInts(ArrayRef<int64_t>(last)));
    steps = axes->pick(node, steps, node.createScalar(1, type));
  } else {
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(count));
    if (node.hasInput(3)) {
      FailureOr<SmallVector<int64_t>> values = node.getConstantInts(3);
      if (failed(values))
        return failure();
      axes = *values;
    }
    FailureOr<SmallVector<int64_t>> normalized =
        node.normalizeAxes(axes, node.getRank(data));
    if (failed(normalized))
      return failure();
    dims = *normalized;
    if (static_cast<int64_t>(dims.size()) != count ||
        node.getType(end).getDimSize(0) != count ||
        node.getType(steps).getDimSize(0) != count)
      return node.emitError()
             << "expects as many starts, ends, axes and steps, but got "
             << count << ", " << node.getType(end).getDimSize(0) << ", "
             << dims.size() << " and " << node.getType(steps).getDimSize(0);
  }
  // Steps go with the axes, so none is a constant here.
  for (auto [number, axis] : llvm::enumerate(dims)) {
    auto i = static_cast<int64_t>(number);
    auto pick = [&](Value values) { return node.slice(values, 0, i, i + 1); };
    data = node.hasInput(4) ? sliceByStep(node, data, pick(begin), pick(end),
                                          pick(steps), axis)
                            : sliceAt(node, data, pick(begin), pick(end), axis);
  }
  return node.setResult(data);
}

static LogicalResult convertSlice(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  if (node.getOpset() >= 10 && failed(settleCount(node)))
    return failure();
  for (unsigned index : {3, 4})
    if (node.getOpset() >= 10 && node.hasInput(index) &&
        !node.getContents(index))
      return sliceByAxes(node, data);
  FailureOr<SliceBounds> bounds = readSlice(node, node.getRank(data));
  if (failed(bounds))
    return failure();
  SmallVector<ShapeScalar> dims = node.getDims(data);
  SmallVector<int64_t> begin, end, strides, sliced, computed;
  for (auto [i, axis] : llvm::enumerate(bounds->axes)) {
    std::optional<int64_t> from = getPosition(bounds->begin[i], dims[axis]);
    std::optional<int64_t> to = getPosition(bounds->end[i], dims[axis]);
    int64_t step = bounds->steps[i];
    if (!from || !to) {
      computed.push_back(i);
      continue;
    }
    if (std::optional<int64_t> size = dims[axis].getConstant()) {
      // Within the data; behind its begin is -size - 1.
      int64_t low = step > 0 ? 0 : -1, high = step > 0 ? *size : *size - 1;
      from = std::clamp(*from < 0 ? std::max(*from, -*size - 1) + *size : *from,
                        low, high);
      to = std::clamp(*to < 0 ? std::max(*to, -*size - 1) + *size : *to, low,
                      high);
      if (step == 1 && *from == 0 && *to == *size)
        continue;
      if (*to < 0)
        to = -*size - 1;
      // Nothing of the data.
      if (*from < 0)
        from = to = 0;
    } else if (step == 1 && *from == 0 &&
               *to >= std::numeric_limits<int32_t>::max()) {
      continue;
    }
    begin.push_back(*from);
    end.push_back(*to);
    strides.push_back(step);
    sliced.push_back(axis);
  }
  if (!computed.empty())
    data = sliceByValue(node, data, *bounds, computed);
  if (sliced.empty())
    return node.setResult(data);
  StridedSliceOp::Properties properties;
  properties.begin = b.getDenseI64ArrayAttr(begin);
  properties.end = b.getDenseI64ArrayAttr(end);
  properties.strides = b.getDenseI64ArrayAttr(strides);
  properties.axes = b.getDenseI64ArrayAttr(sliced);
  return node.setResult(node.create<StridedSliceOp>({data}, properties));
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// Splits an open axis of n elements into parts of ceil(n / count), of which
/// the last ones have less.
static LogicalResult splitOpenAxis(NodeContext &node, Value data, int64_t axis,
                                   int64_t count) {
  Type type = node.getBuilder().getI64Type();
  Value size = node.createSize(data, axis);
  auto number = [&](int64_t value) {
    return node.createScalar(static_cast<double>(value), type);
  };
  Value part = node.create<DivideOp>(
      {node.create<AddOp>({size, number(count - 1)}), number(count)});
  SmallVector<ShapeScalar> dims = node.getDims(data);
  ShapeScalar all = dims[axis];
  for (int64_t i = 0; i < count; ++i) {
    if (!node.wantsOutput(i))
      continue;
    // Behind the data is nothing.
    auto getBound = [&](int64_t parts) {
      return node.expandDims(node.create<MultiplyOp>({part, number(parts)}), 0);
    };
    dims[axis] = ShapeScalar();
    for (unsigned k = 0; k < kNumCases; ++k)
      if (all.isPossible(k)) {
        int64_t size = llvm::divideCeil(all[k], count);
        dims[axis].set(k, std::clamp<int64_t>(all[k] - i * size, 0, size));
      }
    Value slice = sliceAt(node, data, getBound(i), getBound(i + 1), axis);
    if (failed(node.setOutput(i, node.refineDims(slice, dims))))
      return failure();
  }
  return success();
}

/// Splits into parts whose sizes are computed when the model runs.
static LogicalResult splitByValue(NodeContext &node, Value data, int64_t axis) {
  Value sizes = node.getIntsValue(1);
  if (!sizes)
    return failure();
  auto count = static_cast<int64_t>(node.getNode().outputs.size());
  if (node.getType(sizes).getDimSize(0) != count)
    return node.emitError() << "expects sizes of " << count
                            << " parts, but got " << node.getType(sizes);
  ComputedParts parts = createParts(node, data, axis, sizes);
  for (int64_t i = 0; i < count; ++i) {
    Value part = sliceAt(node, data, node.slice(parts.begins, 0, i, i + 1),
                         node.slice(parts.ends, 0, i, i + 1), axis);
    if (failed(node.setOutput(i, part)))
      return failure();
  }
  return success();
}

static LogicalResult convertSplit(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), node.getRank(data));
  if (failed(axis))
    return failure();
  int64_t count = node.getNode().outputs.size();
  int64_t wanted = node.getInt("num_outputs", count);
  if (wanted != count)
    return node.emitError()
           << "expects " << wanted << " outputs, but got " << count;
  SmallVector<int64_t> sizes;
  if (node.hasInput(1) &&
      (!node.getContents(1) || !node.getContents(1)->getConstants()))
    return splitByValue(node, data, *axis);
  if (node.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> values = node.getConstantInts(1);
    if (failed(values))
      return failure();
    sizes = *values;
  } else if (std::optional<ArrayRef<int64_t>> values = node.getInts("split")) {
    sizes = llvm::to_vector(*values);
  }
  if (count == 1 && sizes.size() <= 1)
    return node.setResult(data);

  SplitOp::Properties properties;
  properties.axis = b.getI64IntegerAttr(*axis);
  int64_t size = node.getType(data).getDimSize(*axis);
  if (sizes.empty() && ShapedType::isDynamic(size) &&
      node.hasAttr("num_outputs"))
    return splitOpenAxis(node, data, *axis, count);
  // Parts as a dimension of their own: a size that is no multiple is refused
  // when the model runs.
  bool isStacked = sizes.empty() && ShapedType::isDynamic(size);
  if (isStacked) {
    SmallVector<int64_t> codes(*axis, 0);
    codes.append({-4, count, -1});
    codes.append(node.getRank(data) - *axis - 1, 0);
    data = node.reshape(data, codes);
    size = count;
  }
  if (sizes.empty() && size % count == 0) {
    properties.indices_or_sections = b.getI64IntegerAttr(count);
  } else {
    // The last part of an uneven split is smaller.
    if (sizes.empty()) {
      int64_t part = llvm::divideCeil(size, count);
      for (int64_t i = 0; i < count; ++i)
        sizes.push_back(std::clamp<int64_t>(size - i * part, 0, part));
    }
    if (static_cast<int64_t>(sizes.size()) != count)
      return node.emitError()
             << "expects " << sizes.size() << " outputs, but got " << count;
    SmallVector<int64_t> positions;
    int64_t position = 0;
    for (int64_t part : sizes) {
      if (part < 0 || part > std::numeric_limits<int32_t>::max())
        return node.emitError() << "expects sizes of parts, but got " << part;
      positions.push_back(position += part);
    }
    if (!ShapedType::isDynamic(size) && position != size)
      return node.emitError() << "expects parts of " << size
                              << " elements, but got " << position;
    data = node.expectSize(data, *axis, position);
    positions.pop_back();
    properties.indices_or_sections = b.getDenseI64ArrayAttr(positions);
  }
  Value parts = node.create<SplitOp>({data}, properties);
  for (int64_t i = 0; i < count; ++i) {
    if (!node.wantsOutput(i))
      continue;
    Value part = node.getTupleItem(parts, i);
    if (failed(node.setOutput(i, isStacked ? node.squeeze(part, *axis) : part)))
      return failure();
  }
  return success(!node.hasFailed());
}

void mlir::relay::onnx::addSliceOps(OpTable &table) {
  table.add({"Slice"}, {convertSlice, kOldestOpset, kNewestOpset, 1, 5,
                        /*contentInputs=*/0b11110});
  table.add({"Split"}, {convertSplit, kOldestOpset, kNewestOpset, 1, 2,
                        /*contentInputs=*/0b10});
}
