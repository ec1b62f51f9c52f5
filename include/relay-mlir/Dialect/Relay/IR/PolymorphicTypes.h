//===- PolymorphicTypes.h - Instances of polymorphic types ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_POLYMORPHICTYPES_H
#define RELAY_MLIR_DIALECT_RELAY_IR_POLYMORPHICTYPES_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::relay {

/// Types for type variables, by name.
using TypeSubstitution = llvm::StringMap<Type>;

/// Replaces type variables. Those that `substitution` lacks, and those that a
/// `forall` inside of `type` declares, stay.
Type substituteTypes(Type type, const TypeSubstitution &substitution);

/// Whether `actual` is `general` with types for the variables that are keys of
/// `substitution`; those with a null value receive one. Sizes that one side
/// does not know, and incomplete types, match anything.
bool matchInstance(Type general, Type actual, TypeSubstitution &substitution);

/// Whether `actual` may stand where `expected` is written: equal up to
/// unknown sizes and incomplete types.
bool areCompatible(Type expected, Type actual);

/// The quantified parameters of a type, none if it is not polymorphic.
ArrayRef<StringAttr> getTypeParams(Type functionType);

/// The function type below a quantifier; null if `type` is no function type.
FunctionType getFunctionBody(Type type);

/// Quantifies over `params`, if there are any.
Type getFunctionType(ArrayRef<StringAttr> params, FunctionType body);

/// Whether an incomplete type occurs in `type`.
bool isIncomplete(Type type);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_POLYMORPHICTYPES_H
