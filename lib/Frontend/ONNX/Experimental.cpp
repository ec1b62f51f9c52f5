//===- Experimental.cpp - Operators of the first opsets only --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Experimental operators of opset 1 on images, which exporters from Core ML and
// Caffe2 wrote. ONNX has dropped them; ONNX Runtime has them until opset 9, and
// is what they are compared with. Those of one element are with the activation
// functions.
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

static LogicalResult expectImages(NodeContext &node) {
  RankedTensorType type = node.getInputType(0);
  if (type.getRank() == 4 && isa<FloatType>(type.getElementType()))
    return success();
  return node.emitError() << "expects floats of rank 4, but got " << type;
}

/// A factor, and a number for each channel.
static LogicalResult convertImageScaler(NodeContext &node) {
  if (failed(expectImages(node)))
    return failure();
  Value data = node.getInput(0);
  ArrayRef<float> bias = node.getFloats("bias").value_or(ArrayRef<float>());
  int64_t channels = node.getType(data).getDimSize(1);
  auto size = static_cast<int64_t>(bias.size());
  if (bias.empty() || (ShapedType::isStatic(channels) && channels != size))
    return node.emitError() << "expects a bias for each channel of "
                            << data.getType() << ", but got " << size;
  if (ShapedType::isDynamic(channels))
    data = node.expectSize(data, 1, size);
  Type type = node.getElementType(data);
  Value shift = node.createConstant(DenseElementsAttr::get(
      RankedTensorType::get({size, 1, 1}, node.getBuilder().getF32Type()),
      bias));
  Value scaled = node.create<MultiplyOp>(
      {data, node.createScalar(node.getFloat("scale", 1), type)});
  return node.setResult(node.create<AddOp>({scaled, node.castTo(shift, type)}));
}

/// Cuts off a border, given as left, top, right, bottom; with `scale`, the
/// result has that height and width.
static LogicalResult convertCrop(NodeContext &node) {
  if (failed(expectImages(node)))
    return failure();
  std::optional<ArrayRef<int64_t>> border = node.getInts("border");
  if (!border || border->size() != 4)
    return node.emitError() << "expects 4 entries in border, but got "
                            << (border ? border->size() : 0);
  std::optional<ArrayRef<int64_t>> scale = node.getInts("scale");
  if (scale && scale->size() != 2)
    return node.emitError()
           << "expects 2 entries in scale, but got " << scale->size();
  Value data = node.getInput(0);
  for (int64_t i = 0; i < 2; ++i) {
    int64_t axis = 2 + i;
    int64_t begin = (*border)[1 - i], after = (*border)[3 - i];
    int64_t size = node.getType(data).getDimSize(axis);
    if (ShapedType::isDynamic(size))
      return node.emitError()
             << "expects static spatial sizes, but got " << data.getType();
    if (begin < 0 || begin > size || after < 0 || after > size)
      return node.emitError()
             << "expects a border within " << data.getType() << ", but got "
             << begin << " and " << after << " along axis " << axis;
    int64_t count = scale ? (*scale)[i] : size - begin - after;
    if (count < 0 || count > size - begin)
      return node.emitError()
             << "expects 0 to " << size - begin << " elements from element "
             << begin << " on along axis " << axis << ", but got " << count;
    data = node.slice(data, axis, begin, begin + count);
    if (!data)
      return failure();
  }
  return node.setResult(data);
}

void mlir::relay::onnx::addExperimentalOps(OpTable &table) {
  table.add({"Crop"}, {convertCrop, kOldestOpset, kLastExperimentalOpset});
  table.add({"ImageScaler"},
            {convertImageScaler, kOldestOpset, kLastExperimentalOpset, 1, 1,
             /*contentInputs=*/0, /*isComposed=*/true});
}
