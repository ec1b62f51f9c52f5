//===- Movement.cpp - Operators of ONNX that move data -------------------===//
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

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// The same elements in another shape
//===----------------------------------------------------------------------===//

/// The reshape to a shape that is computed when the model runs.
static Value reshapeByValue(NodeContext &node, Value data) {
  DynReshapeOp::Properties properties;
  properties.allowzero =
      node.getBuilder().getBoolAttr(node.getBool("allowzero", false));
  return node.create<DynReshapeOp>({data, node.getIntsValue(1)}, properties);
}

/// `data` with the row, of the first or last rows of what is open, that its
/// sizes are taken to have: without it, sizes that follow from others would be
/// wrong.
static Value expectRows(NodeContext &node, Value data) {
  SmallVector<ShapeScalar> dims = node.getDims(data);
  for (auto [axis, dim] : llvm::enumerate(dims))
    if (dim.getConstant() == 1 && node.getType(data).isDynamicDim(axis))
      data = node.expectSize(data, axis, 1);
  return data;
}

static LogicalResult convertReshape(NodeContext &node) {
  Value data = node.getInput(0);
  const ShapeTensor *shape = node.getContents(1);
  if (!shape) {
    Value result = reshapeByValue(node, data);
    const ShapeTensor *known = node.getPartialContents(1);
    if (!result || !known)
      return node.setResult(result);
    SmallVector<ShapeScalar> dims = node.getDims(data), target;
    bool copies = !node.getBool("allowzero", false);
    for (auto [i, size] : llvm::enumerate(known->elements)) {
      // What is not known may be a code.
      std::optional<int64_t> constant = size.getConstant();
      if (copies && constant == 0)
        target.push_back(i < dims.size() ? dims[i] : ShapeScalar());
      else
        target.push_back(constant && *constant >= 0 ? size : ShapeScalar());
    }
    return node.setResult(node.expectDims(result, target));
  }
  if (shape->isFloat() || shape->shape.size() != 1)
    return node.emitError()
           << "expects a shape that is a vector of integers, but got "
           << shape->getType();
  bool allowZero = node.getBool("allowzero", false);
  SmallVector<ShapeScalar> dims = node.getDims(data);
  SmallVector<ShapeScalar> target;
  std::optional<size_t> inferred;
  ShapeScalar known = ShapeScalar::get(1), total = ShapeScalar::get(1);
  for (const ShapeScalar &dim : dims)
    total = multiplySizes(total, dim);
  // Of the sizes that are not copied, which say what a -1 is also where those
  // that are copied are 0.
  ShapeScalar knownRest = known, totalRest = known;
  SmallVector<bool> isCopied(dims.size());
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
      isCopied[i] = true;
    } else {
      knownRest = multiplySizes(knownRest, size);
    }
    known = multiplySizes(known, target.back());
  }
  if (inferred) {
    for (auto [dim, isCopy] : llvm::zip_equal(dims, isCopied))
      if (!isCopy)
        totalRest = multiplySizes(totalRest, dim);
    ShapeScalar rest;
    for (unsigned i = 0; i < kNumCases; ++i)
      if (knownRest.isPossible(i) && totalRest.isPossible(i) &&
          knownRest[i] != 0 && totalRest[i] % knownRest[i] == 0)
        rest.set(i, totalRest[i] / knownRest[i]);
    if (!rest.isReliable()) {
      if (allowZero && knownRest.getConstant() == 0)
        return node.emitError() << "expects no -1 beside a 0 that is a size "
                                   "(allowzero): any size would fit";
      if (totalRest.getConstant() && knownRest.getConstant())
        return node.emitError()
               << "cannot infer the size for -1: " << data.getType()
               << " has no multiple of the other sizes";
      // Whether the others divide it may show when the model runs.
      rest = node.createSymbol();
    }
    target[*inferred] = rest;
  } else if (std::optional<int64_t> size = total.getConstant();
             size && known.getConstant() && size != known.getConstant()) {
    return node.emitError() << "expects a shape of " << *size
                            << " elements, but got " << *known.getConstant();
  }
  data = expectRows(node, data);
  Value result = node.reshapeByCodes(data, target);
  if (!result && !node.hasFailed())
    result = node.refineDims(reshapeByValue(node, data), target);
  return node.setResult(result);
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
  data = expectRows(node, data);
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

/// Squeeze without axes. The result has one rank, so open sizes are taken to be
/// none of 1, which is checked when the model runs.
static LogicalResult squeezeOnes(NodeContext &node, Value data) {
  RankedTensorType type = node.getType(data);
  SmallVector<int64_t> axes;
  for (auto [axis, size] : llvm::enumerate(type.getShape()))
    if (size == 1)
      axes.push_back(axis);
  if (type.hasStaticShape())
    return node.setResult(node.squeeze(data, axes));
  node.emitWarning() << "without axes, dimensions of " << type
                     << " that are not known are taken to be none of 1; name "
                        "the axes, or fix the sizes, as with --dim";
  Type i64 = node.getBuilder().getI64Type();
  SmallVector<Value> sizes;
  for (int64_t axis = 0, rank = type.getRank(); axis < rank; ++axis)
    if (type.isDynamicDim(axis))
      sizes.push_back(node.createSizes(data, axis, axis + 1, i64));
  Value isRight = node.create<NotEqualOp>(
      {node.concatenate(sizes), node.createScalar(1, i64)});
  data = node.assertThat(
      data, isRight,
      "expects sizes other than 1 to squeeze an input without axes");
  return node.setResult(node.squeeze(data, axes));
}

static LogicalResult convertSqueeze(NodeContext &node) {
  Value data = node.getInput(0);
  if (node.hasInput(1) && !node.getContents(1)) {
    FailureOr<ComputedAxes> axes =
        ComputedAxes::get(node, 1, node.getRank(data));
    if (failed(axes))
      return failure();
    return node.setResult(axes->squeeze(node, data));
  }
  FailureOr<SmallVector<int64_t>> axes = getAxes(node);
  if (failed(axes))
    return failure();
  if (!node.hasInput(1) && !node.hasAttr("axes"))
    return squeezeOnes(node, data);
  FailureOr<SmallVector<int64_t>> normalized =
      node.normalizeAxes(*axes, node.getRank(data));
  if (failed(normalized))
    return failure();
  return node.setResult(node.squeeze(data, *normalized));
}

static LogicalResult convertUnsqueeze(NodeContext &node) {
  Value data = node.getInput(0);
  if (node.hasInput(1) && !node.getContents(1)) {
    RankedTensorType type = node.getInputType(1);
    int64_t count = type.hasStaticShape() ? type.getNumElements() : 0;
    FailureOr<ComputedAxes> axes =
        ComputedAxes::get(node, 1, node.getRank(data) + count);
    if (failed(axes))
      return failure();
    return node.setResult(axes->unsqueeze(node, data));
  }
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
// Joining and padding
//===----------------------------------------------------------------------===//

static LogicalResult convertConcat(NodeContext &node) {
  // Only the first versions have a default.
  if (node.getOpset() >= 4 && !node.hasAttr("axis"))
    return node.emitError() << "expects attribute \"axis\"";
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", 1),
                                               node.getInputType(0).getRank());
  if (failed(axis))
    return failure();
  if (node.getNumInputs() == 1)
    return node.setResult(node.getInput(0));
  return node.setResult(node.concatenate(node.getInputs(), *axis));
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
  return node.concatenate(pieces, axis);
}

/// Cuts off what negative `widths`, (rank, 2) numbers that are computed when
/// the model runs, take from the ends of each axis; they become 0.
static Value cropByWidths(NodeContext &node, Value data, Value &widths) {
  int64_t rank = node.getRank(data);
  Type type = node.getBuilder().getI64Type();
  Value zero = node.createScalar(0, type);
  auto getSide = [&](int64_t side) {
    return node.reshape(node.slice(widths, 1, side, side + 1), {rank});
  };
  Value begin =
      node.create<MaximumOp>({node.create<NegativeOp>({getSide(0)}), zero});
  Value end = node.create<AddOp>({node.createSizes(data, 0, rank, type),
                                  node.create<MinimumOp>({getSide(1), zero})});
  widths = node.create<MaximumOp>({widths, zero});
  DynStridedSliceOp::Properties properties;
  return node.create<DynStridedSliceOp>(
      {data, begin, end, node.createInts(SmallVector<int64_t>(rank, 1))},
      properties);
}

/// Pads an axis as wrapAxis does, by row `axis` of `widths`, which are computed
/// when the model runs, and not negative.
static Value wrapOpenAxis(NodeContext &node, Value data, int64_t axis,
                          Value widths) {
  if (!data || !widths)
    return nullptr;
  Type type = node.getBuilder().getI64Type();
  Value row = node.slice(widths, 0, axis, axis + 1);
  auto getWidth = [&](int64_t side) {
    return node.reshape(node.slice(row, 1, side, side + 1), {1});
  };
  Value before = getWidth(0);
  Value count =
      node.create<AddOp>({node.create<AddOp>({before, getWidth(1)}),
                          node.createSizes(data, axis, axis + 1, type)});
  Value positions = node.create<SubtractOp>(
      {node.createRange(node.reshape(count, ArrayRef<int64_t>()), type),
       before});
  return node.take(data, positions, axis, "wrap");
}

/// The sizes of input 0 once it is padded; `positions` says which numbers of
/// input 1 are the widths of each dimension, of which one that is behind them
/// is 0.
static SmallVector<ShapeScalar> getPaddedDims(NodeContext &node,
                                              ArrayRef<int64_t> positions) {
  SmallVector<ShapeScalar> dims = node.getInputDims(0);
  const ShapeTensor *pads = node.getPartialContents(1);
  for (auto [i, position] : llvm::enumerate(positions)) {
    ShapeScalar &dim = dims[i / 2];
    if (!pads)
      dim = ShapeScalar();
    else if (static_cast<size_t>(position) < pads->elements.size())
      // Each may be negative; a sum with what is not known is not known.
      dim = addSizes(dim, pads->elements[position]);
  }
  return dims;
}

static LogicalResult convertPad(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  StringRef mode = node.getString("mode", "constant");
  if (!llvm::is_contained({"constant", "reflect", "edge", "wrap"}, mode))
    return node.emitError() << "expects mode constant, reflect, edge or wrap, "
                               "but got \""
                            << mode << "\"";
  std::optional<SmallVector<int64_t>> pads;
  if (node.getNode().domain.empty() && node.getOpset() < 11)
    pads = llvm::to_vector(node.getInts("pads").value_or(ArrayRef<int64_t>()));
  else if (const ShapeTensor *contents = node.getContents(1))
    pads = contents->getConstants();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::optional<ComputedAxes> computedAxes;
  if (node.hasInput(3) && !node.getContents(3)) {
    FailureOr<ComputedAxes> values = ComputedAxes::get(node, 3, rank);
    if (failed(values))
      return failure();
    computedAxes = *values;
    axes.resize(values->getCount());
    pads.reset();
  } else if (node.hasInput(3)) {
    FailureOr<SmallVector<int64_t>> values = node.getConstantInts(3);
    if (failed(values))
      return failure();
    FailureOr<SmallVector<int64_t>> normalized =
        node.normalizeAxes(*values, rank);
    if (failed(normalized))
      return failure();
    axes = *normalized;
  }
  Value computedPads;
  if (!pads && !(computedPads = node.getIntsValue(1)))
    return failure();
  int64_t numPads =
      pads ? pads->size() : node.getType(computedPads).getDimSize(0);
  if (numPads != int64_t(2 * axes.size()))
    return node.emitError()
           << "expects " << 2 * axes.size() << " pads, but got " << numPads;
  Value table;
  if (computedAxes) {
    int64_t count = computedAxes->getCount();
    Value zero = node.createScalar(0, b.getI64Type());
    auto pick = [&](int64_t begin) {
      Value part = node.slice(computedPads, 0, begin, begin + count);
      return node.expandDims(computedAxes->pick(node, part, zero), 1);
    };
    table = node.concatenate({pick(0), pick(count)}, 1);
    if (!table)
      return failure();
    axes.clear();
  }
  // Where the widths of each dimension are among the pads; behind them is a 0.
  SmallVector<int64_t> positions(2 * rank, numPads);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    positions[2 * axis] = i;
    positions[2 * axis + 1] = axes.size() + i;
  }
  SmallVector<int64_t> widths;
  if (pads) {
    pads->push_back(0);
    widths = llvm::map_to_vector(
        positions, [&](int64_t position) { return (*pads)[position]; });
  }

  if (computedPads && !table)
    table = node.reshape(node.take(node.pad(computedPads, 0, 0, 1, 0),
                                   node.createInts(positions), 0),
                         {rank, 2});
  if (computedPads && (mode == "wrap" || !node.getContents(1)))
    data = cropByWidths(node, data, table);
  Type type = node.getElementType(node.getInput(0));
  Value value;
  if (mode == "constant") {
    if (failed(node.expectSameElements(2, 0)))
      return failure();
    if (node.hasInput(2))
      value = node.reshape(node.getInput(2), ArrayRef<int64_t>());
    else
      value = node.createScalar(node.getFloat("value", 0), type);
  } else if (mode == "wrap") {
    for (int64_t axis = 0; axis < rank; ++axis)
      data = table ? wrapOpenAxis(node, data, axis, table)
                   : wrapAxis(node, data, axis, widths[2 * axis],
                              widths[2 * axis + 1]);
    return node.setResult(data);
  } else {
    value = node.createScalar(0, type);
  }
  if (computedPads) {
    DynNNPadOp::Properties properties;
    properties.pad_mode = b.getStringAttr(mode);
    Value padded = node.create<DynNNPadOp>({data, table, value}, properties);
    return node.setResult(
        computedAxes ? padded
                     : node.refineDims(padded, getPaddedDims(node, positions)));
  }
  NNPadOp::Properties properties;
  properties.pad_mode = b.getStringAttr(mode);
  properties.pad_width = b.getDenseI64ArrayAttr(widths);
  return node.setResult(node.create<NNPadOp>({data, value}, properties));
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
  table.add({"Flatten"}, {convertFlatten});
  table.add({"Pad"}, {convertPad, kOldestOpset, kNewestOpset, 1, 4,
                      /*contentInputs=*/0b1010});
  table.add({"Reshape"}, {convertReshape, kOldestOpset, kNewestOpset, 2, 2,
                          /*contentInputs=*/0b10});
  table.add({"SpaceToDepth"}, {convertBlock<NNSpaceToDepthOp>});
  table.add({"Squeeze"}, {convertSqueeze, kOldestOpset, kNewestOpset, 1, 2,
                          /*contentInputs=*/0b10});
  table.add({"Transpose"}, {convertTranspose});
  table.add({"Trilu"}, {convertTrilu, 14, kNewestOpset, 1, 2});
  table.add({"Unsqueeze"}, {convertUnsqueeze, kOldestOpset, kNewestOpset, 1, 2,
                            /*contentInputs=*/0b10});
}
