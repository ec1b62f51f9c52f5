//===- RoundToBytes.h - Floats to bytes, rounded ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROUNDTOBYTES_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROUNDTOBYTES_H

#include "mlir/IR/Operation.h"

namespace mlir::relay::detail {

/// Computes vectors of bytes that are rounded to even, held within a range, and
/// converted, as quantized operators end, by the instructions of AVX2 that
/// round and saturate themselves. Vectors have 8, 16 or 32 lanes, and no more
/// than `maxLanes`.
void roundToBytes(Operation *root, int64_t maxLanes);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROUNDTOBYTES_H
