//===- GroupQuery.cpp - Attention with a cache of ONNX Runtime ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decoders of exporters for ONNX Runtime have: heads of queries that share
// those of keys and values, which are kept for the next run, and positions as
// angles.
//
//===----------------------------------------------------------------------===//

#include "../Heads.h"
#include "Attention.h"
#include "Contrib.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

namespace {

class GroupQueryAttention {
public:
  explicit GroupQueryAttention(NodeContext &node)
      : node(node), attention(node), type(node.getBuilder().getI64Type()) {}

  LogicalResult convert();

private:
  enum Input {
    Query,
    Key,
    Values,
    PastKey,
    PastValue,
    Lengths,
    Total,
    Cosine,
    Sine,
    Positions,
    ScoreBias,
    Sink,
    NumSupported
  };

  LogicalResult readOperands();
  LogicalResult rotate();
  Value append(Input past, Value value);

  NodeContext &node;
  ContribAttention attention;
  Type type;
  /// How many positions of the past each batch item has, (batch).
  Value pastLengths;
};

} // namespace

/// (batch, position, heads, features) of each.
LogicalResult GroupQueryAttention::readOperands() {
  int64_t heads = node.getInt("num_heads", 0);
  int64_t shared = node.getInt("kv_num_heads", 0);
  Value query = node.getInput(Query), key = node.getInput(Key);
  Value values = node.getInput(Values);
  if (bool(key) != bool(values))
    return node.emitError() << "expects keys and values together";
  if (node.getRank(query) != 3)
    return node.emitError()
           << "expects queries of rank 3, but got " << query.getType();
  if (heads < 1 || shared < 1 || heads % shared != 0)
    return node.emitError()
           << "expects kv_num_heads to divide num_heads, but got " << shared
           << " and " << heads;
  if (!key) {
    int64_t width = node.getType(query).getDimSize(2);
    int64_t total = saturatingSum({heads, shared, shared});
    if (ShapedType::isDynamic(width) || width % total != 0)
      return node.emitError() << "expects features of " << total
                              << " heads, but got " << query.getType();
    int64_t size = width / total;
    Value packed = query;
    query = node.slice(packed, 2, 0, heads * size);
    key = node.slice(packed, 2, heads * size, (heads + shared) * size);
    values = node.slice(packed, 2, (heads + shared) * size, width);
  }
  attention.query = splitHeads(node, query, heads);
  attention.key = splitHeads(node, key, shared);
  attention.values = splitHeads(node, values, shared);
  return success(attention.query && attention.key && attention.values);
}

LogicalResult GroupQueryAttention::rotate() {
  if (!node.getBool("do_rotary", false))
    return success();
  if (!node.hasInput(Cosine) || !node.hasInput(Sine))
    return node.emitError() << "expects cos_cache and sin_cache for do_rotary";
  bool isInterleaved = node.getBool("rotary_interleaved", false);
  Value positions;
  if (node.hasInput(Positions)) {
    positions = node.castTo(node.getInput(Positions), type);
  } else {
    Value rows = node.createPositions(node.getDims(attention.query)[1], type);
    positions = node.create<AddOp>({node.expandDims(pastLengths, 1), rows});
  }
  auto getAngles = [&](Input input) {
    Value rows = node.take(node.getInput(input), positions, 0, "clip");
    return node.expandDims(rows, 2);
  };
  Value cosine = getAngles(Cosine), sine = getAngles(Sine);
  int64_t half = node.getInputType(Cosine).getShape().back();
  if (!cosine || !sine || node.getRank(cosine) != 4 ||
      ShapedType::isDynamic(half))
    return node.emitError() << "expects a position for each query, but got "
                            << node.getInputType(Cosine);
  for (Value *value : {&attention.query, &attention.key}) {
    *value =
        rotateFeatures(node, *value, cosine, sine, 2 * half, isInterleaved);
    if (!*value)
      return failure();
  }
  return success();
}

/// The past of each batch item, and the new positions behind it.
Value GroupQueryAttention::append(Input past, Value value) {
  if (!value)
    return nullptr;
  OpBuilder &b = node.getBuilder();
  value = node.transpose(value, {0, 2, 1, 3});
  if (!node.hasInput(past) || !value)
    return value;
  Value all = appendPositions(node, node.getInput(past), value);
  Value pastSize = node.createSize(node.getInput(past), 2);
  // As many as there are, or as the past has room for.
  Value total = node.castTo(
      node.reshape(node.getInput(Total), ArrayRef<int64_t>()), type);
  Value count = node.create<MaximumOp>({total, pastSize});
  Value columns = node.createRange(count, type);
  Value begin = node.expandDims(pastLengths, 1);
  Value behind = node.create<SubtractOp>({columns, begin});
  Value isPast = node.create<LessOp>({columns, begin});
  Value isNew = node.create<LessOp>({behind, node.createSize(value, 2)});
  Value one = node.createScalar(1, type), zero = node.createScalar(0, type);
  Value kept = node.create<MaximumOp>(
      {node.create<MinimumOp>(
           {columns, node.create<SubtractOp>({pastSize, one})}),
       zero});
  Value source = node.create<WhereOp>(
      {isPast, columns,
       node.create<WhereOp>(
           {isNew, node.create<AddOp>({pastSize, behind}), kept})});
  if (!all || !source)
    return nullptr;
  GatherNdOp::Properties gather;
  gather.batch_dims = b.getI64IntegerAttr(1);
  Value rows = node.create<GatherNdOp>(
      {node.transpose(all, {0, 2, 1, 3}), node.expandDims(source, 0)}, gather);
  return rows ? node.transpose(rows, {0, 2, 1, 3}) : nullptr;
}

LogicalResult GroupQueryAttention::convert() {
  for (unsigned input = NumSupported; input < node.getNumInputs(); ++input)
    if (node.hasInput(input))
      return node.emitError()
             << "input " << input << " (\"" << node.getNode().inputs[input]
             << "\") is not supported";
  if (node.getInt("kv_cache_bit_width", 0) != 0)
    return node.emitError() << "quantized caches are not supported";
  if (node.getInt("causal", 1) != 1 ||
      node.getInt("sliding_window_cache", 0) != 0)
    return node.emitError()
           << "expects causal = 1 and sliding_window_cache = 0";
  if (node.hasInput(PastKey) != node.hasInput(PastValue))
    return node.emitError() << "expects past_key and past_value together";
  if (failed(node.rejectOutput(3)) || failed(readOperands()))
    return failure();
  // A prompt begins at 0, however long each item of the batch is.
  Value lengths = node.castTo(
      node.reshape(node.getInput(Lengths), ArrayRef<int64_t>{-1}), type);
  Value count = node.createSize(attention.query, 1);
  Value one = node.createScalar(1, type);
  pastLengths = node.create<MaximumOp>(
      {node.create<SubtractOp>({node.create<AddOp>({lengths, one}), count}),
       node.createScalar(0, type)});
  if (!pastLengths || failed(rotate()))
    return failure();
  attention.query = node.transpose(attention.query, {0, 2, 1, 3});
  attention.key = append(PastKey, attention.key);
  attention.values = append(PastValue, attention.values);
  if (!attention.query || !attention.key || !attention.values ||
      failed(node.setOutput(1, attention.key)) ||
      failed(node.setOutput(2, attention.values)))
    return failure();
  int64_t window = node.getInt("local_window_size", -1);
  attention.hideLater(node.expandDims(pastLengths, 1, 3), window);
  if (node.hasInput(ScoreBias))
    attention.addBias(node.getInput(ScoreBias));
  attention.softcap = node.getFloat("softcap", 0);
  if (node.hasInput(Sink))
    attention.sink = node.castTo(node.getInput(Sink), attention.getType());
  else if (node.getInt("smooth_softmax", 0) == 1)
    attention.sink = node.createScalar(0, attention.getType());
  return node.setResult(attention.create());
}

static LogicalResult convertGroupQueryAttention(NodeContext &node) {
  return GroupQueryAttention(node).convert();
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// Turns the features of each head by the angles in the tables of inputs 2 and
/// 3, as `getAngles` takes them for the positions of data (batch, position,
/// head, feature).
static LogicalResult
rotateHeads(NodeContext &node,
            llvm::function_ref<Value(Value data, Value table)> getAngles) {
  Value data = node.getInput(0);
  Value cosine = node.getInput(2), sine = node.getInput(3);
  if (node.getBool("is_packed_batching", false))
    return node.emitError() << "is_packed_batching = 1 is not supported";
  int64_t rank = node.getRank(data);
  int64_t half = node.getRank(cosine) == 2 ? node.getType(cosine).getDimSize(1)
                                           : ShapedType::kDynamic;
  if ((rank != 3 && rank != 4) || ShapedType::isDynamic(half))
    return node.emitError()
           << "expects data of rank 3 or 4 and cos_cache (positions, known), "
              "but got "
           << data.getType() << " and " << cosine.getType();
  int64_t turned = node.getInt("rotary_embedding_dim", 0);
  int64_t heads = node.getInt("num_heads", 0);
  if (turned > 0 && turned != 2 * half)
    return node.emitError() << "expects rotary_embedding_dim = " << 2 * half
                            << ", as cos_cache has, but got " << turned;
  if (rank == 3) {
    int64_t width = node.getType(data).getDimSize(2);
    if (heads == 0 && ShapedType::isStatic(width) && half > 0)
      heads = width / (2 * half);
    data = splitHeads(node, data, heads);
  } else {
    data = node.transpose(data, {0, 2, 1, 3});
  }
  if (!data)
    return failure();
  cosine = getAngles(data, cosine);
  sine = getAngles(data, sine);
  Value result = rotateFeatures(node, data, cosine, sine, 2 * half,
                                node.getBool("interleaved", false));
  if (!result)
    return failure();
  return node.setResult(rank == 3 ? mergeHeads(node, result)
                                  : node.transpose(result, {0, 2, 1, 3}));
}

static LogicalResult convertRotaryEmbedding(NodeContext &node) {
  return rotateHeads(node, [&](Value data, Value table) -> Value {
    Type type = node.getBuilder().getI64Type();
    Value positions = node.castTo(node.getInput(1), type);
    // One position, of the first.
    if (positions && node.getRank(positions) == 1)
      positions = node.expandDims(
          node.create<AddOp>(
              {positions, node.createPositions(node.getDims(data)[1], type)}),
          0);
    return node.expandDims(node.take(table, positions, 0, "fast"), 2);
  });
}

/// Each pair of features has the angle of one of three positions of a token: of
/// its time, row or column.
static LogicalResult convertMRotaryEmbedding(NodeContext &node) {
  RankedTensorType type = node.getInputType(1);
  RankedTensorType table = node.getInputType(2);
  std::optional<ArrayRef<int64_t>> sections = node.getInts("mrope_section");
  int64_t layout = node.getInt("mrope_layout", 0);
  if (type.getRank() != 3 || type.getDimSize(0) != 3)
    return node.emitError()
           << "expects positions (3, batch, position), but got " << type;
  if (layout != 0 && layout != 1)
    return node.emitError()
           << "expects mrope_layout to be 0 or 1, but got " << layout;
  int64_t half = table.getRank() == 2 ? table.getDimSize(1) : -1;
  int64_t total = 0;
  for (int64_t section : sections.value_or(ArrayRef<int64_t>()))
    total = section < 0 || section > half ? -1 - half : total + section;
  if (!sections || sections->size() != 3 || total != half)
    return node.emitError()
           << "expects three numbers in mrope_section, whose sum is the number "
              "of columns of cos_cache, "
           << table;
  // In turns, or one after the other.
  SmallVector<int64_t> owners(half, 0);
  for (int64_t stream : {1, 2}) {
    int64_t begin = layout == 1 ? stream : (*sections)[0];
    if (layout == 0 && stream == 2)
      begin += (*sections)[1];
    int64_t step = layout == 1 ? 3 : 1;
    int64_t end = layout == 1 ? std::min(half, 3 * (*sections)[stream])
                              : begin + (*sections)[stream];
    for (int64_t column = begin; column < end; column += step)
      owners[column] = stream;
  }
  double scale = node.getFloat("scale", 1);
  return rotateHeads(node, [&](Value data, Value table) -> Value {
    Type i64 = node.getBuilder().getI64Type();
    // (3, batch, position, column), of which each column is that of one.
    Value all = node.take(table, node.castTo(node.getInput(1), i64), 0, "fast");
    Value owner = node.createInts(ArrayRef<int64_t>(owners));
    Value angles;
    for (int64_t stream = 0; all && stream < 3; ++stream) {
      Value own = node.squeeze(node.slice(all, 0, stream, stream + 1), {0});
      Value isOwner =
          node.create<EqualOp>({owner, node.createScalar(double(stream), i64)});
      angles = stream == 0 ? own : node.create<WhereOp>({isOwner, own, angles});
    }
    if (angles && scale != 1)
      angles = node.create<MultiplyOp>(
          {angles, node.createScalar(scale, node.getElementType(angles))});
    return node.expandDims(angles, 2);
  });
}

void mlir::relay::onnx::addContribGroupQueryOps(OpTable &table) {
  addContrib(table, "GroupQueryAttention", convertGroupQueryAttention,
             {0, 5, 6}, 16);
  addContrib(table, "MRotaryEmbedding", convertMRotaryEmbedding, {0, 1, 2, 3},
             4);
  addContrib(table, "RotaryEmbedding", convertRotaryEmbedding, {0, 1, 2, 3}, 4);
}
