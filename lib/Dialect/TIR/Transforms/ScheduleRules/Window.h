//===- Window.h - Schedules sliding windows ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_WINDOW_H
#define RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_WINDOW_H

#include "ScheduleRule.h"

namespace mlir::tir {

/// Pooling and depthwise convolutions, lanes along what is contiguous in data
/// and result.
LogicalResult scheduleWindow(KernelSchedule &schedule, BlockNest nest);

/// Whether `producer` pads what `consumer`, a nest for `scheduleWindow`, reads,
/// by values that do not change its results: then the consumer may do without
/// the copy.
bool isWindowPadding(const BlockNest &producer, const BlockNest &consumer);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_WINDOW_H
