//===- FusionGroups.cpp - Which operators fuse ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups grow along post-dominators: if every path from an operator leads
// through another one, merging both with all that lies between leaves a group
// with one exit. Three rounds widen what may merge: first the epilogues of
// heavy operators, then injective operators, last what feeds a tuple that was
// itself merged into an injective operator.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/FusionGroups.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Fusion patterns are ordered: what consists of two parts fuses as the one
/// that fuses with less.
OpPatternKind combine(OpPatternKind a, OpPatternKind b) {
  return std::max(a, b);
}

struct Edge {
  unsigned user;
  OpPatternKind pattern;
};

struct Node {
  Operation *op;

  /// Operators that use the results; complete unless `escapes`.
  SmallVector<Edge, 2> users;
  bool escapes = false;

  /// The immediate post-dominator, if there is one, and the pattern of all
  /// paths to it.
  std::optional<unsigned> dominator;
  unsigned dominatorDepth = 1;
  OpPatternKind pathPattern = OpPatternKind::Opaque;

  /// The group, a union-find set. Size, pattern and anchor are those of the
  /// group only at its root; elsewhere they are as when the node was merged.
  unsigned parent;
  unsigned groupSize = 1;
  OpPatternKind groupPattern;
  bool hasAnchor;

  /// The last search that came here, and the last that counted the group.
  unsigned visited = 0, counted = 0;
};

class FusionGraph {
public:
  FusionGraph(Block &block, unsigned maxDepth);

  SmallVector<FusionGroup> computeGroups();

private:
  enum class Phase { Epilogues, Injective, Tuples };

  void addUsers(unsigned index, const DenseMap<Operation *, unsigned> &indices);
  void computeDominator(unsigned index);
  std::optional<unsigned> findCommonDominator(std::optional<unsigned> a,
                                              std::optional<unsigned> b,
                                              OpPatternKind &pattern);
  unsigned findRoot(unsigned index);
  OpPatternKind getGroupPattern(unsigned index) {
    return nodes[findRoot(index)].groupPattern;
  }

  /// Calls `visit` for each node on the paths from `source`, which is left out,
  /// to `sink`, until it returns false. Returns whether it never did.
  bool walkPaths(unsigned source, unsigned sink,
                 function_ref<bool(unsigned)> visit);
  bool fits(unsigned source, unsigned sink);
  bool mergeIf(unsigned source, unsigned sink,
               function_ref<bool(OpPatternKind, bool isSink)> allowed);
  void merge(unsigned from, unsigned into);
  void fuse(unsigned index, Phase phase);

  SmallVector<Node, 0> nodes;
  SmallVector<unsigned> worklist;
  unsigned maxDepth;
  unsigned search = 0;
};

} // namespace

/// How an operator reads operand `value`.
static OpPatternKind getEdgePattern(FusionPatternOpInterface user,
                                    Value value) {
  OpPatternKind pattern = user.getFusionPattern();
  // Making a tuple moves elements at most.
  if (pattern == OpPatternKind::Tuple)
    return OpPatternKind::Injective;
  if (pattern != OpPatternKind::Broadcast)
    return pattern;
  auto from = dyn_cast<ShapedType>(value.getType());
  auto to = dyn_cast<ShapedType>(user->getResult(0).getType());
  return from && to && from.getShape() == to.getShape()
             ? OpPatternKind::ElemWise
             : OpPatternKind::Broadcast;
}

/// Kernels do not handle tuples within tuples.
static bool isNestedTuple(Type type) {
  auto tuple = dyn_cast<TupleType>(type);
  return tuple && llvm::any_of(tuple.getTypes(), llvm::IsaPred<TupleType>);
}

static OpPatternKind getPattern(FusionPatternOpInterface op) {
  if (llvm::any_of(op->getOperandTypes(), isNestedTuple) ||
      llvm::any_of(op->getResultTypes(), isNestedTuple))
    return OpPatternKind::Opaque;
  return op.getFusionPattern();
}

FusionGraph::FusionGraph(Block &block, unsigned maxDepth) : maxDepth(maxDepth) {
  DenseMap<Operation *, unsigned> indices;
  for (Operation &op : block) {
    auto fusable = dyn_cast<FusionPatternOpInterface>(op);
    if (!fusable)
      continue;
    unsigned index = nodes.size();
    indices[&op] = index;
    Node &node = nodes.emplace_back();
    node.op = &op;
    node.parent = index;
    node.groupPattern = getPattern(fusable);
    node.hasAnchor = node.groupPattern == OpPatternKind::OutEWiseFusable;
  }
  for (unsigned index = 0, e = nodes.size(); index != e; ++index)
    addUsers(index, indices);
  for (unsigned index = nodes.size(); index-- > 0;)
    computeDominator(index);
}

void FusionGraph::addUsers(unsigned index,
                           const DenseMap<Operation *, unsigned> &indices) {
  Node &node = nodes[index];
  for (OpOperand &use : node.op->getUses()) {
    auto user = indices.find(use.getOwner());
    if (user == indices.end())
      node.escapes = true;
    else
      node.users.push_back(
          {user->second,
           getEdgePattern(cast<FusionPatternOpInterface>(use.getOwner()),
                          use.get())});
  }
}

//===----------------------------------------------------------------------===//
// Post-dominators
//===----------------------------------------------------------------------===//

void FusionGraph::computeDominator(unsigned index) {
  Node &node = nodes[index];
  if (node.escapes || node.users.empty())
    return;
  OpPatternKind pattern = OpPatternKind::ElemWise;
  std::optional<unsigned> dominator = node.users.front().user;
  for (Edge edge : node.users) {
    dominator = findCommonDominator(dominator, edge.user, pattern);
    pattern = combine(pattern, edge.pattern);
  }
  if (!dominator)
    return;
  node.dominator = dominator;
  node.dominatorDepth = nodes[*dominator].dominatorDepth + 1;
  node.pathPattern = pattern;
}

std::optional<unsigned>
FusionGraph::findCommonDominator(std::optional<unsigned> a,
                                 std::optional<unsigned> b,
                                 OpPatternKind &pattern) {
  auto ascend = [&](std::optional<unsigned> &position) {
    Node &node = nodes[*position];
    pattern = combine(pattern, node.pathPattern);
    position = node.dominator;
  };
  while (a != b) {
    if (!a || !b)
      return std::nullopt;
    unsigned depthA = nodes[*a].dominatorDepth;
    unsigned depthB = nodes[*b].dominatorDepth;
    if (depthA >= depthB)
      ascend(a);
    if (depthB >= depthA)
      ascend(b);
  }
  return a;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

unsigned FusionGraph::findRoot(unsigned index) {
  while (nodes[index].parent != index) {
    nodes[index].parent = nodes[nodes[index].parent].parent;
    index = nodes[index].parent;
  }
  return index;
}

bool FusionGraph::walkPaths(unsigned source, unsigned sink,
                            function_ref<bool(unsigned)> visit) {
  ++search;
  worklist.assign(1, source);
  while (!worklist.empty()) {
    unsigned index = worklist.pop_back_val();
    for (Edge edge : nodes[index].users) {
      Node &user = nodes[edge.user];
      if (user.visited == search)
        continue;
      user.visited = search;
      if (!visit(edge.user))
        return false;
      if (edge.user != sink)
        worklist.push_back(edge.user);
    }
  }
  return true;
}

/// Whether merging `source` with `sink` keeps the group within the limit. Also
/// bounds the searches that follow, so that all take linear time together.
bool FusionGraph::fits(unsigned source, unsigned sink) {
  unsigned size = nodes[findRoot(source)].groupSize;
  unsigned sourceRoot = findRoot(source);
  return size <= maxDepth && walkPaths(source, sink, [&](unsigned index) {
           Node &root = nodes[findRoot(index)];
           if (root.counted != search && findRoot(index) != sourceRoot) {
             root.counted = search;
             size += root.groupSize;
           }
           return size <= maxDepth;
         });
}

void FusionGraph::merge(unsigned from, unsigned into) {
  from = findRoot(from);
  into = findRoot(into);
  if (from == into)
    return;
  Node &child = nodes[from], &root = nodes[into];
  child.parent = into;
  root.groupSize += child.groupSize;
  if (!child.hasAnchor)
    return;
  assert(!root.hasAnchor && "a group has one heavy operator at most");
  root.hasAnchor = true;
  root.groupPattern = combine(root.groupPattern, child.groupPattern);
}

bool FusionGraph::mergeIf(
    unsigned source, unsigned sink,
    function_ref<bool(OpPatternKind, bool isSink)> allowed) {
  if (!fits(source, sink) || !walkPaths(source, sink, [&](unsigned index) {
        return allowed(getGroupPattern(index), index == sink);
      }))
    return false;
  merge(source, sink);
  walkPaths(source, sink, [&](unsigned index) {
    merge(index, sink);
    return true;
  });
  return true;
}

void FusionGraph::fuse(unsigned index, Phase phase) {
  const Node &node = nodes[index];
  if (node.groupPattern == OpPatternKind::Opaque || !node.dominator)
    return;
  unsigned sink = *node.dominator;
  OpPatternKind sinkPattern = nodes[sink].groupPattern;
  auto upToInjective = [](OpPatternKind kind, bool) {
    return kind <= OpPatternKind::Injective;
  };

  if (phase == Phase::Tuples) {
    // A tuple that was not merged itself is a result: its fields are results of
    // kernels of their own.
    if (node.groupPattern <= OpPatternKind::Injective &&
        sinkPattern == OpPatternKind::Tuple &&
        getGroupPattern(sink) <= OpPatternKind::Injective)
      mergeIf(index, sink, upToInjective);
    return;
  }
  if (findRoot(index) == findRoot(sink) || sinkPattern == OpPatternKind::Tuple)
    return;

  switch (node.groupPattern) {
  case OpPatternKind::OutEWiseFusable:
    // Its result is read in the order in which it is computed.
    if (phase == Phase::Epilogues &&
        node.pathPattern == OpPatternKind::ElemWise)
      mergeIf(index, sink, [](OpPatternKind kind, bool) {
        return kind <= OpPatternKind::Broadcast;
      });
    return;
  case OpPatternKind::ElemWise:
  case OpPatternKind::Broadcast:
    if (node.pathPattern <= OpPatternKind::Injective ||
        node.pathPattern == OpPatternKind::CommReduce)
      mergeIf(index, sink, [](OpPatternKind kind, bool isSink) {
        return kind <= OpPatternKind::Injective ||
               (isSink && (kind == OpPatternKind::CommReduce ||
                           kind == OpPatternKind::OutEWiseFusable));
      });
    return;
  case OpPatternKind::Injective:
  case OpPatternKind::Tuple:
    // Later, so that it does not keep an elementwise operator from a heavy one.
    if (phase == Phase::Injective)
      mergeIf(index, sink, upToInjective);
    return;
  case OpPatternKind::CommReduce:
  case OpPatternKind::Opaque:
    return;
  }
}

SmallVector<FusionGroup> FusionGraph::computeGroups() {
  for (Phase phase : {Phase::Epilogues, Phase::Injective, Phase::Tuples})
    for (unsigned index = 0, e = nodes.size(); index != e; ++index)
      fuse(index, phase);

  SmallVector<FusionGroup> groups;
  SmallVector<unsigned> groupOfRoot(nodes.size());
  // Backwards, because the last operation of a group decides its place.
  for (unsigned index = nodes.size(); index-- > 0;) {
    unsigned &group = groupOfRoot[findRoot(index)];
    if (group == 0) {
      groups.emplace_back();
      group = groups.size();
    }
    groups[group - 1].push_back(nodes[index].op);
  }
  for (FusionGroup &group : groups)
    std::reverse(group.begin(), group.end());
  std::reverse(groups.begin(), groups.end());
  return groups;
}

SmallVector<FusionGroup> relay::computeFusionGroups(Block &block,
                                                    unsigned maxDepth) {
  return FusionGraph(block, maxDepth).computeGroups();
}
