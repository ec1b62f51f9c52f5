//===- DataflowGraph.h - A program as patterns see it -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns are matched against a graph of numbered nodes. It is made of
// expressions (ExprGraph.h) or of operations (OperationGraph.h), so that there
// is one matcher for both: a program in Python need not be typed, and its nodes
// have an identity, which a conversion to the dialect and back would not keep.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_DATAFLOWGRAPH_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_DATAFLOWGRAPH_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace mlir::relay::dataflow {

class Graph {
public:
  enum class Kind {
    Constant,
    Var,
    GlobalVar,
    Op,
    Constructor,
    Tuple,
    TupleGetItem,
    Call,
    Let,
    If,
    Function,
    Match,
    RefCreate,
    RefRead,
    RefWrite,
  };

  struct Node {
    Kind kind;
    /// What the node is made of:
    ///   Call      the callee, then the arguments
    ///   Let       variable, value, body
    ///   If        condition, true branch, false branch
    ///   Function  parameters, then the body
    ///   Match     the value, then for each clause its variables and its body
    /// and the fields, the tuple, or the operands of references.
    SmallVector<unsigned, 4> operands = {};
    /// Of operators, functions of the module, constructors and variables.
    StringRef name = {};
    /// Of projections; of a match, how many operands are variables.
    int64_t index = 0;
    /// Of constants.
    ElementsAttr value = {};
    /// Of variables, what the program says of their type, or null.
    Type annotation = {};
    /// The same for two nodes, of whatever graphs, that are the same thing.
    const void *identity = nullptr;
    /// The nodes that have this one among their operands, each once for each
    /// use.
    SmallVector<unsigned, 2> users = {};
  };

  explicit Graph(MLIRContext *context) : context(context) {}
  virtual ~Graph();

  MLIRContext *getContext() const { return context; }
  unsigned size() const { return nodes.size(); }
  /// The operands of a node have lower numbers, and the last node is the root.
  const Node &operator[](unsigned node) const { return nodes[node]; }

  bool isCallOf(unsigned node, StringRef op) const;

  /// The type of a node, null if it has none.
  virtual Type getType(unsigned node) const = 0;
  /// The attributes of a call or a function in the raw form, in any order,
  /// those of operators without defaults.
  virtual SmallVector<NamedAttribute> getAttributes(unsigned node) const = 0;
  /// One of them, defaults included, or null.
  Attribute getAttribute(unsigned node, StringRef name) const;

  /// Whether `node` is another node than `other`, and on all ways from that to
  /// the root.
  bool postDominates(unsigned node, unsigned other) const;
  /// The first node that all ways from `node` to the root lead through.
  std::optional<unsigned> getPostDominator(unsigned node) const;

protected:
  /// Operands are there already.
  unsigned addNode(Node node);

private:
  void computePostDominators() const;

  MLIRContext *context;
  std::vector<Node> nodes;
  /// Numbers of the nodes in a walk over the tree of immediate post-dominators:
  /// when a node is entered, and the last one below it.
  mutable std::vector<unsigned> entered, last;
  /// Immediate post-dominators; the number behind the last node stands for
  /// none.
  mutable SmallVector<unsigned> parents;
};

/// Whether two nodes are the same up to the names of bound variables. Free
/// variables are equal only to themselves.
bool areEqual(const Graph &lhs, unsigned lhsNode, const Graph &rhs,
              unsigned rhsNode);

/// Whether two attributes say the same: numbers of any width are equal by
/// value, lists element by element.
bool areEqualAttributes(Attribute lhs, Attribute rhs);

} // namespace mlir::relay::dataflow

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_DATAFLOWGRAPH_H
