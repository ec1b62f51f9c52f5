//===- ProgramGlue.h - What becomes bytecode, apart -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_PIPELINES_PROGRAMGLUE_H
#define RELAY_MLIR_LIB_PIPELINES_PROGRAMGLUE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::relay {

/// Moves the functions of objects of a program to a module of their own, with
/// the attributes that are of the program: `module` has functions of tensors
/// and their kernels then. Fails if there are none.
FailureOr<OwningOpRef<ModuleOp>> takeGlue(ModuleOp module);

/// Checks that there are none, which only the virtual machine runs.
LogicalResult checkNoGlue(ModuleOp module);

/// Moves all of `glue`, which may be null, back to the start of `module`.
void joinGlue(ModuleOp module, ModuleOp glue);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_PIPELINES_PROGRAMGLUE_H
