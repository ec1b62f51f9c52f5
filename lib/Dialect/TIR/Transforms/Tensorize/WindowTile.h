//===- WindowTile.h - Tiles of sliding windows ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction over a window that slides along the rows of the tile: pooling,
// depthwise convolution. Steps of the window share what they load, so that the
// order of updates follows the loads. Guards (padding) are decided when code is
// made, wherever possible: the tiles at the borders get code of their own.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_TENSORIZE_WINDOWTILE_H
#define RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_TENSORIZE_WINDOWTILE_H

#include "RegisterTile.h"

namespace mlir::tir {

/// How a window tile is emitted.
struct WindowPlan {
  /// Reduction loops from this position in `TileShape::reduceLoops` on dissolve
  /// into straight code.
  unsigned firstUnrolled = 0;
  /// A symbol whose first and last values get code of their own.
  struct Case {
    unsigned symbol;
    bool hasFirst;
  };
  SmallVector<Case> cases;
};

/// Absent if the nest is no window of constant extents.
std::optional<WindowPlan> planWindow(NestedBlock &nest,
                                     const Computation &computation,
                                     const TileShape &shape);

/// Fills `result` with the code of the tile.
void emitWindowTile(NestedBlock &nest, const Computation &computation,
                    const TileShape &shape, const WindowPlan &plan,
                    BlockOp result, ArrayRef<Value> symbolValues);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_TENSORIZE_WINDOWTILE_H
