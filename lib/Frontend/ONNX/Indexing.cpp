//===- Indexing.cpp - Operators of ONNX that index data ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"
#include "ShapeEvaluator.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Support/FormatNumber.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// The integers in input `index`, none if they are not known.
static SmallVector<int64_t> getKnownInts(NodeContext &node, unsigned index) {
  const ShapeTensor *contents = node.getContents(index);
  std::optional<SmallVector<int64_t>> values;
  if (contents)
    values = contents->getConstants();
  return values.value_or(SmallVector<int64_t>());
}

/// Reports an error if input `index` holds a constant that is out of the range
/// of a dimension of a known size, or anything where that size is 0.
static LogicalResult checkIndices(NodeContext &node, unsigned index, Value data,
                                  int64_t axis) {
  int64_t size = node.getType(data).getDimSize(axis);
  if (ShapedType::isDynamic(size))
    return success();
  for (int64_t value : getKnownInts(node, index))
    if (value < -size || value >= size)
      return node.emitError() << "expects indices in [" << -size << ", " << size
                              << "), but got " << value;
  RankedTensorType indices = node.getInputType(index);
  if (size == 0 && indices.hasStaticShape() && indices.getNumElements() != 0)
    return node.emitError() << "expects no indices into axis " << axis << " of "
                            << data.getType() << ", but got " << indices;
  return success();
}

static Value getLastToFront(NodeContext &node, Value indices) {
  int64_t rank = node.getRank(indices);
  SmallVector<int64_t> order = {rank - 1};
  llvm::append_range(order, llvm::seq<int64_t>(rank - 1));
  return node.transpose(indices, order);
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

static LogicalResult convertGather(NodeContext &node) {
  Value data = node.getInput(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), node.getRank(data));
  if (failed(axis))
    return failure();
  if (failed(checkIndices(node, 1, data, *axis)))
    return failure();
  return node.setResult(node.take(data, node.getInput(1), *axis, "fast"));
}

static LogicalResult convertGatherElements(NodeContext &node) {
  Value data = node.getInput(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), node.getRank(data));
  if (failed(axis))
    return failure();
  if (failed(checkIndices(node, 1, data, *axis)))
    return failure();
  GatherOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(*axis);
  return node.setResult(
      node.create<GatherOp>({data, node.getInput(1)}, properties));
}

/// Rows of positions, as columns.
static Value createColumns(NodeContext &node, Value data, unsigned index,
                           int64_t batchDims) {
  Value indices = node.getInput(index);
  int64_t rank = node.getRank(indices);
  if (rank < 1) {
    node.emitError() << "expects indices of rank 1 or more, but got "
                     << indices.getType();
    return nullptr;
  }
  int64_t depth = node.getType(indices).getDimSize(rank - 1);
  if (ShapedType::isDynamic(depth) || batchDims + depth > node.getRank(data)) {
    node.emitError() << "expects the last size of the indices to be static and "
                        "at most "
                     << node.getRank(data) - batchDims << ", but got "
                     << indices.getType();
    return nullptr;
  }
  for (int64_t axis = batchDims; axis < batchDims + depth; ++axis)
    if (node.getType(data).getDimSize(axis) == 0 &&
        failed(checkIndices(node, index, data, axis)))
      return nullptr;
  return getLastToFront(node, indices);
}

static LogicalResult convertGatherND(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t batchDims = node.getInt("batch_dims", 0);
  if (batchDims < 0 || batchDims >= node.getRank(data))
    return node.emitError() << "expects batch_dims in [0, "
                            << node.getRank(data) << "), but got " << batchDims;
  GatherNdOp::Properties properties;
  properties.batch_dims = node.getBuilder().getI64IntegerAttr(batchDims);
  return node.setResult(node.create<GatherNdOp>(
      {data, createColumns(node, data, 1, batchDims)}, properties));
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// The name that relay has for attribute "reduction".
static std::optional<StringRef> getReduction(NodeContext &node) {
  StringRef reduction = node.getString("reduction", "none");
  if (reduction == "none")
    return "update";
  if (reduction == "add" || reduction == "mul" || reduction == "min" ||
      reduction == "max")
    return reduction;
  node.emitError() << "expects reduction none, add, mul, min or max, but got \""
                   << reduction << "\"";
  return std::nullopt;
}

/// What a node computes of the sizes of tensors, a vector of integers, from
/// these sizes themselves; null for others. What is read from a shape that was
/// written to is no size for those that ask for one.
static Value createKnownSizes(NodeContext &node) {
  std::optional<ShapeTensor> known = evaluateShape(node);
  if (!known || known->shape.size() != 1 || known->isFloat() ||
      !llvm::all_of(known->elements, [&](const ShapeScalar &size) {
        return size.getConstant() || node.isArgumentSize(size);
      }))
    return nullptr;
  return node.castTo(node.createInts(known->elements), known->elementType);
}

static LogicalResult convertScatterElements(NodeContext &node) {
  if (Value sizes = createKnownSizes(node))
    return node.setResult(sizes);
  Value data = node.getInput(0), indices = node.getInput(1);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), node.getRank(data));
  std::optional<StringRef> reduction = getReduction(node);
  if (failed(axis) || !reduction)
    return failure();
  if (failed(checkIndices(node, 1, data, *axis)))
    return failure();
  ScatterElementsOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(*axis);
  properties.reduction = node.getBuilder().getStringAttr(*reduction);
  return node.setResult(node.create<ScatterElementsOp>(
      {data, indices, node.getInput(2)}, properties));
}

static LogicalResult convertScatterND(NodeContext &node) {
  Value data = node.getInput(0);
  std::optional<StringRef> reduction = getReduction(node);
  if (!reduction)
    return failure();
  ScatterNdOp::Properties properties;
  properties.mode = node.getBuilder().getStringAttr(*reduction);
  return node.setResult(node.create<ScatterNdOp>(
      {data, createColumns(node, data, 1, 0), node.getInput(2)}, properties));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The outputs from a tuple of values and positions.
static LogicalResult setTopK(NodeContext &node, Value result) {
  for (unsigned i = 0; i < 2; ++i)
    if (node.wantsOutput(i) &&
        failed(node.setOutput(i, node.getTupleItem(result, i))))
      return failure();
  return success(!node.hasFailed());
}

/// The first elements, as many as `count` says, which is computed when the
/// model runs.
static LogicalResult convertOpenTopK(NodeContext &node, Value count,
                                     int64_t axis, bool isAscending) {
  if (!count)
    return failure();
  if (node.getType(count).getDimSize(0) != 1)
    return node.emitError() << "expects one element in input 1, but got "
                            << node.getType(count).getDimSize(0);
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  // For relay, none are all: at least one is taken, if there is one.
  Value one = node.createInts(ArrayRef<int64_t>{1});
  Value least = node.create<MinimumOp>(
      {node.createSizes(data, axis, axis + 1, b.getI64Type()), one});
  DynTopkOp::Properties properties;
  properties.axis = b.getI64IntegerAttr(axis);
  properties.is_ascend = b.getBoolAttr(isAscending);
  properties.dtype = TypeAttr::get(b.getI64Type());
  Value result = node.create<DynTopkOp>(
      {data, node.create<MaximumOp>({count, least})}, properties);
  DynStridedSliceOp::Properties slice;
  slice.axes = b.getDenseI64ArrayAttr(axis);
  Value zero = node.createInts(ArrayRef<int64_t>{0});
  for (unsigned i = 0; i < 2; ++i)
    if (node.wantsOutput(i) &&
        failed(node.setOutput(
            i, node.create<DynStridedSliceOp>(
                   {node.getTupleItem(result, i), zero, count, one}, slice))))
      return failure();
  return success(!node.hasFailed());
}

static LogicalResult convertTopK(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), node.getRank(data));
  if (failed(axis))
    return failure();
  bool isAscending = !node.getBool("largest", true);
  std::optional<int64_t> k;
  if (node.getOpset() < 10) {
    k = node.getInt("k", 0);
  } else if (const ShapeTensor *contents = node.getContents(1)) {
    if (contents->elements.size() != 1)
      return node.emitError() << "expects one element in input 1, but got "
                              << contents->elements.size();
    k = contents->elements.front().getConstant();
  }
  if (!k) {
    Value count = node.getIntsValue(1);
    // What follows from sizes takes part in the checks of shapes.
    if (!node.getContents(1))
      count = node.assertNotNegative(count, "expects k to be 0 or positive");
    return convertOpenTopK(node, count, *axis, isAscending);
  }
  if (*k < 0)
    return node.emitError() << "expects k to be 0 or positive, but got " << *k;
  if (*k == 0) {
    Value none = node.slice(data, *axis, 0, 0);
    if (failed(node.setOutput(0, none)))
      return failure();
    return node.setOutput(1, node.castTo(none, b.getI64Type()));
  }
  TopkOp::Properties properties;
  properties.k = b.getI64IntegerAttr(*k);
  properties.axis = b.getI64IntegerAttr(*axis);
  properties.is_ascend = b.getBoolAttr(isAscending);
  properties.dtype = TypeAttr::get(b.getI64Type());
  return setTopK(node, node.create<TopkOp>({data}, properties));
}

template <typename OpT>
static Value createScan(NodeContext &node, int64_t axis) {
  OpBuilder &b = node.getBuilder();
  bool isReverse = node.getBool("reverse", false);
  ReverseOp::Properties reverse;
  reverse.axis = b.getI64IntegerAttr(axis);
  Value data = node.getInput(0);
  if (isReverse)
    data = node.create<ReverseOp>({data}, reverse);
  typename OpT::Properties properties;
  properties.axis = b.getI64IntegerAttr(axis);
  properties.exclusive = b.getBoolAttr(node.getBool("exclusive", false));
  Value result = node.create<OpT>({data}, properties);
  return isReverse ? node.create<ReverseOp>({result}, reverse) : result;
}

/// Sums or products of all elements up to each one.
template <typename OpT>
static LogicalResult convertScan(NodeContext &node) {
  int64_t rank = node.getInputType(0).getRank();
  if (node.getContents(1)) {
    FailureOr<int64_t> value = node.getConstantInt(1);
    if (failed(value))
      return failure();
    FailureOr<int64_t> axis = node.normalizeAxis(*value, rank);
    if (failed(axis))
      return failure();
    return node.setResult(createScan<OpT>(node, *axis));
  }
  // The axis does not change the result's shape: along all, and then a choice.
  if (rank < 1)
    return node.emitError() << "expects data of rank 1 or more, but got "
                            << node.getInputType(0);
  Type type = node.getInputType(1).getElementType();
  Value end = node.createScalar(static_cast<double>(rank), type);
  Value axis = node.wrapIndices(
      node.reshape(node.getInput(1), ArrayRef<int64_t>()), end);
  Value result = createScan<OpT>(node, 0);
  for (int64_t i = 1; i < rank; ++i) {
    Value number = node.createScalar(static_cast<double>(i), type);
    result = node.create<WhereOp>({node.create<EqualOp>({axis, number}),
                                   createScan<OpT>(node, i), result});
  }
  // Of the result, as nothing else looks at the only axis there is.
  result = node.assertThat(result, node.isWithin(axis, end),
                           "expects an axis in [" + Twine(-rank) + ", " +
                               Twine(rank) + ")");
  return node.setResult(result);
}

//===----------------------------------------------------------------------===//
// ReverseSequence
//===----------------------------------------------------------------------===//

/// Reverses the first elements along one axis, as many as there are lengths for
/// along another.
static LogicalResult convertReverseSequence(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  FailureOr<int64_t> time =
      node.normalizeAxis(node.getInt("time_axis", 0), rank);
  FailureOr<int64_t> batch =
      node.normalizeAxis(node.getInt("batch_axis", 1), rank);
  if (failed(time) || failed(batch))
    return failure();
  if (*time == *batch || node.getInputType(1).getRank() != 1)
    return node.emitError()
           << "expects two axes and lengths of rank 1, but got " << *time
           << ", " << *batch << " and " << node.getInputType(1);
  int64_t size = node.getType(data).getDimSize(*time);
  for (int64_t length : getKnownInts(node, 1))
    if (length < 0 || (ShapedType::isStatic(size) && length > size))
      return node.emitError()
             << "expects lengths from 0 to the size of axis " << *time << " of "
             << data.getType() << ", but got " << length;
  Type type = node.getBuilder().getI64Type();
  SmallVector<ShapeScalar> dims = node.getDims(data);
  Value positions = node.expandDims(node.createPositions(dims[*time], type), 1,
                                    rank - 1 - *time);
  // Lengths that are too large give indices beyond the end, which are refused
  // when the model runs. So are negative ones, as the largest of all.
  Value lengths = node.castTo(node.getInput(1), type);
  Value isNegative = node.create<LessOp>({lengths, node.createScalar(0, type)});
  lengths = node.create<WhereOp>(
      {isNegative, node.createScalar(std::ldexp(1.0, 62), type), lengths});
  lengths = node.expandDims(lengths, 1, rank - 1 - *batch);
  Value last = node.create<SubtractOp>({lengths, node.createScalar(1, type)});
  Value source = node.create<WhereOp>(
      {node.create<LessOp>({positions, lengths}),
       node.create<SubtractOp>({last, positions}), positions});
  GatherOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(*time);
  return node.setResult(node.create<GatherOp>(
      {data, source ? node.broadcast(source, dims) : nullptr}, properties));
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

static LogicalResult convertOneHot(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value indices = node.getInput(0), values = node.getInput(2);
  std::optional<double> depth = node.getConstantFloat(1);
  Value openDepth;
  if (!depth) {
    // Of any type of numbers.
    openDepth = node.castTo(node.materializeInput(1), b.getI64Type());
    if (!openDepth)
      return failure();
    if (!node.getType(openDepth).hasStaticShape() ||
        node.getType(openDepth).getNumElements() != 1)
      return node.emitError() << "expects one element in input 1, but got "
                              << node.getInputType(1);
  }
  // Also false where the depth is NaN.
  constexpr int64_t maxDepth = std::numeric_limits<int32_t>::max();
  if (depth && !(*depth >= 1 && *depth <= maxDepth))
    return node.emitError() << "expects a depth in [1, " << maxDepth
                            << "], but got " << formatNumber(*depth);
  int64_t rank = node.getRank(indices) + 1;
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rank);
  if (failed(axis))
    return failure();
  RankedTensorType valuesType = node.getType(values);
  if (valuesType.getRank() != 1 || valuesType.getDimSize(0) != 2)
    return node.emitError() << "expects two values, but got " << valuesType;
  indices = node.castTo(indices, b.getI64Type());
  Value size = depth ? node.createScalar(*depth, b.getI64Type())
                     : node.reshape(openDepth, ArrayRef<int64_t>());
  auto getValue = [&](int64_t index) {
    return node.reshape(node.slice(values, 0, index, index + 1),
                        ArrayRef<int64_t>());
  };
  if (openDepth) {
    DynOneHotOp::Properties properties;
    properties.axis = b.getI64IntegerAttr(*axis == rank - 1 ? -1 : *axis);
    properties.dtype = TypeAttr::get(valuesType.getElementType());
    return node.setResult(node.create<DynOneHotOp>(
        {node.wrapIndices(indices, size), getValue(1), getValue(0), size},
        properties));
  }
  OneHotOp::Properties properties;
  properties.depth = b.getI64IntegerAttr(static_cast<int64_t>(*depth));
  properties.axis = b.getI64IntegerAttr(*axis == rank - 1 ? -1 : *axis);
  properties.dtype = TypeAttr::get(valuesType.getElementType());
  return node.setResult(node.create<OneHotOp>(
      {node.wrapIndices(indices, size), getValue(1), getValue(0)}, properties));
}

void mlir::relay::onnx::addIndexingOps(OpTable &table) {
  table.add({"CumProd"}, {convertScan<CumprodOp>, 26, kNewestOpset, 2, 2});
  table.add({"CumSum"}, {convertScan<CumsumOp>, 11, kNewestOpset, 2, 2});
  table.add({"Gather"}, {convertGather, kOldestOpset, kNewestOpset, 2, 2});
  table.add({"GatherElements"},
            {convertGatherElements, 11, kNewestOpset, 2, 2});
  table.add({"GatherND"}, {convertGatherND, 11, kNewestOpset, 2, 2});
  table.add({"OneHot"}, {convertOneHot, 9, kNewestOpset, 3, 3,
                         /*contentInputs=*/0b10});
  table.add({"ReverseSequence"},
            {convertReverseSequence, 10, kNewestOpset, 2, 2});
  // Scatter is the first name of ScatterElements.
  table.add({"Scatter"}, {convertScatterElements, 9, 10, 3, 3});
  table.add({"ScatterElements"},
            {convertScatterElements, 11, kNewestOpset, 3, 3});
  table.add({"ScatterND"}, {convertScatterND, 11, kNewestOpset, 3, 3});
  table.add({"TopK"}, {convertTopK, kOldestOpset, kNewestOpset, 1, 2,
                       /*contentInputs=*/0b10});
}
