//===- DataflowGroups.cpp - Matches that are replaced together ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/DataflowMatcher.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay::dataflow;

using Kind = DFPattern::Kind;
using NodeKind = Graph::Kind;

namespace {
/// Looks for groups in a graph from its root down: a smaller match below must
/// not take what a larger one needs.
class GroupFinder {
public:
  GroupFinder(const Graph &graph, const PatternPtr &pattern,
              OperatorAttributeFn operatorAttributes, bool overlapping)
      : graph(graph), matcher(graph, pattern, std::move(operatorAttributes)),
        overlapping(overlapping), taken(graph.size()), isInside(graph.size()) {}

  std::vector<Group> run();

private:
  void leaveAlone(unsigned function);
  void findInputs(Group &group);
  bool isInput(unsigned node, const DFPattern &pattern,
               const DenseSet<unsigned> &fuzzy) const;
  /// Nodes that are members though a leaf of the pattern has matched them.
  DenseSet<unsigned> findFuzzy(
      const DenseMap<const DFPattern *, SmallVector<unsigned, 1>> &nodes) const;
  /// The variable of a `let`, and what depends on that.
  DenseSet<unsigned> findBound(unsigned let) const;
  void findMembers(Group &group);
  /// Whether the members may be taken out.
  bool isSeparate(const Group &group) const;

  const Graph &graph;
  Matcher matcher;
  bool overlapping;
  /// Members of groups, and what is inside of functions that are made of some.
  llvm::BitVector taken, isInside;
};
} // namespace

/// Marks what is in a function.
void GroupFinder::leaveAlone(unsigned function) {
  SmallVector<unsigned> work = {function};
  while (!work.empty()) {
    unsigned node = work.pop_back_val();
    if (isInside.test(node))
      continue;
    isInside.set(node);
    llvm::append_range(work, graph[node].operands);
  }
}

DenseSet<unsigned> GroupFinder::findBound(unsigned let) const {
  // Operands have smaller numbers.
  unsigned var = graph[let].operands.front();
  DenseSet<unsigned> bound = {var};
  for (unsigned node = var + 1; node < let; ++node)
    if (llvm::any_of(graph[node].operands,
                     [&](unsigned operand) { return bound.contains(operand); }))
      bound.insert(node);
  return bound;
}

DenseSet<unsigned> GroupFinder::findFuzzy(
    const DenseMap<const DFPattern *, SmallVector<unsigned, 1>> &nodes) const {
  DenseSet<unsigned> fuzzy;
  for (const PatternPtr &pattern : matcher.getPatterns()) {
    if (pattern->getKind() == Kind::Dominator)
      for (unsigned part : {0, 1})
        for (unsigned node : nodes.lookup(pattern->parts[part].get()))
          fuzzy.insert(node);
    if (pattern->getKind() == Kind::Let)
      for (unsigned let : nodes.lookup(pattern.get()))
        fuzzy.insert_range(findBound(let));
    if (pattern->getKind() != Kind::Function)
      continue;
    for (unsigned function : nodes.lookup(pattern.get())) {
      SmallVector<unsigned> work = {graph[function].operands.back()};
      while (!work.empty()) {
        unsigned node = work.pop_back_val();
        if (fuzzy.insert(node).second)
          llvm::append_range(work, graph[node].operands);
      }
    }
  }
  return fuzzy;
}

bool GroupFinder::isInput(unsigned node, const DFPattern &pattern,
                          const DenseSet<unsigned> &fuzzy) const {
  NodeKind kind = graph[node].kind;
  if (kind == NodeKind::Op || kind == NodeKind::Function ||
      fuzzy.contains(node))
    return false;
  // A constant that the pattern asks for is a part of what it means.
  bool asksForConstant =
      pattern.getKind() == Kind::Constant ||
      (pattern.getKind() == Kind::Expr &&
       (*pattern.graph)[pattern.node].kind == NodeKind::Constant);
  return kind != NodeKind::Constant || !asksForConstant;
}

/// Whether a pattern says how the node is computed that it matches.
static bool isStructural(Kind kind) {
  return kind == Kind::Call || kind == Kind::Function || kind == Kind::If ||
         kind == Kind::Let || kind == Kind::Tuple || kind == Kind::TupleGetItem;
}

void GroupFinder::findInputs(Group &group) {
  DenseMap<const DFPattern *, SmallVector<unsigned, 1>> nodes;
  for (auto [pattern, node] : group.match.bindings)
    nodes[pattern].push_back(node);
  DenseSet<unsigned> fuzzy = findFuzzy(nodes);
  // What one pattern describes is a part of the group, even if a wildcard
  // matches it as well: in `tanh(x) + tanh(x)`, with one tanh.
  for (auto &[pattern, matched] : nodes)
    if (isStructural(pattern->getKind()))
      fuzzy.insert(matched.begin(), matched.end());
  llvm::SetVector<unsigned> inputs;
  for (const PatternPtr &pattern : matcher.getPatterns()) {
    auto it = nodes.find(pattern.get());
    if (it == nodes.end())
      continue;
    Kind kind = pattern->getKind();
    bool hasAny = pattern->anyParts && kind != Kind::Function;
    if (!hasAny && !pattern->parts.empty())
      continue;
    for (unsigned node : it->second) {
      if (!hasAny) {
        if (isInput(node, *pattern, fuzzy))
          inputs.insert(node);
        continue;
      }
      ArrayRef<unsigned> operands = graph[node].operands;
      for (unsigned operand :
           kind == Kind::Call ? operands.drop_front() : operands)
        if (isInput(operand, *pattern, fuzzy))
          inputs.insert(operand);
    }
  }
  // The body of a `let` goes with its variable, and uses other values.
  for (const PatternPtr &pattern : matcher.getPatterns())
    if (pattern->getKind() == Kind::Let)
      for (unsigned let : nodes.lookup(pattern.get())) {
        DenseSet<unsigned> bound = findBound(let);
        for (unsigned node = graph[let].operands.front(); node < let; ++node)
          if (bound.contains(node))
            for (unsigned operand : graph[node].operands)
              if (!bound.contains(operand) && isInput(operand, *pattern, fuzzy))
                inputs.insert(operand);
      }
  group.inputs.assign(inputs.begin(), inputs.end());
}

static std::string getMemberName(const Graph &graph, unsigned number) {
  const Graph::Node &node = graph[number];
  switch (node.kind) {
  case NodeKind::Call: {
    const Graph::Node &callee = graph[node.operands.front()];
    return callee.kind == NodeKind::Op ? (callee.name + "_").str() : "Call_";
  }
  case NodeKind::Tuple:
    return "Tuple_";
  case NodeKind::TupleGetItem:
    return "TupleGetItem" + std::to_string(node.index) + "_";
  case NodeKind::Function:
    return "Function";
  case NodeKind::Let:
    return "Let_";
  case NodeKind::If:
    return "If_";
  case NodeKind::Match:
    return "Match_";
  case NodeKind::RefCreate:
    return "RefCreate_";
  case NodeKind::RefRead:
    return "RefRead_";
  case NodeKind::RefWrite:
    return "RefWrite_";
  case NodeKind::Constant:
  case NodeKind::Var:
  case NodeKind::GlobalVar:
  case NodeKind::Op:
  case NodeKind::Constructor:
    return "";
  }
  return "";
}

void GroupFinder::findMembers(Group &group) {
  DenseSet<unsigned> visited(group.inputs.begin(), group.inputs.end());
  if (!visited.insert(group.match.root).second)
    return;
  SmallVector<std::pair<unsigned, unsigned>> stack = {{group.match.root, 0}};
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next < graph[node].operands.size()) {
      unsigned operand = graph[node].operands[next++];
      if (visited.insert(operand).second)
        stack.emplace_back(operand, 0);
      continue;
    }
    group.members.push_back(node);
    group.name += getMemberName(graph, node);
    stack.pop_back();
  }
}

bool GroupFinder::isSeparate(const Group &group) const {
  DenseSet<unsigned> members(group.members.begin(), group.members.end());
  for (unsigned member : group.members) {
    NodeKind kind = graph[member].kind;
    // They are in several places, and each may have one of its own.
    if (kind == NodeKind::Op || kind == NodeKind::Function ||
        kind == NodeKind::Constant)
      continue;
    if (taken.test(member))
      return false;
    if (member != group.match.root &&
        llvm::any_of(graph[member].users,
                     [&](unsigned user) { return !members.contains(user); }))
      return false;
  }
  return true;
}

std::vector<Group> GroupFinder::run() {
  std::vector<Group> groups;
  unsigned count = 0;
  for (unsigned node = graph.size(); node-- > 0;) {
    if (taken.test(node))
      continue;
    if (graph[node].kind == NodeKind::Function && !isInside.test(node) &&
        graph.getAttribute(node, kPartitionedAttr))
      leaveAlone(node);
    if (isInside.test(node))
      continue;
    std::optional<Match> match = matcher.match(node);
    if (!match)
      continue;
    Group group = {count++, std::move(*match), {}, {}, {}};
    findInputs(group);
    findMembers(group);
    if (!isSeparate(group))
      continue;
    if (!overlapping) {
      for (unsigned member : group.members)
        taken.set(member);
      taken.set(node);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<Group>
mlir::relay::dataflow::findGroups(const Graph &graph, const PatternPtr &pattern,
                                  OperatorAttributeFn operatorAttributes,
                                  bool overlapping) {
  return GroupFinder(graph, pattern, std::move(operatorAttributes), overlapping)
      .run();
}
