//===- Movement.cpp - Operators of ONNX Runtime that move elements --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Products.h"
#include "Contrib.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// All windows of `size` elements along an axis, `step` apart; what is in a
/// window is a last dimension.
static LogicalResult convertUnfoldTensor(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("dim", -1), rank);
  if (failed(axis))
    return failure();
  int64_t size = node.getInt("size", 0), step = node.getInt("step", 1);
  int64_t count = node.getType(data).getDimSize(*axis);
  if (step < 1 || size < 1 || (ShapedType::isStatic(count) && size > count))
    return node.emitError() << "expects a positive step, and a size from 1 to "
                               "that of axis "
                            << *axis << " of " << data.getType() << ", but got "
                            << step << " and " << size;
  // Where windows end, less their length.
  Type type = node.getBuilder().getI64Type();
  Value ends = node.createPositions(node.createLine(data, *axis, type));
  ends = node.dropFirst(ends, 0, size - 1, step);
  if (!ends)
    return failure();
  Value begins = node.create<SubtractOp>(
      {ends, node.createScalar(double(size - 1), type)});
  Value positions =
      node.create<AddOp>({node.expandDims(begins, 1),
                          node.createPositions(ShapeScalar::get(size), type)});
  Value windows = node.take(data, positions, *axis, "fast");
  if (!windows)
    return failure();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank + 1));
  std::rotate(order.begin() + *axis + 1, order.begin() + *axis + 2,
              order.end());
  return node.setResult(node.transpose(windows, order));
}

static LogicalResult convertNhwcMaxPool(NodeContext &node) {
  Value maxima = createMaxPool(node, moveChannelsFirst(node, node.getInput(0)));
  return node.setResult(moveChannelsLast(node, maxima));
}

/// An example of an operator.
static LogicalResult convertSampleOp(NodeContext &node) {
  return node.setResult(node.getInput(0));
}

void mlir::relay::onnx::addContribMovementOps(OpTable &table) {
  auto add = [&](StringRef name, OpEntry::Converter convert) {
    addContrib(table, name, std::move(convert), {0}, 1, /*isComposed=*/false);
  };
  add("NhwcMaxPool", convertNhwcMaxPool);
  add("SampleOp", convertSampleOp);
  add("UnfoldTensor", convertUnfoldTensor);
  // As ONNX has them.
  for (StringRef name :
       {"CausalConvWithState", "DequantizeLinear", "GatherND", "GridSample",
        "Pad", "QLinearConv", "QuantizeLinear", "Range", "Trilu"}) {
    const OpEntry *entry = table.lookup("", name);
    assert(entry && "an operator of ONNX");
    OpEntry own = *entry;
    own.since = own.until = 1;
    if (name == "Range")
      own.minInputs = 2;
    table.add(kContribDomain, {name}, std::move(own));
  }
}
