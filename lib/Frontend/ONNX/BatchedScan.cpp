//===- BatchedScan.cpp - Scan of opset 8 ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That has a batch, and a length for each item of it. Behind its length an item
// keeps its state, and its outputs are 0, as in ONNX Runtime; an input that is
// reversed is so within the length.
//
//===----------------------------------------------------------------------===//

#include "BatchedScan.h"
#include "Importer.h"
#include "NodeList.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

class BatchSplitter {
public:
  BatchSplitter(const Node &scan, const Graph &body, int64_t numScanned,
                SmallVector<int64_t> directions)
      : scan(scan), body(body), numScanned(numScanned),
        directions(std::move(directions)),
        hasLengths(!scan.inputs.front().empty()),
        numStates(scan.inputs.size() - 1 - numScanned) {}

  Node split() const;

private:
  /// What nodes of this file are written for.
  static constexpr int64_t kOpset = 18;

  /// A name that no other value has.
  static std::string getName(StringRef name) {
    return (name + " of an item").str();
  }
  static void setBody(Node &node, std::shared_ptr<const Graph> graph);
  static void setOpset(Graph &graph, size_t begin, size_t end);
  std::shared_ptr<const Graph> createItem() const;
  std::shared_ptr<const Graph> createStep() const;

  const Node &scan;
  const Graph &body;
  int64_t numScanned;
  SmallVector<int64_t> directions;
  bool hasLengths;
  int64_t numStates;
};

} // namespace

void BatchSplitter::setBody(Node &node, std::shared_ptr<const Graph> graph) {
  NodeAttribute &attribute = node.attributes.emplace_back();
  attribute.name = "body";
  attribute.kind = NodeAttribute::Kind::Graph;
  attribute.graph = std::move(graph);
}

void BatchSplitter::setOpset(Graph &graph, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    graph.nodes[i].opset = kOpset;
}

/// The body, of which nothing counts from the length of the item on.
std::shared_ptr<const Graph> BatchSplitter::createStep() const {
  auto graph = std::make_shared<Graph>(body);
  if (!hasLengths)
    return graph;
  std::string length = getName("length"), position = getName("position");
  std::vector<Node> before;
  NodeList first(before);
  graph->inputs.resize(numStates);
  for (int64_t i = 0; i < numScanned; ++i) {
    const ValueInfo &input = body.inputs[numStates + i];
    if (directions[i] == 0) {
      graph->inputs.push_back(input);
      continue;
    }
    std::string place = getName("place of " + input.name);
    first.add("Sub", {getName("last"), position}, {place + " or less"});
    first.add("Max", {place + " or less", getName("zero")}, {place});
    first.add("Gather", {getName(scan.inputs[1 + numStates + i]), place},
              {input.name});
  }
  graph->inputs.emplace_back().name = position;
  graph->nodes.insert(graph->nodes.begin(), before.begin(), before.end());
  setOpset(*graph, 0, before.size());
  size_t begin = graph->nodes.size();
  NodeList list(graph->nodes);
  std::string isThere = getName("presence");
  list.add("Less", {position, length}, {isThere});
  for (auto [index, output] : llvm::enumerate(graph->outputs)) {
    std::string result = getName("output " + std::to_string(index));
    std::string other = result + ", left out";
    if (static_cast<int64_t>(index) < numStates)
      other = graph->inputs[index].name;
    else
      list.add("CastLike", {getName("zero"), output.name}, {other});
    list.add("Where", {isThere, output.name, other}, {result});
    output = ValueInfo();
    output.name = result;
  }
  setOpset(*graph, begin, graph->nodes.size());
  return graph;
}

/// The Scan of one item.
std::shared_ptr<const Graph> BatchSplitter::createItem() const {
  auto graph = std::make_shared<Graph>();
  graph->name = "item";
  NodeList list(graph->nodes);
  std::vector<std::string> inputs, outputs;
  if (hasLengths) {
    std::string length = getName("length");
    graph->inputs.emplace_back().name = length;
    NodeList::setInt(list.add("Constant", {}, {getName("zero")}), "value_int",
                     0);
    NodeList::setInt(list.add("Constant", {}, {getName("one")}), "value_int",
                     1);
    list.add("Sub", {length, getName("one")}, {getName("last")});
    Node &shape = list.add("Shape", {getName(scan.inputs[1 + numStates])},
                           {getName("count vector")});
    NodeList::setInt(shape, "start", 0);
    NodeList::setInt(shape, "end", 1);
    list.add("Squeeze", {getName("count vector")}, {getName("count")});
    list.add("Range", {getName("zero"), getName("count"), getName("one")},
             {getName("positions")});
  }
  SmallVector<int64_t> scanned;
  for (size_t i = 1; i < scan.inputs.size(); ++i) {
    std::string name = getName(scan.inputs[i]);
    // A tensor may be an input several times.
    if (llvm::none_of(graph->inputs, [&](const ValueInfo &input) {
          return input.name == name;
        }))
      graph->inputs.emplace_back().name = name;
    else
      graph->inputs.emplace_back().name = name + " " + std::to_string(i);
    int64_t index = static_cast<int64_t>(i) - 1 - numStates;
    if (index >= 0 && hasLengths && directions[index] != 0)
      continue;
    inputs.push_back(name);
    if (index >= 0)
      scanned.push_back(directions[index]);
  }
  if (hasLengths) {
    inputs.push_back(getName("positions"));
    scanned.push_back(0);
  }
  for (size_t i = 0; i < body.outputs.size(); ++i) {
    outputs.push_back(getName("result " + std::to_string(i)));
    graph->outputs.emplace_back().name = outputs.back();
  }
  Node &loop = list.add("Scan", inputs, outputs);
  loop.name = scan.name;
  NodeList::setInt(loop, "num_scan_inputs",
                   static_cast<int64_t>(scanned.size()));
  NodeList::setInts(loop, "scan_input_directions", scanned);
  setBody(loop, createStep());
  setOpset(*graph, 0, graph->nodes.size());
  return graph;
}

Node BatchSplitter::split() const {
  Node result;
  result.name = scan.name;
  result.opType = scan.opType;
  result.inputs.assign(scan.inputs.begin() + (hasLengths ? 0 : 1),
                       scan.inputs.end());
  result.outputs = scan.outputs;
  result.opset = kOpset;
  NodeList::setInt(result, "num_scan_inputs",
                   static_cast<int64_t>(result.inputs.size()));
  setBody(result, createItem());
  return result;
}

FailureOr<Node> mlir::relay::onnx::splitBatch(NodeContext &node,
                                              const PendingNode &pending,
                                              const Graph &body) {
  const Node &scan = node.getNode();
  int64_t numInputs = static_cast<int64_t>(scan.inputs.size()) - 1;
  int64_t numScanned = node.getInt("num_scan_inputs", 0);
  SmallVector<int64_t> directions =
      llvm::to_vector(node.getInts("directions").value_or(ArrayRef<int64_t>()));
  if (node.hasFailed())
    return failure();
  if (numScanned < 1 || numScanned > numInputs)
    return node.emitError()
           << "expects attribute \"num_scan_inputs\" from 1 to the number of "
              "inputs without lengths, "
           << std::max<int64_t>(numInputs, 0) << ", but got " << numScanned;
  if (directions.empty())
    directions.assign(numScanned, 0);
  if (static_cast<int64_t>(directions.size()) != numScanned ||
      llvm::any_of(directions,
                   [](int64_t value) { return value != 0 && value != 1; }))
    return node.emitError() << "expects 0 or 1 for each of " << numScanned
                            << " scan inputs in attribute \"directions\"";
  if (static_cast<int64_t>(body.inputs.size()) != numInputs ||
      static_cast<int64_t>(body.outputs.size()) < numInputs - numScanned)
    return node.emitError()
           << "expects " << numInputs << " inputs of body, and "
           << numInputs - numScanned << " outputs or more, but got "
           << body.inputs.size() << " and " << body.outputs.size();
  for (unsigned index = 1; index < pending.inputs.size(); ++index)
    if (!pending.inputs[index])
      return node.emitError()
             << "expects input " << index << ", which is left out";
  return BatchSplitter(scan, body, numScanned, directions).split();
}
