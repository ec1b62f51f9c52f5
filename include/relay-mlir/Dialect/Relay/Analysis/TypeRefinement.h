//===- TypeRefinement.h - More and less precise types -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_TYPEREFINEMENT_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_TYPEREFINEMENT_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeRange.h"

namespace mlir::relay {

/// Returns `type` with the sizes that only `known` knows. Where the two
/// contradict each other, `type` is right.
Type refineType(Type type, Type known);

/// Returns the type of which both are cases: sizes that differ are dynamic.
/// Null if there is none, because element types or ranks differ.
Type joinTypes(Type a, Type b);

/// Whether `to` says less than `from`, or something else: a size that was known
/// has changed.
bool losesKnowledge(Type from, Type to);

/// Infers the result types of `op` from its operands. Returns the types that it
/// has if it cannot infer any; fails with a diagnostic.
FailureOr<SmallVector<Type>> inferResultTypes(Operation *op);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_TYPEREFINEMENT_H
