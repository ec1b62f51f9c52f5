//===- RoundToIntegers.h - Floats to i32, rounded --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROUNDTOINTEGERS_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROUNDTOINTEGERS_H

#include "mlir/IR/Operation.h"

namespace mlir::relay::detail {

/// Computes vectors of f32 that are rounded to even and become i32, the nearest
/// one of what is beyond them and 0 of NaN, as requantized sums that are added
/// to others, by the instructions of AVX2 or AVX-512 that round themselves.
void roundToIntegers(Operation *root, bool hasAVX512);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROUNDTOINTEGERS_H
