//===- Window.cpp - Sliding windows of ONNX operators --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// What a size, a step or a distance may be: the extent of a window then is a
/// number.
static constexpr int64_t kMaxNumber = std::numeric_limits<int32_t>::max();

/// A list attribute with `count` entries; `defaultValue` for each if it is left
/// out.
static FailureOr<SmallVector<int64_t>> getEntries(NodeContext &node,
                                                  StringRef name, size_t count,
                                                  int64_t defaultValue,
                                                  int64_t minimum) {
  std::optional<ArrayRef<int64_t>> values = node.getInts(name);
  if (!values || values->empty())
    return SmallVector<int64_t>(count, defaultValue);
  if (values->size() != count) {
    node.emitError() << "expects " << count << " entries in " << name
                     << ", but got " << values->size();
    return failure();
  }
  for (int64_t value : *values)
    if (value < minimum || value > kMaxNumber) {
      node.emitError() << "expects entries of " << name << " in [" << minimum
                       << ", " << kMaxNumber << "], but got " << value;
      return failure();
    }
  return llvm::to_vector(*values);
}

FailureOr<Window> Window::get(NodeContext &node, ArrayRef<int64_t> kernel) {
  Window window;
  window.kernel = llvm::to_vector(kernel);
  for (int64_t size : kernel) {
    if (size < 1) {
      node.emitError() << "expects a window of static, positive sizes";
      return failure();
    }
    if (size > kMaxNumber) {
      node.emitError() << "expects a window of sizes up to " << kMaxNumber
                       << ", but got " << size;
      return failure();
    }
  }
  size_t rank = kernel.size();
  auto strides = getEntries(node, "strides", rank, 1, 1);
  auto dilations = getEntries(node, "dilations", rank, 1, 1);
  auto padding = getEntries(node, "pads", 2 * rank, 0, 0);
  if (failed(strides) || failed(dilations) || failed(padding))
    return failure();
  window.strides = *strides;
  window.dilations = *dilations;
  window.padding = *padding;

  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  if (autoPad == "SAME_UPPER") {
    window.autoPad = AutoPad::SameUpper;
  } else if (autoPad == "SAME_LOWER") {
    window.autoPad = AutoPad::SameLower;
  } else if (autoPad == "VALID") {
    window.padding.assign(2 * rank, 0);
  } else if (autoPad != "NOTSET" && !autoPad.empty()) {
    node.emitError() << "expects auto_pad to be NOTSET, SAME_UPPER, SAME_LOWER "
                        "or VALID, but got \""
                     << autoPad << "\"";
    return failure();
  }
  return window;
}

/// Pads an open axis for ceil(size / stride) windows, the first of which begins
/// in the padding, as far before the data as follows from the size.
Value Window::padOpenAxis(NodeContext &node, Value data, int64_t axis,
                          double number) {
  int64_t dim = axis + 2, stride = strides[axis], extent = getExtent(axis);
  Type type = node.getBuilder().getI64Type();
  // A vector as long as all windows: stride elements for each but the last.
  Value line = node.createLine(data, dim, type);
  RepeatOp::Properties repeat;
  repeat.repeats = node.getBuilder().getI64IntegerAttr(stride);
  repeat.axis = node.getBuilder().getI64IntegerAttr(0);
  Value covered =
      node.create<RepeatOp>({node.dropFirst(line, 0, 0, stride)}, repeat);
  if (extent < stride)
    covered = node.slice(covered, 0, 0, extent - stride);
  else
    covered = node.pad(covered, 0, 0, extent - stride, 0);

  // What the windows cover beyond the data, of which half comes before it.
  Value size = node.createSize(data, dim);
  auto scalar = [&](int64_t value) { return node.createScalar(value, type); };
  Value rest = node.create<FloorModOp>(
      {node.create<NegativeOp>({size}), scalar(stride)});
  Value total = node.create<MaximumOp>(
      {node.create<AddOp>({rest, scalar(extent - stride)}), scalar(0)});
  if (!isUpper())
    total = node.create<AddOp>({total, scalar(1)});
  Value before = node.create<FloorDivideOp>({total, scalar(2)});
  int64_t most = extent / 2;
  Value positions =
      node.create<AddOp>({node.createPositions(covered),
                          node.create<SubtractOp>({scalar(most), before})});

  places.resize(getRank());
  places[axis] = node.create<MaximumOp>(
      {node.create<MinimumOp>(
           {node.create<SubtractOp>({positions, scalar(most)}),
            node.create<SubtractOp>({size, scalar(1)})}),
       scalar(0)});
  filledParts.resize(getRank());
  Value filled = node.castTo(node.create<OnesLikeOp>({line}),
                             node.getBuilder().getF32Type());
  filledParts[axis] =
      node.take(node.pad(filled, 0, most, most, 0), positions, 0);
  return node.take(node.pad(data, dim, most, most, number), positions, dim);
}

Value Window::resolveAutoPad(NodeContext &node, Value data, double number) {
  if (autoPad == AutoPad::None)
    return data;
  for (int64_t axis = 0, rank = getRank(); data && axis < rank; ++axis) {
    int64_t total = getExtent(axis) - 1;
    // A step of 1 pads the same whatever the size is, and one element never.
    if (strides[axis] != 1 && total != 0) {
      int64_t size = node.getType(data).getDimSize(axis + 2);
      if (ShapedType::isDynamic(size)) {
        data = padOpenAxis(node, data, axis, number);
        continue;
      }
      int64_t steps = llvm::divideCeil(size, strides[axis]);
      total = std::max<int64_t>(0, (steps - 1) * strides[axis] +
                                       getExtent(axis) - size);
    }
    int64_t small = total / 2, large = total - small;
    padding[axis] = isUpper() ? small : large;
    padding[rank + axis] = isUpper() ? large : small;
  }
  return data;
}

DenseI64ArrayAttr Window::getStridesAttr(NodeContext &node) const {
  return node.getBuilder().getDenseI64ArrayAttr(strides);
}
DenseI64ArrayAttr Window::getDilationsAttr(NodeContext &node) const {
  return node.getBuilder().getDenseI64ArrayAttr(dilations);
}
DenseI64ArrayAttr Window::getPaddingAttr(NodeContext &node) const {
  return node.getBuilder().getDenseI64ArrayAttr(padding);
}
