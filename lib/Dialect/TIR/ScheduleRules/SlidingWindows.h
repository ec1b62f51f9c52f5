//===- SlidingWindows.h - Blocks of sliding windows -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds of blocks whose results share what their windows read. Rules tile
// them; what pads their data is known here, so that it need not be copied.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_SLIDINGWINDOWS_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_SLIDINGWINDOWS_H

#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"

namespace mlir::tir {

/// The position of the only index of `access` that depends on `var`, if it is
/// the bare variable.
std::optional<unsigned> getBareIndex(const BufferAccess &access, unsigned var);

/// A window that moves over places whose channels are contiguous in the data
/// and in the result, perhaps with weights: pooling and depthwise convolutions.
struct ChannelWindow {
  /// Positions of variables.
  unsigned lane;
  std::optional<unsigned> column, row;
  /// The extent of the window along the columns.
  int64_t width = 1;
  /// The operand that the window moves over.
  const BufferAccess *data = nullptr;
  /// Operands to pack so that lanes are consecutive.
  SmallVector<const BufferAccess *> packed;
  bool hasWeights = false;
};
std::optional<ChannelWindow> matchChannelWindow(const BlockNest &nest);

/// A window that slides along contiguous rows, over data that is all that the
/// block reads.
struct RowWindow {
  /// Steps of a window that make up straight code, as the tile emits it.
  static constexpr int64_t kMaxUpdates = 192;

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

/// Whether what the block stores is there under a condition: padding.
bool pads(BlockOp block);

/// Whether `producer` pads what `consumer`, such a window, reads, by values
/// that do not change its results: then the consumer may do without the copy.
bool isWindowPadding(const BlockNest &producer, const BlockNest &consumer);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_SLIDINGWINDOWS_H
