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

/// Gives the module the target and the precision of `options`, which all that
/// follows reads.
void addAttachTargetPass(OpPassManager &manager, const CompileOptions &options);

/// relay-typed -> relay-fused: simplifies, folds constants, fuses operators.
void buildRelayOptimizePipeline(OpPassManager &manager,
                                const CompileOptions &options);

/// relay-typed -> relay-typed, where operators are in functions of tensors
/// (`relay.tensor_function`).
void buildOutlineTensorsPipeline(OpPassManager &manager,
                                 const CompileOptions &options);

/// The same, where the other functions are functions of objects in relax.
void buildRelayToObjectsPipeline(OpPassManager &manager,
                                 const CompileOptions &options);

/// relay-fused -> relax-kernels: primitive functions become kernels (through
/// linalg, then unscheduled tir), main calls them with `relax.call_tir`.
void buildRelayToKernelsPipeline(OpPassManager &manager);

/// relax-kernels -> tir-scheduled: the rules write a schedule for each kernel,
/// which is applied.
void buildTIRSchedulePipeline(OpPassManager &manager);

/// Registers the phases as `--relay-optimize{target= precision= opt-level=
/// desired-layout=}`, `--relay-to-kernels` and `--tir-schedule{target=
/// precision=}`.
void registerPipelines();

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_PIPELINES_H
