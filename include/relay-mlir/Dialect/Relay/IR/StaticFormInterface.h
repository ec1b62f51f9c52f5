//===- StaticFormInterface.h - Operands for attributes ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_STATICFORMINTERFACE_H
#define RELAY_MLIR_DIALECT_RELAY_IR_STATICFORMINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::relay {

/// An operand, by number, and the attribute that it takes the place of.
struct AttributeOperand {
  unsigned operand;
  llvm::StringLiteral attribute;
};

} // namespace mlir::relay

#include "relay-mlir/Dialect/Relay/IR/StaticFormInterface.h.inc"

#endif // RELAY_MLIR_DIALECT_RELAY_IR_STATICFORMINTERFACE_H
