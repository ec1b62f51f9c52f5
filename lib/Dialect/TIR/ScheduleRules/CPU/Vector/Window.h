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

/// A window that slides along contiguous rows, over data that is all that the
/// block reads.
struct RowWindow {
  /// Positions of variables.
  unsigned lane;
  std::optional<unsigned> row;
  const BufferAccess *data = nullptr;
  /// The axis of the data along which it slides, by `stride` elements.
  unsigned axis = 0;
  int64_t stride = 1;
  /// Steps of the window.
  int64_t numSteps = 1;
  Operation *combiner = nullptr;
};
std::optional<RowWindow> matchRowWindow(const BlockNest &nest);

/// Whether `producer` pads what `consumer`, a nest for `scheduleWindow` or
/// `scheduleRowWindow`, reads, by values that do not change its results: then
/// the consumer may do without the copy.
bool isWindowPadding(const BlockNest &producer, const BlockNest &consumer);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_WINDOW_H
