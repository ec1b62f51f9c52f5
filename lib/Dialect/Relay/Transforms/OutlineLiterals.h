//===- OutlineLiterals.h - Primitive closures become functions --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_OUTLINELITERALS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_OUTLINELITERALS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::relay {

/// Makes private functions of the closures with `relay.primitive` that are
/// called in a function where they are made, of tensors and with tensors as
/// results.
void outlineLiterals(func::FuncOp function, SymbolTable &symbols);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_OUTLINELITERALS_H
