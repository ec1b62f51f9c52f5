//===- Window.h - Schedules sliding windows ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_WINDOW_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_WINDOW_H

#include "../CPURules.h"

namespace mlir::tir {

/// Pooling and depthwise convolutions, lanes along what is contiguous in data
/// and result.
LogicalResult scheduleWindow(KernelSchedule &schedule, BlockNest nest);

/// Pooling, lanes along the rows that windows slide over.
LogicalResult scheduleRowWindow(KernelSchedule &schedule, BlockNest nest);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_WINDOW_H
