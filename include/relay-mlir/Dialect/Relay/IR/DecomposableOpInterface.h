//===- DecomposableOpInterface.h - Operators made of others -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_DECOMPOSABLEOPINTERFACE_H
#define RELAY_MLIR_DIALECT_RELAY_IR_DECOMPOSABLEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::relay {

/// Makes a constant, before an operator whose operands are constants, of what
/// it computes; null if it computes nothing.
using EvaluateOperator = llvm::function_ref<Value(Operation *op)>;

} // namespace mlir::relay

#include "relay-mlir/Dialect/Relay/IR/DecomposableOpInterface.h.inc"

#endif // RELAY_MLIR_DIALECT_RELAY_IR_DECOMPOSABLEOPINTERFACE_H
