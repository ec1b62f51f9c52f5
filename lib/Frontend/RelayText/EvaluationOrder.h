//===- EvaluationOrder.h - What needs a let ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. A block evaluates its operations one after the other.
// An expression is evaluated from its leaves, a node that is used several times
// when it is first needed, in the innermost scope around its uses. Where the
// two orders would run effects differently, lets keep that of the block.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_EVALUATIONORDER_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_EVALUATIONORDER_H

#include "relay-mlir/Dialect/Relay/Analysis/Expressions.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::relay::ast {

class EvaluationOrder {
public:
  explicit EvaluationOrder(Operation *function);

  /// Whether the result of `op`, which is no let itself, must be bound by one.
  bool needsLet(Operation *op) const { return bound.contains(op); }

private:
  void findEffects();
  void findPlaces();
  void placeOperation(Operation *op);
  void use(Value value, Region *region);
  bool hasEffectsAt(Operation *op) const { return effects.contains(op); }
  /// Finds blocks whose effects an expression would reorder, and binds those.
  /// Returns whether there were any.
  bool bindReordered();
  void bindEffects(Block &block);

  Operation *function;
  /// Operations that do more than to make a value, or whose regions do.
  DenseSet<Operation *> effects;
  DenseSet<Operation *> bound;
  /// The region in which an operation is evaluated as an expression; none for
  /// those that are not used.
  DenseMap<Operation *, Region *> places;
  RegionScopes scopes;
};

/// The operands of an operation in the order in which Relay evaluates them.
SmallVector<Value> getOperandsInOrder(Operation *op);

} // namespace mlir::relay::ast

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_EVALUATIONORDER_H
