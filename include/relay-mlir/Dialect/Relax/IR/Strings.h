//===- Strings.h - Tensors of strings in relax ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Relay/IR/Strings.h says of @main, as functions of relax have it.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_IR_STRINGS_H
#define RELAY_MLIR_DIALECT_RELAX_IR_STRINGS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::relax {

/// Parameter and result attribute of tensors of numbers of strings.
inline constexpr llvm::StringLiteral kIsStringAttr = "relax.is_string";

/// Of a function of objects that has such results: for each whether it is one.
inline constexpr llvm::StringLiteral kStringResultsAttr =
    "relax.string_results";

/// Module attribute: the table of strings, an array.
inline constexpr llvm::StringLiteral kStringsAttr = "relax.strings";

} // namespace mlir::relax

#endif // RELAY_MLIR_DIALECT_RELAX_IR_STRINGS_H
