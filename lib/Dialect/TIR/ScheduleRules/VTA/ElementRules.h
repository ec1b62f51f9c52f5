//===- ElementRules.h - Rules for kernels without products ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_VTA_ELEMENTRULES_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_VTA_ELEMENTRULES_H

#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"

namespace mlir::tir {

/// Makes one block of the steps from the results of `reduction` on, or of all
/// if that is null.
void inlineSteps(KernelSchedule &schedule, BlockOp reduction);

/// The block whose result is the padded data `buffer`, null if that is an
/// argument.
BlockOp getPadding(Value buffer);

KernelRule::Result scheduleMaximum(KernelSchedule &schedule);
KernelRule::Result scheduleElements(KernelSchedule &schedule);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_VTA_ELEMENTRULES_H
