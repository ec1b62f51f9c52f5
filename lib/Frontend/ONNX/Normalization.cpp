//===- Normalization.cpp - Normalisations of ONNX ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Normalization.h"

#include "OpTable.h"
#include "Products.h"

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

/// `data` with as many channels as `vector` has elements, where only that is
/// known.
static Value expectChannels(NodeContext &node, Value data, Value vector) {
  if (!data || !vector || node.getRank(data) < 2 || node.getRank(vector) != 1)
    return data;
  int64_t size = node.getType(vector).getDimSize(0);
  if (ShapedType::isDynamic(size) || !node.getType(data).isDynamicDim(1))
    return data;
  return node.expectSize(data, 1, size);
}

/// The inputs in one type that holds all of them: the data may be narrower than
/// its statistics, as autocast of PyTorch makes it.
static SmallVector<Value> getWideInputs(NodeContext &node) {
  SmallVector<Value> values = node.getInputs();
  OpBuilder &b = node.getBuilder();
  bool isDouble = llvm::any_of(
      values, [&](Value value) { return node.getElementType(value).isF64(); });
  for (Value &value : values)
    value = node.castTo(value, isDouble ? b.getF64Type() : b.getF32Type());
  return values;
}

namespace {

/// The operands of a batch normalization whose statistics are not a vector that
/// is given, in f32 if they are narrower.
struct BatchNorm {
  NodeContext &node;
  Value data, scale, bias, mean, variance;

  explicit BatchNorm(NodeContext &node) : node(node) {
    SmallVector<Value> values = getWideInputs(node);
    data = values[0], scale = values[1], bias = values[2], mean = values[3],
    variance = values[4];
  }

  LogicalResult convertFeatures();
  LogicalResult convertTraining();

private:
  LogicalResult setResult();
  LogicalResult setStatistics(unsigned output, Value running, Value current);
};

} // namespace

/// All but the data broadcast to it.
LogicalResult BatchNorm::setResult() {
  Value inverse =
      createInverseRoot(node, variance, node.getFloat("epsilon", 1e-5));
  Value centered = node.create<SubtractOp>({data, mean});
  Value result =
      createProduct(node, createProduct(node, centered, inverse), scale);
  return node.setResult(node.castTo(createSum(node, result, bias),
                                    node.getInputType(0).getElementType()));
}

/// Until opset 8: statistics of each feature instead of each channel.
LogicalResult BatchNorm::convertFeatures() {
  for (Value vector : {scale, bias, mean, variance})
    if (node.getRank(data) < 2 ||
        node.getRank(vector) != node.getRank(data) - 1)
      return node.emitError()
             << "expects statistics of the rank of the data without the "
                "batch where spatial = 0, but got "
             << vector.getType() << " for " << data.getType();
  for (Value vector : {scale, bias, mean, variance})
    data = node.expectCovers(data, vector);
  return setResult();
}

/// Output `output`, if there is one: the operand and the batch's statistics.
LogicalResult BatchNorm::setStatistics(unsigned output, Value running,
                                       Value current) {
  if (!node.wantsOutput(output))
    return success();
  Type type = node.getElementType(running);
  double momentum = node.getFloat("momentum", 0.9F);
  Value old = createProduct(node, running, node.createScalar(momentum, type));
  Value add = createProduct(node, node.castTo(current, type),
                            node.createScalar(1 - momentum, type));
  return node.setOutput(output,
                        node.castTo(createSum(node, old, add),
                                    node.getInputType(3).getElementType()));
}

/// With the mean and the variance of the batch itself.
LogicalResult BatchNorm::convertTraining() {
  int64_t rank = node.getRank(data);
  for (Value vector : {scale, bias, mean, variance}) {
    if (rank < 2 || node.getRank(vector) != 1)
      return node.emitError()
             << "expects data of rank 2 or more and vectors, but got "
             << data.getType() << " and " << vector.getType();
    data = expectChannels(node, data, vector);
    if (!data)
      return failure();
    int64_t channels = node.getType(data).getDimSize(1);
    int64_t size = node.getType(vector).getDimSize(0);
    if (channels != size && ShapedType::isStatic(channels) &&
        ShapedType::isStatic(size))
      return node.emitError()
             << "expects a number for each channel of " << data.getType()
             << ", but got " << vector.getType();
  }
  SmallVector<int64_t> axes = {0};
  llvm::append_range(axes, llvm::seq<int64_t>(2, rank));
  RankedTensorType type = node.getType(data);
  if (llvm::any_of(axes,
                   [&](int64_t axis) { return type.getDimSize(axis) == 0; }))
    return node.emitError()
           << "expects numbers to take the mean of in training, but got "
           << type;
  Value runningMean = mean, runningVariance = variance;
  mean = createMean(node, data, axes);
  Value centered = node.create<SubtractOp>({data, mean});
  variance = createMean(node, createProduct(node, centered, centered), axes);
  if (!variance ||
      failed(setStatistics(1, runningMean, node.squeeze(mean, axes))) ||
      failed(setStatistics(2, runningVariance, node.squeeze(variance, axes))))
    return failure();
  // Until opset 13, those of the batch are outputs as well.
  Type savedType = node.getInputType(3).getElementType();
  for (unsigned output : {3, 4}) {
    // In ONNX Runtime, the saved variance is what is multiplied with.
    Value value =
        output == 3
            ? mean
            : createInverseRoot(node, variance, node.getFloat("epsilon", 1e-5));
    if (node.wantsOutput(output) &&
        failed(node.setOutput(
            output, node.castTo(node.squeeze(value, axes), savedType))))
      return failure();
  }
  scale = node.expandDims(scale, 1, rank - 2);
  bias = node.expandDims(bias, 1, rank - 2);
  return setResult();
}

static LogicalResult convertBatchNormalization(NodeContext &node) {
  int64_t opset = node.getOpset();
  // Until opset 13, a node with one output is in test mode, whatever is_test
  // says, and one with more is in training.
  bool isTraining = opset >= 14 && node.getBool("training_mode", false);
  bool isTest = opset < 7 && node.getInt("is_test", 0) != 0;
  for (unsigned i = 1; i < 5 && !isTraining; ++i) {
    if (!node.wantsOutput(i))
      continue;
    if (opset >= 14 || isTest)
      return node.emitError()
             << "expects one output "
             << (isTest ? "where is_test = 1" : "without training_mode = 1")
             << ", but got output " << i << " (\"" << node.getNode().outputs[i]
             << "\")";
    isTraining = true;
  }
  if (isTraining)
    return BatchNorm(node).convertTraining();
  if (opset < 9 && !node.getBool("spatial", true))
    return BatchNorm(node).convertFeatures();
  SmallVector<Value> operands = node.getInputs();
  Type type = node.getElementType(operands[0]);
  if (!llvm::all_of(operands, [&](Value operand) {
        return node.getElementType(operand) == type;
      }))
    operands = getWideInputs(node);
  for (Value operand : ArrayRef(operands).drop_front())
    operands[0] = expectChannels(node, operands[0], operand);
  NNBatchNormOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  properties.epsilon =
      node.getBuilder().getF64FloatAttr(node.getFloat("epsilon", 1e-5));
  Value result = node.create<NNBatchNormOp>(operands, properties);
  return node.setResult(node.castTo(node.getTupleItem(result, 0), type));
}

Value mlir::relay::onnx::createPlainLayerNorm(NodeContext &node, Value data,
                                              Value scale, Value bias,
                                              double epsilon) {
  NNLayerNormOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(-1);
  properties.epsilon = node.getBuilder().getF64FloatAttr(epsilon);
  properties.center = node.getBuilder().getBoolAttr(bool(bias));
  // In the shape of the scale, which may be known only when the model runs.
  if (!bias)
    bias = node.create<ZerosLikeOp>({scale});
  return node.create<NNLayerNormOp>({data, scale, bias}, properties);
}

/// Composed, but its outputs are of two types: what floats of 16 bits become is
/// rounded here.
static LogicalResult convertLayerNormalization(NodeContext &node) {
  Type type = node.getInputType(0).getElementType();
  Type wideType = type, stashType = type;
  if (type.isF16() || type.isBF16()) {
    wideType = node.getBuilder().getF32Type();
    stashType = node.getInt("stash_type", 1) == 1 ? wideType : type;
  }
  Value scale = node.castTo(node.getInput(1), wideType);
  Value bias = node.castTo(node.getInput(2), wideType);
  Value data =
      node.expectCovers(node.castTo(node.getInput(0), wideType), scale);
  if (!data || !scale)
    return failure();
  int64_t rank = node.getRank(data);
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rank);
  if (failed(axis))
    return failure();
  double epsilon = node.getFloat("epsilon", 1e-5);
  RankedTensorType scaleType = node.getType(scale);
  bool isPlain =
      *axis == rank - 1 && scaleType.getRank() == 1 && !node.wantsOutput(1) &&
      !node.wantsOutput(2) && (!bias || bias.getType() == scaleType) &&
      scaleType.getDimSize(0) == node.getType(data).getDimSize(*axis);
  if (isPlain) {
    Value result = createPlainLayerNorm(node, data, scale, bias, epsilon);
    return node.setResult(node.castTo(result, type));
  }

  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(*axis, rank));
  Value mean = createMean(node, data, axes);
  Value centered = node.create<SubtractOp>({data, mean});
  Value variance =
      createMean(node, createProduct(node, centered, centered), axes);
  Value inverse = createInverseRoot(node, variance, epsilon);
  Value result =
      createProduct(node, createProduct(node, centered, inverse), scale);
  if (bias)
    result = createSum(node, result, bias);
  if (!result || failed(node.setOutput(1, node.castTo(mean, stashType))) ||
      failed(node.setOutput(2, node.castTo(inverse, stashType))))
    return failure();
  return node.setResult(node.castTo(result, type));
}

static LogicalResult convertRMSNormalization(NodeContext &node) {
  Value data = node.expectCovers(node.getInput(0), node.getInput(1));
  if (!data)
    return failure();
  int64_t rank = node.getRank(data);
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", -1), rank);
  if (failed(axis))
    return failure();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(*axis, rank));
  Value square = createMean(node, createProduct(node, data, data), axes);
  Value inverse =
      createInverseRoot(node, square, node.getFloat("epsilon", 1e-5));
  Value normalized = createProduct(node, data, inverse);
  if (node.wantsOutput(1)) {
    // Of SimplifiedLayerNormalization only; ONNX has no such output.
    Type type = node.getInputType(0).getElementType();
    if (node.getOpType() == "RMSNormalization" || type.isF16() || type.isBF16())
      return node.rejectOutput(1);
    if (failed(node.setOutput(1, inverse)))
      return failure();
  }
  return node.setResult(createProduct(node, normalized, node.getInput(1)));
}

static LogicalResult convertInstanceNormalization(NodeContext &node) {
  NNInstanceNormOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  properties.epsilon =
      node.getBuilder().getF64FloatAttr(node.getFloat("epsilon", 1e-5));
  SmallVector<Value> operands = {node.getInput(0), getWeight(node, 1),
                                 getWeight(node, 2)};
  return node.setResult(node.create<NNInstanceNormOp>(operands, properties));
}

/// Group normalization of an open number of channels: groups are a dimension of
/// their own. A number that is no multiple is refused when the model runs.
static Value createOpenGroupNorm(NodeContext &node, Value data, Value scale,
                                 Value bias, int64_t groups, double epsilon) {
  int64_t rank = node.getRank(data);
  Type type = node.getElementType(data);
  SmallVector<int64_t> divide = {0, -4, groups, -1}, join = {0, -3};
  divide.append(rank - 2, 0);
  join.append(rank - 2, 0);
  Value grouped = node.reshape(node.widen(data), divide);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, rank + 1));
  Value centered =
      node.create<SubtractOp>({grouped, createMean(node, grouped, axes)});
  Value variance =
      createMean(node, createProduct(node, centered, centered), axes);
  Value result =
      createProduct(node, centered, createInverseRoot(node, variance, epsilon));
  // Until opset 20, one number for each group.
  auto align = [&](Value vector) {
    vector = node.widen(vector);
    if (node.getOpset() < 21)
      return node.expandDims(vector, 1, rank - 1);
    return node.expandDims(node.reshape(vector, {groups, -1}), 2, rank - 2);
  };
  result = createProduct(node, result, align(scale));
  result = node.reshape(createSum(node, result, align(bias)), join);
  return node.castTo(node.assumeDims(result, node.getDims(data)), type);
}

static LogicalResult convertGroupNormalization(NodeContext &node) {
  Value data = node.getInput(0), scale = node.getInput(1);
  Value bias = node.getInput(2);
  int64_t groups = node.getInt("num_groups", 0);
  double epsilon = node.getFloat("epsilon", 1e-5);
  if (node.getRank(data) < 3)
    return node.emitError()
           << "expects data of rank 3 or more, but got " << data.getType();
  bool isPerGroup = node.getOpset() < 21;
  if (!isPerGroup)
    for (Value vector : {scale, bias})
      data = expectChannels(node, data, vector);
  if (!data)
    return failure();
  int64_t channels = node.getType(data).getDimSize(1);
  if (groups < 1 || (!ShapedType::isDynamic(channels) && channels % groups))
    return node.emitError() << "expects num_groups to divide the channels of "
                            << data.getType() << ", but got " << groups;
  if (ShapedType::isDynamic(channels))
    return node.setResult(
        createOpenGroupNorm(node, data, scale, bias, groups, epsilon));
  // Until opset 20, one number for each group.
  auto getPerChannel = [&](Value value) -> Value {
    if (!isPerGroup || groups == channels)
      return value;
    RepeatOp::Properties properties;
    properties.repeats = node.getBuilder().getI64IntegerAttr(channels / groups);
    properties.axis = node.getBuilder().getI64IntegerAttr(0);
    return node.create<RepeatOp>({value}, properties);
  };
  NNGroupNormOp::Properties properties;
  properties.num_groups = node.getBuilder().getI64IntegerAttr(groups);
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  properties.epsilon = node.getBuilder().getF64FloatAttr(epsilon);
  return node.setResult(node.create<NNGroupNormOp>(
      {data, getPerChannel(scale), getPerChannel(bias)}, properties));
}

static LogicalResult convertMeanVarianceNormalization(NodeContext &node) {
  Value data = node.getInput(0);
  SmallVector<int64_t> defaultAxes = {0, 2, 3};
  bool isOld = node.getOpset() < 9;
  if (isOld && node.getBool("across_channels", false))
    defaultAxes = {0, 1, 2, 3};
  if (isOld && node.getRank(data) != 4)
    return node.emitError()
           << "expects data of rank 4, but got " << data.getType();
  FailureOr<SmallVector<int64_t>> axes = node.normalizeAxes(
      node.getInts("axes").value_or(ArrayRef<int64_t>(defaultAxes)),
      node.getRank(data));
  if (failed(axes))
    return failure();
  Value centered =
      node.create<SubtractOp>({data, createMean(node, data, *axes)});
  if (isOld && !node.getBool("normalize_variance", true))
    return node.setResult(centered);
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
            {convertLayerNormalization, kOldestOpset, kNewestOpset, 2, 3});
  table.add({"MeanVarianceNormalization"},
            {convertMeanVarianceNormalization, kOldestOpset, kNewestOpset, 1, 1,
             /*contentInputs=*/0, /*isComposed=*/true});
  // ONNX Runtime's name for RMSNormalization, in the domain of ONNX.
  table.add({"SimplifiedLayerNormalization"},
            {convertRMSNormalization, kOldestOpset, kNewestOpset, 2, 2,
             /*contentInputs=*/0, /*isComposed=*/true});
  table.add({"RMSNormalization"},
            {convertRMSNormalization, 23, kNewestOpset, 2, 2,
             /*contentInputs=*/0, /*isComposed=*/true});
}
