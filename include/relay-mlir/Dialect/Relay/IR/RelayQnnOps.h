//===- RelayQnnOps.h - Quantized operators ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYQNNOPS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYQNNOPS_H

#include "relay-mlir/Dialect/Relay/IR/DecomposableOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h.inc"

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYQNNOPS_H
