//===- Selection.cpp - ONNX operators whose results elements decide ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much there is in a result of these operators follows from elements. They
// are imported; they become programs of several functions.
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "Contrib/Contrib.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "StringMaps.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// NonZero and Compress
//===----------------------------------------------------------------------===//

/// The positions of elements, a row of columns for each.
static LogicalResult convertNonZero(NodeContext &node) {
  Value data = node.getInput(0);
  // A number is a vector of one, as in ONNX Runtime.
  if (node.getRank(data) == 0)
    data = node.reshape(data, {1});
  Value rows = node.create<ArgwhereOp>({data});
  if (!rows)
    return failure();
  return node.setResult(node.castTo(node.transpose(rows, {1, 0}),
                                    node.getBuilder().getI64Type()));
}

static LogicalResult convertCompress(NodeContext &node) {
  Value data = node.getInput(0), condition = node.getInput(1);
  Type type = node.getBuilder().getI64Type();
  if (node.getRank(condition) != 1)
    return node.emitError() << "expects a condition that is a vector, but got "
                            << condition.getType();
  int64_t axis = 0;
  if (node.hasAttr("axis")) {
    FailureOr<int64_t> own =
        node.normalizeAxis(node.getInt("axis", 0), node.getRank(data));
    if (failed(own))
      return failure();
    axis = *own;
  } else {
    data = node.flatten(data, 0);
    data = node.squeeze(data, {0});
  }
  if (!data)
    return failure();
  // Conditions behind the end are of no elements.
  int64_t size = node.getType(data).getDimSize(axis);
  int64_t count = node.getType(condition).getDimSize(0);
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(count))
    condition = sliceAt(node, condition, node.createInts(ArrayRef<int64_t>{0}),
                        node.createSizes(data, axis, axis + 1, type), 0);
  else if (count > size)
    condition = node.slice(condition, 0, 0, size);
  Value positions = node.create<ArgwhereOp>({condition});
  if (!positions)
    return failure();
  return node.setResult(
      node.take(data, node.squeeze(positions, {1}), axis, "fast"));
}

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

namespace {

/// What is found of n elements or slices: of vectors of n elements, the first
/// ones, as many as `count` says, a vector of one element, are valid.
struct Distinct {
  /// The first positions, and how often each is there.
  Value indices, counts;
  /// For each of the n, which of the distinct ones it is.
  Value inverse;
  Value count;
};

} // namespace

/// Distinct rows of (n, m). Each pair of rows is compared.
static Distinct findDistinctRows(NodeContext &node, Value rows, bool isSorted) {
  OpBuilder &b = node.getBuilder();
  Type type = b.getI64Type();
  auto reduce = [&](auto tag, Value value, int64_t axis) {
    using OpT = decltype(tag);
    typename OpT::Properties properties;
    properties.axis = b.getDenseI64ArrayAttr(axis);
    return node.create<OpT>({value}, properties);
  };
  // (i, j, column): row i against row j.
  Value left = node.expandDims(rows, 1), right = node.expandDims(rows, 0);
  Value differs = node.create<NotEqualOp>({left, right});
  Value isSame = node.create<LogicalNotOp>({reduce(AnyOp(), differs, 2)});
  Value sameCounts = node.castTo(isSame, type);
  // The first row that is the same.
  Value first = node.castTo(reduce(ArgmaxOp(), sameCounts, 1), type);
  Value line = node.createPositions(first);
  Value isFirst = node.create<EqualOp>({first, line});
  Value marks = node.castTo(isFirst, type);
  CumsumOp::Properties sum;
  sum.axis = b.getI64IntegerAttr(0);
  sum.exclusive = b.getBoolAttr(true);
  // Distinct rows before this one, in the data or in order.
  Value place = node.create<CumsumOp>({marks}, sum);
  if (isSorted) {
    // Rows are in the order of the first column in which they differ.
    GatherOp::Properties gather;
    gather.axis = b.getI64IntegerAttr(2);
    Value column = reduce(ArgmaxOp(), node.castTo(differs, b.getI32Type()), 2);
    column = node.expandDims(column, 2);
    if (!column)
      return {};
    Value shape = node.create<ShapeOfOp>({differs}, [&] {
      ShapeOfOp::Properties properties;
      properties.dtype = TypeAttr::get(type);
      return properties;
    }());
    auto pick = [&](Value side) {
      Value all = node.create<DynBroadcastToOp>({side, shape});
      return node.squeeze(node.create<GatherOp>({all, column}, gather), {2});
    };
    // (i, j): row j is less than row i.
    Value isLess = node.create<LessOp>({pick(right), pick(left)});
    Value counted =
        node.create<LogicalAndOp>({isLess, node.expandDims(isFirst, 0)});
    place = reduce(SumOp(), node.castTo(counted, type), 1);
  } else {
    place = node.take(place, first, 0);
  }
  ArgsortOp::Properties sort;
  sort.axis = b.getI64IntegerAttr(0);
  sort.dtype = TypeAttr::get(type);
  Value last =
      node.createScalar(double(std::numeric_limits<int32_t>::max()), type);
  Distinct result;
  result.indices = node.create<ArgsortOp>(
      {node.create<WhereOp>({isFirst, place, last})}, sort);
  result.counts = node.take(reduce(SumOp(), sameCounts, 1), result.indices, 0);
  result.inverse = place;
  result.count = node.reshape(node.create<SumOp>({marks}), {1});
  return result;
}

/// Distinct elements of a vector; the vector that has them becomes `data`.
static Distinct findDistinct(NodeContext &node, Value &data, bool isSorted) {
  OpBuilder &b = node.getBuilder();
  UniqueOp::Properties properties;
  properties.sorted = b.getBoolAttr(isSorted);
  properties.return_counts = b.getBoolAttr(true);
  Value found = node.create<UniqueOp>({data}, properties);
  auto item = [&](unsigned index) {
    return node.castTo(node.getTupleItem(found, index), b.getI64Type());
  };
  data = node.getTupleItem(found, 0);
  return {item(1), item(4), item(2), item(3)};
}

/// The operator of ONNX Runtime: in the order of the first occurrence, with the
/// place of each element among the distinct ones.
LogicalResult mlir::relay::onnx::convertContribUnique(NodeContext &node) {
  Value data = node.getInput(0);
  if (node.getRank(data) != 1)
    return node.emitError() << "expects a vector, but got " << data.getType();
  Distinct distinct = findDistinct(node, data, /*isSorted=*/false);
  Value zero = node.createInts(ArrayRef<int64_t>{0});
  auto cut = [&](Value value) {
    return sliceAt(node, value, zero, distinct.count, 0);
  };
  if (failed(node.setOutput(0, cut(data))) ||
      failed(node.setOutput(1, distinct.inverse)))
    return failure();
  return node.setOutput(2, cut(distinct.counts));
}

static LogicalResult convertUnique(NodeContext &node) {
  Value data = node.getInput(0);
  bool isSorted = node.getBool("sorted", true);
  Value zero = node.createInts(ArrayRef<int64_t>{0});
  Distinct distinct;
  Value values;
  auto cut = [&](Value value, int64_t axis) {
    return sliceAt(node, value, zero, distinct.count, axis);
  };
  bool isString = data && isStringType(node.getElementType(data));
  if (!node.hasAttr("axis")) {
    data = node.squeeze(node.flatten(data, 0), {0});
    Value keys = isString ? createStringRanks(node, data) : data;
    distinct = findDistinct(node, keys, isSorted);
    values = isString ? node.take(data, cut(distinct.indices, 0), 0, "fast")
                      : cut(keys, 0);
  } else {
    int64_t rank = node.getRank(data);
    FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rank);
    if (failed(axis))
      return failure();
    if (llvm::is_contained(node.getType(data).getShape(), 0))
      return node.emitError()
             << "expects slices with elements, but got " << data.getType();
    SmallVector<int64_t> order = {*axis};
    for (int64_t i = 0; i < rank; ++i)
      if (i != *axis)
        order.push_back(i);
    Value keys = data;
    if (isString)
      keys = node.reshape(
          createStringRanks(node, node.squeeze(node.flatten(data, 0), {0})),
          ArrayRef<ShapeScalar>(node.getDims(data)));
    Value rows = node.flatten(node.transpose(keys, order), 1);
    distinct = findDistinctRows(node, rows, isSorted);
    values = node.take(data, cut(distinct.indices, 0), *axis);
  }
  if (!values || failed(node.setOutput(0, values)))
    return failure();
  if (node.wantsOutput(1) &&
      failed(node.setOutput(1, cut(distinct.indices, 0))))
    return failure();
  if (failed(node.setOutput(2, distinct.inverse)))
    return failure();
  return node.wantsOutput(3) ? node.setOutput(3, cut(distinct.counts, 0))
                             : success();
}

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

/// (batch, boxes, 4) of corners from centers and sizes.
static Value getCorners(NodeContext &node, Value boxes) {
  Value center = node.slice(boxes, 2, 0, 2), size = node.slice(boxes, 2, 2, 4);
  if (!size)
    return nullptr;
  Value half = node.create<MultiplyOp>(
      {size, node.createScalar(0.5, node.getElementType(size))});
  return node.concatenate({node.create<SubtractOp>({center, half}),
                           node.create<AddOp>({center, half})},
                          2);
}

static LogicalResult convertNonMaxSuppression(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value boxes = node.getInput(0), scores = node.getInput(1);
  RankedTensorType type = node.getType(boxes);
  if (type.getRank() != 3 || type.getDimSize(2) != 4 ||
      node.getRank(scores) != 3)
    return node.emitError()
           << "expects boxes (batch, count, 4) and scores (batch, classes, "
              "count), but got "
           << type << " and " << scores.getType();
  int64_t format = node.getInt("center_point_box", 0);
  if (format != 0 && format != 1)
    return node.emitError()
           << "expects center_point_box to be 0 or 1, but got " << format;
  if (format == 1)
    boxes = getCorners(node, boxes);
  auto getNumber = [&](unsigned index, double defaultValue, Type elementType) {
    if (!node.hasInput(index))
      return node.createScalar(defaultValue, elementType);
    return node.castTo(node.reshape(node.getInput(index), ArrayRef<int64_t>()),
                       elementType);
  };
  Type i64 = b.getI64Type(), i32 = b.getI32Type(), f32 = b.getF32Type();
  // For relay, none of a class are all.
  Value zero = node.createScalar(0, i64);
  Value most = node.create<MinimumOp>(
      {getNumber(2, 0, i64),
       node.createScalar(double(std::numeric_limits<int32_t>::max()), i64)});
  Value isNone = node.create<LessEqualOp>({most, zero});
  // relay suppresses from the threshold on, ONNX above it: the next float.
  ReinterpretOp::Properties bits, floats;
  bits.dtype = TypeAttr::get(i32);
  floats.dtype = TypeAttr::get(f32);
  Value overlap =
      node.create<MaximumOp>({getNumber(3, 0, f32), node.createScalar(0, f32)});
  overlap = node.create<ReinterpretOp>(
      {node.create<AddOp>({node.create<ReinterpretOp>({overlap}, bits),
                           node.createScalar(1, i32)})},
      floats);
  Value lowest = getNumber(4, -std::numeric_limits<double>::infinity(), f32);
  VisionAllClassNonMaxSuppressionOp::Properties properties;
  properties.output_format = b.getStringAttr("onnx");
  Value found = node.create<VisionAllClassNonMaxSuppressionOp>(
      {boxes, scores, most, overlap, lowest}, properties);
  Value count = node.getTupleItem(found, 1);
  count = node.create<WhereOp>({isNone, zero, count});
  return node.setResult(sliceAt(node, node.getTupleItem(found, 0),
                                node.createInts(ArrayRef<int64_t>{0}), count,
                                0));
}

void mlir::relay::onnx::addSelectionOps(OpTable &table) {
  table.add({"Compress"}, {convertCompress, 9, kNewestOpset, 2, 2});
  table.add({"NonMaxSuppression"},
            {convertNonMaxSuppression, 10, kNewestOpset, 2, 5});
  table.add({"NonZero"}, {convertNonZero, 9});
  table.add({"Unique"}, {convertUnique, 11});
}
