//===- IntegerProducts.cpp - Products of quantized tensors ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of bytes are operators of qnn, which know how to take off zero
// points and still multiply bytes. Scales have no part in their results. Others
// are products of differences in i32.
//
//===----------------------------------------------------------------------===//

#include "IntegerProducts.h"

#include "OpTable.h"
#include "Products.h"
#include "Window.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// How many numbers a zero point may be in an operator of qnn.
enum class ZeroPoints { One, OnePerChannel };

} // namespace

static bool isOne(NodeContext &node, Value zeroPoint) {
  if (!zeroPoint)
    return true;
  RankedTensorType type = node.getType(zeroPoint);
  return type.getRank() == 0 ||
         (type.getRank() == 1 && type.getDimSize(0) == 1);
}

/// Whether an operand is one of an operator of qnn.
static bool isQuantized(NodeContext &node, const IntegerOperand &operand,
                        ZeroPoints zeroPoints) {
  if (!node.getElementType(operand.data).isInteger(8))
    return false;
  return isOne(node, operand.zeroPoint) ||
         (zeroPoints == ZeroPoints::OnePerChannel &&
          node.getRank(operand.zeroPoint) == 1);
}

/// The zero point as an operand of an operator of qnn.
static Value getZeroPoint(NodeContext &node, const IntegerOperand &operand) {
  Type i32 = node.getBuilder().getI32Type();
  if (!operand.zeroPoint)
    return node.createScalar(0, i32);
  Value zeroPoint = isOne(node, operand.zeroPoint)
                        ? node.reshape(operand.zeroPoint, ArrayRef<int64_t>())
                        : operand.zeroPoint;
  return node.castTo(zeroPoint, i32);
}

/// The data less its zero point, whose vector is along the dimension with
/// `after` dimensions after it.
static Value getDifference(NodeContext &node, const IntegerOperand &operand,
                           int64_t after) {
  Type i32 = node.getBuilder().getI32Type();
  Value data = node.castTo(operand.data, i32);
  if (!operand.zeroPoint)
    return data;
  Value zeroPoint = node.castTo(operand.zeroPoint, i32);
  if (zeroPoint && node.getRank(zeroPoint) == 1 && after > 0)
    zeroPoint = isOne(node, zeroPoint)
                    ? node.reshape(zeroPoint, ArrayRef<int64_t>())
                    : node.expandDims(zeroPoint, 1, after);
  if (!data || !zeroPoint)
    return nullptr;
  data = node.expectCovers(data, zeroPoint);
  return data ? node.create<SubtractOp>({data, zeroPoint}) : nullptr;
}

/// A product by an operator of qnn, whose scales are 1.
template <typename OpT>
static Value createQuantized(NodeContext &node, Value lhs, Value rhs,
                             Value lhsZero, Value rhsZero,
                             typename OpT::Properties properties) {
  properties.out_dtype = TypeAttr::get(node.getBuilder().getI32Type());
  Value scale = node.createScalar(1, node.getBuilder().getF32Type());
  return node.create<OpT>({lhs, rhs, lhsZero, rhsZero, scale, scale},
                          std::move(properties));
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::createIntegerMatmul(NodeContext &node,
                                             IntegerOperand lhs,
                                             IntegerOperand rhs) {
  if (!lhs.data || !rhs.data)
    return nullptr;
  bool isMatrix = node.getRank(rhs.data) == 2;
  if (!isQuantized(node, lhs, ZeroPoints::One) ||
      !isQuantized(node, rhs,
                   isMatrix ? ZeroPoints::OnePerChannel : ZeroPoints::One))
    return createMatmul(node, getDifference(node, lhs, /*after=*/1),
                        getDifference(node, rhs, /*after=*/0));
  Value lhsZero = getZeroPoint(node, lhs), rhsZero = getZeroPoint(node, rhs);
  auto rows = [&](Value lhs, Value rhs) {
    return createQuantized<QNNDenseOp>(node, lhs, node.transpose(rhs, {1, 0}),
                                       lhsZero, rhsZero, {});
  };
  auto batches = [&](Value lhs, Value rhs) {
    return createQuantized<QNNBatchMatmulOp>(
        node, lhs, rhs, lhsZero, rhsZero,
        getBatchProperties<QNNBatchMatmulOp>(node.getBuilder()));
  };
  return createMatmul(node, lhs.data, rhs.data, {rows, batches});
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::createIntegerConvolution(NodeContext &node,
                                                  IntegerOperand data,
                                                  IntegerOperand weight) {
  if (!data.data || !weight.data)
    return nullptr;
  // Padding of an open size is in the data, and not always its zero point.
  int64_t rank = node.getRank(data.data);
  bool isPaddedHere =
      node.getString("auto_pad", "NOTSET").starts_with("SAME") &&
      !node.getType(data.data).hasStaticShape();
  if (rank != 4 || isPaddedHere || !isQuantized(node, data, ZeroPoints::One) ||
      !isQuantized(node, weight, ZeroPoints::OnePerChannel))
    return createConvolution(node, getDifference(node, data, 0),
                             getDifference(node, weight, rank - 1));
  Value dataZero = getZeroPoint(node, data);
  Value weightZero = getZeroPoint(node, weight);
  return createConvolution(
      node, data.data, weight.data, [&](Value data, const Window &window) {
        return createQuantized<QNNConv2dOp>(
            node, data, weight.data, dataZero, weightZero,
            getConvolutionProperties<QNNConv2dOp>(node, weight.data, window));
      });
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Two operands, and then their zero points.
template <Value (*create)(NodeContext &, IntegerOperand, IntegerOperand)>
static LogicalResult convertIntegerProduct(NodeContext &node) {
  if (failed(node.expectSameElements(2, 0)) ||
      failed(node.expectSameElements(3, 1)))
    return failure();
  return node.setResult(create(node, {node.getInput(0), node.getInput(2)},
                               {node.getInput(1), node.getInput(3)}));
}

void mlir::relay::onnx::addIntegerProductOps(OpTable &table) {
  table.add({"ConvInteger"}, {convertIntegerProduct<createIntegerConvolution>,
                              10, kNewestOpset, 2, 4});
  table.add({"MatMulInteger"}, {convertIntegerProduct<createIntegerMatmul>, 10,
                                kNewestOpset, 2, 4});
}
