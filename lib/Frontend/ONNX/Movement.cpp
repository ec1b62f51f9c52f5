//===- Movement.cpp - Operators of ONNX that move data -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// The same elements in another shape
//===----------------------------------------------------------------------===//

static LogicalResult convertReshape(NodeContext &node) {
  Value data = node.getInput(0);
  const ShapeTensor *shape = node.getContents(1);
  if (!shape || shape->isFloat() || shape->shape.size() != 1)
    return node.emitError()
           << "expects a shape that follows from the sizes of "
              "the inputs, but \""
           << node.getNode().inputs[1] << "\" is computed at run time";
  bool allowZero = node.getBool("allowzero", false);
  SmallVector<ShapeScalar> dims = node.getDims(data);
  SmallVector<ShapeScalar> target;
  std::optional<size_t> inferred;
  ShapeScalar known = ShapeScalar::get(1), total = ShapeScalar::get(1);
  for (const ShapeScalar &dim : dims)
    total = multiplySizes(total, dim);
  for (auto [i, size] : llvm::enumerate(shape->elements)) {
    target.push_back(size);
    std::optional<int64_t> constant = size.getConstant();
    if (constant == -1) {
      if (inferred)
        return node.emitError() << "expects at most one -1 in the shape";
      inferred = i;
      continue;
    }
    if (constant && *constant < 0)
      return node.emitError() << "expects sizes, but got " << *constant;
    if (constant == 0 && !allowZero) {
      if (i >= dims.size())
        return node.emitError()
               << "entry " << i << " of the shape is 0, but the data has rank "
               << dims.size();
      target.back() = dims[i];
    }
    known = multiplySizes(known, target.back());
  }
  if (inferred) {
    ShapeScalar rest;
    for (unsigned i = 0; i < kNumCases; ++i)
      if (known.isPossible(i) && total.isPossible(i) && known[i] != 0 &&
          total[i] % known[i] == 0)
        rest.set(i, total[i] / known[i]);
    if (!rest.isReliable())
      return node.emitError()
             << "cannot infer the size for -1: " << data.getType()
             << " has no multiple of the other sizes";
    target[*inferred] = rest;
  } else if (std::optional<int64_t> size = total.getConstant();
             size && known.getConstant() && size != known.getConstant()) {
    return node.emitError() << "expects a shape of " << *size
                            << " elements, but got " << *known.getConstant();
  }
  return node.setResult(node.reshape(data, target));
}

static LogicalResult convertFlatten(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  int64_t axis = node.getInt("axis", 1);
  if (axis < -rank || axis > rank)
    return node.emitError() << "expects an axis in [" << -rank << ", " << rank
                            << "], but got " << axis;
  if (axis < 0)
    axis += rank;
  if (axis == 1 && rank > 2)
    return node.setResult(node.create<NNBatchFlattenOp>({data}));
  return node.setResult(node.flatten(data, axis));
}

/// The axes of Squeeze and Unsqueeze, an attribute until opset 12.
static FailureOr<SmallVector<int64_t>> getAxes(NodeContext &node) {
  if (node.hasInput(1))
    return node.getConstantInts(1);
  return llvm::to_vector(node.getInts("axes").value_or(ArrayRef<int64_t>()));
}

static LogicalResult convertSqueeze(NodeContext &node) {
  Value data = node.getInput(0);
  FailureOr<SmallVector<int64_t>> axes = getAxes(node);
  if (failed(axes))
    return failure();
  if (!node.hasInput(1) && !node.hasAttr("axes")) {
    for (auto [axis, size] : llvm::enumerate(node.getType(data).getShape())) {
      if (ShapedType::isDynamic(size))
        return node.emitError() << "expects axes for data with unknown sizes, "
                                << data.getType();
      if (size == 1)
        axes->push_back(axis);
    }
  }
  FailureOr<SmallVector<int64_t>> normalized =
      node.normalizeAxes(*axes, node.getRank(data));
  if (failed(normalized))
    return failure();
  return node.setResult(node.squeeze(data, *normalized));
}

static LogicalResult convertUnsqueeze(NodeContext &node) {
  Value data = node.getInput(0);
  FailureOr<SmallVector<int64_t>> axes = getAxes(node);
  if (failed(axes))
    return failure();
  FailureOr<SmallVector<int64_t>> normalized =
      node.normalizeAxes(*axes, node.getRank(data) + axes->size());
  if (failed(normalized))
    return failure();
  llvm::sort(*normalized);
  for (size_t i = 0; i < normalized->size();) {
    // A run of new dimensions is one operator.
    size_t end = i + 1;
    while (end < normalized->size() &&
           (*normalized)[end] == (*normalized)[end - 1] + 1)
      ++end;
    data = node.expandDims(data, (*normalized)[i], end - i);
    i = end;
  }
  return node.setResult(data);
}

static LogicalResult convertTranspose(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(rank)));
  if (std::optional<ArrayRef<int64_t>> perm = node.getInts("perm")) {
    FailureOr<SmallVector<int64_t>> axes = node.normalizeAxes(*perm, rank);
    if (failed(axes))
      return failure();
    order = *axes;
  }
  if (int64_t(order.size()) != rank)
    return node.emitError() << "expects a permutation of " << rank
                            << " dimensions, but got " << order.size();
  return node.setResult(node.transpose(data, order));
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

static LogicalResult convertExpand(NodeContext &node) {
  Value data = node.getInput(0);
  const ShapeTensor *shape = node.getContents(1);
  if (!shape || shape->isFloat())
    return node.emitError()
           << "expects a shape that follows from the sizes of "
              "the inputs, but \""
           << node.getNode().inputs[1] << "\" is computed at run time";
  SmallVector<ShapeScalar> dims = node.getDims(data);
  SmallVector<ShapeScalar> target(shape->elements.begin(),
                                  shape->elements.end());
  if (target.size() < dims.size())
    target.insert(target.begin(), dims.size() - target.size(),
                  ShapeScalar::get(1));
  // Broadcasting goes both ways.
  for (auto [dim, size] : llvm::zip(llvm::reverse(dims), llvm::reverse(target)))
    if (size.getConstant() == 1)
      size = dim;
  return node.setResult(node.broadcast(data, target));
}

static LogicalResult convertTile(NodeContext &node) {
  FailureOr<SmallVector<int64_t>> repeats = node.getConstantInts(1);
  if (failed(repeats))
    return failure();
  Value data = node.getInput(0);
  if (int64_t(repeats->size()) != node.getRank(data))
    return node.emitError() << "expects " << node.getRank(data)
                            << " repeats, but got " << repeats->size();
  TileOp::Properties properties;
  properties.reps = node.getBuilder().getDenseI64ArrayAttr(*repeats);
  return node.setResult(node.create<TileOp>({data}, properties));
}

static LogicalResult convertConcat(NodeContext &node) {
  if (node.getNumInputs() == 1)
    return node.setResult(node.getInput(0));
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", 1),
                                               node.getInputType(0).getRank());
  if (failed(axis))
    return failure();
  ConcatenateOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(*axis);
  return node.setResult(
      node.create<ConcatenateOp>(node.getInputs(), properties));
}

/// Pads an axis with elements from its other end; what is negative is cut off
/// before.
static Value wrapAxis(NodeContext &node, Value data, int64_t axis,
                      int64_t before, int64_t after) {
  data = node.pad(data, axis, std::min<int64_t>(before, 0),
                  std::min<int64_t>(after, 0), 0);
  before = std::max<int64_t>(before, 0);
  after = std::max<int64_t>(after, 0);
  if (!data || (before == 0 && after == 0))
    return data;
  int64_t size = node.getType(data).getDimSize(axis);
  if (ShapedType::isDynamic(size) || before > size || after > size) {
    // Positions as long as the result; mode edge wants an element to repeat.
    Type type = node.getBuilder().getI64Type();
    Value line = node.pad(node.createLine(data, axis, type), 0, before, after,
                          /*number=*/0, "edge");
    Value positions = node.create<SubtractOp>(
        {node.createPositions(line), node.createScalar(double(before), type)});
    return node.take(data, positions, axis, "wrap");
  }
  // Whole pieces.
  SmallVector<Value> pieces;
  if (before)
    pieces.push_back(node.slice(data, axis, size - before, size));
  pieces.push_back(data);
  if (after)
    pieces.push_back(node.slice(data, axis, 0, after));
  ConcatenateOp::Properties concat;
  concat.axis = node.getBuilder().getI64IntegerAttr(axis);
  return node.create<ConcatenateOp>(pieces, concat);
}

static LogicalResult convertPad(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  SmallVector<int64_t> pads;
  if (node.getOpset() < 11) {
    pads = llvm::to_vector(node.getInts("pads").value_or(ArrayRef<int64_t>()));
  } else {
    FailureOr<SmallVector<int64_t>> values = node.getConstantInts(1);
    if (failed(values))
      return failure();
    pads = *values;
  }
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (node.hasInput(3)) {
    FailureOr<SmallVector<int64_t>> values = node.getConstantInts(3);
    if (failed(values))
      return failure();
    FailureOr<SmallVector<int64_t>> normalized =
        node.normalizeAxes(*values, rank);
    if (failed(normalized))
      return failure();
    axes = *normalized;
  }
  if (pads.size() != 2 * axes.size())
    return node.emitError()
           << "expects " << 2 * axes.size() << " pads, but got " << pads.size();
  SmallVector<int64_t> widths(2 * rank, 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    widths[2 * axis] = pads[i];
    widths[2 * axis + 1] = pads[axes.size() + i];
  }

  StringRef mode = node.getString("mode", "constant");
  Type type = node.getElementType(data);
  NNPadOp::Properties properties;
  properties.pad_mode = b.getStringAttr(mode);
  Value value;
  if (mode == "constant") {
    if (node.hasInput(2))
      value = node.reshape(node.getInput(2), ArrayRef<int64_t>());
    else
      value = node.createScalar(node.getFloat("value", 0), type);
  } else if (mode == "wrap") {
    for (int64_t axis = 0; axis < rank; ++axis)
      data = wrapAxis(node, data, axis, widths[2 * axis], widths[2 * axis + 1]);
    return node.setResult(data);
  } else if (mode == "reflect" || mode == "edge") {
    value = node.createScalar(0, type);
  } else {
    return node.emitError() << "expects mode constant, reflect, edge or wrap, "
                               "but got \""
                            << mode << "\"";
  }
  properties.pad_width = b.getDenseI64ArrayAttr(widths);
  return node.setResult(node.create<NNPadOp>({data, value}, properties));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// A position along a dimension of size `dim`, as relay.strided_slice wants it:
/// a number, negative if it counts from the end.
static std::optional<int64_t> getPosition(const ShapeScalar &position,
                                          const ShapeScalar &dim) {
  if (std::optional<int64_t> constant = position.getConstant())
    return constant;
  if (position.isSame(dim))
    return std::numeric_limits<int64_t>::max();
  // n - 1 is -1, whatever n is.
  ShapeScalar distance;
  for (unsigned i = 0; i < kNumCases; ++i)
    if (position.isPossible(i) && dim.isPossible(i))
      distance.set(i, position[i] - dim[i]);
  std::optional<int64_t> constant = distance.getConstant();
  return constant && *constant < 0 ? constant : std::nullopt;
}

static LogicalResult convertSlice(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  SmallVector<ShapeScalar> bounds[2];
  SmallVector<int64_t> axes, steps;
  bool hasAxes;
  if (node.getOpset() < 10) {
    for (unsigned i = 0; i < 2; ++i)
      for (int64_t value : node.getInts(i == 0 ? "starts" : "ends")
                               .value_or(ArrayRef<int64_t>()))
        bounds[i].push_back(ShapeScalar::get(value));
    std::optional<ArrayRef<int64_t>> values = node.getInts("axes");
    if ((hasAxes = values.has_value()))
      axes = llvm::to_vector(*values);
  } else {
    for (unsigned i = 0; i < 2; ++i) {
      if (!node.hasInput(i + 1))
        return node.emitError()
               << "expects input " << i + 1 << ", which is left out";
      const ShapeTensor *contents = node.getContents(i + 1);
      if (!contents || contents->isFloat())
        return node.emitError()
               << "expects bounds that follow from the sizes of the inputs, "
                  "but \""
               << node.getNode().inputs[i + 1] << "\" is computed at run time";
      bounds[i].assign(contents->elements.begin(), contents->elements.end());
    }
    if ((hasAxes = node.hasInput(3))) {
      FailureOr<SmallVector<int64_t>> values = node.getConstantInts(3);
      if (failed(values))
        return failure();
      axes = *values;
    }
    if (node.hasInput(4)) {
      FailureOr<SmallVector<int64_t>> values = node.getConstantInts(4);
      if (failed(values))
        return failure();
      steps = *values;
    }
  }
  if (!hasAxes)
    axes = llvm::to_vector(llvm::seq<int64_t>(bounds[0].size()));
  if (steps.empty())
    steps.assign(axes.size(), 1);
  FailureOr<SmallVector<int64_t>> normalized = node.normalizeAxes(axes, rank);
  if (failed(normalized))
    return failure();
  if (bounds[0].size() != axes.size() || bounds[1].size() != axes.size() ||
      steps.size() != axes.size())
    return node.emitError() << "expects as many starts, ends, axes and steps, "
                               "but got "
                            << bounds[0].size() << ", " << bounds[1].size()
                            << ", " << axes.size() << " and " << steps.size();

  SmallVector<ShapeScalar> dims = node.getDims(data);
  SmallVector<int64_t> begin, end, strides, sliced;
  for (auto [i, axis] : llvm::enumerate(*normalized)) {
    std::optional<int64_t> from = getPosition(bounds[0][i], dims[axis]);
    std::optional<int64_t> to = getPosition(bounds[1][i], dims[axis]);
    int64_t step = steps[i];
    if (step == 0)
      return node.emitError() << "expects steps other than 0";
    if (from == 0 && !to && step == 1) {
      data = node.takeFirst(data, axis, bounds[1][i]);
      if (!data)
        return failure();
      continue;
    }
    if (!from || !to)
      return node.emitError() << "expects bounds along axis " << axis
                              << " that do not depend on other sizes";
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
  if (sliced.empty())
    return node.setResult(data);
  StridedSliceOp::Properties properties;
  properties.begin = b.getDenseI64ArrayAttr(begin);
  properties.end = b.getDenseI64ArrayAttr(end);
  properties.strides = b.getDenseI64ArrayAttr(strides);
  properties.axes = b.getDenseI64ArrayAttr(sliced);
  return node.setResult(node.create<StridedSliceOp>({data}, properties));
}

/// Splits an open axis into a part of ceil(n / 2) elements and the rest.
static LogicalResult splitInHalves(NodeContext &node, Value data,
                                   int64_t axis) {
  OpBuilder &b = node.getBuilder();
  Type type = node.getElementType(data);
  int64_t rank = node.getRank(data);
  Value line = node.createLine(data, axis, type);
  auto shorten = [&](Value value, Value length, int64_t dim) {
    length = node.expandDims(length, 0, dim);
    length = node.expandDims(length, dim + 1, node.getRank(value) - dim - 1);
    SliceLikeOp::Properties properties;
    properties.axes = b.getDenseI64ArrayAttr(dim);
    return node.create<SliceLikeOp>({value, length}, properties);
  };
  // An odd one is made even, as long as two of the larger part.
  RepeatOp::Properties repeat;
  repeat.repeats = b.getI64IntegerAttr(2);
  repeat.axis = b.getI64IntegerAttr(0);
  Value even = node.create<RepeatOp>({node.dropFirst(line, 0, 0, 2)}, repeat);
  if (!even)
    return failure();
  Value padded = shorten(node.pad(data, axis, 0, 1, 0), even, axis);
  SmallVector<int64_t> codes(axis, 0);
  codes.append({-4, 2, -1});
  codes.append(rank - axis - 1, 0);
  Value halves = node.reshape(padded, codes);
  for (int64_t i = 0; i < 2; ++i) {
    if (!node.wantsOutput(i))
      continue;
    Value half = node.squeeze(node.slice(halves, axis, i, i + 1), {axis});
    if (half && i == 1)
      half = shorten(half, node.dropFirst(line, 0, 1, 2), axis);
    if (failed(node.setOutput(i, half)))
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
  if (sizes.empty() && ShapedType::isDynamic(size) && count == 2 &&
      node.hasAttr("num_outputs"))
    return splitInHalves(node, data, *axis);
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

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult convertBlock(NodeContext &node) {
  int64_t size = node.getInt("blocksize", 0);
  if (size < 1)
    return node.emitError()
           << "expects blocksize to be positive, but got " << size;
  StringRef mode = node.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return node.emitError()
           << "expects mode DCR or CRD, but got \"" << mode << "\"";
  typename OpT::Properties properties;
  properties.block_size = node.getBuilder().getI64IntegerAttr(size);
  properties.mode =
      node.getBuilder().getStringAttr(mode == "CRD" ? "CDR" : "DCR");
  return node.setResult(node.create<OpT>({node.getInput(0)}, properties));
}

static LogicalResult convertTrilu(NodeContext &node) {
  Value k = node.getInput(1);
  if (!k)
    k = node.createScalar(0, node.getBuilder().getI64Type());
  else
    k = node.reshape(k, ArrayRef<int64_t>());
  TriluOp::Properties properties;
  properties.upper = node.getBuilder().getBoolAttr(node.getBool("upper", true));
  return node.setResult(
      node.create<TriluOp>({node.getInput(0), k}, properties));
}

void mlir::relay::onnx::addMovementOps(OpTable &table) {
  table.add({"Concat"},
            {convertConcat, kOldestOpset, kNewestOpset, 1, kVariadic});
  table.add({"DepthToSpace"}, {convertBlock<NNDepthToSpaceOp>});
  table.add({"Expand"},
            {convertExpand, 8, kNewestOpset, 2, 2, /*contentInputs=*/0b10});
  table.add({"Flatten"}, {convertFlatten});
  table.add({"Pad"}, {convertPad, kOldestOpset, kNewestOpset, 1, 4,
                      /*contentInputs=*/0b1010});
  table.add({"Reshape"}, {convertReshape, kOldestOpset, kNewestOpset, 2, 2,
                          /*contentInputs=*/0b10});
  table.add({"Slice"}, {convertSlice, kOldestOpset, kNewestOpset, 1, 5,
                        /*contentInputs=*/0b11110});
  table.add({"SpaceToDepth"}, {convertBlock<NNSpaceToDepthOp>});
  table.add({"Split"}, {convertSplit, kOldestOpset, kNewestOpset, 1, 2,
                        /*contentInputs=*/0b10});
  table.add({"Squeeze"}, {convertSqueeze, kOldestOpset, kNewestOpset, 1, 2,
                          /*contentInputs=*/0b10});
  table.add({"Tile"}, {convertTile, kOldestOpset, kNewestOpset, 2, 2,
                       /*contentInputs=*/0b10});
  table.add({"Transpose"}, {convertTranspose});
  table.add({"Trilu"}, {convertTrilu, 14, kNewestOpset, 1, 2});
  table.add({"Unsqueeze"}, {convertUnsqueeze, kOldestOpset, kNewestOpset, 1, 2,
                            /*contentInputs=*/0b10});
}
