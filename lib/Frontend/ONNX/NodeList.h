//===- NodeList.h - Nodes that importing makes ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_NODELIST_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_NODELIST_H

#include "Model.h"

namespace mlir::relay::onnx {

/// Adds nodes to a function or a graph.
class NodeList {
public:
  explicit NodeList(std::vector<Node> &nodes) : nodes(nodes) {}

  /// Adds a node; its name is that of its first output.
  Node &add(StringRef opType, std::vector<std::string> inputs,
            std::vector<std::string> outputs) {
    Node &node = nodes.emplace_back();
    node.opType = opType.str();
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    return node;
  }
  /// A vector of constants, called as its numbers are.
  std::string ints(ArrayRef<int64_t> values) {
    std::string name = "ints";
    for (int64_t value : values)
      name += "_" + std::to_string(value);
    if (llvm::none_of(nodes, [&](const Node &node) {
          return node.outputs.front() == name;
        }))
      setInts(add("Constant", {}, {name}), "value_ints", values);
    return name;
  }
  static void setInt(Node &node, StringRef name, int64_t value) {
    node.attributes.push_back(NodeAttribute::get(name, value));
  }
  static void setInts(Node &node, StringRef name, ArrayRef<int64_t> values) {
    node.attributes.push_back(NodeAttribute::get(name, values));
  }

private:
  std::vector<Node> &nodes;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_NODELIST_H
