//===- DataflowMatcher.h - Finds patterns in programs -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_DATAFLOWMATCHER_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_DATAFLOWMATCHER_H

#include "relay-mlir/Dialect/Relay/Analysis/DataflowPattern.h"

#include <functional>
#include <memory>
#include <optional>

namespace mlir::relay::dataflow {

/// Returns what an operator has for an attribute that is not one of its calls,
/// such as its TOpPattern; null if it has none.
using OperatorAttributeFn =
    std::function<Attribute(StringRef op, StringRef name)>;

/// What the dialect knows: TOpPattern, how fusion sees the operator.
OperatorAttributeFn getOperatorAttributes(MLIRContext *context);

/// What a pattern has matched.
struct Match {
  unsigned root;
  /// Each pattern with a node, in the order in which they were matched. Only
  /// patterns of the path of a dominator have several nodes.
  std::vector<std::pair<const DFPattern *, unsigned>> bindings;
};

/// Matches one pattern against nodes of one graph. Its stack is its own, and it
/// remembers results: neither deep graphs nor nested alternatives are a
/// problem.
class Matcher {
public:
  Matcher(const Graph &graph, PatternPtr pattern,
          OperatorAttributeFn operatorAttributes);
  ~Matcher();

  std::optional<Match> match(unsigned node);

  /// The patterns below the root and itself, parts first.
  const std::vector<PatternPtr> &getPatterns() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

/// Nodes that a match takes out of a graph, to be replaced together.
struct Group {
  /// Counts the matches, those that did not become groups as well.
  unsigned number;
  Match match;
  /// What the nodes use from outside, in the order of the patterns that matched
  /// them.
  std::vector<unsigned> inputs;
  /// All nodes between inputs and root, the root last. Empty if the root is an
  /// input itself.
  std::vector<unsigned> members;
  /// What the members are: `nn.conv2d_nn.relu_`.
  std::string name;
};

/// Finds the matches of a pattern, from the root of the graph down. No node but
/// operators, constants and functions is in two of them, and no member but the
/// root is used outside of its group. What is inside of functions that were
/// made of such groups is left alone. With `overlapping`, groups may have nodes
/// in common: one of them is to be chosen.
std::vector<Group> findGroups(const Graph &graph, const PatternPtr &pattern,
                              OperatorAttributeFn operatorAttributes,
                              bool overlapping = false);

/// The attribute of functions that were made of groups: the name.
inline constexpr StringLiteral kPartitionedAttr = "PartitionedFromPattern";

} // namespace mlir::relay::dataflow

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_DATAFLOWMATCHER_H
