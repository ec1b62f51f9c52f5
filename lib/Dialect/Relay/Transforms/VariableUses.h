//===- VariableUses.h - Where variables are used last -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_VARIABLEUSES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_VARIABLEUSES_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::relay {

/// Whether a value is a variable of a program: what `let` binds, a parameter,
/// or what a case of a match takes apart.
bool isVariable(Value value);

/// What a value is bound to by `let`, or else itself.
inline Value getBound(Value value) {
  while (auto let = value.getDefiningOp<LetOp>())
    value = let.getValue();
  return value;
}

/// Where the variables of a function, or a closure, are used last. What is
/// inside of a closure that it makes is used where that is made.
class VariableUses {
public:
  /// With `throughTuples`, a tuple is what it consists of: whoever uses it,
  /// uses that.
  VariableUses(Operation *function, bool throughTuples);

  /// The operation of a block that uses a variable last, or has a branch that
  /// does; null if none does.
  Operation *getLast(Value variable, Block *block) const {
    return last.lookup({variable, block});
  }
  /// The variables of the function, in the order of the program.
  ArrayRef<Value> getVariables() const { return variables; }
  /// The variables that a value consists of: itself, unless it is a tuple.
  ArrayRef<Value> getParts(Value variable) const;

private:
  void addBlock(Block &block);
  void addUse(Value value, Operation *user);
  void addVariable(Value value);

  Operation *function;
  bool throughTuples;
  SmallVector<Value> variables;
  DenseMap<std::pair<Value, Block *>, Operation *> last;
  /// Of values that are made of variables.
  DenseMap<Value, SmallVector<Value, 1>> parts;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_VARIABLEUSES_H
