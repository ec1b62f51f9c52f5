//===- TabulateBytes.h - Functions of bytes as tables -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_TABULATEBYTES_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_TABULATEBYTES_H

#include "mlir/IR/Operation.h"

namespace mlir::relay::detail {

/// Replaces what vectors of bytes compute from other vectors of bytes, and from
/// nothing else, by tables of 256 bytes, where that takes fewer instructions of
/// AVX2: activations between quantized operators.
void tabulateBytes(Operation *root);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_TABULATEBYTES_H
