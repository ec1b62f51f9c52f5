//===- OpenLinearAttention.cpp - Linear attention as a loop ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is one of ONNX. The state is in FLOAT from step to step,
// whatever the types of inputs are, as it is where the positions are written
// out.
//
//===----------------------------------------------------------------------===//

#include "OpenLinearAttention.h"

#include "NodeContext.h"
#include "NodeList.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// The graph of one step: the node of `context`, of one position of the inputs
/// `scanned`.
static std::shared_ptr<const Graph> createStep(NodeContext &context,
                                               ArrayRef<std::string> operands,
                                               ArrayRef<std::string> scanned) {
  auto graph = std::make_shared<Graph>();
  graph->name = "step";
  NodeList body(graph->nodes);
  std::vector<std::string> inputs = {"state"};
  for (const std::string &name : scanned) {
    inputs.push_back(name + "_row");
    body.add("Unsqueeze", {name + "_row", body.ints({1})}, {name + "_here"});
  }
  std::vector<std::string> own(operands);
  for (std::string &name : own)
    if (!name.empty())
      name += "_here";
  own[3] = "state";
  Node &step = body.add("LinearAttention", own, {"rows", "next"});
  step.domain = context.getNode().domain;
  for (const NodeAttribute &attribute : context.getNode().attributes)
    step.attributes.push_back(attribute);
  body.add("Squeeze", {"rows", body.ints({1})}, {"row"});
  for (const std::string &name : inputs)
    graph->inputs.emplace_back().name = name;
  for (StringRef name : {"next", "row"})
    graph->outputs.emplace_back().name = name.str();
  return graph;
}

/// The function, for a state of `sizes` behind the batch.
static std::shared_ptr<const Function> createScan(NodeContext &context,
                                                  ArrayRef<int64_t> sizes) {
  const Node &node = context.getNode();
  auto function = std::make_shared<Function>();
  NodeList list(function->nodes);
  function->name = node.opType;
  function->opsets[""] = kNewestOpset;
  if (!node.domain.empty())
    function->opsets[node.domain] = 1;
  function->inputs = {"q", "k", "v", "past", "decay", "beta"};
  std::vector<std::string> operands, scanned;
  for (auto [index, name] : llvm::enumerate(function->inputs)) {
    operands.push_back(context.hasInput(index) ? name : "");
    if (index != 3 && context.hasInput(index))
      scanned.push_back(name);
  }
  auto toFloat = [&](const std::string &value, const std::string &result) {
    NodeList::setInt(list.add("Cast", {value}, {result}), "to",
                     static_cast<int64_t>(DataType::Float));
  };
  std::string like = "q";
  if (context.hasInput(3)) {
    toFloat("past", "initial");
    like = "past";
  } else {
    Node &batch = list.add("Shape", {"q"}, {"batch"});
    NodeList::setInt(batch, "start", 0);
    NodeList::setInt(batch, "end", 1);
    NodeList::setInt(
        list.add("Concat", {"batch", list.ints(sizes)}, {"state_shape"}),
        "axis", 0);
    list.add("ConstantOfShape", {"state_shape"}, {"initial"});
  }
  std::vector<std::string> inputs = {"initial"};
  llvm::append_range(inputs, scanned);
  Node &scan = list.add("Scan", inputs, {"last", "rows"});
  auto count = static_cast<int64_t>(scanned.size());
  NodeList::setInt(scan, "num_scan_inputs", count);
  NodeList::setInts(scan, "scan_input_axes", SmallVector<int64_t>(count, 1));
  NodeList::setInts(scan, "scan_output_axes", {1});
  NodeAttribute &attribute = scan.attributes.emplace_back();
  attribute.name = "body";
  attribute.kind = NodeAttribute::Kind::Graph;
  attribute.graph = createStep(context, operands, scanned);
  list.add("CastLike", {"last", like}, {"present"});
  function->outputs = {"rows", "present"};
  return function;
}

std::shared_ptr<const Function>
mlir::relay::onnx::expandOpenLinearAttention(Importer &importer,
                                             PendingNode &pending) {
  const Node &node = *pending.node;
  if (node.opType != "LinearAttention" ||
      (!node.domain.empty() && node.domain != "com.microsoft"))
    return nullptr;
  NodeContext context(importer, pending);
  // What is wrong with other nodes their converter says.
  for (unsigned index : {0, 1, 2})
    if (!context.hasInput(index) || context.getInputType(index).getRank() != 3)
      return nullptr;
  RankedTensorType query = context.getInputType(0);
  RankedTensorType value = context.getInputType(2);
  if (!query.isDynamicDim(1) && query.getDimSize(1) <= kMaxLinearPositions)
    return nullptr;
  int64_t queryHeads = context.getInt("q_num_heads", 0);
  int64_t heads = context.getInt("kv_num_heads", 0);
  if (context.hasFailed() || queryHeads < 1 || heads < 1 ||
      query.isDynamicDim(2) || value.isDynamicDim(2) ||
      context.getInt("state_window", 0) != 0 ||
      llvm::any_of(
          node.attributes,
          [](const NodeAttribute &attribute) {
            return !attribute.reference.empty();
          }))
    return nullptr;
  return createScan(context, {heads, query.getDimSize(2) / queryHeads,
                              value.getDimSize(2) / heads});
}
