//===- Experts.cpp - Mixtures of experts of ONNX Runtime ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All experts compute all rows; those that a row does not choose have a weight
// of 0 in the sum.
//
//===----------------------------------------------------------------------===//

#include "../Bits.h"
#include "../Formula.h"
#include "../Products.h"
#include "Contrib.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// A layer of all experts: weights (experts, outputs, inputs) and a bias
/// (experts, outputs), which may be null.
struct Layer {
  Value weight, bias;
};

class Experts {
public:
  explicit Experts(NodeContext &node) : node(node) {}

  /// The layers are read by now.
  LogicalResult convert(std::optional<unsigned> routerWeights);

  Layer first, second, third;

private:
  LogicalResult checkInputs();
  /// How much of each expert there is in each row, (rows, experts).
  Value createShares(std::optional<unsigned> routerWeights);
  /// `rows`, (1 or experts, rows, inputs), of which each layer makes its own.
  Value apply(const Layer &layer, Value rows);
  Value activate(Value hidden, Value linear);
  Value createSwiGLU(Value gate, Value linear);

  NodeContext &node;
  int64_t numExperts = 0, fusion = 0;
  StringRef activation;
};

} // namespace

LogicalResult Experts::checkInputs() {
  activation = node.getString("activation_type", "relu");
  fusion = node.getInt("swiglu_fusion", 0);
  if (!llvm::is_contained({"relu", "gelu", "silu", "swiglu", "identity"},
                          activation))
    return node.emitError() << "expects activation_type relu, gelu, silu, "
                               "swiglu or identity, but got \""
                            << activation << "\"";
  if (fusion < 0 || fusion > 2)
    return node.emitError()
           << "expects swiglu_fusion 0, 1 or 2, but got " << fusion;
  if (node.getBool("use_sparse_mixer", false))
    return node.emitError() << "use_sparse_mixer = 1 is not supported";
  if (!first.weight || !second.weight)
    return failure();
  for (const Layer *layer : {&first, &second, &third})
    if (layer->weight && (node.getRank(layer->weight) != 3 ||
                          !node.getType(layer->weight).hasStaticShape()))
      return node.emitError()
             << "expects weights (experts, outputs, inputs) of known sizes, "
                "but got "
             << layer->weight.getType();
  numExperts = node.getType(first.weight).getDimSize(0);
  bool isFused = activation == "swiglu" && fusion != 0;
  if (activation == "swiglu" && isFused == bool(third.weight))
    return node.emitError() << "expects the weights of a third layer for "
                               "swiglu_fusion 0, and none for others";
  if (isFused && node.getType(first.weight).getDimSize(1) % 2 != 0)
    return node.emitError()
           << "expects an even number of outputs of the first layer, but got "
           << first.weight.getType();
  int64_t rank = node.getInputType(0).getRank();
  if (rank != 2 && rank != 3)
    return node.emitError()
           << "expects data of rank 2 or 3, but got " << node.getInputType(0);
  RankedTensorType router = node.getInputType(1);
  if (router.getRank() != 2 || router.getDimSize(1) != numExperts)
    return node.emitError() << "expects router_probs (rows, " << numExperts
                            << "), but got " << router;
  int64_t k = node.getInt("k", 1);
  if (k < 1 || k > numExperts)
    return node.emitError()
           << "expects k to be 1 to " << numExperts << ", but got " << k;
  return success();
}

Value Experts::createShares(std::optional<unsigned> routerWeights) {
  OpBuilder &b = node.getBuilder();
  Value scores = node.getInput(1);
  // ONNX Runtime normalizes what QMoE chooses by the probabilities in any case.
  bool hasWeights = routerWeights && node.hasInput(*routerWeights);
  bool isNormalized = node.getBool("normalize_routing_weights", false) ||
                      (routerWeights && !hasWeights);
  TopkOp::Properties properties;
  properties.k = b.getI64IntegerAttr(node.getInt("k", 1));
  properties.axis = b.getI64IntegerAttr(1);
  properties.dtype = TypeAttr::get(b.getI64Type());
  Value best = node.create<TopkOp>({scores}, properties);
  if (!best)
    return nullptr;
  Type type = node.getElementType(scores);
  OneHotOp::Properties oneHot;
  oneHot.depth = b.getI64IntegerAttr(numExperts);
  oneHot.dtype = TypeAttr::get(type);
  // (rows, k, experts).
  Value chosen = node.create<OneHotOp>({node.getTupleItem(best, 1),
                                        node.createScalar(1, type),
                                        node.createScalar(0, type)},
                                       oneHot);
  Formula f(node, scores);
  SumOp::Properties sum;
  sum.axis = b.getDenseI64ArrayAttr(1);
  Value isChosen = node.create<SumOp>({chosen}, sum);
  Value shares;
  if (hasWeights) {
    shares = node.getInput(*routerWeights);
  } else {
    NNSoftmaxOp::Properties softmax;
    softmax.axis = b.getI64IntegerAttr(-1);
    shares = node.create<NNSoftmaxOp>({scores}, softmax);
  }
  shares = f.mul(shares, isChosen);
  return isNormalized ? f.div(shares, f.reduce<SumOp>(shares, 1)) : shares;
}

Value Experts::apply(const Layer &layer, Value rows) {
  if (!rows || !layer.weight)
    return nullptr;
  Value result =
      createMatmul(node, rows, node.transpose(layer.weight, {0, 2, 1}));
  return layer.bias ? addOptional(node, result, node.expandDims(layer.bias, 1))
                    : result;
}

Value Experts::createSwiGLU(Value gate, Value linear) {
  Formula f(node, gate);
  if (node.hasAttr("swiglu_limit")) {
    Value limit = f.number(node.getFloat("swiglu_limit", 0));
    gate = f.min(gate, limit);
    linear = f.max(f.min(linear, limit), f.neg(limit));
  }
  double alpha = node.getFloat("activation_alpha", 1);
  double beta = node.getFloat("activation_beta", 0);
  Value swish = f.mul(gate, f.sigmoid(f.mul(f.number(alpha), gate)));
  return f.mul(swish, f.add(linear, f.number(beta)));
}

Value Experts::activate(Value hidden, Value linear) {
  if (!hidden)
    return nullptr;
  Formula f(node, hidden);
  if (activation == "swiglu") {
    if (fusion == 0)
      return createSwiGLU(hidden, linear);
    int64_t width = node.getType(hidden).getDimSize(2);
    if (fusion == 2)
      return createSwiGLU(node.slice(hidden, 2, 0, width / 2),
                          node.slice(hidden, 2, width / 2, width));
    return createSwiGLU(node.slice(hidden, 2, 0, width, 2),
                        node.slice(hidden, 2, 1, width, 2));
  }
  Value result = hidden;
  if (activation == "relu")
    result = f.relu(hidden);
  else if (activation == "silu")
    result = f.mul(hidden, f.sigmoid(hidden));
  else if (activation == "gelu")
    result = createFastGelu(node, hidden);
  return linear ? f.mul(result, linear) : result;
}

LogicalResult Experts::convert(std::optional<unsigned> routerWeights) {
  if (failed(checkInputs()))
    return failure();
  Value data = node.getInput(0);
  SmallVector<ShapeScalar> dims = node.getDims(data);
  if (node.getRank(data) == 3)
    data =
        node.reshape(data, {-1, node.getType(first.weight).getShape().back()});
  Value rows = node.expandDims(data, 0);
  Value linear = third.weight ? apply(third, rows) : Value();
  Value results = apply(second, activate(apply(first, rows), linear));
  Value shares = createShares(routerWeights);
  if (!results || !shares)
    return failure();
  SumOp::Properties sum;
  sum.axis = node.getBuilder().getDenseI64ArrayAttr(0);
  Value weighted = node.create<MultiplyOp>(
      {results, node.expandDims(node.transpose(shares, {1, 0}), 2)});
  return node.setResult(
      node.reshape(node.create<SumOp>({weighted}, sum), dims));
}

static LogicalResult convertMoE(NodeContext &node) {
  Experts experts(node);
  auto read = [&](unsigned index) {
    return Layer{node.getInput(index), node.getInput(index + 1)};
  };
  experts.first = read(2);
  experts.second = read(4);
  experts.third = read(6);
  return experts.convert(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Quantized weights
//===----------------------------------------------------------------------===//

namespace {

/// Where the parts of a layer are among the inputs of QMoE.
struct QuantizedLayer {
  unsigned weight, scales, bias, zeros;
  StringRef bits;
};

} // namespace

/// A weight in floats from one of small integers. Null, after an error.
static Value dequantizeLayer(NodeContext &node, QuantizedLayer layer) {
  int64_t bits = node.getInt(layer.bits, node.getInt("expert_weight_bits", 4));
  int64_t block = node.getInt("block_size", 0);
  RankedTensorType type = node.getInputType(layer.weight);
  if (bits != 2 && bits != 4 && bits != 8) {
    node.emitError() << "expects 2, 4 or 8 bits, but got " << bits;
    return nullptr;
  }
  if (type.getRank() != 3 || !type.hasStaticShape() ||
      !node.hasInput(layer.scales) ||
      !type.getElementType().isUnsignedInteger(8)) {
    node.emitError() << "expects scales, and weights (experts, outputs, bytes) "
                        "of uint8 and known sizes, but got "
                     << type;
    return nullptr;
  }
  int64_t experts = type.getDimSize(0), rows = type.getDimSize(1);
  int64_t columns = type.getDimSize(2) * (8 / bits);
  int64_t size = block > 0 ? block : columns;
  if (block < 0 || columns % size != 0) {
    node.emitError() << "expects block_size to divide " << columns
                     << ", but got " << block;
    return nullptr;
  }
  int64_t blocks = columns / size;
  auto expectCount = [&](Value value, int64_t count) -> Value {
    RankedTensorType own = node.getType(value);
    if (own.hasStaticShape() && own.getNumElements() == count)
      return value;
    node.emitError() << "expects " << count
                     << " elements for the blocks of a weight, but got " << own;
    return nullptr;
  };
  Type f32 = node.getBuilder().getF32Type();
  Value scales =
      expectCount(node.getInput(layer.scales), experts * rows * blocks);
  Value zeros;
  if (node.hasInput(layer.zeros)) {
    // Those of an expert, or of a row if it has blocks, begin with a byte.
    int64_t lines = block > 0 ? experts * rows : experts;
    int64_t count = block > 0 ? blocks : rows;
    int64_t bytes = llvm::divideCeil(count * bits, 8);
    zeros = expectCount(node.getInput(layer.zeros), lines * bytes);
    if (zeros)
      zeros =
          unpackBits(node, node.reshape(zeros, {lines, bytes}), bits, count);
    zeros = node.castTo(node.reshape(zeros, {experts, rows, blocks, 1}), f32);
  } else {
    zeros = node.createScalar(double(int64_t(1) << (bits - 1)), f32);
  }
  Value numbers = unpackBits(node, node.getInput(layer.weight), bits, columns);
  numbers = node.reshape(numbers, {experts, rows, blocks, size});
  Value difference =
      node.create<SubtractOp>({node.castTo(numbers, f32), zeros});
  scales = node.castTo(node.reshape(scales, {experts, rows, blocks, 1}), f32);
  Value floats = node.create<MultiplyOp>({difference, scales});
  return node.reshape(floats, {experts, rows, columns});
}

static LogicalResult convertQMoE(NodeContext &node) {
  constexpr unsigned routerWeights = 14;
  StringRef kind = node.getString("quant_type", "int");
  if (kind != "int")
    return node.emitError()
           << "expects quant_type int, but got \"" << kind << "\"";
  if (node.getInt("weights_prepacked", 0) > 0)
    return node.emitError() << "weights_prepacked = 1 is not supported";
  for (unsigned index = routerWeights + 1; index < node.getNumInputs(); ++index)
    if (node.hasInput(index))
      return node.emitError() << "input " << index
                              << ", a scale of floats of few bits, is not "
                                 "supported";
  Experts experts(node);
  auto read = [&](QuantizedLayer layer) -> Layer {
    if (!node.hasInput(layer.weight))
      return {};
    return {dequantizeLayer(node, layer), node.getInput(layer.bias)};
  };
  experts.first = read({2, 3, 4, 11, "fc1_expert_weight_bits"});
  experts.second = read({5, 6, 7, 12, "fc2_expert_weight_bits"});
  experts.third = read({8, 9, 10, 13, "fc3_expert_weight_bits"});
  if (node.hasFailed())
    return failure();
  return experts.convert(routerWeights);
}

void mlir::relay::onnx::addContribExpertOps(OpTable &table) {
  addContrib(table, "MoE", convertMoE, {0, 1, 2, 4}, 8);
  addContrib(table, "QMoE", convertQMoE, {0, 1, 2, 5}, 21);
}
