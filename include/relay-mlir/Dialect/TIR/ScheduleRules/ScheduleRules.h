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

namespace mlir::tir {

/// Schedules an unscheduled kernel for its target by rules that look at its
/// structure only: kinds of variables, access maps, extents. What no rule knows
/// is run as it is. Returns the script of what was done, which does the same to
/// a fresh kernel, `transform.named_sequence @<kernel>.schedule`, in a module
/// of its own; null if something went wrong, which has been reported.
/// `remarks`, if not null, receives what there is to say about it.
OwningOpRef<ModuleOp> scheduleKernel(PrimFuncOp kernel,
                                     ScheduleRemarks *remarks = nullptr);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULERULES_H
