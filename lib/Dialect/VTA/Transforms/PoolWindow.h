//===- PoolWindow.h - Windows of pools --------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_POOLWINDOW_H
#define RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_POOLWINDOW_H

#include "mlir/IR/Operation.h"
#include "relay-mlir/Runtime/VTA/Config.h"

#include <array>
#include <optional>

namespace mlir::vta {

/// What a pool takes of its data.
struct PoolWindow {
  std::array<int64_t, 2> size, strides = {1, 1}, dilation = {1, 1};
  std::array<int64_t, 4> padding = {0, 0, 0, 0};
  int64_t count = 1;
  /// Elements from the first to the last one of a window.
  int64_t span = 1;
};

/// The window of a maximum or an average of two dimensions, of static sizes;
/// none if channels do not come before them.
std::optional<PoolWindow> getMaxWindow(Operation *op);
std::optional<PoolWindow> getAverageWindow(Operation *op);

/// Whether a result of one element fits, and computes the sizes of its window.
bool fitWindow(std::optional<PoolWindow> &window,
               const relay_vta::Config &config);

} // namespace mlir::vta

#endif // RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_POOLWINDOW_H
