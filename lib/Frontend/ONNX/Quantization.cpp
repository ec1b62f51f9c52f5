//===- Quantization.cpp - Linear quantisation of ONNX --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// A scale or zero point with one number, or one for each index along an axis,
/// so that it broadcasts against `data`.
static Value alignParameter(NodeContext &node, Value data, Value parameter) {
  if (!parameter || node.getRank(parameter) == 0)
    return parameter;
  int64_t rank = node.getRank(data);
  if (node.getRank(parameter) != 1 || node.getInt("block_size", 0)) {
    node.emitError() << "scales of blocks are not supported, got "
                     << parameter.getType();
    return nullptr;
  }
  if (node.getType(parameter).getDimSize(0) == 1)
    return node.reshape(parameter, ArrayRef<int64_t>());
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", 1), rank);
  if (failed(axis))
    return nullptr;
  return node.expandDims(parameter, 1, rank - 1 - *axis);
}

static LogicalResult convertDequantizeLinear(NodeContext &node) {
  Value data = node.getInput(0), scale = node.getInput(1);
  // Differences of 8-bit integers need more than 8 bits.
  Type i32 = node.getBuilder().getI32Type();
  Value difference = node.castTo(data, i32);
  if (node.hasInput(2))
    difference = node.create<SubtractOp>(
        {difference,
         alignParameter(node, data, node.castTo(node.getInput(2), i32))});
  Value number = node.castTo(difference, node.getElementType(scale));
  return node.setResult(
      node.create<MultiplyOp>({number, alignParameter(node, data, scale)}));
}

static LogicalResult convertQuantizeLinear(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0), scale = node.getInput(1);
  Value zeroPoint = node.getInput(2);
  Type type = IntegerType::get(node.getContext(), 8, IntegerType::Unsigned);
  if (zeroPoint)
    type = node.getElementType(zeroPoint);
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() > 16)
    return node.emitError()
           << "quantisation to " << type << " is not supported";
  bool isUnsigned = integer.isUnsigned();
  double count = double(int64_t(1) << integer.getWidth());
  ClipOp::Properties range;
  range.a_min = b.getF64FloatAttr(isUnsigned ? 0 : -count / 2);
  range.a_max = b.getF64FloatAttr((isUnsigned ? count : count / 2) - 1);

  Type floatType = node.getElementType(scale);
  data = node.castTo(data, floatType);
  Value scaled =
      node.create<DivideOp>({data, alignParameter(node, data, scale)});
  Value rounded = node.roundToEven(scaled);
  if (zeroPoint && data)
    rounded = node.create<AddOp>(
        {rounded,
         alignParameter(node, data, node.castTo(zeroPoint, floatType))});
  return node.setResult(
      node.castTo(node.create<ClipOp>({rounded}, range), type));
}

void mlir::relay::onnx::addQuantizationOps(OpTable &table) {
  table.add({"DequantizeLinear"},
            {convertDequantizeLinear, 10, kNewestOpset, 2, 3});
  table.add({"QuantizeLinear"},
            {convertQuantizeLinear, 10, kNewestOpset, 2, 3});
}
