//===- AffineGrid.cpp - Positions of samples from matrices of ONNX --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "ComputedAxes.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// The grid for sizes that are computed when the model runs.
static LogicalResult convertOpenAffineGrid(NodeContext &node, Value theta) {
  Arithmetic math(node);
  Type index = node.getBuilder().getI64Type();
  Value sizes = node.getIntsValue(1);
  if (!sizes)
    return failure();
  RankedTensorType type = node.getType(theta);
  int64_t rank = node.getType(sizes).getDimSize(0) - 2;
  if (rank < 2 || rank > 3 || type.getRank() != 3 ||
      type.getDimSize(1) != rank || type.getDimSize(2) != rank + 1)
    return node.emitError()
           << "expects 4 or 5 sizes, and matrices (batch, 2, 3) or (batch, 3, "
              "4) for them, but got "
           << sizes.getType() << " and " << type;
  bool alignCorners = node.getBool("align_corners", false);
  Type elementType = node.getElementType(theta);
  auto getSize = [&](int64_t i) {
    return node.reshape(node.slice(sizes, 0, i, i + 1), ArrayRef<int64_t>());
  };
  Value isRight = node.create<LogicalAndOp>(
      {node.create<AllOp>(
           {node.create<GreaterOp>({sizes, node.createScalar(0, index)})}),
       node.create<EqualOp>({getSize(0), node.createSize(theta, 0)})});
  sizes = node.assertThat(
      sizes, isRight,
      "expects sizes of at least 1, the first that of the batch of theta");
  auto getColumn = [&](int64_t j) {
    Value column = node.squeeze(node.slice(theta, 2, j, j + 1), {2});
    return node.expandDims(column, 1, rank);
  };
  Value result = getColumn(rank);
  for (int64_t axis = 0; axis < rank; ++axis) {
    Value count = getSize(axis + 2);
    Value length = node.castTo(count, elementType);
    Value two = math.number(2, length), one = math.number(1, length);
    Value line = node.createRange(count, elementType);
    if (alignCorners) {
      // A single element is at the end, as ONNX Runtime has it.
      Value step =
          math.div(two, node.create<MaximumOp>({math.add(length, -1), one}));
      Value first = math.select(math.less(one, length), math.number(-1, length),
                                math.number(1, length));
      line = math.add(math.mul(line, step), first);
    } else {
      line = math.add(math.div(math.add(math.mul(line, 2), 1), length), -1);
    }
    line = node.expandDims(line, 1, rank - axis);
    result = math.add(result, math.mul(getColumn(rank - 1 - axis), line));
  }
  return node.setResult(result);
}

static LogicalResult convertAffineGrid(NodeContext &node) {
  Value theta = node.getInput(0);
  if (const ShapeTensor *known = node.getContents(1);
      !known || !known->getConstants())
    return convertOpenAffineGrid(node, theta);
  FailureOr<SmallVector<int64_t>> size = node.getConstantInts(1);
  if (failed(size))
    return failure();
  RankedTensorType type = node.getType(theta);
  auto rank = static_cast<int64_t>(size->size()) - 2;
  if (rank < 2 || rank > 3 || type.getRank() != 3 ||
      type.getDimSize(1) != rank || type.getDimSize(2) != rank + 1)
    return node.emitError()
           << "expects 4 or 5 sizes, and matrices (batch, 2, 3) or (batch, 3, "
              "4) for them, but got "
           << size->size() << " and " << type;
  SmallVector<int64_t> shape = {(*size)[0]};
  llvm::append_range(shape, ArrayRef(*size).drop_front(2));
  shape.push_back(rank);
  for (int64_t value : *size)
    if (value < 1)
      return node.emitError()
             << "expects sizes that are positive, but got " << value;
  if (failed(checkTensorLimits([&] { return node.emitError(); },
                               type.clone(shape))))
    return failure();
  Arithmetic math(node);
  theta = node.expectSize(theta, 0, (*size)[0]);
  if (!theta)
    return failure();
  bool alignCorners = node.getBool("align_corners", false);
  Type elementType = node.getElementType(theta);
  // Column j of the matrices, for all positions.
  auto getColumn = [&](int64_t j) {
    Value column = node.squeeze(node.slice(theta, 2, j, j + 1), {2});
    return node.expandDims(column, 1, rank);
  };
  Value result = getColumn(rank);
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t count = shape[axis + 1];
    // From -1 to 1: centres or outer edges of the first and last element.
    double first = alignCorners ? -1 : -1 + 1.0 / static_cast<double>(count);
    double step = alignCorners ? 2.0 / static_cast<double>(count - 1)
                               : 2.0 / static_cast<double>(count);
    // A single element is at the end, as ONNX Runtime has it.
    if (alignCorners && count == 1) {
      first = 1;
      step = 0;
    }
    Value line = node.createPositions(ShapeScalar::get(count), elementType);
    line = math.add(math.mul(line, step), first);
    line = node.expandDims(line, 1, rank - axis);
    result = math.add(result, math.mul(getColumn(rank - 1 - axis), line));
  }
  return node.setResult(result);
}

void mlir::relay::onnx::addAffineGridOp(OpTable &table) {
  table.add({"AffineGrid"}, {convertAffineGrid, 20, kNewestOpset, 2, 2,
                             /*contentInputs=*/0b10, /*isComposed=*/true});
}
