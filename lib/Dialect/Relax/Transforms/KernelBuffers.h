//===- KernelBuffers.h - Values as buffers of kernels -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAX_TRANSFORMS_KERNELBUFFERS_H
#define RELAY_MLIR_LIB_DIALECT_RELAX_TRANSFORMS_KERNELBUFFERS_H

#include "relay-mlir/Dialect/Relax/IR/Relax.h"

namespace mlir::relax {

/// Checks that `value` can be buffer number `index` of `kernel`, which `call`
/// calls.
LogicalResult checkKernelBuffer(Operation *call, FunctionOpInterface kernel,
                                unsigned index, Value value);

/// Checks that `kernel` is compiled for the device that `call` runs on.
LogicalResult checkKernelTarget(Operation *call, FunctionOpInterface kernel);

} // namespace mlir::relax

#endif // RELAY_MLIR_LIB_DIALECT_RELAX_TRANSFORMS_KERNELBUFFERS_H
