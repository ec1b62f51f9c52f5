//===- OperationGraph.h - Patterns of operations ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_OPERATIONGRAPH_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_OPERATIONGRAPH_H

#include "relay-mlir/Dialect/Relay/Analysis/DataflowGraph.h"

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay {

/// The values of a function as a graph that patterns are matched against. Nodes
/// are in the order of the program; the last one is the function.
///
/// Operators are calls, as in Relay; the operands of one that takes a tuple are
/// a tuple. What a `relay.let` binds is a variable, since passes run on graphs
/// without: the pattern of a `let` matches nothing.
class OperationGraph : public dataflow::Graph {
public:
  /// `function` has one region of one block.
  explicit OperationGraph(Operation *function);

  /// The value of a node; null for names, functions of the module, and tuples
  /// that are only the operands of an operator.
  Value getValue(unsigned node) const { return values[node]; }

  Type getType(unsigned node) const override;
  SmallVector<NamedAttribute> getAttributes(unsigned node) const override;

private:
  void addBlock(Block &block);
  void addOperation(Operation *op);
  unsigned addOperator(Operation *op);
  unsigned addTuple(ValueRange fields);
  unsigned addName(Kind kind, StringRef name);
  unsigned addValueNode(Node node, Value value);
  SmallVector<unsigned, 4> lookup(ValueRange values) const;

  /// By nodes.
  std::vector<Value> values;
  DenseMap<Value, unsigned> numbers;
  llvm::StringMap<unsigned> names;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_OPERATIONGRAPH_H
