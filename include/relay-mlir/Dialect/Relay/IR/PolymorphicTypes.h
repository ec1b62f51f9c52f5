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

/// Measures how deep types are nested, and how long they are. What goes over
/// types recurses, and comes to each part: nobody means one of more levels, or
/// more parts, than this, so front ends refuse them.
class TypeDepths {
public:
  static constexpr unsigned kMaxDepth = 1000;

  /// As a type is written; equal parts are one object. A tuple that has the
  /// tuple before it twice doubles with each.
  static constexpr unsigned kMaxParts = 1 << 16;

  bool isTooDeep(Type type) { return get(type, 0) > kMaxDepth; }

  /// Of a type that is not too deep.
  bool isTooLong(Type type) { return countParts(type) > kMaxParts; }

private:
  unsigned countParts(Type type);
  unsigned get(Type type, unsigned level);
  DenseMap<Type, unsigned> known, numParts;
};

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

/// Whether the sizes that `declared` knows are those of `actual`, so that a
/// value needs no check. Looks at tensors, and tuples of them; what a closure,
/// cell or data type contains is checked where it comes out.
bool knowsAsMuch(Type actual, Type declared);

/// The quantified parameters of a type, none if it is not polymorphic.
ArrayRef<StringAttr> getTypeParams(Type functionType);

/// The function type below a quantifier; null if `type` is no function type.
FunctionType getFunctionBody(Type type);

/// Quantifies over `params`, if there are any.
Type getFunctionType(ArrayRef<StringAttr> params, FunctionType body);

/// Whether an incomplete type occurs in `type`.
bool isIncomplete(Type type);

/// Whether an incomplete type occurs in `type` other than as an argument of a
/// data type: `List[_]`, the type of an empty list, is one that a value may
/// have when nothing needs to know more.
bool isUndetermined(Type type);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_POLYMORPHICTYPES_H
