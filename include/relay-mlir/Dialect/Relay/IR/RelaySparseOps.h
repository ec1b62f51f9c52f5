//===- RelaySparseOps.h - Operators on sparse tensors -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYSPARSEOPS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYSPARSEOPS_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h.inc"

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYSPARSEOPS_H
