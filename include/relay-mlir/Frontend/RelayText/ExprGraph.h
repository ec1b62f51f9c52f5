//===- ExprGraph.h - Patterns of expressions --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions as a graph that patterns are matched against, and how matches
// are replaced in them.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_FRONTEND_RELAYTEXT_EXPRGRAPH_H
#define RELAY_MLIR_FRONTEND_RELAYTEXT_EXPRGRAPH_H

#include "relay-mlir/Dialect/Relay/Analysis/DataflowMatcher.h"
#include "relay-mlir/Frontend/RelayText/AST.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace mlir::relay::ast {

/// Returns the type of an expression that no inference has been run on, or
/// null.
using ExprTypeFn = std::function<Type(const ExprPtr &expr)>;

/// Calls `fn` once for every node below and at `root`, in the order in which
/// the graph has them: parts first, variables where they are bound.
void visitBindersAndUses(const ExprPtr &root,
                         function_ref<void(const ExprPtr &)> fn);

class ExprGraph : public dataflow::Graph {
public:
  ExprGraph(const ExprPtr &root, MLIRContext *context,
            ExprTypeFn inferType = nullptr);

  const ExprPtr &getExpr(unsigned node) const { return exprs[node]; }

  Type getType(unsigned node) const override;
  SmallVector<NamedAttribute> getAttributes(unsigned node) const override;

private:
  void addExpr(const ExprPtr &expr);
  unsigned lookup(const ExprPtr &expr) const;

  std::vector<ExprPtr> exprs;
  DenseMap<const Expr *, unsigned> numbers;
  /// Operators, and functions and constructors of the module: by name.
  llvm::StringMap<unsigned> named;
  ExprTypeFn inferType;
};

/// Returns `expr` with other operands, which are those of its node in an
/// ExprGraph: the same node if they are the same as before. A variable that is
/// bound stays what it is.
ExprPtr withOperands(const ExprPtr &expr, ArrayRef<ExprPtr> operands);

/// Makes an expression anew from the leaves up. `fn` is called for each node
/// with its number and what it has become, its operands replaced; it returns
/// what is to stand for the node, or null to stop. `results` is by node.
/// Returns null if `fn` did.
ExprPtr
replaceExprs(const ExprGraph &graph, std::vector<ExprPtr> &results,
             function_ref<ExprPtr(unsigned node, const ExprPtr &expr)> fn);

/// The function that stands for a group: of its inputs, named
/// FunctionVar_<group>_<index>, with the attribute PartitionedFromPattern and
/// `attrs`.
std::shared_ptr<Function> makeGroupFunction(const ExprGraph &graph,
                                            const dataflow::Group &group,
                                            ArrayRef<NamedAttribute> attrs);

/// Replaces each group that `check` accepts by a call of a function. Returns
/// null if `check` returns nothing.
ExprPtr
partitionExpr(const ExprGraph &graph, ArrayRef<dataflow::Group> groups,
              ArrayRef<NamedAttribute> attrs,
              function_ref<std::optional<bool>(const ExprPtr &root)> check);

} // namespace mlir::relay::ast

#endif // RELAY_MLIR_FRONTEND_RELAYTEXT_EXPRGRAPH_H
