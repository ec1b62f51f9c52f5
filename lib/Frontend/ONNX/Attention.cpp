//===- Attention.cpp - Attention of ONNX ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention and what it takes, out of products, masks and softmax. Tensors are
// (batch, head, position, feature) in between.
//
//===----------------------------------------------------------------------===//

#include "Heads.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "Products.h"
#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

static Value createSum(NodeContext &node, Value a, Value b) {
  return node.create<AddOp>({a, b});
}

/// The first where `condition` holds, else the second; both are numbers.
static Value createChoice(NodeContext &node, Value condition, double yes,
                          double no, Type type) {
  return node.create<WhereOp>(
      {condition, node.createScalar(yes, type), node.createScalar(no, type)});
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::splitHeads(NodeContext &node, Value value,
                                    int64_t heads) {
  if (!value)
    return nullptr;
  SmallVector<ShapeScalar> dims = node.getDims(value);
  std::optional<int64_t> width = dims[2].getConstant();
  if (heads < 1 || !width || *width % heads != 0) {
    node.emitError() << "expects a number of heads that divides the last size "
                        "of "
                     << value.getType() << ", but got " << heads;
    return nullptr;
  }
  return node.reshape(
      value, ArrayRef<ShapeScalar>{dims[0], dims[1], ShapeScalar::get(heads),
                                   ShapeScalar::get(*width / heads)});
}

Value mlir::relay::onnx::mergeHeads(NodeContext &node, Value value) {
  if (!value)
    return nullptr;
  SmallVector<ShapeScalar> dims = node.getDims(value);
  return node.reshape(
      value,
      ArrayRef<ShapeScalar>{dims[0], dims[1], multiplySizes(dims[2], dims[3])});
}

Value mlir::relay::onnx::multiplyHeads(NodeContext &node, Value lhs,
                                       Value rhs) {
  if (!lhs || !rhs)
    return nullptr;
  SmallVector<ShapeScalar> dims = node.getDims(lhs);
  std::optional<int64_t> heads = dims[1].getConstant();
  std::optional<int64_t> shared = node.getDims(rhs)[1].getConstant();
  if (!heads || !shared || heads == shared)
    return createMatmul(node, lhs, rhs);
  if (*shared < 1 || *heads % *shared != 0) {
    node.emitError() << "expects heads of keys and values that divide those of "
                        "queries, "
                     << *heads << ", but got " << *shared;
    return nullptr;
  }
  // Rows of the heads that share are rows of one matrix.
  int64_t group = *heads / *shared;
  lhs = node.reshape(lhs, ArrayRef<ShapeScalar>{
                              dims[0], ShapeScalar::get(*shared),
                              multiplySizes(ShapeScalar::get(group), dims[2]),
                              dims[3]});
  Value product = lhs ? createMatmul(node, lhs, rhs) : nullptr;
  if (!product)
    return nullptr;
  return node.reshape(product, ArrayRef<ShapeScalar>{dims[0], dims[1], dims[2],
                                                     node.getDims(product)[3]});
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {

class AttentionBuilder {
public:
  explicit AttentionBuilder(NodeContext &node) : node(node) {}

  LogicalResult build();

private:
  enum Input { Query, Key, Values, Mask, PastKey, PastValue, Lengths };

  LogicalResult checkInputs();
  /// An input as (batch, head, position, feature).
  Value getHeads(Input input, StringRef headsAttr);
  /// The keys or values of the past, and those of `input`.
  Value appendToPast(Value value, Input past);
  Value createScores();

  /// What is added to the scores: 0, -infinity or a number of the mask; null if
  /// that is 0 everywhere.
  Value createBias();
  /// The mask, as numbers, for all keys.
  Value createMask();
  /// Whether a key may be seen; null if all may.
  Value createVisibility();
  /// Positions of queries among the keys.
  Value createQueryPositions();

  NodeContext &node;
  Value query, key, values;
  Type type;
  bool isCausal = false, mayHideAll = false;
  int64_t leftWindow = -1, rightWindow = -1;
};

} // namespace

LogicalResult AttentionBuilder::checkInputs() {
  int64_t rank = node.getInputType(Query).getRank();
  for (Input input : {Query, Key, Values})
    if (int64_t own = node.getInputType(input).getRank();
        own != rank || (rank != 3 && rank != 4))
      return node.emitError()
             << "expects queries, keys and values of rank 3 or 4, but got "
             << node.getInputType(input);
  for (Input input : {PastKey, PastValue})
    if (node.hasInput(input) && node.getInputType(input).getRank() != 4)
      return node.emitError() << "expects keys and values of the past of rank "
                                 "4, but got "
                              << node.getInputType(input);
  if (node.hasInput(PastKey) != node.hasInput(PastValue))
    return node.emitError() << "expects past_key and past_value together";
  if (node.hasInput(PastKey) && node.hasInput(Lengths))
    return node.emitError()
           << "expects past_key or nonpad_kv_seqlen, but got both";
  if (node.hasInput(Lengths) && node.getInputType(Lengths).getRank() != 1)
    return node.emitError() << "expects nonpad_kv_seqlen of rank 1, but got "
                            << node.getInputType(Lengths);
  leftWindow = node.getInt("left_window_size", -1);
  rightWindow = node.getInt("right_window_size", -1);
  for (int64_t size : {leftWindow, rightWindow})
    if (size < -1)
      return node.emitError()
             << "expects windows of -1 or more, but got " << size;
  return success();
}

Value AttentionBuilder::getHeads(Input input, StringRef headsAttr) {
  Value value = node.getInput(input);
  if (node.getRank(value) == 4)
    return value;
  if (!node.hasAttr(headsAttr)) {
    node.emitError() << "expects " << headsAttr << " for " << value.getType();
    return nullptr;
  }
  value = splitHeads(node, value, node.getInt(headsAttr, 0));
  return value ? node.transpose(value, {0, 2, 1, 3}) : nullptr;
}

Value AttentionBuilder::appendToPast(Value value, Input past) {
  if (!value || !node.hasInput(past))
    return value;
  return node.concatenate({node.getInput(past), value}, 2);
}

Value AttentionBuilder::createScores() {
  std::optional<int64_t> features = node.getDims(query)[3].getConstant();
  if (!features && !node.hasAttr("scale")) {
    node.emitError() << "expects a constant number of features, but got "
                     << query.getType();
    return nullptr;
  }
  double scale = node.getFloat(
      "scale", features ? 1 / std::sqrt(static_cast<double>(*features)) : 1);
  auto scaleBy = [&](Value value, double factor) {
    return node.create<MultiplyOp>({value, node.createScalar(factor, type)});
  };
  Value scaledQuery = query, scaledKey = key;
  if (type.getIntOrFloatBitWidth() < 32 && scale > 0) {
    // Products of large numbers would not fit.
    scaledQuery = scaleBy(query, std::sqrt(scale));
    scaledKey = scaleBy(key, std::sqrt(scale));
  } else {
    scaledQuery = scaleBy(query, scale);
  }
  return multiplyHeads(node, scaledQuery,
                       node.transpose(scaledKey, {0, 1, 3, 2}));
}

Value AttentionBuilder::createMask() {
  Value mask = node.getInput(Mask);
  int64_t rank = node.getRank(mask);
  if (rank < 1 || rank > 4) {
    node.emitError() << "expects a mask of rank 1 to 4, but got "
                     << mask.getType();
    return nullptr;
  }
  if (node.getElementType(mask).isInteger(1))
    mask = createChoice(node, mask, 0, -std::numeric_limits<double>::infinity(),
                        type);
  else
    mask = node.castTo(mask, type);
  if (!mask || node.getOpset() < 24)
    return mask;
  // What the mask does not reach cannot be seen.
  ShapeScalar keys = node.getDims(key)[2], reach = node.getDims(mask)[rank - 1];
  if (keys.isSame(reach) || (!keys.getConstant() && !reach.getConstant()))
    return mask;
  if (!keys.getConstant() || !reach.getConstant()) {
    node.emitError() << "expects a mask whose last size is the number of keys, "
                        "but got "
                     << node.getInputType(Mask) << " for " << key.getType();
    return nullptr;
  }
  if (*reach.getConstant() > *keys.getConstant()) {
    node.emitError() << "expects a mask for " << *keys.getConstant()
                     << " keys, but got " << node.getInputType(Mask);
    return nullptr;
  }
  SmallVector<ShapeScalar> rest = node.getDims(mask);
  rest.back() = ShapeScalar::get(*keys.getConstant() - *reach.getConstant());
  Value hidden =
      node.createScalar(-std::numeric_limits<double>::infinity(), type);
  return node.concatenate({mask, node.broadcast(hidden, rest)}, rank - 1);
}

Value AttentionBuilder::createQueryPositions() {
  Type i64 = node.getBuilder().getI64Type();
  Value rows = node.createPositions(node.getDims(query)[2], i64);
  rows = rows ? node.expandDims(rows, 1) : nullptr;
  // The newest queries are of the newest keys.
  if (node.hasInput(PastKey))
    return createSum(node, rows, node.createSize(node.getInput(PastKey), 2));
  if (!node.hasInput(Lengths))
    return rows;
  Value offset = node.create<SubtractOp>(
      {node.castTo(node.getInput(Lengths), i64), node.createSize(query, 2)});
  return offset ? createSum(node, rows, node.expandDims(offset, 1, 3))
                : nullptr;
}

Value AttentionBuilder::createVisibility() {
  Type i64 = node.getBuilder().getI64Type();
  bool hasWindow = leftWindow >= 0 || rightWindow >= 0;
  if (!isCausal && !hasWindow && !node.hasInput(Lengths))
    return nullptr;
  Value columns = node.createPositions(node.getDims(key)[2], i64);
  Value visible;
  auto require = [&](Value condition) {
    visible =
        visible ? node.create<LogicalAndOp>({visible, condition}) : condition;
  };
  if (isCausal || hasWindow) {
    Value rows = createQueryPositions();
    if (isCausal)
      require(node.create<LessEqualOp>({columns, rows}));
    if (leftWindow >= 0)
      require(node.create<LessEqualOp>(
          {node.create<SubtractOp>({rows, columns}),
           node.createScalar(static_cast<double>(leftWindow), i64)}));
    if (rightWindow >= 0)
      require(node.create<LessEqualOp>(
          {node.create<SubtractOp>({columns, rows}),
           node.createScalar(static_cast<double>(rightWindow), i64)}));
  }
  if (node.hasInput(Lengths))
    require(node.create<LessOp>(
        {columns,
         node.expandDims(node.castTo(node.getInput(Lengths), i64), 1, 3)}));
  // The first key is seen by all if only later ones are hidden.
  mayHideAll = hasWindow || node.hasInput(Lengths);
  return visible;
}

Value AttentionBuilder::createBias() {
  Value bias;
  if (node.hasInput(Mask)) {
    mayHideAll = true;
    bias = createMask();
    if (!bias)
      return node.fail();
  }
  bool hidesByMask = mayHideAll;
  Value visible = createVisibility();
  mayHideAll |= hidesByMask;
  if (!visible)
    return bias;
  Value hidden = createChoice(node, visible, 0,
                              -std::numeric_limits<double>::infinity(), type);
  return bias ? createSum(node, bias, hidden) : hidden;
}

LogicalResult AttentionBuilder::build() {
  if (failed(checkInputs()))
    return failure();
  int64_t mode = node.getInt("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return node.emitError()
           << "expects qk_matmul_output_mode in [0, 3], but got " << mode;
  isCausal = node.getBool("is_causal", false);
  type = node.getInputType(Query).getElementType();
  query = getHeads(Query, "q_num_heads");
  key = appendToPast(getHeads(Key, "kv_num_heads"), PastKey);
  values = appendToPast(getHeads(Values, "kv_num_heads"), PastValue);
  if (!query || !key || !values)
    return failure();

  Value scores = createScores();
  Value shown = scores;
  if (double cap = node.getFloat("softcap", 0); cap > 0) {
    Value limit = node.createScalar(cap, type);
    Value curve = node.create<TanhOp>({node.create<DivideOp>({scores, limit})});
    scores = node.create<MultiplyOp>({curve, limit});
    shown = mode == 1 ? scores : shown;
  }
  Value bias = createBias();
  if (node.hasFailed())
    return failure();
  // A mask may name the keys in another way.
  SmallVector<ShapeScalar> dims =
      scores ? node.getDims(scores) : SmallVector<ShapeScalar>();
  if (bias)
    scores = node.assumeDims(createSum(node, scores, bias), dims);
  if (mode == 2)
    shown = scores;

  Type softmaxType = type;
  if (node.hasAttr("softmax_precision")) {
    softmaxType = getElementType(
        node.getContext(),
        node.getDataType("softmax_precision", DataType::Undefined));
    if (!isa_and_present<FloatType>(softmaxType))
      return node.emitError() << "softmax_precision is not supported";
  }
  NNSoftmaxOp::Properties softmax;
  softmax.axis = node.getBuilder().getI64IntegerAttr(-1);
  Value weights =
      node.create<NNSoftmaxOp>({node.castTo(scores, softmaxType)}, softmax);
  if (mayHideAll && bias) {
    // Who sees no key at all sees zeros.
    MaxOp::Properties properties;
    properties.axis = node.getBuilder().getDenseI64ArrayAttr({-1});
    properties.keepdims = node.getBuilder().getBoolAttr(true);
    Value isBlind = node.create<EqualOp>(
        {node.create<MaxOp>({bias}, properties),
         node.createScalar(-std::numeric_limits<double>::infinity(), type)});
    weights = node.assumeDims(
        node.create<WhereOp>(
            {isBlind, node.createScalar(0, softmaxType), weights}),
        dims);
  }
  weights = node.castTo(weights, type);
  if (mode == 3)
    shown = weights;

  Value result = multiplyHeads(node, weights, values);
  if (result && node.getInputType(Query).getRank() == 3)
    result = mergeHeads(node, node.transpose(result, {0, 2, 1, 3}));
  if (!result || failed(node.setOutput(1, key)) ||
      failed(node.setOutput(2, values)) || failed(node.setOutput(3, shown)))
    return failure();
  return node.setResult(result);
}

static LogicalResult convertAttention(NodeContext &node) {
  return AttentionBuilder(node).build();
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::rotateFeatures(NodeContext &node, Value data,
                                        Value cosine, Value sine,
                                        int64_t turned, bool isInterleaved) {
  if (!data || !cosine || !sine)
    return nullptr;
  Value active = node.slice(data, 3, 0, turned);
  Value first, second;
  if (!active)
    return nullptr;
  SmallVector<ShapeScalar> dims = node.getDims(active);
  if (isInterleaved) {
    SmallVector<ShapeScalar> pairs(dims);
    pairs[3] = ShapeScalar::get(turned / 2);
    pairs.push_back(ShapeScalar::get(2));
    Value split = node.reshape(active, pairs);
    first = node.squeeze(node.slice(split, 4, 0, 1), {4});
    second = node.squeeze(node.slice(split, 4, 1, 2), {4});
  } else {
    first = node.slice(active, 3, 0, turned / 2);
    second = node.slice(active, 3, turned / 2, turned);
  }
  auto multiply = [&](Value a, Value b) {
    return node.create<MultiplyOp>({a, b});
  };
  Value real = node.create<SubtractOp>(
      {multiply(cosine, first), multiply(sine, second)});
  Value imaginary =
      createSum(node, multiply(sine, first), multiply(cosine, second));
  if (isInterleaved && real && imaginary) {
    real = node.expandDims(real, 4);
    imaginary = node.expandDims(imaginary, 4);
  }
  Value result = node.concatenate({real, imaginary}, isInterleaved ? 4 : 3);
  if (!result)
    return nullptr;
  if (isInterleaved)
    result = node.reshape(result, dims);
  int64_t features = node.getType(data).getDimSize(3);
  if (turned < features)
    result =
        node.concatenate({result, node.slice(data, 3, turned, features)}, 3);
  return result;
}

/// Turns pairs of features by the angles of their positions.
static LogicalResult convertRotaryEmbedding(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  if (rank != 3 && rank != 4)
    return node.emitError()
           << "expects data of rank 3 or 4, but got " << data.getType();
  if (rank == 3)
    data = splitHeads(node, data, node.getInt("num_heads", 0));
  if (!data)
    return failure();
  std::optional<int64_t> features = node.getDims(data)[3].getConstant();
  if (!features)
    return node.emitError() << "expects a constant number of features, but got "
                            << data.getType();
  int64_t turned = node.getInt("rotary_embedding_dim", 0);
  if (turned == 0)
    turned = *features;
  if (turned < 0 || turned > *features || turned % 2 != 0)
    return node.emitError()
           << "expects an even number of turned features, at most " << *features
           << ", but got " << turned;

  // Other indices count from the end.
  Value positions;
  if (node.hasInput(3))
    positions = node.assertNotNegative(
        node.getInput(3), "expects position_ids that are not negative");
  // (batch, position, feature), with 1 for the heads.
  auto getAngles = [&](unsigned input) -> Value {
    Value angles = node.getInput(input);
    if (node.hasInput(3))
      angles = node.take(angles, positions, /*axis=*/0, "fast");
    if (!angles || node.getRank(angles) != 3) {
      node.emitError() << "expects sines and cosines for each batch and "
                          "position, but got "
                       << node.getInputType(input);
      return nullptr;
    }
    return node.expandDims(angles, rank == 3 ? 2 : 1);
  };
  Value cosine = getAngles(1), sine = getAngles(2);
  if (!cosine || !sine)
    return failure();

  Value result = rotateFeatures(node, data, cosine, sine, turned,
                                node.getBool("interleaved", false));
  return node.setResult(rank == 3 && result ? mergeHeads(node, result)
                                            : result);
}

void mlir::relay::onnx::addAttentionOps(OpTable &table) {
  table.add({"Attention"}, {convertAttention, 23, kNewestOpset, 3, 7});
  table.add({"RotaryEmbedding"},
            {convertRotaryEmbedding, 23, kNewestOpset, 3, 4});
}
