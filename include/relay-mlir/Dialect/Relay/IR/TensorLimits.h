//===- TensorLimits.h - Tensors that can exist ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A type of a few characters can ask for more memory than there are addresses,
// or for a million dimensions. Whoever takes types from outside checks them
// here, so that products of sizes do not overflow afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_TENSORLIMITS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_TENSORLIMITS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::relay {

/// Dimensions of a tensor at most, as in NumPy.
inline constexpr int64_t kMaxTensorRank = 64;

/// Bytes of a tensor at most: the addresses of a process.
inline constexpr int64_t kMaxTensorBytes = int64_t(1) << 47;

/// Fails if there can be no tensor of `type`, or of a type in it if it is a
/// tuple. Sizes that are not known, and zeros, count as 1.
LogicalResult checkTensorLimits(function_ref<InFlightDiagnostic()> emitError,
                                Type type);

/// The same for all values in `root`, with an error where one is defined.
LogicalResult checkTensorLimits(Operation *root);

/// Fails if a number in the attributes of `op` is larger than kMaxTensorBytes:
/// sizes, strides and widths are not. The bounds of slices may be any.
LogicalResult checkAttributeLimits(Operation *op);

/// True if checkTensorLimits succeeds.
bool isWithinTensorLimits(Type type);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_TENSORLIMITS_H
