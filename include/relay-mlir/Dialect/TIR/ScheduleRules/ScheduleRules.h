//===- ScheduleRules.h - Schedules without search ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULERULES_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULERULES_H

#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRemarks.h"
#include "relay-mlir/Target/TargetInfo.h"

namespace mlir::tir {

/// Schedules an unscheduled kernel for a target by rules that look at its
/// structure only: kinds of variables, access maps, extents. What no rule knows
/// is run as it is. Returns the script of what was done, which does the same to
/// a fresh kernel, `transform.named_sequence @<kernel>.schedule`, in a module
/// of its own; null if something went wrong, which has been reported.
/// `remarks`, if not null, receives what there is to say about it.
OwningOpRef<ModuleOp> scheduleKernel(PrimFuncOp kernel,
                                     const relay::TargetInfo &target,
                                     ScheduleRemarks *remarks = nullptr);

/// Of kernels with precision "high", makes those "highest" whose products would
/// take the errors of the network they belong to beyond ten times those of
/// plain f32, the cheapest first. `numCalls` says how often each is called.
void chooseProductTerms(ArrayRef<PrimFuncOp> kernels,
                        ArrayRef<int64_t> numCalls,
                        const relay::TargetInfo &target);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULERULES_H
