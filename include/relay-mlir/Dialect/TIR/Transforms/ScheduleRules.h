//===- ScheduleRules.h - Schedules without search ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_H
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_H

#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/Transforms/ScheduleRemarks.h"
#include "relay-mlir/Dialect/TIR/Transforms/ScheduleTrace.h"
#include "relay-mlir/Target/TargetInfo.h"

namespace mlir::tir {

/// Schedules an unscheduled kernel for a target by rules that look at its
/// structure only: kinds of variables, access maps, extents. What no rule knows
/// is run as it is. `trace`, if not null, receives the steps, and `remarks`
/// what there is to say about them.
LogicalResult scheduleKernel(PrimFuncOp kernel, const relay::TargetInfo &target,
                             ScheduleTrace *trace = nullptr,
                             ScheduleRemarks *remarks = nullptr);

/// Of kernels with precision "high", makes those "highest" whose products would
/// take the errors of the network they belong to beyond ten times those of
/// plain f32, the cheapest first. `numCalls` says how often each is called.
void chooseProductTerms(ArrayRef<PrimFuncOp> kernels,
                        ArrayRef<int64_t> numCalls,
                        const relay::TargetInfo &target);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_H
