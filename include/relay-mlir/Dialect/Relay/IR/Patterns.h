//===- Patterns.h - Patterns of the cases of a match ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_PATTERNS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_PATTERNS_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {

/// The patterns of the fields of a constructor or tuple; other patterns have
/// none.
ArrayRef<Attribute> getPatternFields(Attribute pattern);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_PATTERNS_H
