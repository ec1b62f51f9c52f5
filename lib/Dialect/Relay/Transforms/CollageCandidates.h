//===- CollageCandidates.h - What code generators could take ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_COLLAGECANDIDATES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_COLLAGECANDIDATES_H

#include "relay-mlir/Dialect/Relay/IR/Offload.h"
#include "relay-mlir/Dialect/Relay/Transforms/CollagePartition.h"

namespace mlir::relay::detail {

/// The operations of a block but constants and closures, as numbers. Operands
/// have lower numbers than results, and what only one branch needs is in a row,
/// as expressions are visited.
class CollageGraph {
public:
  explicit CollageGraph(Block &block);

  struct Node {
    Operation *op;
    /// In ascending order, each once.
    SmallVector<unsigned, 2> producers, users;
    /// Whether something else uses a result: the end of the block, or nothing.
    bool escapes = false;
    /// What only passes values on, and belongs to whoever needs it: tuples.
    bool isNeutral = false;
    /// Whether it is an operator, or a pattern of some.
    bool isOperator = false;
  };
  ArrayRef<Node> getNodes() const { return nodes; }
  std::optional<unsigned> lookup(Operation *op) const;

private:
  void visit(Operation *root);

  Block &block;
  std::vector<Node> nodes;
  DenseMap<Operation *, unsigned> numbers;
  DenseSet<Operation *> visited;
};

/// Nodes in ascending order.
using CollageNodes = SmallVector<unsigned, 4>;

/// What a target could compute at once: only the result of its last node is
/// used elsewhere, so that parts never need one another.
struct CollageCandidate {
  /// An index of the options' targets, or nothing for ours.
  std::optional<unsigned> target;
  CollageNodes nodes;
  /// The patterns that some of the nodes are taken as.
  SmallVector<const CompositeMatch *, 1> patterns;
  /// What is computed neither by a kernel nor by a code generator costs
  /// nothing.
  bool isFree = false;
};

/// What each target takes of a function.
class CollageOffers {
public:
  /// Asks for all patterns and operators.
  static FailureOr<CollageOffers> create(func::FuncOp function,
                                         const CollageOptions &options,
                                         const OffloadQueries &queries);

  /// The candidates of a block, ours first.
  std::vector<CollageCandidate> getCandidates(const CollageGraph &graph) const;

private:
  explicit CollageOffers(const CollageOptions &options) : options(options) {}

  const CollageOptions &options;
  /// By targets.
  std::vector<std::vector<CompositeMatch>> matches;
  std::vector<DenseSet<Operation *>> operators;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_COLLAGECANDIDATES_H
