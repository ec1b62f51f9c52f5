//===- Matrix.cpp - Matrix products of ONNX ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"
#include "Products.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

/// The dimensions before the last two, broadcast. None if they do not fit, or
/// if a size decides at run time.
static std::optional<SmallVector<ShapeScalar>>
broadcastBatch(ArrayRef<ShapeScalar> lhs, ArrayRef<ShapeScalar> rhs) {
  lhs = lhs.drop_back(2);
  rhs = rhs.drop_back(2);
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  SmallVector<ShapeScalar> result = llvm::to_vector(lhs);
  for (auto [size, target] :
       llvm::zip(llvm::reverse(rhs), llvm::reverse(result))) {
    std::optional<int64_t> constant = size.getConstant();
    std::optional<int64_t> targetConstant = target.getConstant();
    if (constant && targetConstant && constant != 1 && targetConstant != 1 &&
        constant != targetConstant)
      return std::nullopt;
    // A size that is known at run time may turn out to be 1 where the other is
    // a constant, and is taken to be equal to another such size.
    if (targetConstant ? targetConstant == 1 : constant && constant != 1)
      target = size;
  }
  return result;
}

/// (b, m, k) from (..., m, k), for a result with the batch sizes `batch`.
static Value flattenBatch(NodeContext &node, Value value,
                          ArrayRef<ShapeScalar> batch) {
  SmallVector<ShapeScalar> dims = node.getDims(value);
  ArrayRef<ShapeScalar> matrix = ArrayRef(dims).take_back(2);
  SmallVector<ShapeScalar> own(dims.begin(), dims.end() - 2);
  bool isSingle = llvm::all_of(
      own, [](const ShapeScalar &size) { return size.getConstant() == 1; });
  bool isWhole = own.size() == batch.size() &&
                 llvm::equal(own, batch, [](const auto &a, const auto &b) {
                   return a.isSame(b);
                 });
  if (!isSingle && !isWhole) {
    SmallVector<ShapeScalar> target = llvm::to_vector(batch);
    target.append(matrix.begin(), matrix.end());
    value = node.broadcast(value, target);
    own = llvm::to_vector(batch);
  }
  ShapeScalar count = ShapeScalar::get(1);
  for (const ShapeScalar &size : own)
    count = multiplySizes(count, size);
  return node.reshape(value,
                      ArrayRef<ShapeScalar>{count, matrix[0], matrix[1]});
}

static Value createBatchMatmul(NodeContext &node, Value lhs, Value rhs,
                               const Multiply &multiply) {
  std::optional<SmallVector<ShapeScalar>> batch =
      broadcastBatch(node.getDims(lhs), node.getDims(rhs));
  if (!batch) {
    node.emitError() << "expects batch dimensions that broadcast, but got "
                     << lhs.getType() << " and " << rhs.getType();
    return nullptr;
  }
  lhs = flattenBatch(node, lhs, *batch);
  rhs = flattenBatch(node, rhs, *batch);
  Value product = lhs && rhs ? multiply.batches(lhs, rhs) : nullptr;
  if (!product)
    return nullptr;
  SmallVector<ShapeScalar> dims = *batch;
  llvm::append_range(dims, ArrayRef(node.getDims(product)).take_back(2));
  return node.reshape(product, dims);
}

Value mlir::relay::onnx::createMatmul(NodeContext &node, Value lhs, Value rhs,
                                      const Multiply &multiply) {
  if (!lhs || !rhs)
    return nullptr;
  int64_t lhsRank = node.getRank(lhs), rhsRank = node.getRank(rhs);
  if (lhsRank == 0 || rhsRank == 0) {
    node.emitError() << "expects operands of rank 1 or more, but got "
                     << lhs.getType() << " and " << rhs.getType();
    return nullptr;
  }
  // A vector is a row on the left, a column on the right.
  if (lhsRank == 1)
    lhs = node.expandDims(lhs, 0);
  if (rhsRank == 1)
    rhs = node.expandDims(rhs, 1);
  if (!lhs || !rhs)
    return nullptr;
  node.expectEqualSizes(lhs, node.getRank(lhs) - 1, rhs, node.getRank(rhs) - 2);
  Value product = node.getRank(rhs) == 2
                      ? multiply.rows(lhs, rhs)
                      : createBatchMatmul(node, lhs, rhs, multiply);
  SmallVector<int64_t> dropped;
  if (lhsRank == 1)
    dropped.push_back(-2);
  if (rhsRank == 1)
    dropped.push_back(-1);
  if (!product)
    return nullptr;
  for (int64_t &axis : dropped)
    axis += node.getRank(product);
  return node.squeeze(product, dropped);
}

Value mlir::relay::onnx::createMatmul(NodeContext &node, Value lhs, Value rhs) {
  auto rows = [&](Value lhs, Value rhs) {
    return node.create<NNMatmulOp>({lhs, rhs});
  };
  auto batches = [&](Value lhs, Value rhs) {
    return node.create<NNBatchMatmulOp>(
        {lhs, rhs}, getBatchProperties<NNBatchMatmulOp>(node.getBuilder()));
  };
  return createMatmul(node, lhs, rhs, {rows, batches});
}

Value mlir::relay::onnx::multiplyAlong(NodeContext &node, Value data,
                                       int64_t axis, Value weight) {
  if (!data || !weight)
    return nullptr;
  // The axis goes last, and back.
  int64_t last = node.getRank(data) - 1;
  SmallVector<int64_t> order, inverse;
  for (int64_t dim = 0; dim <= last; ++dim) {
    if (dim != axis)
      order.push_back(dim);
    inverse.push_back(dim < axis ? dim : dim == axis ? last : dim - 1);
  }
  order.push_back(axis);
  Value product = createMatmul(node, node.transpose(data, order), weight);
  return product ? node.transpose(product, inverse) : nullptr;
}

static LogicalResult convertMatMul(NodeContext &node) {
  return node.setResult(createMatmul(node, node.getInput(0), node.getInput(1)));
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

static Value scale(NodeContext &node, Value value, double factor) {
  if (!value || factor == 1)
    return value;
  return node.create<MultiplyOp>(
      {value, node.createScalar(factor, node.getElementType(value))});
}

static Value createAffineProduct(NodeContext &node) {
  Value a = node.getInput(0), b = getWeight(node, 1);
  for (Value operand : {a, b})
    if (node.getRank(operand) != 2) {
      node.emitError() << "expects a matrix, but got " << operand.getType();
      return nullptr;
    }
  if (node.getBool("transA", false))
    a = node.transpose(a, {1, 0});
  bool isTransposed = node.getBool("transB", false);
  node.expectEqualSizes(a, 1, b, isTransposed ? 1 : 0);
  Value product = isTransposed ? node.create<NNDenseOp>({a, b})
                               : node.create<NNMatmulOp>({a, b});
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  if (!product)
    return nullptr;
  // Factors that are no integers count as they are, and the sum is cut.
  Type type = node.getElementType(product);
  if (!isa<FloatType>(type) &&
      (alpha != std::trunc(alpha) || beta != std::trunc(beta)))
    type = node.getBuilder().getF64Type();
  product = scale(node, node.castTo(product, type), alpha);
  if (!product || !node.hasInput(2) || beta == 0)
    return product;

  Value c = scale(node, node.castTo(node.getInput(2), type), beta);
  if (!c)
    return nullptr;
  int64_t columns = node.getType(product).getDimSize(1);
  RankedTensorType shape = node.getType(c);
  bool isRow = shape.hasStaticShape() && shape.getRank() >= 1 &&
               shape.getShape().back() == columns &&
               shape.getNumElements() == columns;
  if (!isRow)
    return node.create<AddOp>({node.expectCovers(product, c), c});
  NNBiasAddOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  Value bias = node.reshape(c, ArrayRef<int64_t>{columns});
  return node.create<NNBiasAddOp>({product, bias}, properties);
}

Value mlir::relay::onnx::createGemm(NodeContext &node) {
  Value result = createAffineProduct(node);
  return result ? node.castTo(result, node.getElementType(node.getInput(0)))
                : nullptr;
}

static LogicalResult convertGemm(NodeContext &node) {
  return node.setResult(createGemm(node));
}

//===----------------------------------------------------------------------===//
// Det
//===----------------------------------------------------------------------===//

FailureOr<int64_t> mlir::relay::onnx::getSquareSize(NodeContext &node,
                                                    int64_t maxSize) {
  RankedTensorType type = node.getInputType(0);
  int64_t rank = type.getRank();
  int64_t size = rank < 2 ? 0 : type.getDimSize(rank - 1);
  if (size >= 1 && size <= maxSize && type.getDimSize(rank - 2) == size)
    return size;
  node.emitError() << "expects square matrices of 1 to " << maxSize
                   << " rows, but got " << type;
  return failure();
}

/// Determinants of small matrices, by expansion along rows: minors of the last
/// rows for each set of columns.
static LogicalResult convertDet(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  FailureOr<int64_t> found = getSquareSize(node, /*maxSize=*/6);
  if (failed(found))
    return failure();
  int64_t size = *found;
  auto getEntry = [&](int64_t row, int64_t column) {
    Value value = node.slice(data, rank - 2, row, row + 1);
    value = node.slice(value, rank - 1, column, column + 1);
    return node.squeeze(value, {rank - 2, rank - 1});
  };
  SmallVector<Value> minors(size_t(1) << size);
  for (unsigned columns = 1; columns < minors.size(); ++columns) {
    int64_t row = size - llvm::popcount(columns);
    int64_t position = 0;
    Value &sum = minors[columns];
    for (int64_t column = 0; column < size; ++column) {
      if (!(columns >> column & 1))
        continue;
      Value term = getEntry(row, column);
      if (Value minor = minors[columns & ~(1U << column)])
        term = node.create<MultiplyOp>({term, minor});
      if (!sum)
        sum = term;
      else if (position % 2 == 0)
        sum = node.create<AddOp>({sum, term});
      else
        sum = node.create<SubtractOp>({sum, term});
      if (!sum)
        return failure();
      ++position;
    }
  }
  return node.setResult(minors.back());
}

void mlir::relay::onnx::addMatrixOps(OpTable &table) {
  table.add({"Det"}, {convertDet, 11, kNewestOpset, 1, 1,
                      /*contentInputs=*/0, /*isComposed=*/true});
  table.add({"Gemm"}, {convertGemm, kOldestOpset, kNewestOpset, 2, 3});
  table.add({"MatMul"}, {convertMatMul, kOldestOpset, kNewestOpset, 2, 2});
}
