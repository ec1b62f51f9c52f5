//===- ModelExplorer.cpp - Graphs for Model Explorer ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelExplorer.h"

using namespace mlir::relay;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

static Object makeEntry(StringRef key, StringRef value) {
  return Object{{"key", key}, {"value", value}};
}

/// A name as a layer; a slash would begin another one.
static std::string getLayer(const GraphFunction &function) {
  std::string layer = "@" + function.name;
  llvm::replace(layer, '/', '_');
  return layer;
}

static Object makeNode(const GraphFunction &function, size_t index,
                       llvm::ArrayRef<StringRef> texts, StringRef prefix) {
  const GraphNode &node = function.nodes[index];
  std::string layer = getLayer(function);
  // Regions are layers in that of the function, the outer ones first.
  llvm::SmallVector<int> parents;
  for (int parent = node.parent; parent >= 0;
       parent = function.nodes[parent].parent)
    parents.push_back(parent);
  for (int parent : llvm::reverse(parents))
    layer += "/" + texts[function.nodes[parent].op].str() + "_" +
             std::to_string(parent);

  Array attributes{makeEntry("kind", function.kind)};
  if (!function.compiler.empty())
    attributes.push_back(makeEntry("compiler", function.compiler));
  if (node.location)
    attributes.push_back(makeEntry("location", texts[node.location]));
  if (node.callee)
    attributes.push_back(makeEntry("callee", texts[node.callee]));
  llvm::SmallVector<StringRef> lines;
  texts[node.attributes].split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [key, value] = line.split(" = ");
    attributes.push_back(makeEntry(key, value));
  }
  Array edges;
  for (auto [operand, input] : llvm::enumerate(node.inputs))
    edges.push_back(
        Object{{"sourceNodeId", prefix.str() + std::to_string(input.first)},
               {"sourceNodeOutputId", std::to_string(input.second)},
               {"targetNodeInputId", std::to_string(operand)}});
  Array outputs;
  for (auto [result, type] : llvm::enumerate(node.types))
    outputs.push_back(Object{{"id", std::to_string(result)},
                             {"attrs", Array{makeEntry("type", texts[type])}}});
  return Object{{"id", prefix.str() + std::to_string(index)},
                {"label", texts[node.op]},
                {"namespace", layer},
                {"attrs", std::move(attributes)},
                {"incomingEdges", std::move(edges)},
                {"outputsMetadata", std::move(outputs)}};
}

llvm::json::Value mlir::relay::toModelExplorer(const Graph &graph,
                                               llvm::ArrayRef<StringRef> texts,
                                               StringRef title) {
  Array nodes;
  for (auto [number, function] : llvm::enumerate(graph.functions)) {
    std::string prefix = std::to_string(number) + "_";
    for (size_t i = 0; i < function.nodes.size(); ++i)
      nodes.push_back(makeNode(function, i, texts, prefix));
  }
  return Object{{"id", title.str()}, {"nodes", std::move(nodes)}};
}
