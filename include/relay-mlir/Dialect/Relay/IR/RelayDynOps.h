//===- RelayDynOps.h - Operators with shapes for operands -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYDYNOPS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYDYNOPS_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h.inc"

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYDYNOPS_H
