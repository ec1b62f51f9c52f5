//===- CreateOperator.h - Operators by name ---------------------*- C++
//-*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_CREATEOPERATOR_H
#define RELAY_MLIR_DIALECT_RELAY_IR_CREATEOPERATOR_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {

/// Makes the operator that `apply` names, before it, with the same operands and
/// result type. Fails with a diagnostic if there is none of that name, or one
/// without such attributes. The number and types of operands are not looked at.
FailureOr<Operation *> createOperator(OpBuilder &builder, ApplyOp apply);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_CREATEOPERATOR_H
