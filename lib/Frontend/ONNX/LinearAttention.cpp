//===- LinearAttention.cpp - Attention with a state, or with graphs -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LinearAttention goes from position to position with a matrix for each head.
// FlexAttention is attention whose scores and weights graphs of the node
// change.
//
//===----------------------------------------------------------------------===//

#include "Contrib/Contrib.h"
#include "Heads.h"
#include "Importer.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "OpenLinearAttention.h"
#include "Products.h"
#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// LinearAttention
//===----------------------------------------------------------------------===//

namespace {

class LinearAttentionBuilder {
public:
  /// That of ONNX Runtime `sharesAll`: keys, queries and values may all have
  /// numbers of heads of their own.
  explicit LinearAttentionBuilder(NodeContext &node, bool sharesAll = false)
      : node(node), sharesAll(sharesAll) {}

  LogicalResult build();

private:
  enum Input { Query, Key, Values, State, Decay, Beta };

  LogicalResult checkInputs();
  LogicalResult readInputs();
  Value getInput(Input input) {
    return node.castTo(node.getInput(input), node.getBuilder().getF32Type());
  }
  /// (batch, position, heads * features) as (batch, head, position, feature).
  Value getHeads(Input input, int64_t heads) {
    return toHeads(splitHeads(node, getInput(input), heads));
  }
  Value toHeads(Value value) {
    return value ? node.transpose(value, {0, 2, 1, 3}) : nullptr;
  }
  /// The same with positions last, so that one of them is a column.
  Value toColumns(Value value) {
    return value ? node.transpose(value, {0, 1, 3, 2}) : nullptr;
  }
  /// `value`, (batch, head, ...), with as many heads as the state; those that
  /// follow each other share one of its own.
  Value repeatHeads(Value value);
  Value getInitialState();
  /// What position `index` reads from the state, which it changes.
  Value createStep(int64_t index);

  NodeContext &node;
  bool sharesAll;
  int64_t queryHeads = 0, heads = 0, length = 0;
  Value query, keyColumns, keys, values, decay, beta, state;
};

} // namespace

LogicalResult LinearAttentionBuilder::checkInputs() {
  queryHeads = node.getInt("q_num_heads", 0);
  heads = node.getInt("kv_num_heads", 0);
  bool isShared = sharesAll && queryHeads >= 1 && heads % queryHeads == 0;
  if (heads < 1 || queryHeads < 1 || (queryHeads % heads != 0 && !isShared))
    return node.emitError() << "expects q_num_heads that is a multiple of "
                               "kv_num_heads"
                            << (sharesAll ? ", or the other way" : "")
                            << ", but got " << queryHeads << " and " << heads;
  if (sharesAll && node.getInt("state_window", 0) != 0)
    return node.emitError() << "state_window is not supported";
  for (Input input : {Query, Key, Values, Decay, Beta})
    if (node.hasInput(input) && node.getInputType(input).getRank() != 3)
      return node.emitError() << "expects queries, keys, values, decay and "
                                 "beta of rank 3, but got "
                              << node.getInputType(input);
  if (node.hasInput(State) && node.getInputType(State).getRank() != 4)
    return node.emitError() << "expects past_state of rank 4, but got "
                            << node.getInputType(State);
  StringRef rule = node.getString("update_rule", "gated_delta");
  bool isGated = rule == "gated" || rule == "gated_delta";
  bool isDelta = rule == "delta" || rule == "gated_delta";
  if (!isGated && !isDelta && rule != "linear")
    return node.emitError() << "expects update_rule linear, gated, delta or "
                               "gated_delta, but got \""
                            << rule << "\"";
  if (node.hasInput(Decay) != isGated || node.hasInput(Beta) != isDelta)
    return node.emitError() << "expects " << (isGated ? "decay" : "no decay")
                            << " and " << (isDelta ? "beta" : "no beta")
                            << " for update_rule \"" << rule << "\"";
  for (Input input : {Query, Key, Values, Decay, Beta}) {
    if (!node.hasInput(input))
      continue;
    std::optional<int64_t> own = node.getInputDims(input)[1].getConstant();
    if (!own || *own > kMaxLinearPositions)
      return node.emitError() << "expects at most " << kMaxLinearPositions
                              << " positions, their number known, but got "
                              << node.getInputType(input);
    if (input != Query && *own != length)
      return node.emitError()
             << "expects " << length << " positions, as queries have, but got "
             << node.getInputType(input);
    length = *own;
  }
  if (length == 0)
    return node.emitError()
           << "expects positions, but got none in " << node.getInputType(Query);
  return success();
}

Value LinearAttentionBuilder::repeatHeads(Value value) {
  if (!value)
    return nullptr;
  std::optional<int64_t> own = node.getDims(value)[1].getConstant();
  if (!own || *own == 0 || heads % *own != 0 || *own == heads)
    return value;
  RepeatOp::Properties repeat;
  repeat.repeats = node.getBuilder().getI64IntegerAttr(heads / *own);
  repeat.axis = node.getBuilder().getI64IntegerAttr(1);
  return node.create<RepeatOp>({value}, repeat);
}

Value LinearAttentionBuilder::getInitialState() {
  if (node.hasInput(State))
    return getInput(State);
  if (!keys || !values)
    return nullptr;
  SmallVector<ShapeScalar> keyDims = node.getDims(keys),
                           valueDims = node.getDims(values);
  return node.broadcast(node.createScalar(0, node.getBuilder().getF32Type()),
                        {keyDims[0], keyDims[1], keyDims[3], valueDims[3]});
}

LogicalResult LinearAttentionBuilder::readInputs() {
  query = getHeads(Query, queryHeads);
  int64_t keyHeads = heads;
  if (sharesAll && query) {
    if (queryHeads < heads)
      query = repeatHeads(query);
    std::optional<int64_t> features = node.getDims(query)[3].getConstant();
    std::optional<int64_t> width = node.getInputDims(Key)[2].getConstant();
    if (!features || !width || *features == 0 || *width % *features != 0 ||
        *width == 0 || heads % (*width / *features) != 0)
      return node.emitError()
             << "expects keys of heads as wide as those of queries, whose "
                "number divides kv_num_heads = "
             << heads << ", but got " << node.getInputType(Key) << " for "
             << node.getInputType(Query);
    keyHeads = *width / *features;
  }
  keys = repeatHeads(getHeads(Key, keyHeads));
  keyColumns = toColumns(keys);
  values = getHeads(Values, heads);
  if (node.hasInput(Decay)) {
    // A number for each head, or for each of its features.
    Value logarithm = toColumns(getHeads(Decay, heads));
    decay = node.create<ExpOp>({logarithm});
  }
  if (node.hasInput(Beta)) {
    std::optional<int64_t> width = node.getInputDims(Beta)[2].getConstant();
    if (width != 1 && width != heads)
      return node.emitError() << "expects beta for each of " << heads
                              << " heads or for all of them, but got "
                              << node.getInputType(Beta);
    beta = getHeads(Beta, *width);
  }
  state = getInitialState();
  return success(state && !node.hasFailed());
}

Value LinearAttentionBuilder::createStep(int64_t index) {
  auto get = [&](Value data, int64_t axis) {
    return node.slice(data, axis, index, index + 1);
  };
  if (decay)
    state = node.create<MultiplyOp>({state, get(decay, 3)});
  Value value = get(values, 2);
  if (beta) {
    Value known = createMatmul(node, get(keys, 2), state);
    value = node.create<MultiplyOp>(
        {get(beta, 2), node.create<SubtractOp>({value, known})});
  }
  Value product = node.create<MultiplyOp>({get(keyColumns, 3), value});
  state = node.create<AddOp>({state, product});
  return multiplyHeads(node, get(query, 2), state);
}

LogicalResult LinearAttentionBuilder::build() {
  if (failed(checkInputs()) || failed(readInputs()))
    return failure();
  SmallVector<Value> steps;
  for (int64_t index = 0; index < length; ++index) {
    steps.push_back(createStep(index));
    if (!steps.back() || !state)
      return failure();
  }
  Value result = node.concatenate(steps, 2);
  double scale = node.getFloat("scale", 0);
  std::optional<int64_t> features = node.getDims(keys)[3].getConstant();
  if (scale == 0) {
    if (!features || *features == 0)
      return node.emitError() << "expects a constant number of features, but "
                                 "got "
                              << node.getInputType(Key);
    scale = 1 / std::sqrt(double(*features));
  }
  result = node.create<MultiplyOp>(
      {result, node.createScalar(scale, node.getElementType(result))});
  Type type = node.getInputType(Query).getElementType();
  Type stateType =
      node.hasInput(State) ? node.getInputType(State).getElementType() : type;
  if (!result || (node.wantsOutput(1) &&
                  failed(node.setOutput(1, node.castTo(state, stateType)))))
    return failure();
  return node.setResult(node.castTo(mergeHeads(node, toHeads(result)), type));
}

static LogicalResult convertLinearAttention(NodeContext &node) {
  return LinearAttentionBuilder(node).build();
}

static LogicalResult convertContribLinearAttention(NodeContext &node) {
  return LinearAttentionBuilder(node, /*sharesAll=*/true).build();
}

//===----------------------------------------------------------------------===//
// FlexAttention
//===----------------------------------------------------------------------===//

/// What the graph in attribute `name` makes of `value`; `value` if there is no
/// graph, and null after an error.
static Value applyGraph(Importer &importer, PendingNode &pending,
                        NodeContext &node, StringRef name, Value value) {
  if (!value || !node.hasAttr(name))
    return value;
  const Graph *graph = importer.findGraph(pending, name);
  if (!graph)
    return node.fail();
  if (graph->inputs.size() != 1 || graph->outputs.size() != 1) {
    node.emitError() << "expects one input and one output of " << name
                     << ", but got " << graph->inputs.size() << " and "
                     << graph->outputs.size();
    return nullptr;
  }
  Binding *input = importer.createBinding("");
  input->value = value;
  FailureOr<SmallVector<Binding *>> outputs =
      importer.importGraph(pending, *graph, name, {input});
  if (failed(outputs) || failed(importer.materialize(*outputs->front())))
    return node.fail();
  Value result = outputs->front()->value;
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || failed(verifyCompatibleShape(type, value.getType()))) {
    node.emitError() << "expects a result of " << name << " of type "
                     << value.getType() << ", as its input, but got "
                     << result.getType();
    return nullptr;
  }
  return node.castTo(result, node.getElementType(value));
}

static LogicalResult importFlexAttention(Importer &importer,
                                         PendingNode &pending) {
  NodeContext node(importer, pending);
  enum Input { Query, Key, Values };
  if (pending.inputs.size() != 3 || llvm::is_contained(pending.inputs, nullptr))
    return node.emitError() << "expects queries, keys and values, but got "
                            << pending.inputs.size() << " inputs";
  Value inputs[3];
  for (auto [index, binding] : llvm::enumerate(pending.inputs)) {
    if (!importer.isTensor(*binding) || failed(importer.materialize(*binding)))
      return node.emitError() << "expects tensors of queries, keys and values";
    inputs[index] = binding->value;
    auto type = cast<RankedTensorType>(inputs[index].getType());
    if (type.getRank() != 4 || !isa<FloatType>(type.getElementType()))
      return node.emitError() << "expects queries, keys and values of floats "
                                 "and rank 4, but got "
                              << type;
  }
  Type type = node.getElementType(inputs[Query]);
  for (Value input : inputs)
    if (node.getElementType(input) != type)
      return node.emitError()
             << "expects elements of " << type
             << ", as those of queries, but got " << input.getType();
  Type wide = type.isF64() ? type : node.getBuilder().getF32Type();
  Type softmaxType = wide;
  if (node.hasAttr("softmax_precision")) {
    softmaxType = getElementType(
        node.getContext(),
        node.getDataType("softmax_precision", DataType::Undefined));
    if (!isa_and_present<FloatType>(softmaxType) ||
        softmaxType.getIntOrFloatBitWidth() < 16)
      return node.emitError() << "expects softmax_precision to be a type of "
                                 "floats of 16 bits or more";
  }
  std::optional<int64_t> features =
      node.getDims(inputs[Query])[3].getConstant();
  if ((!features || *features == 0) && !node.hasAttr("scale"))
    return node.emitError() << "expects a constant number of features, but got "
                            << inputs[Query].getType();
  double scale =
      node.getFloat("scale", features ? 1 / std::sqrt(double(*features)) : 0);
  // Floats of 16 bits are multiplied as f32, and rounded once.
  for (Value &input : inputs)
    input = node.castTo(input, wide);
  Value scores = multiplyHeads(node, inputs[Query],
                               node.transpose(inputs[Key], {0, 1, 3, 2}));
  scores = node.create<MultiplyOp>({scores, node.createScalar(scale, wide)});
  scores = applyGraph(importer, pending, node, "score_mod",
                      node.castTo(scores, softmaxType));
  NNSoftmaxOp::Properties softmax;
  softmax.axis = node.getBuilder().getI64IntegerAttr(-1);
  Value weights = node.create<NNSoftmaxOp>({scores}, softmax);
  weights = applyGraph(importer, pending, node, "prob_mod", weights);
  Value result =
      multiplyHeads(node, node.castTo(weights, wide), inputs[Values]);
  result = node.castTo(result, type);
  if (!result)
    return failure();
  Binding *output = importer.createBinding("");
  output->value = result;
  return importer.bindOutputs(*pending.node, *pending.frame, {output});
}

void mlir::relay::onnx::addLinearAttentionOps(OpTable &table) {
  table.add({"LinearAttention"},
            {convertLinearAttention, 27, kNewestOpset, 3, 6});
  addContrib(table, "LinearAttention", convertContribLinearAttention, {0, 1, 2},
             6, /*isComposed=*/false);
  OpEntry entry;
  entry.import = importFlexAttention;
  table.add("ai.onnx.preview", {"FlexAttention"}, std::move(entry));
}
