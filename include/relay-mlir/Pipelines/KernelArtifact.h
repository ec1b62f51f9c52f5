//===- KernelArtifact.h - A kernel as an artefact ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_KERNELARTIFACT_H
#define RELAY_MLIR_PIPELINES_KERNELARTIFACT_H

#include "mlir/IR/BuiltinOps.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Pipelines/Options.h"

namespace mlir::relay {

/// Compiles one kernel, scheduled or not, as it is, into a shared object whose
/// model is one call of it: inputs `x0`, `x1`, ..., outputs `y0`, .... All
/// arguments have static shapes, and none a packed layout. Of `options`, target
/// and cache count. Errors go to the context's diagnostics.
LogicalResult writeKernelArtifact(tir::PrimFuncOp kernel,
                                  const CompileOptions &options,
                                  llvm::StringRef outputPath);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_KERNELARTIFACT_H
