//===- ElementSizes.h - Results whose sizes elements decide -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_ELEMENTSIZES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_ELEMENTSIZES_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::relay::detail {

/// Attaches ElementSizedOpInterface to operators.
void registerElementSizes(MLIRContext *context);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_ELEMENTSIZES_H
