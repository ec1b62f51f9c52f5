//===- FunctionAttributes.h - Attributes of functions -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_FUNCTIONATTRIBUTES_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_FUNCTIONATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::relay::ast {

/// An attribute that has a name of its own in the dialect.
struct FunctionAttribute {
  llvm::StringLiteral text, dialect;
  /// Whether it is 1 or missing; otherwise it is a string.
  bool isFlag;
};

inline constexpr FunctionAttribute kFunctionAttributes[] = {
    {"Primitive", "relay.primitive", true},
    {"Compiler", "relay.compiler", false},
    {"Composite", "relay.composite", false},
    {"global_symbol", "relay.global_symbol", false},
    {"Inline", "relay.inline", true},
};

/// All others, by the name that they have in text.
inline constexpr llvm::StringLiteral kTextAttrsName = "relay.attrs";

/// Of parameters, variables and functions: the device, as it is in text.
inline constexpr llvm::StringLiteral kVirtualDeviceAttrName =
    "relay.virtual_device";

} // namespace mlir::relay::ast

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_FUNCTIONATTRIBUTES_H
