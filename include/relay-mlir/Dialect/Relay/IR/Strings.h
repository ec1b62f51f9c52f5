//===- Strings.h - Tensors of strings ---------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor of strings is one of their numbers, integers of 64 bits. The module
// has a table of the strings that it uses: number 0 is the empty one. Whoever
// calls @main numbers others behind those, equal ones equally.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_STRINGS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_STRINGS_H

#include "mlir/Support/LLVM.h"

namespace mlir::relay {

/// Argument and result attribute of tensors of strings.
inline constexpr StringLiteral kIsStringAttrName = "relay.is_string";

/// Module attribute: the table of strings, an array.
inline constexpr StringLiteral kStringsAttrName = "relay.strings";

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_STRINGS_H
