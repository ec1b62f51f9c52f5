//===- FunctionAttributes.h - Attributes of functions -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_FUNCTIONATTRIBUTES_H
#define RELAY_MLIR_DIALECT_RELAY_IR_FUNCTIONATTRIBUTES_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {

/// Of a function that was made of what a pattern has matched: the names of the
/// operators, each with `_` behind it.
inline constexpr StringLiteral kPartitionedFromPatternAttrName =
    "relay.partitioned_from_pattern";

/// An attribute that has a name of its own in the dialect.
struct FunctionAttribute {
  llvm::StringLiteral text, dialect;
  /// Whether it is 1 or missing; otherwise it is a string.
  bool isFlag;
};

/// In the order in which text has them.
inline constexpr FunctionAttribute kFunctionAttributes[] = {
    {"PartitionedFromPattern", kPartitionedFromPatternAttrName, false},
    {"Composite", kCompositeAttrName, false},
    {"Compiler", kCompilerAttrName, false},
    {"Primitive", kPrimitiveAttrName, true},
    {"Inline", kInlineAttrName, true},
    {"global_symbol", kGlobalSymbolAttrName, false},
};

/// Whether a function or closure is a kernel, or a part of another compiler:
/// passes on graphs leave it as it is.
bool isCompiledAsItIs(Operation *function);

/// The attributes of a function or a closure as text has them.
std::vector<NamedAttribute> getFunctionTextAttrs(Operation *op);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_FUNCTIONATTRIBUTES_H
