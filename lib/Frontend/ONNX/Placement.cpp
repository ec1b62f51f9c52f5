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
#include "llvm/Support/MathExtras.h"

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
  target =
      node.assertNotNegative(target, "expects a shape without sizes below 0");
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

namespace {

/// Col2Im where sizes are open: those of the image, and perhaps those of the
/// block, are numbers that are computed when the model runs.
class OpenImage {
public:
  /// `known` has the sizes of the block, or nothing if only `block` has them.
  OpenImage(NodeContext &node, const Window &window, Value image, Value block,
            ArrayRef<int64_t> known)
      : node(node), window(window), rank(window.getRank()), image(image),
        block(block), known(known), type(node.getBuilder().getI64Type()) {}

  LogicalResult build();

private:
  Value number(int64_t value) {
    return node.createScalar(static_cast<double>(value), type);
  }
  Value getElement(Value vector, int64_t index) {
    return node.reshape(node.slice(vector, 0, index, index + 1),
                        ArrayRef<int64_t>());
  }
  /// The product of numbers, in floats: an integer might overflow.
  Value multiplyAsFloats(ArrayRef<Value> numbers);
  void computeSizes();
  /// Whether there is such an image: 0 if so, else an error of the run.
  Value check();
  /// 0, 1, ..., as many as the block has along an axis.
  Value createOffsets(int64_t axis);
  /// (1, block, blocks): the place of each element in the padded image.
  Value createPlaces();
  /// (batch, channels, block, blocks).
  Value createColumns();

  NodeContext &node;
  const Window &window;
  int64_t rank;
  Value image, block;
  ArrayRef<int64_t> known;
  Type type;
  /// Numbers for each axis, and their products.
  SmallVector<Value> sizes, padded, counts;
  Value blockSize, numPlaces, numBlocks;
};

} // namespace

void OpenImage::computeSizes() {
  blockSize = numPlaces = numBlocks = number(1);
  Value zero = number(0);
  for (int64_t axis = 0; axis < rank; ++axis) {
    sizes.push_back(known.empty() ? getElement(block, axis)
                                  : number(known[axis]));
    Value extent =
        known.empty()
            ? node.create<AddOp>(
                  {node.create<MultiplyOp>(
                       {node.create<SubtractOp>({sizes.back(), number(1)}),
                        number(window.dilations[axis])}),
                   number(1)})
            : number(window.getExtent(axis));
    padded.push_back(node.create<AddOp>(
        {getElement(image, axis),
         number(window.padding[axis] + window.padding[rank + axis])}));
    Value room = node.create<SubtractOp>({padded.back(), extent});
    Value steps =
        node.create<FloorDivideOp>({room, number(window.strides[axis])});
    counts.push_back(
        node.create<MaximumOp>({node.create<AddOp>({steps, number(1)}), zero}));
    blockSize = node.create<MultiplyOp>({blockSize, sizes.back()});
    numPlaces = node.create<MultiplyOp>({numPlaces, padded.back()});
    numBlocks = node.create<MultiplyOp>({numBlocks, counts.back()});
  }
}

Value OpenImage::multiplyAsFloats(ArrayRef<Value> numbers) {
  Type f64 = node.getBuilder().getF64Type();
  Value product = node.createScalar(1, f64);
  for (Value factor : numbers)
    product = node.create<MultiplyOp>({product, node.castTo(factor, f64)});
  return product;
}

Value OpenImage::check() {
  Type f64 = node.getBuilder().getF64Type();
  auto both = [&](Value lhs, Value rhs) {
    return node.create<LogicalAndOp>({lhs, rhs});
  };
  auto isSize = [&](Value vector) {
    Value least = node.create<GreaterEqualOp>({vector, number(1)});
    Value most = node.create<LessEqualOp>(
        {vector, number(std::numeric_limits<int32_t>::max())});
    return node.create<AllOp>({both(least, most)});
  };
  auto isAtMost = [&](Value value, int64_t most) {
    return node.create<LessEqualOp>(
        {value, node.createScalar(static_cast<double>(most), f64)});
  };
  Value data = node.getInput(0);
  Value isRight = both(
      both(isSize(image), isAtMost(multiplyAsFloats(padded), kMaxTensorBytes)),
      node.create<EqualOp>({multiplyAsFloats(counts),
                            node.castTo(node.createSize(data, 2), f64)}));
  if (known.empty()) {
    Value rows = node.createSize(data, 1);
    Value rest = node.create<FloorModOp>(
        {rows, node.create<MaximumOp>({blockSize, number(1)})});
    Value isSmall =
        isAtMost(multiplyAsFloats(sizes), std::numeric_limits<int32_t>::max());
    isRight = both(both(isRight, isSize(block)),
                   both(isSmall, node.create<EqualOp>({rest, number(0)})));
  }
  return node.assertThat(number(0), isRight,
                         "expects an image and blocks that the data fits");
}

Value OpenImage::createOffsets(int64_t axis) {
  return known.empty()
             ? node.createRange(sizes[axis], type)
             : node.createPositions(ShapeScalar::get(known[axis]), type);
}

Value OpenImage::createPlaces() {
  Value places = number(0);
  for (int64_t axis = 0; axis < rank; ++axis) {
    auto line = [&](Value positions, int64_t step, int64_t behind) {
      return node.expandDims(node.create<MultiplyOp>({positions, number(step)}),
                             1, behind);
    };
    Value along = node.create<AddOp>(
        {line(createOffsets(axis), window.dilations[axis], 2 * rank - 1 - axis),
         line(node.createRange(counts[axis], type), window.strides[axis],
              rank - 1 - axis)});
    places = node.create<AddOp>(
        {node.create<MultiplyOp>({places, padded[axis]}), along});
  }
  if (!known.empty())
    return node.reshape(places, {1, ShapedType::getNumElements(known), -1});
  Value shape = node.concatenate(
      {node.expandDims(blockSize, 0), node.expandDims(numBlocks, 0)});
  return node.expandDims(reshapeTo(node, places, shape), 0);
}

Value OpenImage::createColumns() {
  Value data = node.getInput(0);
  if (!known.empty())
    return node.reshape(data,
                        {0, -4, -1, ShapedType::getNumElements(known), 0});
  SmallVector<ShapeScalar> dims = node.getDims(data);
  Value rows = node.createSizes(data, 1, 2, type);
  Value size = node.expandDims(blockSize, 0);
  Value shape = node.concatenate({node.createSizes(data, 0, 1, type),
                                  node.create<FloorDivideOp>({rows, size}),
                                  size, node.createSizes(data, 2, 3, type)});
  return node.refineDims(reshapeTo(node, data, shape),
                         {dims[0], ShapeScalar(), ShapeScalar(), dims[2]});
}

LogicalResult OpenImage::build() {
  computeSizes();
  Value zero = check();
  if (known.empty() && zero) {
    // Before anything has the sizes of a block that is wrong.
    for (SmallVector<Value> *numbers : {&sizes, &padded, &counts})
      for (Value &value : *numbers)
        value = node.create<AddOp>({value, zero});
    for (Value *value : {&blockSize, &numPlaces, &numBlocks})
      *value = node.create<AddOp>({*value, zero});
  }
  Value places = createPlaces();
  if (!known.empty())
    places = node.create<AddOp>({places, zero});
  Value columns = createColumns();
  if (!columns || !numPlaces)
    return failure();
  DynZerosOp::Properties zeros;
  zeros.dtype = TypeAttr::get(node.getElementType(columns));
  Value rows = node.createSizes(columns, 0, 2, type);
  SmallVector<ShapeScalar> dims = node.getDims(columns);
  Value empty = node.refineDims(
      node.create<DynZerosOp>(
          {node.concatenate({node.expandDims(numPlaces, 0), rows})}, zeros),
      {ShapeScalar(), dims[0], dims[1]});
  ScatterNdOp::Properties properties;
  properties.mode = node.getBuilder().getStringAttr("add");
  Value sums = node.create<ScatterNdOp>(
      {empty, places, node.transpose(columns, {2, 3, 0, 1})}, properties);
  SmallVector<Value> parts = llvm::map_to_vector(
      padded, [&](Value size) { return node.expandDims(size, 0); });
  parts.push_back(rows);
  Value result = reshapeTo(node, sums, node.concatenate(parts));
  SmallVector<int64_t> order = {rank, rank + 1};
  llvm::append_range(order, llvm::seq(rank));
  result = node.transpose(result, order);
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t before = window.padding[axis], after = window.padding[rank + axis];
    if (before != 0 || after != 0)
      result =
          node.slice(result, axis + 2, before,
                     after == 0 ? std::numeric_limits<int64_t>::max() : -after);
  }
  SmallVector<ShapeScalar> shape = {dims[0], dims[1]};
  const ShapeTensor *wanted = node.getContents(1);
  for (int64_t axis = 0; axis < rank; ++axis)
    shape.push_back(wanted ? wanted->elements[axis] : ShapeScalar());
  return node.setResult(node.refineDims(result, shape));
}

static LogicalResult convertOpenCol2Im(NodeContext &node) {
  Value image = node.getIntsValue(1), block = node.getIntsValue(2);
  if (!image || !block)
    return failure();
  RankedTensorType type = node.getInputType(0);
  int64_t numSizes = node.getType(image).getDimSize(0);
  int64_t rank = node.getType(block).getDimSize(0);
  if (type.getRank() != 3 || rank == 0 || numSizes != rank)
    return node.emitError()
           << "expects data (batch, channels * block, blocks), and as many "
              "sizes of the image as of a block, but got "
           << type << ", " << numSizes << " and " << rank;
  SmallVector<int64_t> known;
  if (const ShapeTensor *contents = node.getContents(2))
    known = contents->getConstants().value_or(SmallVector<int64_t>());
  // A block of any size: what the attributes say does not depend on it.
  FailureOr<Window> window =
      Window::get(node, known.empty() ? SmallVector<int64_t>(rank, 1) : known);
  if (failed(window))
    return failure();
  int64_t blockSize = 1;
  for (int64_t size : known)
    if (llvm::MulOverflow(blockSize, size, blockSize) ||
        blockSize > std::numeric_limits<int32_t>::max())
      return node.emitError() << "expects a block of less than 2^31 elements";
  return OpenImage(node, *window, image, block, known).build();
}

/// Adds the columns of blocks to the places of an image, with its padding, that
/// they were taken from.
static LogicalResult convertCol2Im(NodeContext &node) {
  Value data = node.getInput(0);
  const ShapeTensor *sizes = node.getContents(1);
  const ShapeTensor *blockSizes = node.getContents(2);
  if (!node.getInputType(0).hasStaticShape() || !sizes ||
      !sizes->getConstants() || !blockSizes || !blockSizes->getConstants())
    return convertOpenCol2Im(node);
  FailureOr<SmallVector<int64_t>> image = node.getConstantInts(1);
  FailureOr<SmallVector<int64_t>> block = node.getConstantInts(2);
  if (failed(image) || failed(block))
    return failure();
  RankedTensorType type = node.getType(data);
  if (type.getRank() != 3 || image->empty() || image->size() != block->size())
    return node.emitError()
           << "expects data (batch, channels * block, blocks), and as many "
              "sizes of the image as of a block, but got "
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
