//===- OpenRecurrent.cpp - Recurrent layers of open lengths ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is one of ONNX, of a newer opset than the model may have.
//
//===----------------------------------------------------------------------===//

#include "OpenRecurrent.h"

#include "Contrib/Contrib.h"
#include "NodeContext.h"
#include "NodeList.h"
#include "Recurrent.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// Makes the function of one node.
class Expansion {
public:
  Expansion(NodeContext &node, int64_t hidden)
      : node(node), opType(node.getNode().opType), hidden(hidden),
        isQuantized(opType == "DynamicQuantizeLSTM"),
        isLSTM(opType == "LSTM" || isQuantized),
        isBatchFirst(node.getBool("layout", false)),
        direction(node.getString("direction", "forward")),
        list(function.nodes) {}

  std::shared_ptr<const Function> build();

private:
  /// The name of input `index`, of this direction if there are two; empty if it
  /// is left out.
  std::string getPart(unsigned index, int64_t part);
  std::string transposeIf(const std::string &name, ArrayRef<int64_t> order,
                          const std::string &result);
  void addDirection(int64_t part, const std::string &state,
                    const std::string &lengths);
  void setStepAttributes(Node &step, int64_t part);
  std::shared_ptr<const Graph> createBody(int64_t part, bool hasLengths);
  bool isTwo() const { return direction == "bidirectional"; }

  NodeContext &node;
  StringRef opType;
  int64_t hidden;
  bool isQuantized, isLSTM, isBatchFirst;
  StringRef direction;
  Function function;
  NodeList list;
};

} // namespace

std::string Expansion::transposeIf(const std::string &name,
                                   ArrayRef<int64_t> order,
                                   const std::string &result) {
  if (!isBatchFirst)
    return name;
  NodeList::setInts(list.add("Transpose", {name}, {result}), "perm", order);
  return result;
}

std::string Expansion::getPart(unsigned index, int64_t part) {
  if (!node.hasInput(index))
    return "";
  std::string name = function.inputs[index];
  if (index == 5 || index == 6)
    name =
        transposeIf(name, {1, 0, 2}, name + "_first_" + std::to_string(part));
  if (!isTwo())
    return name;
  std::string result = name + "_" + std::to_string(part);
  list.add("Slice",
           {name, list.ints({part}), list.ints({part + 1}), list.ints({0})},
           {result});
  return result;
}

void Expansion::setStepAttributes(Node &step, int64_t part) {
  NodeList::setInt(step, "hidden_size", hidden);
  // Functions of both directions are one list, and so are their numbers.
  ArrayRef<std::string> names = node.getStrings("activations");
  auto takes = [](StringRef name, bool isBeta) {
    const RecurrentFunction *function = lookupRecurrentFunction(name);
    return function && (isBeta ? function->hasBeta : function->hasAlpha);
  };
  size_t half = isTwo() ? names.size() / 2 : names.size();
  for (const auto &attribute : node.getNode().attributes) {
    StringRef name = attribute.name;
    if (name == "layout" || name == "direction" || name == "hidden_size" ||
        name == "output_sequence")
      continue;
    NodeAttribute &copy = step.attributes.emplace_back(attribute);
    if (!isTwo())
      continue;
    if (name == "activations")
      copy.strings = names.slice(part * half, half).vec();
    if (name != "activation_alpha" && name != "activation_beta")
      continue;
    bool isBeta = name == "activation_beta";
    size_t first = llvm::count_if(names.take_front(half), [&](StringRef name) {
      return takes(name, isBeta);
    });
    ArrayRef<float> numbers = attribute.floats;
    first = std::min(first, numbers.size());
    copy.floats = part == 0 ? numbers.take_front(first).vec()
                            : numbers.drop_front(first).vec();
  }
}

std::shared_ptr<const Graph> Expansion::createBody(int64_t part,
                                                   bool hasLengths) {
  auto graph = std::make_shared<Graph>();
  graph->name = "step";
  NodeList body(graph->nodes);
  std::vector<std::string> inputs = {"h"}, outputs = {"h_next"};
  if (isLSTM) {
    inputs.push_back("c");
    outputs.push_back("c_next");
  }
  inputs.push_back("x");
  std::string length;
  if (hasLengths) {
    // 1 for a sequence that has an element here, else 0.
    inputs.push_back("position");
    length = "length";
    body.add("Sub", {"all_lengths", "position"}, {"rest"});
    body.add("Max", {"rest", body.ints({0})}, {"rest_or_0"});
    body.add("Min", {"rest_or_0", body.ints({1})}, {"length_64"});
    NodeList::setInt(body.add("Cast", {"length_64"}, {length}), "to",
                     static_cast<int64_t>(DataType::Int32));
  }
  body.add("Unsqueeze", {"x", body.ints({0})}, {"sequence"});
  std::vector<std::string> operands = {
      "sequence", getPart(1, part),  getPart(2, part), getPart(3, part), length,
      "h",        isLSTM ? "c" : "", getPart(7, part)};
  operands.resize(isLSTM ? 8 : 6);
  for (unsigned index = 8; isQuantized && index < 12; ++index)
    operands.push_back(getPart(index, part));
  std::vector<std::string> results = {"rows"};
  for (const std::string &output : outputs)
    results.push_back(hasLengths ? output + "_here" : output);
  Node &step = body.add(opType, operands, results);
  setStepAttributes(step, part);
  if (isQuantized) {
    step.domain = node.getNode().domain;
    NodeList::setInt(step, "__quantizes_data", 0);
  }
  if (hasLengths) {
    // Behind its end, a sequence keeps its state.
    body.add("Equal", {"length_64", body.ints({0})}, {"is_behind"});
    body.add("Unsqueeze", {"is_behind", body.ints({1})}, {"are_behind"});
    body.add("Unsqueeze", {"are_behind", body.ints({0})}, {"keeps"});
    for (auto [output, state] : llvm::zip(outputs, inputs))
      body.add("Where", {"keeps", state, output + "_here"}, {output});
  }
  body.add("Squeeze", {"rows", body.ints({0})}, {"row"});
  outputs.push_back("row");
  for (const std::string &name : inputs)
    graph->inputs.emplace_back().name = name;
  for (const std::string &name : outputs)
    graph->outputs.emplace_back().name = name;
  return graph;
}

void Expansion::addDirection(int64_t part, const std::string &state,
                             const std::string &data) {
  std::string end = "_" + std::to_string(part);
  bool hasLengths = node.hasInput(4),
       isBackward = part == 1 || direction == "reverse";
  auto body = createBody(part, hasLengths);
  auto getState = [&](unsigned index) {
    std::string given = getPart(index, part);
    return given.empty() ? state : given;
  };
  std::vector<std::string> inputs = {getState(5)}, outputs = {"hidden" + end};
  if (isLSTM) {
    inputs.push_back(getState(6));
    outputs.push_back("cell" + end);
  }
  inputs.push_back(data);
  if (hasLengths) {
    inputs.push_back("positions");
    // An empty sequence has no last state; ONNX Runtime gives zeros.
    for (std::string &output : outputs) {
      list.add("Where", {"are_there", output + "_kept", state}, {output});
      output += "_kept";
    }
  }
  outputs.push_back("steps" + end);
  Node &scan = list.add("Scan", inputs, outputs);
  NodeList::setInt(scan, "num_scan_inputs", hasLengths ? 2 : 1);
  NodeList::setInts(scan, "scan_input_directions",
                    SmallVector<int64_t>(hasLengths ? 2 : 1, isBackward));
  NodeList::setInts(scan, "scan_output_directions", {isBackward});
  NodeAttribute &attribute = scan.attributes.emplace_back();
  attribute.name = "body";
  attribute.kind = NodeAttribute::Kind::Graph;
  attribute.graph = body;
}

std::shared_ptr<const Function> Expansion::build() {
  function.name = opType.str();
  function.opsets[""] = 18;
  function.inputs = {"X", "W", "R", "B", "lengths", "H", "C", "P"};
  std::string data = transposeIf("X", {1, 0, 2}, "data");
  if (isQuantized) {
    llvm::append_range(function.inputs,
                       ArrayRef({"w_scale", "w_zero", "r_scale", "r_zero"}));
    function.opsets[kContribDomain.str()] = 1;
    // All elements of the sequence at once.
    list.add("DynamicQuantizeLinear", {data}, {"integers", "scale", "zero_8"});
    list.add("DequantizeLinear", {"integers", "scale", "zero_8"}, {"rounded"});
    data = "rounded";
  }
  auto getSize = [&](int64_t dim, const std::string &name) {
    Node &shape = list.add("Shape", {data}, {name});
    NodeList::setInt(shape, "start", dim);
    NodeList::setInt(shape, "end", dim + 1);
    return name;
  };
  std::string state = "zeros";
  NodeList::setInt(
      list.add("Concat",
               {list.ints({1}), getSize(1, "batch"), list.ints({hidden})},
               {"state_shape"}),
      "axis", 0);
  list.add("ConstantOfShape", {"state_shape"}, {"float_zeros"});
  list.add("CastLike", {"float_zeros", data}, {state});
  if (node.hasInput(4)) {
    NodeList::setInt(list.add("Cast", {"lengths"}, {"given_lengths"}), "to",
                     static_cast<int64_t>(DataType::Int64));
    list.add("Squeeze", {list.ints({0})}, {"zero"});
    list.add("Squeeze", {list.ints({1})}, {"one"});
    list.add("Squeeze", {getSize(0, "length_vector")}, {"length_number"});
    list.add("Range", {"zero", "length_number", "one"}, {"positions"});
    // Other lengths than there can be are an error: there is no second zero.
    for (StringRef op : {"ReduceMin", "ReduceMax"})
      NodeList::setInt(list.add(op, {"given_lengths"}, {op.str()}), "keepdims",
                       0);
    list.add("GreaterOrEqual", {"ReduceMin", "zero"}, {"are_positive"});
    list.add("LessOrEqual", {"ReduceMax", "length_number"}, {"are_within"});
    list.add("And", {"are_positive", "are_within"}, {"are_right"});
    list.add("Not", {"are_right"}, {"are_wrong"});
    NodeList::setInt(list.add("Cast", {"are_wrong"}, {"which_zero"}), "to",
                     static_cast<int64_t>(DataType::Int64));
    list.add("Gather", {list.ints({0}), "which_zero"}, {"checked_zero"});
    list.add("Add", {"given_lengths", "checked_zero"}, {"all_lengths"});
    list.add("Greater", {"all_lengths", "zero"}, {"have_elements"});
    list.add("Unsqueeze", {"have_elements", list.ints({0, 2})}, {"are_there"});
  }
  int64_t numDirections = isTwo() ? 2 : 1;
  for (int64_t part = 0; part < numDirections; ++part)
    addDirection(part, state, data);
  auto join = [&](const std::string &name, int64_t axis,
                  ArrayRef<int64_t> batchFirst) {
    std::string result = name + "_0";
    if (numDirections == 2) {
      result = name;
      NodeList::setInt(list.add("Concat", {name + "_0", name + "_1"}, {name}),
                       "axis", axis);
    }
    function.outputs.push_back(
        transposeIf(result, batchFirst, name + "_batch_first"));
  };
  join("steps", 1, {2, 0, 1, 3});
  join("hidden", 0, {1, 0, 2});
  if (isLSTM)
    join("cell", 0, {1, 0, 2});
  return std::make_shared<const Function>(std::move(function));
}

std::shared_ptr<const Function>
mlir::relay::onnx::expandOpenRecurrence(Importer &importer,
                                        PendingNode &pending) {
  const Node &node = *pending.node;
  bool isQuantized =
      node.domain == kContribDomain && node.opType == "DynamicQuantizeLSTM";
  if (!isQuantized &&
      (!node.domain.empty() ||
       !llvm::is_contained({"GRU", "LSTM", "RNN"}, StringRef(node.opType))))
    return nullptr;
  NodeContext context(importer, pending);
  if (!context.hasInput(0) || !context.hasInput(2))
    return nullptr;
  RankedTensorType data = context.getInputType(0);
  RankedTensorType recurrence = context.getInputType(2);
  // What is wrong with other nodes their converter says.
  StringRef direction = context.getString("direction", "forward");
  if (context.hasFailed() || data.getRank() != 3 || recurrence.getRank() != 3 ||
      recurrence.isDynamicDim(isQuantized ? 1 : 2) ||
      !llvm::is_contained({"forward", "reverse", "bidirectional"}, direction) ||
      !data.isDynamicDim(context.getInt("layout", 0) == 1 ? 1 : 0) ||
      llvm::any_of(node.attributes, [](const NodeAttribute &attribute) {
        return !attribute.reference.empty();
      }))
    return nullptr;
  return Expansion(context, recurrence.getDimSize(isQuantized ? 1 : 2)).build();
}
