//===- Activation.cpp - Activation functions of ONNX ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formula.h"
#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

static LogicalResult convertRelu(NodeContext &node) {
  return node.setResult(node.create<NNReluOp>({node.getInput(0)}));
}

static LogicalResult convertSigmoid(NodeContext &node) {
  return node.setResult(node.create<SigmoidOp>({node.getInput(0)}));
}

static LogicalResult convertLeakyRelu(NodeContext &node) {
  NNLeakyReluOp::Properties properties;
  properties.alpha =
      node.getBuilder().getF64FloatAttr(node.getFloat("alpha", 0.01));
  return node.setResult(
      node.create<NNLeakyReluOp>({node.getInput(0)}, properties));
}

static LogicalResult convertPRelu(NodeContext &node) {
  Value data = node.getInput(0), slope = node.getInput(1);
  int64_t rank = node.getRank(data);
  // One slope for each channel has an operator of its own. Old exporters write
  // a vector that does not broadcast.
  RankedTensorType slopeType = node.getType(slope);
  int64_t channels = rank < 2 ? 0 : node.getType(data).getDimSize(1);
  int64_t channelAxis = slopeType.getRank() - (rank - 1);
  if (slopeType.getRank() == 1 && rank > 2 &&
      slopeType.getDimSize(0) != node.getType(data).getDimSize(rank - 1))
    channelAxis = 0;
  if (rank >= 2 && channelAxis >= 0 && slopeType.hasStaticShape() &&
      channelAxis < slopeType.getRank() && slopeType.getNumElements() > 1 &&
      slopeType.getDimSize(channelAxis) == channels &&
      slopeType.getNumElements() == channels) {
    NNPreluOp::Properties properties;
    properties.axis = node.getBuilder().getI64IntegerAttr(1);
    return node.setResult(node.create<NNPreluOp>(
        {data, node.reshape(slope, ArrayRef<int64_t>{channels})}, properties));
  }
  Formula f(node);
  return node.setResult(
      f.select(f.less(data, f.number(0)), f.mul(slope, data), data));
}

static LogicalResult convertElu(NodeContext &node) {
  Formula f(node);
  Value x = f.getX();
  Value low = f.sub(f.exp(f.min(x, f.number(0))), f.number(1));
  Value scaled = f.mul(f.number(node.getFloat("alpha", 1)), low);
  return node.setResult(f.select(f.less(x, f.number(0)), scaled, x));
}

static LogicalResult convertCelu(NodeContext &node) {
  Formula f(node);
  Value x = f.getX();
  Value alpha = f.number(node.getFloat("alpha", 1));
  Value low = f.sub(f.exp(f.div(f.min(x, f.number(0)), alpha)), f.number(1));
  return node.setResult(f.add(f.relu(x), f.mul(alpha, low)));
}

static LogicalResult convertSelu(NodeContext &node) {
  Formula f(node);
  Value x = f.getX();
  Value alpha = f.number(node.getFloat("alpha", 1.67326319217681884765625));
  Value gamma = f.number(node.getFloat("gamma", 1.05070102214813232421875));
  Value low = f.sub(f.exp(f.min(x, f.number(0))), f.number(1));
  Value scaled = f.select(f.greater(x, f.number(0)), x, f.mul(alpha, low));
  return node.setResult(f.mul(gamma, scaled));
}

static LogicalResult convertThresholdedRelu(NodeContext &node) {
  Formula f(node);
  Value x = f.getX();
  Value alpha = f.number(node.getFloat("alpha", 1));
  return node.setResult(f.select(f.greater(x, alpha), x, f.number(0)));
}

static LogicalResult convertHardSigmoid(NodeContext &node) {
  Formula f(node);
  Value scaled = f.mul(f.getX(), f.number(node.getFloat("alpha", 0.2)));
  Value line = f.add(scaled, f.number(node.getFloat("beta", 0.5)));
  return node.setResult(f.clip(line, 0, 1));
}

static LogicalResult convertHardSwish(NodeContext &node) {
  Formula f(node);
  Value x = f.getX();
  Value line = f.add(f.mul(x, f.number(1.0 / 6)), f.number(0.5));
  return node.setResult(f.mul(x, f.clip(line, 0, 1)));
}

static Value createSwish(NodeContext &node, const Formula &f) {
  Value x = f.getX(), scaled = x;
  double alpha = node.getFloat("alpha", 1);
  if (alpha != 1)
    scaled = f.mul(x, f.number(alpha));
  return f.mul(x, f.sigmoid(scaled));
}

static LogicalResult convertSwish(NodeContext &node) {
  return node.setResult(createSwish(node, Formula(node)));
}

/// A gate: swish of the first input times the second.
static LogicalResult convertSwiGLU(NodeContext &node) {
  if (node.getInputType(0) != node.getInputType(1))
    return node.emitError()
           << "expects inputs of the same type, but got "
           << node.getInputType(0) << " and " << node.getInputType(1);
  Formula f(node);
  return node.setResult(f.mul(createSwish(node, f), node.getInput(1)));
}

static LogicalResult convertSoftplus(NodeContext &node) {
  Formula f(node);
  return node.setResult(f.softplus(f.getX()));
}

static LogicalResult convertSoftsign(NodeContext &node) {
  Formula f(node);
  Value x = f.getX();
  return node.setResult(f.div(x, f.add(f.number(1), f.abs(x))));
}

static LogicalResult convertMish(NodeContext &node) {
  Formula f(node);
  Value x = f.getX();
  // With w = exp(x), tanh(log(1 + w)) = ((1 + w)^2 - 1) / ((1 + w)^2 + 1),
  // which is w * (w + 2) / (w * (w + 2) + 2), and 1 long before w overflows.
  Value w = f.exp(f.min(x, f.number(20)));
  Value product = f.mul(w, f.add(w, f.number(2)));
  Value ratio = f.div(product, f.add(product, f.number(2)));
  return node.setResult(f.mul(x, ratio));
}

static LogicalResult convertShrink(NodeContext &node) {
  Formula f(node);
  Value x = f.getX();
  double lambda = node.getFloat("lambd", 0.5);
  Value bias = f.number(node.getFloat("bias", 0));
  Value high =
      f.select(f.greater(x, f.number(lambda)), f.sub(x, bias), f.number(0));
  return node.setResult(
      f.select(f.less(x, f.number(-lambda)), f.add(x, bias), high));
}

static LogicalResult convertGelu(NodeContext &node) {
  Formula f(node);
  Value x = f.getX();
  StringRef approximate = node.getString("approximate", "none");
  Value inner;
  if (approximate == "none") {
    inner = f.erf(f.mul(x, f.number(std::sqrt(0.5))));
  } else if (approximate == "tanh") {
    // (1 + tanh(a)) / 2 is the sigmoid of 2 * a, where nothing cancels.
    Value cube = f.mul(f.mul(x, x), x);
    Value sum = f.add(x, f.mul(f.number(0.044715), cube));
    Value twice = f.mul(f.number(2 * std::sqrt(2 / M_PI)), sum);
    return node.setResult(f.mul(x, f.sigmoid(twice)));
  } else {
    return node.emitError()
           << "expects approximate to be none or tanh, but got "
           << "\"" << approximate << "\"";
  }
  Value half = f.mul(x, f.number(0.5));
  return node.setResult(f.mul(half, f.add(f.number(1), inner)));
}

//===----------------------------------------------------------------------===//
// Experimental operators of the first opsets
//===----------------------------------------------------------------------===//

/// ONNX lists no types for these.
static LogicalResult expectFloats(NodeContext &node) {
  RankedTensorType type = node.getInputType(0);
  if (isa<FloatType>(type.getElementType()))
    return success();
  return node.emitError() << "expects floats, but got " << type;
}

static LogicalResult convertAffine(NodeContext &node) {
  if (failed(expectFloats(node)))
    return failure();
  Formula f(node);
  Value scaled = f.mul(f.getX(), f.number(node.getFloat("alpha", 1)));
  return node.setResult(f.add(scaled, f.number(node.getFloat("beta", 0))));
}

static LogicalResult convertScale(NodeContext &node) {
  if (failed(expectFloats(node)))
    return failure();
  Formula f(node);
  return node.setResult(f.mul(f.getX(), f.number(node.getFloat("scale", 1))));
}

/// ONNX Runtime has no defaults for alpha and beta of the next two.
static FailureOr<std::pair<double, double>> getAlphaBeta(NodeContext &node) {
  if (failed(expectFloats(node)))
    return failure();
  for (StringRef name : {"alpha", "beta"})
    if (!node.hasAttr(name)) {
      node.emitError() << "expects attribute \"" << name << "\"";
      return failure();
    }
  return std::pair(node.getFloat("alpha", 0), node.getFloat("beta", 0));
}

static LogicalResult convertParametricSoftplus(NodeContext &node) {
  auto numbers = getAlphaBeta(node);
  if (failed(numbers))
    return failure();
  Formula f(node);
  Value inner = f.mul(f.getX(), f.number(numbers->second));
  return node.setResult(f.mul(f.number(numbers->first), f.softplus(inner)));
}

static LogicalResult convertScaledTanh(NodeContext &node) {
  auto numbers = getAlphaBeta(node);
  if (failed(numbers))
    return failure();
  Formula f(node);
  Value inner = f.mul(f.getX(), f.number(numbers->second));
  return node.setResult(f.mul(f.number(numbers->first), f.tanh(inner)));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Until opset 12, all dimensions from `axis` on were one.
template <typename OpT>
static Value createSoftmax(NodeContext &node, Value data, int64_t axis,
                           bool isFlat) {
  int64_t rank = node.getRank(data);
  auto create = [&](Value value, int64_t at) {
    typename OpT::Properties properties;
    properties.axis = node.getBuilder().getI64IntegerAttr(at);
    return node.create<OpT>({value}, properties);
  };
  SmallVector<ShapeScalar> dims = node.getDims(data);
  bool isPlain = !isFlat || axis == rank - 1 ||
                 llvm::all_of(ArrayRef(dims).drop_front(axis + 1),
                              [](const ShapeScalar &dim) {
                                return dim.getConstant() == 1;
                              });
  if (isPlain)
    return create(data, axis);
  Value flat = create(node.flatten(data, axis), 1);
  return node.reshape(flat, dims);
}

template <typename OpT>
static LogicalResult convertSoftmax(NodeContext &node) {
  Value data = node.getInput(0);
  bool isFlat = node.getOpset() < 13;
  FailureOr<int64_t> axis = node.normalizeAxis(
      node.getInt("axis", isFlat ? 1 : -1), node.getRank(data));
  if (failed(axis))
    return failure();
  return node.setResult(createSoftmax<OpT>(node, data, *axis, isFlat));
}

/// One at the first maximum, zero elsewhere.
static LogicalResult convertHardmax(NodeContext &node) {
  Value data = node.getInput(0);
  bool isFlat = node.getOpset() < 13;
  int64_t rank = node.getRank(data);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", isFlat ? 1 : -1), rank);
  if (failed(axis))
    return failure();
  SmallVector<ShapeScalar> dims = node.getDims(data);
  if (isFlat && *axis != rank - 1) {
    data = node.flatten(data, *axis);
    axis = 1;
  }
  if (!data)
    return failure();
  int64_t depth = node.getType(data).getDimSize(*axis);
  if (depth == 0)
    return node.setResult(node.getInput(0));
  Type type = node.getElementType(data);
  ArgmaxOp::Properties argmax;
  argmax.axis = node.getBuilder().getDenseI64ArrayAttr(*axis);
  if (ShapedType::isDynamic(depth)) {
    argmax.keepdims = node.getBuilder().getBoolAttr(true);
    // Nothing has no maximum; what is added last is none of anything else.
    Value padded =
        node.pad(data, *axis, 0, 1, -std::numeric_limits<double>::infinity());
    if (!padded)
      return failure();
    Value maximum = node.create<ArgmaxOp>({padded}, argmax);
    if (!maximum)
      return failure();
    Value positions = node.createPositions(
        node.createLine(data, *axis, node.getElementType(maximum)));
    positions = node.expandDims(positions, 1, node.getRank(data) - *axis - 1);
    Value result =
        node.castTo(node.create<EqualOp>({maximum, positions}), type);
    return node.setResult(node.reshape(result, dims));
  }
  OneHotOp::Properties oneHot;
  oneHot.depth = node.getBuilder().getI64IntegerAttr(depth);
  oneHot.axis = node.getBuilder().getI64IntegerAttr(*axis);
  oneHot.dtype = TypeAttr::get(type);
  Value result = node.create<OneHotOp>({node.create<ArgmaxOp>({data}, argmax),
                                        node.createScalar(1, type),
                                        node.createScalar(0, type)},
                                       oneHot);
  return node.setResult(node.reshape(result, dims));
}

void mlir::relay::onnx::addActivationOps(OpTable &table) {
  auto add = [&](StringRef name, OpEntry::Converter convert,
                 int64_t since = kOldestOpset) {
    table.add({name}, {convert, since});
  };
  auto compose = [&](StringRef name, OpEntry::Converter convert,
                     int64_t since = kOldestOpset,
                     int64_t until = kNewestOpset) {
    table.add({name}, {convert, since, until, 1, 1, /*contentInputs=*/0,
                       /*isComposed=*/true});
  };
  compose("Affine", convertAffine, kOldestOpset, kLastExperimentalOpset);
  compose("Celu", convertCelu, 12);
  compose("Elu", convertElu);
  compose("Gelu", convertGelu, 20);
  compose("HardSigmoid", convertHardSigmoid);
  compose("HardSwish", convertHardSwish, 14);
  add("Hardmax", convertHardmax);
  add("LeakyRelu", convertLeakyRelu);
  add("LogSoftmax", convertSoftmax<NNLogSoftmaxOp>);
  compose("Mish", convertMish, 18);
  compose("ParametricSoftplus", convertParametricSoftplus, kOldestOpset,
          kLastExperimentalOpset);
  add("Relu", convertRelu);
  compose("Scale", convertScale, kOldestOpset, kLastExperimentalOpset);
  compose("ScaledTanh", convertScaledTanh, kOldestOpset,
          kLastExperimentalOpset);
  compose("Selu", convertSelu);
  compose("Shrink", convertShrink, 9);
  add("Sigmoid", convertSigmoid);
  add("Softmax", convertSoftmax<NNSoftmaxOp>);
  compose("Softplus", convertSoftplus);
  compose("Softsign", convertSoftsign);
  compose("Swish", convertSwish, 24);
  compose("ThresholdedRelu", convertThresholdedRelu);
  table.add({"SwiGLU"}, {convertSwiGLU, 28, kNewestOpset, 2, 2,
                         /*contentInputs=*/0, /*isComposed=*/true});
  table.add({"PRelu"}, {convertPRelu, kOldestOpset, kNewestOpset, 2, 2});
}
