//===- SizeComputations.h - What computes sizes -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_SIZECOMPUTATIONS_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_SIZECOMPUTATIONS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace mlir::relay {

/// The operations that compute `value`, a small tensor, from constants and from
/// the sizes of tensors alone: producers before users, `value`'s own last. None
/// if an element of another tensor has a part in it, or floats that are no
/// fractions of sizes with constant denominators.
std::optional<SmallVector<Operation *>> getSizeComputation(Value value);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_SIZECOMPUTATIONS_H
