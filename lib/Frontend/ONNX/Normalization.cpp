//===- Normalization.cpp - Normalisations of ONNX ------------------------===//
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

static Value createSum(NodeContext &node, Value a, Value b) {
  return node.create<AddOp>({a, b});
}
static Value createProduct(NodeContext &node, Value a, Value b) {
  return node.create<MultiplyOp>({a, b});
}

static Value createMean(NodeContext &node, Value data, ArrayRef<int64_t> axes) {
  MeanOp::Properties properties;
  properties.axis = node.getBuilder().getDenseI64ArrayAttr(axes);
  properties.keepdims = node.getBuilder().getBoolAttr(true);
  return node.create<MeanOp>({data}, properties);
}

/// 1 / sqrt(value + epsilon).
static Value createInverseRoot(NodeContext &node, Value value, double epsilon) {
  if (!value)
    return nullptr;
  Value shifted = createSum(
      node, value, node.createScalar(epsilon, node.getElementType(value)));
  return node.create<RsqrtOp>({shifted});
}

static LogicalResult convertBatchNormalization(NodeContext &node) {
  if (node.getBool("training_mode", false))
    return node.emitError() << "training_mode is not supported";
  if (!node.getBool("spatial", true))
    return node.emitError() << "spatial = 0 is not supported";
  // Until opset 13, statistics of training were further outputs.
  for (unsigned i = 1; i < 5; ++i)
    if (failed(node.rejectOutput(i)))
      return failure();
  NNBatchNormOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  properties.epsilon =
      node.getBuilder().getF64FloatAttr(node.getFloat("epsilon", 1e-5));
  Value result = node.create<NNBatchNormOp>(node.getInputs(), properties);
  return node.setResult(node.getTupleItem(result, 0));
}

/// Mean and variance in a wider type, as the operators' stash_type asks.
static Type getStashType(NodeContext &node, Type type) {
  bool isNarrow = type.isF16() || type.isBF16();
  return isNarrow && node.getInt("stash_type", 1) == 1
             ? node.getBuilder().getF32Type()
             : type;
}

static LogicalResult convertLayerNormalization(NodeContext &node) {
  Value data = node.getInput(0), scale = node.getInput(1);
  Value bias = node.getInput(2);
  int64_t rank = node.getRank(data);
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rank);
  if (failed(axis))
    return failure();
  double epsilon = node.getFloat("epsilon", 1e-5);
  Type type = node.getElementType(data);
  RankedTensorType scaleType = node.getType(scale);
  bool isPlain =
      *axis == rank - 1 && scaleType.getRank() == 1 && !node.wantsOutput(1) &&
      !node.wantsOutput(2) && getStashType(node, type) == type &&
      (!bias || bias.getType() == scaleType) &&
      scaleType.getDimSize(0) == node.getType(data).getDimSize(*axis);
  if (isPlain) {
    NNLayerNormOp::Properties properties;
    properties.axis = node.getBuilder().getI64IntegerAttr(-1);
    properties.epsilon = node.getBuilder().getF64FloatAttr(epsilon);
    properties.center = node.getBuilder().getBoolAttr(bool(bias));
    // In the shape of the scale, which may be known only when the model runs.
    if (!bias)
      bias = node.create<ZerosLikeOp>({scale});
    return node.setResult(
        node.create<NNLayerNormOp>({data, scale, bias}, properties));
  }

  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(*axis, rank));
  Value wide = node.castTo(data, getStashType(node, type));
  Value mean = createMean(node, wide, axes);
  Value centered = node.create<SubtractOp>({wide, mean});
  Value variance =
      createMean(node, createProduct(node, centered, centered), axes);
  Value inverse = createInverseRoot(node, variance, epsilon);
  Value normalized = node.castTo(createProduct(node, centered, inverse), type);
  Value result = createProduct(node, normalized, scale);
  if (bias)
    result = createSum(node, result, bias);
  if (!result || failed(node.setOutput(1, mean)) ||
      failed(node.setOutput(2, inverse)))
    return failure();
  return node.setResult(result);
}

static LogicalResult convertRMSNormalization(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rank);
  if (failed(axis))
    return failure();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(*axis, rank));
  Type type = node.getElementType(data);
  Value wide = node.castTo(data, getStashType(node, type));
  Value square = createMean(node, createProduct(node, wide, wide), axes);
  Value inverse =
      createInverseRoot(node, square, node.getFloat("epsilon", 1e-5));
  Value normalized = node.castTo(createProduct(node, wide, inverse), type);
  return node.setResult(createProduct(node, normalized, node.getInput(1)));
}

static LogicalResult convertInstanceNormalization(NodeContext &node) {
  NNInstanceNormOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  properties.epsilon =
      node.getBuilder().getF64FloatAttr(node.getFloat("epsilon", 1e-5));
  return node.setResult(
      node.create<NNInstanceNormOp>(node.getInputs(), properties));
}

static LogicalResult convertGroupNormalization(NodeContext &node) {
  Value data = node.getInput(0), scale = node.getInput(1);
  Value bias = node.getInput(2);
  int64_t groups = node.getInt("num_groups", 0);
  if (node.getRank(data) < 3)
    return node.emitError()
           << "expects data of rank 3 or more, but got " << data.getType();
  int64_t channels = node.getType(data).getDimSize(1);
  if (ShapedType::isDynamic(channels) || groups < 1 || channels % groups)
    return node.emitError() << "expects num_groups to divide the channels of "
                            << data.getType() << ", but got " << groups;
  // Until opset 20, one number for each group.
  auto getPerChannel = [&](Value value) -> Value {
    if (node.getOpset() >= 21 || groups == channels)
      return value;
    RepeatOp::Properties properties;
    properties.repeats = node.getBuilder().getI64IntegerAttr(channels / groups);
    properties.axis = node.getBuilder().getI64IntegerAttr(0);
    return node.create<RepeatOp>({value}, properties);
  };
  NNGroupNormOp::Properties properties;
  properties.num_groups = node.getBuilder().getI64IntegerAttr(groups);
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  properties.epsilon =
      node.getBuilder().getF64FloatAttr(node.getFloat("epsilon", 1e-5));
  return node.setResult(node.create<NNGroupNormOp>(
      {data, getPerChannel(scale), getPerChannel(bias)}, properties));
}

static LogicalResult convertMeanVarianceNormalization(NodeContext &node) {
  Value data = node.getInput(0);
  SmallVector<int64_t> defaultAxes = {0, 2, 3};
  FailureOr<SmallVector<int64_t>> axes = node.normalizeAxes(
      node.getInts("axes").value_or(ArrayRef<int64_t>(defaultAxes)),
      node.getRank(data));
  if (failed(axes))
    return failure();
  Value centered =
      node.create<SubtractOp>({data, createMean(node, data, *axes)});
  Value variance =
      createMean(node, createProduct(node, centered, centered), *axes);
  if (!variance)
    return failure();
  Value deviation =
      createSum(node, node.create<SqrtOp>({variance}),
                node.createScalar(1e-9, node.getElementType(data)));
  return node.setResult(node.create<DivideOp>({centered, deviation}));
}

static LogicalResult convertLRN(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  int64_t size = node.getInt("size", 0);
  if (size < 1)
    return node.emitError() << "expects size to be positive, but got " << size;
  NNLrnOp::Properties properties;
  properties.size = b.getI64IntegerAttr(size);
  properties.axis = b.getI64IntegerAttr(1);
  properties.bias = b.getF64FloatAttr(node.getFloat("bias", 1));
  properties.alpha = b.getF64FloatAttr(node.getFloat("alpha", 1e-4));
  properties.beta = b.getF64FloatAttr(node.getFloat("beta", 0.75));
  return node.setResult(node.create<NNLrnOp>({node.getInput(0)}, properties));
}

void mlir::relay::onnx::addNormalizationOps(OpTable &table) {
  table.add({"BatchNormalization"},
            {convertBatchNormalization, kOldestOpset, kNewestOpset, 5, 5});
  table.add({"GroupNormalization"},
            {convertGroupNormalization, 18, kNewestOpset, 3, 3});
  table.add({"InstanceNormalization"},
            {convertInstanceNormalization, kOldestOpset, kNewestOpset, 3, 3});
  table.add({"LRN"}, {convertLRN});
  table.add({"LayerNormalization"},
            {convertLayerNormalization, 17, kNewestOpset, 2, 3});
  table.add({"MeanVarianceNormalization"},
            {convertMeanVarianceNormalization, 9});
  table.add({"RMSNormalization"},
            {convertRMSNormalization, 23, kNewestOpset, 2, 2});
}
