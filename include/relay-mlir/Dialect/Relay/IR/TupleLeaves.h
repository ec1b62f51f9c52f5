//===- TupleLeaves.h - Tensors that tuples consist of -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The leaves of a type are itself, unless it is a tuple, or those of the fields
// of the tuple, from left to right.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_TUPLELEAVES_H
#define RELAY_MLIR_DIALECT_RELAY_IR_TUPLELEAVES_H

#include "mlir/IR/Builders.h"

namespace mlir::relay {

SmallVector<Type> getLeafTypes(Type type);

/// The leaves of a value; fields of a tuple that is made by `relay.tuple` are
/// what that takes.
SmallVector<Value> getLeaves(OpBuilder &builder, Value value);

/// A value of a type, made of its leaves.
Value makeFromLeaves(OpBuilder &builder, Location loc, Type type,
                     ArrayRef<Value> leaves);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_TUPLELEAVES_H
