//===- PassInterfaces.h - What single passes ask operators ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_PASSINTERFACES_H
#define RELAY_MLIR_DIALECT_RELAY_IR_PASSINTERFACES_H

#include "relay-mlir/Dialect/Relay/IR/QuantizedValue.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h.inc"

namespace mlir::relay::detail {

/// Attaches the interfaces to the operators of the dialect.
void registerPassInterfaces(MLIRContext *context);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_DIALECT_RELAY_IR_PASSINTERFACES_H
