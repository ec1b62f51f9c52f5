//===- MatchCasts.h - Stated sizes as checks --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAX_TRANSFORMS_MATCHCASTS_H
#define RELAY_MLIR_LIB_DIALECT_RELAX_TRANSFORMS_MATCHCASTS_H

#include "relay-mlir/Dialect/Relax/IR/Relax.h"

namespace mlir::relax {

/// Replaces the symbols that casts of a function bind by what they are, and the
/// casts by checks of what they state. There are no dataflow blocks anymore.
LogicalResult resolveMatchCasts(FuncOp func);

} // namespace mlir::relax

#endif // RELAY_MLIR_LIB_DIALECT_RELAX_TRANSFORMS_MATCHCASTS_H
