//===- Repetition.cpp - Operators of ONNX that repeat data ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// `shape`, whose numbers are computed when the model runs, where it is 1 as
/// the sizes of `data`: broadcasting goes both ways. Both are aligned at the
/// end.
static Value coverShape(NodeContext &node, Value data, Value shape) {
  if (!shape)
    return nullptr;
  Type type = node.getElementType(shape);
  int64_t rank = node.getRank(data);
  int64_t missing = rank - node.getType(shape).getDimSize(0);
  Value sizes = node.createSizes(data, 0, rank, type);
  sizes = node.pad(sizes, 0, std::max<int64_t>(-missing, 0), 0, 1);
  shape = node.pad(shape, 0, std::max<int64_t>(missing, 0), 0, 1);
  return node.create<WhereOp>(
      {node.create<EqualOp>({shape, node.createScalar(1, type)}), sizes,
       shape});
}

/// `data` with `count` copies of its element along `axis` if it has one there,
/// and as it is if it has more; both are only known when the model runs.
static Value repeatOne(NodeContext &node, Value data, int64_t axis,
                       Value count) {
  Type type = node.getBuilder().getI64Type();
  Value own = node.createSize(data, axis);
  Value isOne = node.create<EqualOp>({own, node.createScalar(1, type)});
  count = node.create<WhereOp>({isOne, count, own});
  if (!count)
    return nullptr;
  Value step = node.castTo(node.create<LogicalNotOp>({isOne}), type);
  Value positions =
      node.create<MultiplyOp>({node.createRange(count, type), step});
  return node.take(data, positions, axis);
}

/// `data`, as large as what it is broadcast to along open axes whose sizes may
/// differ from `target`: an operator that broadcasts repeats what is known to
/// have size 1. The numbers are those of `sizes` where that is not null. Both
/// are aligned at the end.
static Value repeatOpenAxes(NodeContext &node, Value data,
                            ArrayRef<ShapeScalar> target, Value sizes) {
  SmallVector<ShapeScalar> dims = node.getDims(data);
  size_t offset = target.size() - dims.size();
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    const ShapeScalar &size = target[offset + axis];
    // The first or last row of what is open is taken for one, and may be none.
    bool isOneAtMost =
        dim.getConstant() == 1 && node.getType(data).isDynamicDim(axis);
    if ((dim.getConstant() && !isOneAtMost) || dim.isSame(size))
      continue;
    auto position = static_cast<int64_t>(offset + axis);
    Value count = sizes ? node.slice(sizes, 0, position, position + 1)
                        : node.createInts(ArrayRef(size));
    data = repeatOne(node, data, static_cast<int64_t>(axis),
                     node.reshape(count, ArrayRef<int64_t>()));
    if (!data)
      return nullptr;
  }
  return data;
}

/// Expand to a shape of which not even how it is computed is known.
static LogicalResult expandByValue(NodeContext &node, Value data) {
  Value sizes = coverShape(node, data, node.getIntsValue(1));
  if (!sizes)
    return failure();
  SmallVector<ShapeScalar> target(node.getType(sizes).getDimSize(0));
  if (const ShapeTensor *known = node.getPartialContents(1)) {
    std::fill(target.begin(), target.end(), ShapeScalar::get(1));
    std::copy_backward(known->elements.begin(), known->elements.end(),
                       target.end());
  }
  // Broadcasting goes both ways: what is not known may be 1.
  SmallVector<ShapeScalar> dims = node.getDims(data);
  dims.insert(dims.begin(), target.size() - dims.size(), ShapeScalar::get(1));
  for (auto [dim, size] : llvm::zip_equal(dims, target)) {
    std::optional<int64_t> own = dim.getConstant();
    std::optional<int64_t> constant = size.getConstant();
    if (constant == 1 || (!constant && own && *own != 1))
      size = dim;
    else if (constant ? *constant < 0 : !own && !dim.isSame(size))
      size = ShapeScalar();
  }
  data = repeatOpenAxes(node, data, target, sizes);
  return node.setResult(
      node.expectDims(node.create<DynBroadcastToOp>({data, sizes}), target));
}

static LogicalResult convertExpand(NodeContext &node) {
  Value data = node.getInput(0);
  const ShapeTensor *shape = node.getContents(1);
  if (!shape)
    return expandByValue(node, data);
  if (shape->isFloat() || shape->shape.size() > 1)
    return node.emitError()
           << "expects a shape that is a vector of integers, but got "
           << shape->getType();
  SmallVector<ShapeScalar> dims = node.getDims(data);
  SmallVector<ShapeScalar> target(shape->elements.begin(),
                                  shape->elements.end());
  Value source;
  if (!shape->getConstants())
    source = node.getIntsValue(1);
  if (target.size() < dims.size()) {
    int64_t missing = dims.size() - target.size();
    target.insert(target.begin(), missing, ShapeScalar::get(1));
    if (source)
      source = node.pad(source, 0, missing, 0, 1);
  }
  // Broadcasting goes both ways.
  bool isReplaced = false;
  for (auto [dim, size] : llvm::zip(llvm::reverse(dims), llvm::reverse(target)))
    if (size.getConstant() == 1) {
      size = dim;
      isReplaced |= !dim.getConstant();
    }
  if (source && isReplaced)
    source = coverShape(node, data, source);
  data = repeatOpenAxes(node, data, target, source);
  return node.setResult(node.broadcast(data, target, source));
}

static LogicalResult convertTile(NodeContext &node) {
  Value data = node.getInput(0);
  const ShapeTensor *repeats = node.getContents(1);
  std::optional<SmallVector<int64_t>> constants;
  if (repeats)
    constants = repeats->getConstants();
  if (!constants) {
    SmallVector<ShapeScalar> dims = node.getDims(data);
    Value counts = node.getIntsValue(1);
    if (!counts)
      return failure();
    if (node.getType(counts).getDimSize(0) != node.getRank(data))
      return node.emitError()
             << "expects " << node.getRank(data) << " repeats, but got "
             << node.getType(counts).getDimSize(0);
    for (auto [axis, dim] : llvm::enumerate(dims))
      dim =
          repeats ? multiplySizes(dim, repeats->elements[axis]) : ShapeScalar();
    return node.setResult(
        node.refineDims(node.create<DynTileOp>({data, counts}), dims));
  }
  if (int64_t(constants->size()) != node.getRank(data))
    return node.emitError() << "expects " << node.getRank(data)
                            << " repeats, but got " << constants->size();
  TileOp::Properties properties;
  properties.reps = node.getBuilder().getDenseI64ArrayAttr(*constants);
  return node.setResult(node.create<TileOp>({data}, properties));
}

void mlir::relay::onnx::addRepetitionOps(OpTable &table) {
  table.add({"Expand"},
            {convertExpand, 8, kNewestOpset, 2, 2, /*contentInputs=*/0b10});
  table.add({"Tile"}, {convertTile, kOldestOpset, kNewestOpset, 2, 2,
                       /*contentInputs=*/0b10});
}
