//===- WellFormed.h - Whether types make sense ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_WELLFORMED_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_WELLFORMED_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::relay {

/// Checks the kinds of all types in a module: data types exist and have as many
/// arguments as parameters, type variables are in scope. Reports all errors.
LogicalResult verifyKinds(ModuleOp module);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_WELLFORMED_H
