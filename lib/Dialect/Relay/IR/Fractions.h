//===- Fractions.h - Floats as fractions ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_FRACTIONS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_FRACTIONS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::relay::detail {

/// Attaches FractionOpInterface to operators.
void registerFractions(MLIRContext *context);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_FRACTIONS_H
