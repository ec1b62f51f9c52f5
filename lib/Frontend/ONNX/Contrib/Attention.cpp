//===- ContribAttention.cpp - Attention of ONNX Runtime ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "../Formula.h"
#include "../Heads.h"
#include "../Products.h"
#include "Contrib.h"

#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

void ContribAttention::addBias(Value value) {
  value = node.castTo(value, getType());
  bias = bias ? node.create<AddOp>({bias, value}) : value;
}

void ContribAttention::hide(Value isVisible, std::optional<double> number) {
  double lowest =
      -APFloat::getLargest(cast<FloatType>(getType()).getFloatSemantics())
           .convertToDouble();
  addBias(node.create<WhereOp>(
      {isVisible, node.createScalar(0, getType()),
       node.createScalar(number.value_or(lowest), getType())}));
}

LogicalResult ContribAttention::addMask(unsigned input) {
  if (!node.hasInput(input))
    return success();
  double filter = node.getFloat("mask_filter_value", -10000);
  Type type = node.getBuilder().getI64Type();
  Value mask = node.castTo(node.getInput(input), type);
  if (!mask)
    return failure();
  int64_t rank = node.getRank(mask);
  Value zero = node.createScalar(0, type);
  if (rank == 1) {
    // Ends of the keys of each batch item, and perhaps begins behind them.
    int64_t batch = node.getType(query).getDimSize(0);
    int64_t count = node.getType(mask).getDimSize(0);
    bool hasBegins = ShapedType::isStatic(batch) && count == 2 * batch;
    if (!hasBegins && ShapedType::isStatic(batch) &&
        ShapedType::isStatic(count) && count != batch)
      return node.emitError()
             << "expects a mask of " << batch << " or " << 2 * batch
             << " numbers, or one of rank 2 to 4, but got " << mask.getType();
    Value columns = node.createPositions(node.getDims(key)[2], type);
    auto align = [&](Value part) { return node.expandDims(part, 1, 3); };
    Value ends = hasBegins ? node.slice(mask, 0, 0, batch) : mask;
    Value isVisible = node.create<LessOp>({columns, align(ends)});
    if (hasBegins)
      isVisible = node.create<LogicalAndOp>(
          {isVisible,
           node.create<GreaterEqualOp>(
               {columns, align(node.slice(mask, 0, batch, 2 * batch))})});
    hide(isVisible, filter);
    return success();
  }
  Value isVisible = node.create<GreaterOp>({mask, zero});
  if (rank == 2)
    isVisible = node.expandDims(isVisible, 1, 2);
  else if (rank == 3)
    isVisible = node.expandDims(isVisible, 1);
  else
    return node.emitError()
           << "expects a mask of rank 1 to 3, but got " << mask.getType();
  hide(isVisible, filter);
  return success();
}

void ContribAttention::hideLater(Value past, int64_t window, bool lastSeesAll) {
  Type type = node.getBuilder().getI64Type();
  Value queries =
      node.expandDims(node.createPositions(node.getDims(query)[2], type), 1);
  Value rows = queries;
  Value columns = node.createPositions(node.getDims(key)[2], type);
  if (past)
    rows = node.create<AddOp>({rows, past});
  Value isVisible = node.create<LessEqualOp>({columns, rows});
  if (window > 0)
    isVisible = node.create<LogicalAndOp>(
        {isVisible,
         node.create<GreaterOp>(
             {columns, node.create<SubtractOp>(
                           {rows, node.createScalar(double(window), type)})})});
  if (lastSeesAll) {
    Value last = node.create<SubtractOp>(
        {node.createSize(query, 2), node.createScalar(1, type)});
    isVisible = node.create<LogicalOrOp>(
        {isVisible, node.create<EqualOp>({queries, last})});
  }
  hide(isVisible);
}

Value ContribAttention::create() {
  if (!query || !key || !values)
    return nullptr;
  OpBuilder &b = node.getBuilder();
  Formula f(node, query);
  int64_t features = node.getType(query).getDimSize(3);
  if (ShapedType::isDynamic(features)) {
    node.emitError() << "expects a constant number of features, but got "
                     << query.getType();
    return nullptr;
  }
  double scale = node.getFloat("scale", 0);
  if (scale == 0)
    scale = 1 / std::sqrt(static_cast<double>(features));
  Value scores = multiplyHeads(node, f.mul(query, f.number(scale)),
                               node.transpose(key, {0, 1, 3, 2}));
  if (softcap > 0)
    scores = f.mul(f.tanh(f.div(scores, f.number(softcap))), f.number(softcap));
  if (!scores)
    return nullptr;
  SmallVector<ShapeScalar> dims = node.getDims(scores);
  if (bias)
    scores = node.assumeDims(f.add(scores, bias), dims);
  NNSoftmaxOp::Properties softmax;
  softmax.axis = b.getI64IntegerAttr(-1);
  if (sink && scores) {
    SmallVector<ShapeScalar> column = dims;
    column[3] = ShapeScalar::get(1);
    Value extra = sink;
    if (node.getRank(extra) == 1)
      extra = node.expandDims(extra, 1, 2);
    extra = node.broadcast(node.expandRank(extra, 4), column);
    scores = node.concatenate({extra, scores}, 3);
  }
  Value weights = node.create<NNSoftmaxOp>({scores}, softmax);
  if (sink)
    weights = node.assumeDims(node.dropFirst(weights, 3, 1), dims);
  Value result = multiplyHeads(node, weights, values);
  if (!result)
    return nullptr;
  return mergeHeads(node, node.transpose(result, {0, 2, 1, 3}));
}

//===----------------------------------------------------------------------===//
// What the operators share
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::addProjectionBias(NodeContext &node, Value data,
                                           Value bias, int64_t begin,
                                           int64_t end) {
  if (!bias || !data)
    return data;
  return node.create<AddOp>({data, node.slice(bias, 0, begin, end)});
}

Value mlir::relay::onnx::appendPositions(NodeContext &node, Value past,
                                         Value value) {
  if (!past || !value)
    return value;
  return node.concatenate({past, value}, 2);
}

/// (batch, position, heads * features) as (batch, head, position, feature).
static Value toHeads(NodeContext &node, Value value, int64_t heads) {
  value = splitHeads(node, value, heads);
  return value ? node.transpose(value, {0, 2, 1, 3}) : nullptr;
}

LogicalResult mlir::relay::onnx::convertProjected(
    NodeContext &node, Value projected, ArrayRef<int64_t> sizes, unsigned mask,
    unsigned past, std::optional<unsigned> bias) {
  int64_t heads = node.getInt("num_heads", 0);
  if (node.getBool("do_rotary", false))
    return node.emitError() << "do_rotary = 1 is not supported";
  if (node.getBool("past_present_share_buffer", false))
    return node.emitError() << "past_present_share_buffer = 1 is not supported";
  int64_t begin = 0;
  SmallVector<Value, 3> parts;
  for (int64_t size : sizes) {
    parts.push_back(
        toHeads(node, node.slice(projected, 2, begin, begin + size), heads));
    begin += size;
  }
  ContribAttention attention(node);
  attention.query = parts[0];
  attention.key = parts[1];
  attention.values = parts[2];
  if (!parts[0] || !parts[1] || !parts[2])
    return failure();
  Value offset;
  if (node.hasInput(past)) {
    Value state = node.getInput(past);
    if (node.getRank(state) != 5)
      return node.emitError() << "expects a past (2, batch, heads, positions, "
                                 "features), but got "
                              << state.getType();
    auto half = [&](int64_t index) {
      return node.squeeze(node.slice(state, 0, index, index + 1), {0});
    };
    attention.key = appendPositions(node, half(0), attention.key);
    attention.values = appendPositions(node, half(1), attention.values);
    offset = node.createSize(state, 3);
  }
  if (!attention.key || !attention.values)
    return failure();
  if (node.wantsOutput(1)) {
    Value present = node.concatenate({node.expandDims(attention.key, 0),
                                      node.expandDims(attention.values, 0)},
                                     0);
    if (failed(node.setOutput(1, present)))
      return failure();
  }
  if (failed(attention.addMask(mask)))
    return failure();
  if (node.getBool("unidirectional", false))
    attention.hideLater(offset);
  if (bias && node.hasInput(*bias))
    attention.addBias(node.getInput(*bias));
  return node.setResult(attention.create());
}

//===----------------------------------------------------------------------===//
// Attention and MultiHeadAttention
//===----------------------------------------------------------------------===//

static LogicalResult convertAttention(NodeContext &node) {
  enum { Input, Weights, Bias, Mask, Past, ScoreBias, PastLength };
  if (node.hasInput(PastLength))
    return node.emitError() << "past_sequence_length is not supported";
  Value weights = node.getInput(Weights);
  int64_t width = node.getRank(weights) == 2
                      ? node.getType(weights).getDimSize(1)
                      : ShapedType::kDynamic;
  if (node.getRank(node.getInput(Input)) != 3 || ShapedType::isDynamic(width))
    return node.emitError()
           << "expects an input of rank 3 and weights (features, known), but "
              "got "
           << node.getInput(Input).getType() << " and " << weights.getType();
  SmallVector<int64_t> sizes(3, width / 3);
  if (std::optional<ArrayRef<int64_t>> own = node.getInts("qkv_hidden_sizes"))
    sizes = llvm::to_vector(*own);
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != width ||
      sizes[0] != sizes[1] ||
      llvm::any_of(sizes, [](int64_t size) { return size < 1; }))
    return node.emitError() << "expects weights for queries, keys and values, "
                               "but got "
                            << weights.getType();
  Value projected = createMatmul(node, node.getInput(Input), weights);
  projected = addOptional(node, projected, node.getInput(Bias));
  return convertProjected(node, projected, sizes, Mask, Past, ScoreBias);
}

/// Queries, keys and values of MultiHeadAttention, in any of its forms.
static LogicalResult readOperands(NodeContext &node, int64_t heads, Value bias,
                                  ContribAttention &attention) {
  enum { Query, Key, Values };
  Value query = node.getInput(Query), key = node.getInput(Key);
  Value values = node.getInput(Values);
  auto unpack = [&](Value packed, int64_t index) {
    // (batch, position, heads, part, features).
    return node.squeeze(node.slice(packed, 3, index, index + 1), {3});
  };
  auto addBias = [&](Value value, int64_t begin) -> Value {
    // (batch, position, heads, features).
    if (!bias || !value)
      return value;
    int64_t width =
        node.getType(value).getDimSize(2) * node.getType(value).getDimSize(3);
    Value part = node.slice(bias, 0, begin, begin + width);
    return node.create<AddOp>(
        {value, node.reshape(part, {node.getType(value).getDimSize(2), -1})});
  };
  if (node.getRank(query) == 5) {
    values = unpack(query, 2);
    key = unpack(query, 1);
    query = unpack(query, 0);
  } else {
    query = splitHeads(node, query, heads);
    if (!key)
      return node.emitError() << "expects keys, or queries of rank 5";
    if (node.getRank(key) == 5) {
      values = unpack(key, 1);
      key = unpack(key, 0);
    } else {
      if (!values)
        return node.emitError() << "expects values, or keys of rank 5";
      if (node.getRank(key) == 3)
        key = splitHeads(node, key, heads);
      if (node.getRank(values) == 3)
        values = splitHeads(node, values, heads);
    }
  }
  if (!query || !key || !values)
    return failure();
  bool isCross = node.getRank(node.getInput(Query)) != 5 &&
                 node.hasInput(Key) && node.getRank(node.getInput(Key)) == 4;
  int64_t hidden = heads * node.getType(query).getDimSize(3);
  query = addBias(query, 0);
  if (!isCross) {
    // Those of rank 4 are (batch, head, position, feature) already.
    key = node.transpose(addBias(key, hidden), {0, 2, 1, 3});
    values = node.transpose(addBias(values, 2 * hidden), {0, 2, 1, 3});
  }
  attention.query = query ? node.transpose(query, {0, 2, 1, 3}) : nullptr;
  attention.key = key;
  attention.values = values;
  return success(attention.query && key && values);
}

namespace {

/// Where the inputs of MultiHeadAttention and its kin are, behind queries, keys
/// and values.
struct HeadInputs {
  unsigned bias, mask, scoreBias, pastKey, pastValue, pastLength;
  /// What no CPU has.
  unsigned cacheIndirection;
};

} // namespace

/// Writes `value`, of one position, to `position` of `buffer`, (batch, head,
/// position, feature).
static Value writePosition(NodeContext &node, Value buffer, Value value,
                           Value position) {
  if (!buffer || !value || !position)
    return nullptr;
  Value places = node.createPositions(node.getDims(buffer)[2],
                                      node.getElementType(position));
  Value isPlace = node.create<EqualOp>({places, position});
  return node.assumeDims(
      node.create<WhereOp>({node.expandDims(isPlace, 1), value, buffer}),
      node.getDims(buffer));
}

/// Puts keys and values behind those of the past, or into buffers of which the
/// past is the first part.
static LogicalResult addPast(NodeContext &node, HeadInputs inputs,
                             ContribAttention &attention) {
  Value keys = node.getInput(inputs.pastKey);
  Value values = node.getInput(inputs.pastValue);
  if (bool(keys) != bool(values))
    return node.emitError() << "expects past_key and past_value together";
  bool isShared = node.getBool("past_present_share_buffer", false) && keys;
  if (isShared != node.hasInput(inputs.pastLength))
    return node.emitError() << "expects past_sequence_length for "
                               "past_present_share_buffer = 1, and for no "
                               "other";
  if (!isShared) {
    attention.key = appendPositions(node, keys, attention.key);
    attention.values = appendPositions(node, values, attention.values);
    return success(attention.key && attention.values);
  }
  Value length =
      node.reshape(node.getInput(inputs.pastLength), ArrayRef<int64_t>());
  if (node.hasInput(inputs.mask) || node.hasInput(inputs.scoreBias))
    return node.emitError() << "a mask or a bias of scores is not supported "
                               "with past_present_share_buffer = 1";
  if (node.getType(attention.key).getDimSize(2) != 1)
    return node.emitError()
           << "expects keys of one position for past_present_share_buffer = 1, "
              "but got "
           << attention.key.getType();
  attention.key = writePosition(node, keys, attention.key, length);
  attention.values = writePosition(node, values, attention.values, length);
  if (!attention.key || !attention.values)
    return failure();
  Value places =
      node.createPositions(node.getDims(keys)[2], node.getElementType(length));
  attention.hide(node.create<LessEqualOp>({places, length}));
  return success();
}

static LogicalResult convertHeads(NodeContext &node, HeadInputs inputs) {
  int64_t heads = node.getInt("num_heads", 0);
  ContribAttention attention(node);
  if (node.hasInput(inputs.cacheIndirection))
    return node.emitError() << "cache_indirection is not supported";
  if (failed(node.rejectOutput(3)) ||
      failed(
          readOperands(node, heads, node.getInput(inputs.bias), attention)) ||
      failed(addPast(node, inputs, attention)) ||
      failed(node.setOutput(1, attention.key)) ||
      failed(node.setOutput(2, attention.values)) ||
      failed(attention.addMask(inputs.mask)))
    return failure();
  if (node.getBool("unidirectional", false))
    // ONNX Runtime hides nothing from the last query, behind which there are
    // keys only where there are more keys than queries.
    attention.hideLater(node.hasInput(inputs.pastKey)
                            ? node.createSize(node.getInput(inputs.pastKey), 2)
                            : Value(),
                        /*window=*/0, /*lastSeesAll=*/true);
  if (node.hasInput(inputs.scoreBias))
    attention.addBias(node.getInput(inputs.scoreBias));
  return node.setResult(attention.create());
}

static LogicalResult convertMultiHeadAttention(NodeContext &node) {
  return convertHeads(node, {3, 4, 5, 6, 7, 8, 9});
}

/// One position, whose keys and values follow those of the past.
static LogicalResult convertDecoderMaskedMultiHeadAttention(NodeContext &node) {
  return convertHeads(node, {10, 3, 4, 5, 6, 7, 9});
}

void mlir::relay::onnx::addContribAttentionOps(OpTable &table) {
  addContrib(table, "Attention", convertAttention, {0, 1}, 7);
  addContrib(table, "DecoderMaskedMultiHeadAttention",
             convertDecoderMaskedMultiHeadAttention, {0}, 11);
  addContrib(table, "MultiHeadAttention", convertMultiHeadAttention, {0}, 10);
}
