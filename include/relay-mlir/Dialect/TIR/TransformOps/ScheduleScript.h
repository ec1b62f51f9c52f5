//===- ScheduleScript.h - Schedules as transform scripts --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_SCHEDULESCRIPT_H
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_SCHEDULESCRIPT_H

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "relay-mlir/Dialect/TIR/Transforms/ScheduleTrace.h"

namespace mlir::tir {

/// Writes `transform.named_sequence @<kernel>.schedule`, which does to the
/// kernel what was recorded in `trace`. The module that holds it must carry
/// `transform.with_named_sequence`.
transform::NamedSequenceOp writeScheduleScript(OpBuilder &builder, Location loc,
                                               StringRef kernel,
                                               const ScheduleTrace &trace);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_SCHEDULESCRIPT_H
