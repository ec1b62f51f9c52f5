//===- Pipelines.h - The phases of a compilation ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named sequences of passes. Each phase takes one normal form to the next (see
// docs/Architecture.md) and checks what it leaves.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_PIPELINES_H
#define RELAY_MLIR_PIPELINES_PIPELINES_H

#include "relay-mlir/Pipelines/Options.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::relay {

/// relay-typed -> relay-fused: simplifies, folds constants, fuses operators.
void buildRelayOptimizePipeline(OpPassManager &manager,
                                const CompileOptions &options);

/// relay-fused -> relax-kernels: primitive functions become kernels (through
/// linalg, then unscheduled tir), main calls them with `relax.call_tir`.
void buildRelayToKernelsPipeline(OpPassManager &manager);

/// Registers the phases as `--relay-optimize{opt-level= precision=}` and
/// `--relay-to-kernels`.
void registerPipelines();

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_PIPELINES_H
