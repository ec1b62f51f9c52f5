//===- Fused.cpp - Fused operators of ONNX Runtime ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ONNX Runtime's optimizer makes of several operators of ONNX is taken
// apart here; fusion puts together what a processor wants.
//
//===----------------------------------------------------------------------===//

#include "../Formula.h"
#include "../Normalization.h"
#include "../Products.h"
#include "Contrib.h"

#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

void mlir::relay::onnx::addContrib(OpTable &table, StringRef name,
                                   OpEntry::Converter convert,
                                   ArrayRef<unsigned> required,
                                   unsigned maxInputs, bool isComposed,
                                   uint32_t contentInputs) {
  auto check = [convert = std::move(convert),
                required = llvm::to_vector(required)](NodeContext &node) {
    for (unsigned index : required)
      if (!node.hasInput(index))
        return LogicalResult(node.emitError() << "expects input " << index
                                              << ", which is left out");
    return convert(node);
  };
  table.add(kContribDomain, {name},
            {std::move(check), 1, 1, /*minInputs=*/0, maxInputs, contentInputs,
             isComposed});
}

Value mlir::relay::onnx::addOptional(NodeContext &node, Value data,
                                     Value skip) {
  return skip ? node.create<AddOp>({data, skip}) : data;
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// x * sigmoid(alpha * x).
static Value createQuickGelu(const Formula &f, Value x, double alpha) {
  return f.mul(x, f.sigmoid(f.mul(f.number(alpha), x)));
}

/// By the error function.
static Value createGelu(const Formula &f, Value x) {
  Value inner = f.erf(f.mul(x, f.number(std::sqrt(0.5))));
  return f.mul(f.mul(x, f.number(0.5)), f.add(f.number(1), inner));
}

// (1 + tanh(a)) / 2 is the sigmoid of 2 * a, where nothing cancels.
Value mlir::relay::onnx::createFastGelu(NodeContext &node, Value x) {
  Formula f(node, x);
  Value cube = f.mul(f.mul(x, x), x);
  Value sum = f.add(x, f.mul(f.number(0.044715), cube));
  return f.mul(x, f.sigmoid(f.mul(f.number(2 * std::sqrt(2 / M_PI)), sum)));
}

static LogicalResult convertFastGelu(NodeContext &node) {
  Value x = addOptional(node, node.getInput(0), node.getInput(1));
  return node.setResult(createFastGelu(node, x));
}

static LogicalResult convertGemmFastGelu(NodeContext &node) {
  Value product = createMatmul(node, node.getInput(0), node.getInput(1));
  product = addOptional(node, product, node.getInput(2));
  return node.setResult(createFastGelu(node, product));
}

static LogicalResult convertGelu(NodeContext &node) {
  Value x = addOptional(node, node.getInput(0), node.getInput(1));
  return node.setResult(createGelu(Formula(node, x), x));
}

static LogicalResult convertQuickGelu(NodeContext &node) {
  Formula f(node);
  return node.setResult(
      createQuickGelu(f, f.getX(), node.getFloat("alpha", 1.702)));
}

/// The first half times the gelu of the second, plus a bias before.
static LogicalResult convertBiasSplitGelu(NodeContext &node) {
  Value x = addOptional(node, node.getInput(0), node.getInput(1));
  if (!x)
    return failure();
  int64_t last = node.getRank(x) - 1, size = node.getType(x).getDimSize(last);
  if (ShapedType::isDynamic(size) || size % 2 != 0)
    return node.emitError()
           << "expects an even last size, but got " << x.getType();
  Value left = node.slice(x, last, 0, size / 2);
  Value right = node.slice(x, last, size / 2, size);
  Formula f(node, right);
  return node.setResult(f.mul(left, createGelu(f, right)));
}

static LogicalResult convertBiasSoftmax(NodeContext &node) {
  Value data = addOptional(node, node.getInput(0), node.getInput(1));
  if (!data)
    return failure();
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 1), node.getRank(data));
  if (failed(axis))
    return failure();
  if (node.getInt("is_inner_broadcast", 1) != 1 &&
      node.getRank(node.getInput(1)) != node.getRank(data))
    return node.emitError() << "expects is_inner_broadcast = 1, or a bias of "
                               "the rank of the data";
  // All dimensions from the axis on are one.
  SmallVector<ShapeScalar> dims = node.getDims(data);
  NNSoftmaxOp::Properties softmax;
  softmax.axis = node.getBuilder().getI64IntegerAttr(-1);
  Value flat = node.flatten(data, *axis);
  return node.setResult(
      node.reshape(node.create<NNSoftmaxOp>({flat}, softmax), dims));
}

Value mlir::relay::onnx::applyActivation(NodeContext &node, Value data) {
  StringRef name = node.getString("activation", "");
  if (name.empty() || !data)
    return data;
  ArrayRef<float> list =
      node.getFloats("activation_params").value_or(ArrayRef<float>());
  auto parameter = [&](unsigned index, StringRef attribute, double value) {
    if (index < list.size())
      return static_cast<double>(list[index]);
    return node.getFloat(attribute, value);
  };
  Formula f(node, data);
  if (name == "Relu")
    return f.relu(data);
  if (name == "Sigmoid")
    return f.sigmoid(data);
  if (name == "Tanh")
    return f.tanh(data);
  if (name == "LeakyRelu") {
    Value slope = f.number(parameter(0, "activation_alpha", 0.01));
    return f.select(f.less(data, f.number(0)), f.mul(slope, data), data);
  }
  if (name == "Clip")
    return f.clip(data, parameter(0, "activation_alpha", 0),
                  parameter(1, "activation_beta", 0));
  if (name == "HardSigmoid") {
    Value line =
        f.add(f.mul(data, f.number(parameter(0, "activation_alpha", 0.2))),
              f.number(parameter(1, "activation_beta", 0.5)));
    return f.clip(line, 0, 1);
  }
  if (name == "HardSwish") {
    Value line =
        f.add(f.mul(data, f.number(parameter(0, "activation_alpha", 1.0 / 6))),
              f.number(parameter(1, "activation_beta", 0.5)));
    return f.mul(data, f.clip(line, 0, 1));
  }
  if (name == "Gelu")
    return createGelu(f, data);
  if (name == "SiLU" || name == "Swish")
    return f.mul(data, f.sigmoid(data));
  if (name == "QuickGelu")
    return createQuickGelu(f, data, parameter(0, "activation_alpha", 1.702));
  node.emitError() << "activation \"" << name << "\" is not supported";
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static LogicalResult convertFusedConv(NodeContext &node) {
  Value result = createConvolution(node, node.getInput(0), node.getInput(1));
  if (result && node.hasInput(2)) {
    NNBiasAddOp::Properties properties;
    properties.axis = node.getBuilder().getI64IntegerAttr(1);
    result = node.create<NNBiasAddOp>({result, node.getInput(2)}, properties);
  }
  result = addOptional(node, result, node.getInput(3));
  return node.setResult(applyActivation(node, result));
}

/// The channels are last in data and result, and in the weight as ONNX has
/// them.
static LogicalResult convertNhwcConv(NodeContext &node) {
  Value data = node.getInput(0), weight = node.getInput(1);
  if (node.getRank(data) != 4 || node.getRank(weight) != 4)
    return node.emitError() << "expects data and weight of rank 4, but got "
                            << data.getType() << " and " << weight.getType();
  Value result = createConvolution(node, moveChannelsFirst(node, data), weight);
  result = moveChannelsLast(node, result);
  result = addOptional(node, result, node.getInput(2));
  if (node.hasInput(3))
    result = addOptional(node, result, node.getInput(3));
  return node.setResult(applyActivation(node, result));
}

static LogicalResult convertFusedGemm(NodeContext &node) {
  return node.setResult(applyActivation(node, createGemm(node)));
}

/// An operand of FusedMatMul: the last two dimensions are swapped with `trans`,
/// and with `transBatch` the first one goes before the last.
static Value turnOperand(NodeContext &node, Value value, bool isTransposed,
                         bool isBatchMoved) {
  int64_t rank = node.getRank(value);
  if (rank < 2)
    return value;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (isBatchMoved && rank > 2)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (isTransposed)
    std::swap(order[rank - 2], order[rank - 1]);
  return node.transpose(value, order);
}

static LogicalResult convertFusedMatMul(NodeContext &node) {
  Value a = turnOperand(node, node.getInput(0), node.getBool("transA", false),
                        node.getBool("transBatchA", false));
  Value b = turnOperand(node, node.getInput(1), node.getBool("transB", false),
                        node.getBool("transBatchB", false));
  if (!a || !b)
    return failure();
  Value product = createMatmul(node, a, b);
  if (double alpha = node.getFloat("alpha", 1); product && alpha != 1)
    product = node.create<MultiplyOp>(
        {product, node.createScalar(alpha, node.getElementType(product))});
  return node.setResult(applyActivation(node, product));
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::createLayerNorm(NodeContext &node, Value data,
                                         Value scale, Value bias,
                                         bool isSimplified) {
  if (!data || !scale)
    return nullptr;
  double epsilon = node.getFloat("epsilon", isSimplified ? 1e-5 : 1e-12);
  int64_t last = node.getRank(data) - 1;
  if (isSimplified) {
    Formula f(node, data);
    Value square = f.reduce<MeanOp>(f.mul(data, data), last);
    RsqrtOp::Properties none;
    Value inverse =
        node.create<RsqrtOp>({f.add(square, f.number(epsilon))}, none);
    Value result = f.mul(f.mul(data, inverse), scale);
    return addOptional(node, result, bias);
  }
  return createPlainLayerNorm(node, data, scale, bias, epsilon);
}

template <bool isSimplified>
static LogicalResult convertSkipNorm(NodeContext &node) {
  // A simplified one has no shift.
  Value shift = isSimplified ? Value() : node.getInput(3);
  unsigned biasIndex = isSimplified ? 3 : 4;
  Value sum = addOptional(node, node.getInput(0), node.getInput(1));
  if (node.hasInput(biasIndex))
    sum = addOptional(node, sum, node.getInput(biasIndex));
  Value result =
      createLayerNorm(node, sum, node.getInput(2), shift, isSimplified);
  if (!result || failed(node.rejectOutput(1)) || failed(node.rejectOutput(2)) ||
      failed(node.setOutput(3, sum)))
    return failure();
  return node.setResult(result);
}

/// Groups of channels, which may be the last dimension; a swish may follow.
static LogicalResult convertGroupNorm(NodeContext &node) {
  bool hasSkip = node.getOpType() == "SkipGroupNorm";
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  if (node.getRank(data) != 4)
    return node.emitError()
           << "expects data of rank 4, but got " << data.getType();
  if (hasSkip) {
    Value skip = node.getInput(3);
    // One vector for each image, in either form.
    if (node.getRank(skip) == 2)
      skip = node.expandDims(skip, 1, 2);
    data = addOptional(node, data, skip);
    if (node.hasInput(4))
      data = addOptional(node, data, node.getInput(4));
    if (failed(node.setOutput(1, data)))
      return failure();
  }
  bool isLast = node.getBool("channels_last", true);
  if (isLast)
    data = node.transpose(data, {0, 3, 1, 2});
  if (!data)
    return failure();
  NNGroupNormOp::Properties properties;
  properties.num_groups = b.getI64IntegerAttr(node.getInt("groups", 0));
  properties.axis = b.getI64IntegerAttr(1);
  properties.epsilon = b.getF64FloatAttr(node.getFloat("epsilon", 1e-5));
  Value result = node.create<NNGroupNormOp>(
      {data, node.getInput(1), node.getInput(2)}, properties);
  Formula f(node, result);
  if (node.getBool("activation", false))
    result = f.mul(result, f.sigmoid(result));
  if (!result)
    return failure();
  return node.setResult(isLast ? node.transpose(result, {0, 2, 3, 1}) : result);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

static LogicalResult convertBiasAdd(NodeContext &node) {
  Value sum = addOptional(node, node.getInput(0), node.getInput(1));
  return node.setResult(addOptional(node, sum, node.getInput(2)));
}

/// In the evaluation of a model nothing is dropped.
static LogicalResult convertBiasDropout(NodeContext &node) {
  if (node.hasInput(4) && node.getConstantFloat(4) != 0.0)
    return node.emitError() << "expects a constant training_mode = false";
  if (failed(node.rejectOutput(1)))
    return failure();
  Value sum = addOptional(node, node.getInput(0), node.getInput(1));
  return node.setResult(addOptional(node, sum, node.getInput(2)));
}

static LogicalResult convertExpandDims(NodeContext &node) {
  Value data = node.getInput(0);
  FailureOr<int64_t> value = node.getConstantInt(1);
  if (failed(value))
    return failure();
  FailureOr<int64_t> axis = node.normalizeAxis(*value, node.getRank(data) + 1);
  if (failed(axis))
    return failure();
  return node.setResult(node.expandDims(data, *axis));
}

/// Pairs of real and imaginary parts, multiplied.
template <bool isConjugate>
static LogicalResult convertComplexMul(NodeContext &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  int64_t last = node.getRank(a) - 1;
  if (last < 0 || node.getType(a).getDimSize(last) != 2 ||
      node.getRank(b) < 1 || node.getType(b).getShape().back() != 2)
    return node.emitError() << "expects pairs of numbers, but got "
                            << a.getType() << " and " << b.getType();
  Formula f(node, a);
  auto part = [&](Value value, int64_t index) {
    return node.slice(value, node.getRank(value) - 1, index, index + 1);
  };
  Value ar = part(a, 0), ai = part(a, 1), br = part(b, 0), bi = part(b, 1);
  if (isConjugate && bi)
    bi = f.neg(bi);
  Value real = f.sub(f.mul(ar, br), f.mul(ai, bi));
  Value imaginary = f.add(f.mul(ar, bi), f.mul(ai, br));
  if (!real)
    return failure();
  return node.setResult(
      node.concatenate({real, imaginary}, node.getRank(real) - 1));
}

/// Regions of images, as corners in [0, 1].
static LogicalResult convertCropAndResize(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  FailureOr<SmallVector<int64_t>> size = node.getConstantInts(3);
  if (failed(size))
    return failure();
  if (size->size() != 2)
    return node.emitError()
           << "expects two sizes in input 3, but got " << size->size();
  StringRef mode = node.getString("mode", "bilinear");
  if (mode != "bilinear" && mode != "nearest")
    return node.emitError()
           << "expects mode bilinear or nearest, but got \"" << mode << "\"";
  ImageCropAndResizeOp::Properties properties;
  properties.crop_size = b.getDenseI64ArrayAttr(*size);
  properties.method =
      b.getStringAttr(mode == "nearest" ? "nearest_neighbor" : "bilinear");
  properties.extrapolation_value =
      b.getF64FloatAttr(node.getFloat("extrapolation_value", 0));
  return node.setResult(node.create<ImageCropAndResizeOp>(
      {node.getInput(0), node.getInput(1), node.getInput(2)}, properties));
}

void mlir::relay::onnx::addContribFusedOps(OpTable &table) {
  auto add = [&](StringRef name, OpEntry::Converter convert,
                 unsigned numRequired, unsigned maxInputs,
                 uint32_t contentInputs = 0) {
    addContrib(table, name, std::move(convert),
               llvm::to_vector(llvm::seq(numRequired)), maxInputs,
               /*isComposed=*/true, contentInputs);
  };
  add("BiasAdd", convertBiasAdd, 3, 3);
  add("BiasDropout", convertBiasDropout, 2, 5);
  add("BiasGelu", convertGelu, 2, 2);
  add("BiasSoftmax", convertBiasSoftmax, 2, 2);
  add("BiasSplitGelu", convertBiasSplitGelu, 2, 2);
  add("ComplexMul", convertComplexMul<false>, 2, 2);
  add("ComplexMulConj", convertComplexMul<true>, 2, 2);
  add("CropAndResize", convertCropAndResize, 4, 4, 0b1000);
  add("ExpandDims", convertExpandDims, 2, 2, 0b10);
  add("FastGelu", convertFastGelu, 1, 2);
  add("FusedConv", convertFusedConv, 2, 4);
  add("FusedGemm", convertFusedGemm, 2, 3);
  add("FusedMatMul", convertFusedMatMul, 2, 2);
  add("FusedMatMulActivation", convertFusedMatMul, 2, 2);
  add("Gelu", convertGelu, 1, 1);
  add("GemmFastGelu", convertGemmFastGelu, 2, 3);
  add("GroupNorm", convertGroupNorm, 3, 3);
  add("NhwcConv", convertNhwcConv, 2, 3);
  add("NhwcFusedConv", convertNhwcConv, 2, 4);
  add("QuickGelu", convertQuickGelu, 1, 1);
  add("SkipGroupNorm", convertGroupNorm, 4, 5);
  add("SkipLayerNormalization", convertSkipNorm<false>, 3, 5);
  add("SkipSimplifiedLayerNormalization", convertSkipNorm<true>, 3, 4);
  add("TransposeMatMul", convertFusedMatMul, 2, 2);
  add("Unique", convertContribUnique, 1, 1);
}
