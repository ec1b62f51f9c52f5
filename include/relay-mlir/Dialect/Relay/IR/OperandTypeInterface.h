//===- OperandTypeInterface.h - Backward inference --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_OPERANDTYPEINTERFACE_H
#define RELAY_MLIR_DIALECT_RELAY_IR_OPERANDTYPEINTERFACE_H

#include "mlir/IR/OpDefinition.h"

#include "relay-mlir/Dialect/Relay/IR/OperandTypeInterface.h.inc"

#endif // RELAY_MLIR_DIALECT_RELAY_IR_OPERANDTYPEINTERFACE_H
