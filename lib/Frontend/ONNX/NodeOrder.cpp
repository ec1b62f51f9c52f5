//===- NodeOrder.cpp - The order of a graph's nodes -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <queue>

using namespace mlir::relay::onnx;
using llvm::ArrayRef;
using llvm::StringRef;

/// Calls `callback` with each name that `node` reads, those that its graphs
/// take from around them included.
static void walkReads(const Node &node,
                      llvm::function_ref<void(StringRef)> callback) {
  llvm::for_each(node.inputs, callback);
  for (const NodeAttribute &attribute : node.attributes) {
    if (!attribute.graph)
      continue;
    for (const Node &inner : attribute.graph->nodes)
      walkReads(inner, callback);
    for (const ValueInfo &output : attribute.graph->outputs)
      callback(output.name);
  }
}

std::vector<const Node *> mlir::relay::onnx::sortNodes(ArrayRef<Node> nodes) {
  llvm::StringMap<size_t> producers;
  for (auto [number, node] : llvm::enumerate(nodes))
    for (const std::string &output : node.outputs)
      if (!output.empty())
        producers.try_emplace(output, number);

  // How many nodes each one still waits for, and who waits for it.
  std::vector<size_t> numMissing(nodes.size(), 0);
  std::vector<llvm::SmallVector<size_t, 2>> users(nodes.size());
  bool isSorted = true;
  for (auto [number, node] : llvm::enumerate(nodes))
    walkReads(node, [&, number = number](StringRef name) {
      auto it = producers.find(name);
      if (it == producers.end())
        return;
      isSorted &= it->second < number;
      users[it->second].push_back(number);
      ++numMissing[number];
    });

  std::vector<const Node *> order;
  order.reserve(nodes.size());
  if (isSorted) {
    for (const Node &node : nodes)
      order.push_back(&node);
    return order;
  }
  // Of those that can be next, the first in the file.
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (auto [number, count] : llvm::enumerate(numMissing))
    if (count == 0)
      ready.push(number);
  for (; !ready.empty();) {
    size_t number = ready.top();
    ready.pop();
    order.push_back(&nodes[number]);
    for (size_t user : users[number])
      if (--numMissing[user] == 0)
        ready.push(user);
  }
  for (auto [number, count] : llvm::enumerate(numMissing))
    if (count != 0)
      order.push_back(&nodes[number]);
  return order;
}
