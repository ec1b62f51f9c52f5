//===- FusionGroups.cpp - Which operators share a kernel ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operator looks at its immediate post-dominator, the first operation
// that all its uses lead to. It may join that one's group if what lies between
// them may be fused as well; then all of it joins.
//
// The rules are those of Relay's FuseOps. Fusion goes in phases, since tuples
// and injective operators must wait until the convolution-like ones have chosen
// their elementwise consumers.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/FusionGroups.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Index of a node, or none.
constexpr int kNone = -1;

struct Edge {
  int consumer;
  OpPatternKind pattern;
};

/// An operator in the graph of a block.
struct Node {
  Operation *op;
  OpPatternKind pattern;
  SmallVector<Edge, 2> consumers;
  /// Used by something that is no node, so that its value must exist.
  bool escapes = false;
};

/// Node of the post-dominator tree.
struct DomNode {
  int parent = kNone;
  int depth = 0;
  /// The strongest pattern on any path to the parent.
  OpPatternKind pattern = OpPatternKind::Opaque;
};

/// Node of the union-find forest of groups.
struct Group {
  int parent;
  /// That of the group as a whole, if this is its root.
  OpPatternKind pattern;
  int64_t size = 1;
};

class Partitioner {
public:
  Partitioner(Block &block, int64_t maxDepth);
  void run();
  FusionGroups getGroups();

private:
  void buildGraph(Block &block);
  void buildDominatorTree();
  int findCommonAncestor(int a, int b, OpPatternKind &pattern) const;
  int findRoot(int node);
  void runPhase(int phase);
  bool mayFuse(int node, int phase);
  bool checkPaths(int from, int sink,
                  function_ref<bool(OpPatternKind, bool)> accept);
  int64_t countWith(int from, int sink);
  void fuse(int from, int sink);

  /// Visits the nodes on paths from the consumers of `from` to `sink`, each
  /// once, until `visit` returns false.
  bool visitPaths(int from, int sink, function_ref<bool(int)> visit);

  int64_t maxDepth;
  std::vector<Node> nodes;
  std::vector<DomNode> dominators;
  std::vector<Group> groups;
  /// The number of the visit that last saw a node.
  std::vector<unsigned> visited;
  unsigned visitNumber = 0;
};

} // namespace

static OpPatternKind combine(OpPatternKind a, OpPatternKind b) {
  return std::max(a, b);
}

Partitioner::Partitioner(Block &block, int64_t maxDepth) : maxDepth(maxDepth) {
  buildGraph(block);
  buildDominatorTree();
  visited.assign(nodes.size(), 0);
  for (auto [i, node] : llvm::enumerate(nodes))
    groups.push_back({static_cast<int>(i), node.pattern});
}

void Partitioner::buildGraph(Block &block) {
  llvm::DenseMap<Operation *, int> numbers;
  for (Operation &op : block)
    if (auto fusible = dyn_cast<FusionPatternOpInterface>(op)) {
      numbers[&op] = nodes.size();
      nodes.push_back({&op, fusible.getFusionPattern(), {}});
    }
  for (Node &node : nodes)
    for (OpOperand &use : node.op->getUses()) {
      Operation *user = use.getOwner();
      auto it = numbers.find(user);
      if (it == numbers.end()) {
        node.escapes = true;
        continue;
      }
      OpPatternKind pattern = nodes[it->second].pattern;
      // A broadcast operator is elementwise in operands of its result's shape.
      if (pattern == OpPatternKind::Broadcast) {
        auto from = dyn_cast<RankedTensorType>(use.get().getType());
        auto to = dyn_cast<RankedTensorType>(user->getResult(0).getType());
        if (from && to && from.getShape() == to.getShape())
          pattern = OpPatternKind::ElemWise;
      }
      node.consumers.push_back({it->second, pattern});
    }
}

/// Climbs from both nodes to the first common one and adds up the patterns on
/// the way.
int Partitioner::findCommonAncestor(int a, int b,
                                    OpPatternKind &pattern) const {
  while (a != b) {
    if (a == kNone || b == kNone)
      return kNone;
    int depthA = dominators[a].depth, depthB = dominators[b].depth;
    if (depthA >= depthB) {
      pattern = combine(pattern, dominators[a].pattern);
      a = dominators[a].parent;
    }
    if (depthB >= depthA) {
      pattern = combine(pattern, dominators[b].pattern);
      b = dominators[b].parent;
    }
  }
  return a;
}

void Partitioner::buildDominatorTree() {
  dominators.resize(nodes.size());
  // Consumers come after their producers in the block.
  for (int i = static_cast<int>(nodes.size()) - 1; i >= 0; --i) {
    DomNode &dominator = dominators[i];
    const Node &node = nodes[i];
    dominator.depth = 1;
    if (node.escapes || node.consumers.empty())
      continue;
    int parent = node.consumers.front().consumer;
    OpPatternKind pattern = node.consumers.front().pattern;
    for (Edge edge : ArrayRef(node.consumers).drop_front()) {
      parent = findCommonAncestor(parent, edge.consumer, pattern);
      pattern = combine(pattern, edge.pattern);
    }
    dominator.parent = parent;
    dominator.pattern = pattern;
    if (parent != kNone)
      dominator.depth = dominators[parent].depth + 1;
  }
}

int Partitioner::findRoot(int node) {
  int root = node;
  while (groups[root].parent != root)
    root = groups[root].parent;
  while (groups[node].parent != root)
    node = std::exchange(groups[node].parent, root);
  return root;
}

bool Partitioner::visitPaths(int from, int sink,
                             function_ref<bool(int)> visit) {
  ++visitNumber;
  SmallVector<int> worklist = {from};
  while (!worklist.empty()) {
    int node = worklist.pop_back_val();
    for (Edge edge : nodes[node].consumers) {
      if (std::exchange(visited[edge.consumer], visitNumber) == visitNumber)
        continue;
      if (!visit(edge.consumer))
        return false;
      if (edge.consumer != sink)
        worklist.push_back(edge.consumer);
    }
  }
  return true;
}

bool Partitioner::checkPaths(int from, int sink,
                             function_ref<bool(OpPatternKind, bool)> accept) {
  return visitPaths(from, sink, [&](int node) {
    return accept(groups[findRoot(node)].pattern, node == sink);
  });
}

int64_t Partitioner::countWith(int from, int sink) {
  llvm::SmallDenseSet<int> roots = {findRoot(from), findRoot(sink)};
  visitPaths(from, sink, [&](int node) {
    roots.insert(findRoot(node));
    return true;
  });
  int64_t count = 0;
  for (int root : roots)
    count += groups[root].size;
  return count;
}

void Partitioner::fuse(int from, int sink) {
  SmallVector<int> members = {from};
  visitPaths(from, sink, [&](int node) {
    members.push_back(node);
    return true;
  });
  for (int node : members) {
    int child = findRoot(node), root = findRoot(sink);
    if (child == root)
      continue;
    groups[root].size += groups[child].size;
    groups[root].pattern = combine(groups[root].pattern, groups[child].pattern);
    groups[child].parent = root;
  }
}

/// Decides whether `node` joins its post-dominator, whose group it is not in.
bool Partitioner::mayFuse(int node, int phase) {
  int sink = dominators[node].parent;
  OpPatternKind pattern = groups[node].pattern;
  OpPatternKind path = dominators[node].pattern;

  auto isInjective = [](OpPatternKind kind, bool) {
    return kind <= OpPatternKind::Injective;
  };
  if (phase == 2) {
    // Injective operators go into tuples that were fused into their consumer.
    return pattern <= OpPatternKind::Injective &&
           groups[sink].pattern == OpPatternKind::Tuple &&
           groups[findRoot(sink)].pattern <= OpPatternKind::Injective &&
           checkPaths(node, sink, isInjective);
  }
  if (groups[sink].pattern == OpPatternKind::Tuple)
    return false;

  switch (pattern) {
  case OpPatternKind::OutEWiseFusable:
    return phase == 0 && path == OpPatternKind::ElemWise &&
           checkPaths(node, sink, [](OpPatternKind kind, bool) {
             return kind <= OpPatternKind::Broadcast;
           });
  case OpPatternKind::ElemWise:
  case OpPatternKind::Broadcast:
    return (path <= OpPatternKind::Injective ||
            path == OpPatternKind::CommReduce) &&
           checkPaths(node, sink, [](OpPatternKind kind, bool isSink) {
             // The sink may have taken a convolution-like operator already.
             return kind <= OpPatternKind::Injective ||
                    (isSink && (kind == OpPatternKind::CommReduce ||
                                kind == OpPatternKind::OutEWiseFusable));
           });
  case OpPatternKind::Injective:
  case OpPatternKind::Tuple:
    return phase == 1 && checkPaths(node, sink, isInjective);
  case OpPatternKind::CommReduce:
  case OpPatternKind::Opaque:
    return false;
  }
  llvm_unreachable("unknown pattern");
}

void Partitioner::runPhase(int phase) {
  for (int node = 0, end = nodes.size(); node < end; ++node) {
    int sink = dominators[node].parent;
    if (sink == kNone || groups[node].pattern == OpPatternKind::Opaque ||
        findRoot(node) == findRoot(sink))
      continue;
    if (mayFuse(node, phase) && countWith(node, sink) <= maxDepth)
      fuse(node, sink);
  }
}

void Partitioner::run() {
  for (int phase : {0, 1, 2})
    runPhase(phase);
}

FusionGroups Partitioner::getGroups() {
  // Keyed by root; a later member moves nothing, so sort by the last one.
  llvm::MapVector<int, SmallVector<Operation *>> members;
  llvm::DenseMap<int, int> last;
  for (int node = 0, end = nodes.size(); node < end; ++node) {
    int root = findRoot(node);
    members[root].push_back(nodes[node].op);
    last[root] = node;
  }
  SmallVector<std::pair<int, int>> order;
  for (auto &[root, ops] : members)
    order.push_back({last[root], root});
  llvm::sort(order);
  FusionGroups result;
  for (auto [position, root] : order)
    result.groups.push_back(std::move(members[root]));
  return result;
}

FusionGroups relay::computeFusionGroups(Block &block, int64_t maxDepth,
                                        bool merge) {
  Partitioner partitioner(block, maxDepth);
  if (merge)
    partitioner.run();
  return partitioner.getGroups();
}
