//===- Placement.cpp - ONNX operators that put data into place ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "Window.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// CenterCropPad
//===----------------------------------------------------------------------===//

/// Cuts or pads an axis to a size that is computed when the model runs, a
/// vector of one.
static Value fitOpenAxis(NodeContext &node, Value data, int64_t axis,
                         Value target) {
  if (!data || !target)
    return nullptr;
  Type type = node.getBuilder().getI64Type();
  Value zero = node.createScalar(0, type), two = node.createScalar(2, type);
  Value isSize = node.create<GreaterEqualOp>({target, zero});
  target = node.create<AddOp>(
      {target, createCheck(node, node.reshape(isSize, ArrayRef<int64_t>()))});
  Value size = node.createSizes(data, axis, axis + 1, type);
  auto half = [&](Value value) {
    return node.create<FloorDivideOp>({value, two});
  };
  auto difference = [&](Value a, Value b) {
    return node.create<MaximumOp>({node.create<SubtractOp>({a, b}), zero});
  };
  Value begin = half(difference(size, target));
  Value kept = node.create<MinimumOp>({size, target});
  data = sliceAt(node, data, begin, node.create<AddOp>({begin, kept}), axis);
  if (!data)
    return nullptr;
  Value missing = difference(target, size), before = half(missing);
  Value after = node.create<SubtractOp>({missing, before});
  int64_t rank = node.getRank(data);
  Value widths = node.concatenate({before, after});
  widths = node.pad(widths, 0, 2 * axis, 2 * (rank - 1 - axis), 0);
  return node.create<DynNNPadOp>(
      {data, node.reshape(widths, {rank, 2}),
       node.createScalar(0, node.getElementType(data))});
}

static LogicalResult convertCenterCropPad(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  const ShapeTensor *shape = node.getContents(1);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (std::optional<ArrayRef<int64_t>> values = node.getInts("axes")) {
    FailureOr<SmallVector<int64_t>> normalized =
        node.normalizeAxes(*values, rank);
    if (failed(normalized))
      return failure();
    axes = *normalized;
  }
  Value sizes;
  int64_t count = shape ? static_cast<int64_t>(shape->elements.size()) : 0;
  if (!shape || !shape->getConstants() ||
      !node.getType(data).hasStaticShape()) {
    sizes = node.getIntsValue(1);
    if (!sizes)
      return failure();
    count = node.getType(sizes).getDimSize(0);
  }
  if (count != static_cast<int64_t>(axes.size()))
    return node.emitError()
           << "expects " << axes.size() << " sizes, but got " << count;
  SmallVector<ShapeScalar> dims = node.getDims(data);
  for (auto [number, axis] : llvm::enumerate(axes)) {
    ShapeScalar wanted = shape ? shape->elements[number] : ShapeScalar();
    if (shape && wanted.isSame(dims[axis]))
      continue;
    std::optional<int64_t> size = dims[axis].getConstant();
    std::optional<int64_t> target = wanted.getConstant();
    if (!size || !target) {
      auto position = static_cast<int64_t>(number);
      data = fitOpenAxis(node, data, axis,
                         node.slice(sizes, 0, position, position + 1));
      if (!data)
        return failure();
      continue;
    }
    if (*target < 0 || *target > kMaxTensorBytes)
      return node.emitError() << "expects sizes, but got " << *target;
    int64_t before = std::abs(*target - *size) / 2;
    data = *target < *size
               ? node.slice(data, axis, before, before + *target)
               : node.pad(data, axis, before, *target - *size - before, 0);
    if (!data)
      return failure();
  }
  return node.setResult(data);
}

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

/// Adds the columns of blocks to the places of an image, with its padding, that
/// they were taken from.
static LogicalResult convertCol2Im(NodeContext &node) {
  Value data = node.getInput(0);
  FailureOr<SmallVector<int64_t>> image = node.getConstantInts(1);
  FailureOr<SmallVector<int64_t>> block = node.getConstantInts(2);
  if (failed(image) || failed(block))
    return failure();
  RankedTensorType type = node.getType(data);
  if (type.getRank() != 3 || !type.hasStaticShape() || image->empty() ||
      image->size() != block->size())
    return node.emitError()
           << "expects data (batch, channels * block, blocks) of a static "
              "shape, and as many sizes of the image as of a block, but got "
           << type << ", " << image->size() << " and " << block->size();
  FailureOr<Window> window = Window::get(node, *block);
  if (failed(window))
    return failure();
  int64_t rank = window->getRank();
  SmallVector<int64_t> padded, counts;
  int64_t blockSize = 1, numBlocks = 1;
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t size = (*image)[axis];
    if (size < 1 || size > std::numeric_limits<int32_t>::max())
      return node.emitError()
             << "expects sizes of the image that are positive, but got "
             << size;
    padded.push_back(size + window->padding[axis] +
                     window->padding[rank + axis]);
    int64_t room = padded[axis] - window->getExtent(axis);
    counts.push_back(room < 0 ? 0 : room / window->strides[axis] + 1);
    blockSize *= (*block)[axis];
    numBlocks *= counts[axis];
    if (blockSize > type.getDimSize(1) || numBlocks > type.getDimSize(2))
      break;
  }
  if (type.getDimSize(1) % blockSize != 0 || numBlocks != type.getDimSize(2))
    return node.emitError()
           << "expects a multiple of " << blockSize << " rows and " << numBlocks
           << " blocks, but got " << type;
  int64_t batch = type.getDimSize(0);
  int64_t channels = type.getDimSize(1) / blockSize;
  SmallVector<int64_t> shape = {batch, channels};
  llvm::append_range(shape, padded);
  auto paddedType = RankedTensorType::get(shape, type.getElementType());
  if (failed(checkTensorLimits([&] { return node.emitError(); }, paddedType)))
    return failure();

  // The place of each element: (block sizes..., counts...).
  Type index = node.getBuilder().getI64Type();
  Value places = node.createScalar(0, index);
  for (int64_t axis = 0; axis < rank; ++axis) {
    auto line = [&](int64_t count, int64_t step, int64_t behind) {
      Value value = node.create<MultiplyOp>(
          {node.createPositions(ShapeScalar::get(count), index),
           node.createScalar(static_cast<double>(step), index)});
      return node.expandDims(value, 1, behind);
    };
    Value along = node.create<AddOp>(
        {line((*block)[axis], window->dilations[axis], 2 * rank - 1 - axis),
         line(counts[axis], window->strides[axis], rank - 1 - axis)});
    Value size = node.createScalar(static_cast<double>(padded[axis]), index);
    places =
        node.create<AddOp>({node.create<MultiplyOp>({places, size}), along});
  }
  int64_t numPlaces = blockSize * numBlocks, numRows = batch * channels;
  places = node.reshape(places, ArrayRef<int64_t>{1, numPlaces});
  Value columns = node.reshape(data, ArrayRef<int64_t>{numRows, numPlaces});
  if (!places || !columns)
    return failure();
  int64_t size = ShapedType::getNumElements(padded);
  Value zeros = node.broadcast(
      node.expandRank(node.createScalar(0, type.getElementType()), 2),
      {ShapeScalar::get(size), ShapeScalar::get(numRows)});
  ScatterNdOp::Properties properties;
  properties.mode = node.getBuilder().getStringAttr("add");
  Value sums = node.create<ScatterNdOp>(
      {zeros, places, node.transpose(columns, {1, 0})}, properties);
  if (!sums)
    return failure();
  Value result =
      node.reshape(node.transpose(sums, {1, 0}), ArrayRef<int64_t>(shape));
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t begin = window->padding[axis];
    if (padded[axis] != (*image)[axis])
      result = node.slice(result, axis + 2, begin, begin + (*image)[axis]);
  }
  return node.setResult(result);
}

//===----------------------------------------------------------------------===//
// TensorScatter
//===----------------------------------------------------------------------===//

/// Each element of the cache is that of the update at its distance from where
/// the update begins, if there is one.
static LogicalResult convertTensorScatter(NodeContext &node) {
  Value cache = node.getInput(0), update = node.getInput(1);
  int64_t rank = node.getRank(cache);
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", -2), rank);
  StringRef mode = node.getString("mode", "linear");
  if (failed(axis))
    return failure();
  if (*axis == 0)
    return node.emitError() << "expects an axis other than 0, the batch";
  if (mode != "linear" && mode != "circular")
    return node.emitError()
           << "expects mode linear or circular, but got \"" << mode << "\"";
  RankedTensorType type = node.getType(cache);
  RankedTensorType updateType = node.getType(update);
  int64_t size = type.getDimSize(*axis);
  int64_t count =
      updateType.getRank() == rank ? updateType.getDimSize(*axis) : -1;
  if (!type.hasStaticShape() || !updateType.hasStaticShape() || count < 0 ||
      count > size)
    return node.emitError()
           << "expects an update of a static shape that fits "
              "into the cache along axis "
           << *axis << ", but got " << type << " and " << updateType;
  SmallVector<int64_t> shape(updateType.getShape());
  shape[*axis] = size;
  if (ArrayRef<int64_t>(shape) != type.getShape())
    return node.emitError()
           << "expects an update with the sizes of the cache "
              "but along axis "
           << *axis << ", but got " << type << " and " << updateType;
  if (count == 0 || type.getNumElements() == 0)
    return node.setResult(cache);
  Type index = node.getBuilder().getI64Type();
  auto number = [&](int64_t value) {
    return node.createScalar(static_cast<double>(value), index);
  };
  Value distance = node.expandDims(
      node.createPositions(ShapeScalar::get(size), index), 1, rank - 1 - *axis);
  if (node.hasInput(2)) {
    Value begin = node.getInput(2);
    if (node.getRank(begin) != 1)
      return node.emitError() << "expects an index for each cache of the "
                                 "batch, but got "
                              << begin.getType();
    begin = node.expandDims(node.expectSize(begin, 0, shape[0]), 1, rank - 1);
    distance = node.create<SubtractOp>({distance, begin});
  }
  if (mode == "circular")
    distance = node.create<FloorModOp>({distance, number(size)});
  Value isNew = node.create<LogicalAndOp>(
      {node.create<GreaterEqualOp>({distance, number(0)}),
       node.create<LessOp>({distance, number(count)})});
  Value position = node.create<WhereOp>({isNew, distance, number(0)});
  if (!position)
    return failure();
  GatherOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(*axis);
  SmallVector<ShapeScalar> dims = node.getDims(cache);
  Value moved = node.create<GatherOp>(
      {update, node.broadcast(node.expandRank(position, rank), dims)},
      properties);
  return node.setResult(node.create<WhereOp>({isNew, moved, cache}));
}

void mlir::relay::onnx::addPlacementOps(OpTable &table) {
  table.add({"CenterCropPad"}, {convertCenterCropPad, 18, kNewestOpset, 2, 2,
                                /*contentInputs=*/0b10});
  table.add({"Col2Im"}, {convertCol2Im, 18, kNewestOpset, 3, 3,
                         /*contentInputs=*/0b110, /*isComposed=*/true});
  table.add({"TensorScatter"}, {convertTensorScatter, 24, kNewestOpset, 2, 3});
}
