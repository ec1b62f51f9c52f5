//===- MatchCoverage.h - Values that no case matches ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_MATCHCOVERAGE_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_MATCHCOVERAGE_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {

/// Returns patterns, without variables, for the values that no case of `match`
/// covers. Looks at the patterns only, so that it can be asked before types are
/// inferred. Stops after `limit` patterns. Nothing if it would take too long.
std::optional<SmallVector<Attribute>>
unmatchedCases(MatchOp match, SymbolTableCollection &symbols,
               unsigned limit = 16);

/// Prints a pattern as Relay spells it: `Cons(_, Nil)`, `(%x, _)`.
void printPattern(raw_ostream &os, Attribute pattern);

/// Reports a match that is not partial and does not cover all values.
LogicalResult verifyCoverage(MatchOp match, SymbolTableCollection &symbols);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_MATCHCOVERAGE_H
