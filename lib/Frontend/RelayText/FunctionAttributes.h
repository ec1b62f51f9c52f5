//===- FunctionAttributes.h - Attributes of functions -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_FUNCTIONATTRIBUTES_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_FUNCTIONATTRIBUTES_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay::ast {

/// An attribute that has a name of its own in the dialect.
struct FunctionAttribute {
  llvm::StringLiteral text, dialect;
  /// Whether it is 1 or missing; otherwise it is a string.
  bool isFlag;
};

inline constexpr FunctionAttribute kFunctionAttributes[] = {
    {"Primitive", kPrimitiveAttrName, true},
    {"Compiler", kCompilerAttrName, false},
    {"Composite", kCompositeAttrName, false},
    {"global_symbol", kGlobalSymbolAttrName, false},
    {"Inline", kInlineAttrName, true},
};

} // namespace mlir::relay::ast

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_FUNCTIONATTRIBUTES_H
