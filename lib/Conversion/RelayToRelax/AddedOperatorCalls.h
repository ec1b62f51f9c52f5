//===- AddedOperatorCalls.h - Operators of programs as objects --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_ADDEDOPERATORCALLS_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_ADDEDOPERATORCALLS_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay::detail {

/// Calls an operator that the program has added on objects: a function of the
/// process, which is told attributes and type besides its operands. Fails with
/// an error if nobody has added it.
FailureOr<Value> callAddedOperator(OpBuilder &builder, ApplyOp op,
                                   ValueRange operands);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_ADDEDOPERATORCALLS_H
