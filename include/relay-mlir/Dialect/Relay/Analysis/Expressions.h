//===- Expressions.h - Operations as expressions of Relay -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operations are as expressions: the variable that one is bound to, the
// tuple that several are the fields of, and the region in which one is
// evaluated.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_EXPRESSIONS_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_EXPRESSIONS_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::relay {

/// The variable to which a value is bound where it is computed, perhaps with a
/// declared type; null if there is none.
LetOp getBinding(Value value);

/// The tuple of which values are all fields, in order; null if there is none.
Value getWholeTuple(ValueRange fields);

/// The regions in which the operations of a function are evaluated as
/// expressions, which may be outside of those that they are written in, or
/// inside.
class RegionScopes {
public:
  /// Visits operations from the last to the first, those in regions before the
  /// ones before them, so that users come before what they use. `place` returns
  /// the region in which an operation is evaluated, which its own regions are
  /// in; null leaves these out.
  void visit(Region &outermost, function_ref<Region *(Operation *)> place);

  /// The innermost region that both are in, or are.
  Region *getCommon(Region *a, Region *b) const;

private:
  struct Scope {
    Region *parent;
    unsigned depth;
  };

  DenseMap<Region *, Scope> scopes;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_EXPRESSIONS_H
