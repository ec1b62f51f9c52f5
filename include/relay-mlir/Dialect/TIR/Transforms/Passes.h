//===- Passes.h - Passes on tir ---------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMS_PASSES_H
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

#define GEN_PASS_DECL
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h.inc"

/// Turns the top-level `global` buffers of a kernel into trailing arguments.
/// The argument attribute `tir.workspace` gives their dynamic sizes as a
/// function of the dynamic dimensions of inputs and outputs.
LogicalResult liftWorkspaces(PrimFuncOp kernel);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMS_PASSES_H
