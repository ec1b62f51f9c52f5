//===- FixInputs.h - Sizes and inputs of a module -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_FIXINPUTS_H
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_FIXINPUTS_H

#include "relay-mlir/Dialect/Relay/IR/FixedInputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::relay {

/// Gives the inputs of `main` the sizes and values that are known, and all
/// values the types that follow: what the pass relay-fix-inputs does. The
/// module has the form `relay-typed`.
LogicalResult fixInputs(ModuleOp module, const FixedInputs &fixed);

/// The same for the inputs of another function of the module.
LogicalResult fixInputs(func::FuncOp function, const FixedInputs &fixed);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_FIXINPUTS_H
