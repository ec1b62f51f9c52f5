//===- ParallelBranches.h - Operators on the same data ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes share that combine parallel branches: an operator and those
// that follow it.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PARALLELBRANCHES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PARALLELBRANCHES_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {

/// An operator and those that follow it.
using Branch = SmallVector<Operation *, 4>;

/// The operator, and elementwise ones after it up to the first whose result
/// several read.
Branch getBranch(Operation *root);

/// Whether the value can be computed before `first`.
bool isAvailable(Value value, Operation *first);

/// Moves a constant that comes after `first` before it.
void makeAvailable(Value value, Operation *first);

/// Whether the followers of all branches at `level` are the same operator, with
/// what the branches compute at the same place among its operands.
bool areAlike(ArrayRef<Branch> branches, unsigned level);

/// Removes the first operators of each branch, which nothing uses any more.
void eraseLevels(ArrayRef<Branch> branches, unsigned numLevels);

/// The location of all branches.
Location getBranchesLoc(ArrayRef<Operation *> roots);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PARALLELBRANCHES_H
