//===- Inverse.cpp - Inverses of small matrices ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Formula.h"
#include "../Products.h"
#include "Contrib.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// Elimination by Gauss and Jordan, all matrices of a batch at once. The pivot
/// of a column is its largest number in a row that was none yet. Rows stay
/// where they are until the end.
class Inverter {
public:
  Inverter(NodeContext &node, int64_t size)
      : node(node), f(node), rows(node.getRank(f.getX()) - 2), size(size) {}

  Value create();

private:
  void eliminate(Value &left, Value &right);
  /// The row of `matrix` for which `isRow` holds.
  Value pick(Value isRow, Value matrix) const {
    return f.reduce<SumOp>(f.select(isRow, matrix, f.number(0)), rows);
  }
  Value createEye() const;

  NodeContext &node;
  Formula f;
  /// The axis of rows; that of columns is the next.
  int64_t rows, size;
  /// Which row is the pivot of each column so far, (..., rows, 1).
  SmallVector<Value> pivots;
  Value isUsed;
};

} // namespace

Value Inverter::createEye() const {
  SmallVector<double> eye(size * size, 0.0);
  for (int64_t i = 0; i < size; ++i)
    eye[i * (size + 1)] = 1;
  return node.createFloats(eye, {size, size}, node.getElementType(f.getX()));
}

/// Eliminates the first column of `left`, and leaves the others. `right` is
/// what the identity has become.
void Inverter::eliminate(Value &left, Value &right) {
  Value column = node.slice(left, rows + 1, 0, 1);
  Value magnitude = f.abs(column);
  if (isUsed)
    magnitude = f.select(isUsed, f.number(-1), magnitude);
  ArgmaxOp::Properties properties;
  properties.axis = node.getBuilder().getDenseI64ArrayAttr(rows);
  properties.keepdims = node.getBuilder().getBoolAttr(true);
  Value best = node.create<ArgmaxOp>({magnitude}, properties);
  if (!best) {
    left = right = nullptr;
    return;
  }
  Value positions = node.expandDims(
      node.createPositions(ShapeScalar::get(size), node.getElementType(best)),
      1);
  Value isPivot = f.equal(positions, best);
  pivots.push_back(isPivot);
  isUsed = isUsed ? f.either(isUsed, isPivot) : isPivot;
  Value pivot = pick(isPivot, column);
  Value factor = f.select(isPivot, f.number(0), column);
  auto reduce = [&](Value matrix) -> Value {
    Value row = f.div(pick(isPivot, matrix), pivot);
    return f.select(isPivot, row, f.sub(matrix, f.mul(factor, row)));
  };
  right = reduce(right);
  int64_t width = node.getType(left).getDimSize(rows + 1);
  left = width == 1 ? Value() : reduce(node.slice(left, rows + 1, 1, width));
}

Value Inverter::create() {
  Value left = f.getX(), right = createEye();
  for (int64_t i = 0; i < size && right; ++i)
    eliminate(left, right);
  if (!right)
    return nullptr;
  SmallVector<Value> result;
  for (Value isPivot : pivots)
    result.push_back(pick(isPivot, right));
  return node.concatenate(result, rows);
}

static LogicalResult convertInverse(NodeContext &node) {
  // Each column is a few operators.
  FailureOr<int64_t> size = getSquareSize(node, /*maxSize=*/32);
  if (failed(size))
    return failure();
  return node.setResult(Inverter(node, *size).create());
}

void mlir::relay::onnx::addContribInverseOp(OpTable &table) {
  addContrib(table, "Inverse", convertInverse, {0}, 1);
}
