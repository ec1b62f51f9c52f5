//===- MultiplyBytes.h - Products of narrow integers -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_MULTIPLYBYTES_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_MULTIPLYBYTES_H

#include "mlir/IR/Operation.h"

namespace mlir::relay {

class CPUInfo;

namespace detail {

/// Computes products, in vectors of i32, of integers that are widened from 8 or
/// 16 bits, as in depthwise convolutions of bytes, by the instructions of x86
/// that multiply pairs of 16 bits and add them up, and where there are such, to
/// the sum as well.
void multiplyBytes(Operation *root, const CPUInfo &cpu);

} // namespace detail
} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_MULTIPLYBYTES_H
