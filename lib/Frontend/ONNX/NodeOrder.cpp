//===- NodeOrder.cpp - The order of a graph's nodes -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <queue>

using namespace mlir::relay::onnx;
using llvm::ArrayRef;
using llvm::StringRef;

void mlir::relay::onnx::collectCaptured(const Graph &graph,
                                        llvm::SetVector<StringRef> &names) {
  llvm::StringSet<> own;
  for (const ValueInfo &input : graph.inputs)
    own.insert(input.name);
  for (const Tensor &tensor : graph.initializers)
    own.insert(tensor.name);
  llvm::SetVector<StringRef> read;
  for (const Node &node : graph.nodes) {
    for (const std::string &output : node.outputs)
      own.insert(output);
    read.insert(node.inputs.begin(), node.inputs.end());
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph)
        collectCaptured(*attribute.graph, read);
  }
  for (const ValueInfo &output : graph.outputs)
    read.insert(output.name);
  for (StringRef name : read)
    if (!own.contains(name))
      names.insert(name);
}

/// The names that `node` reads, those that its graphs take from around them
/// included.
static llvm::SetVector<StringRef> getReads(const Node &node) {
  llvm::SetVector<StringRef> names;
  names.insert(node.inputs.begin(), node.inputs.end());
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.graph)
      collectCaptured(*attribute.graph, names);
  return names;
}

namespace {

/// What a node waits for.
struct Read {
  StringRef name;
  size_t producer;
};

} // namespace

NodeOrder mlir::relay::onnx::sortNodes(ArrayRef<Node> nodes) {
  llvm::StringMap<size_t> producers;
  for (auto [number, node] : llvm::enumerate(nodes))
    for (const std::string &output : node.outputs)
      if (!output.empty())
        producers.try_emplace(output, number);

  std::vector<llvm::SmallVector<Read, 2>> reads(nodes.size());
  bool isSorted = true;
  for (auto [number, node] : llvm::enumerate(nodes))
    for (StringRef name : getReads(node)) {
      auto it = producers.find(name);
      if (it == producers.end())
        continue;
      isSorted &= it->second < number;
      reads[number].push_back({name, it->second});
    }

  NodeOrder order;
  order.nodes.reserve(nodes.size());
  if (isSorted) {
    for (const Node &node : nodes)
      order.nodes.push_back(&node);
    return order;
  }
  // How many nodes each one still waits for, and who waits for it.
  std::vector<size_t> numMissing(nodes.size());
  std::vector<llvm::SmallVector<size_t, 2>> users(nodes.size());
  // Of those that can be next, the first in the file.
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (auto [number, waits] : llvm::enumerate(reads)) {
    for (const Read &read : waits)
      users[read.producer].push_back(number);
    numMissing[number] = waits.size();
    if (waits.empty())
      ready.push(number);
  }
  for (; !ready.empty();) {
    size_t number = ready.top();
    ready.pop();
    order.nodes.push_back(&nodes[number]);
    for (size_t user : users[number])
      if (--numMissing[user] == 0)
        ready.push(user);
  }

  // Each node that is left waits for another that is left. Who follows them
  // meets one again, which lies on a cycle.
  auto left =
      llvm::find_if(numMissing, [](size_t count) { return count != 0; });
  if (left == numMissing.end())
    return order;
  std::vector<bool> isVisited(nodes.size());
  for (size_t number = left - numMissing.begin();;) {
    const Read &next = *llvm::find_if(reads[number], [&](const Read &read) {
      return numMissing[read.producer] != 0;
    });
    order.cyclic = &nodes[number];
    order.cycleInput = next.name;
    if (isVisited[number])
      return order;
    isVisited[number] = true;
    number = next.producer;
  }
}
