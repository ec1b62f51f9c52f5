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

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_WINDOWTILE_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_WINDOWTILE_H

#include "RegisterTile.h"

namespace mlir::tir {

enum class Truth { Never, Unknown, Always };

/// Whether `expr >= 0`.
Truth decide(const IndexBounds &bounds, AffineExpr expr);

/// Whether `guard` limits loop `dim` and no other loop of the nest.
bool isBoundOf(const NestedBlock &nest, AffineExpr guard, unsigned dim);

/// The iterations of a guarded loop: [min, max] of the smallest limit.
IndexRange getLimit(const NestedBlock &nest, const IndexBounds &bounds,
                    unsigned loop, int64_t extent);

/// How a window tile is emitted.
struct WindowPlan {
  /// What the window slides over.
  Operation *load = nullptr;
  /// If not 0, windows slide along the lanes, and neighbouring lanes read
  /// elements that are so many apart. Then the load is all there is to combine.
  int64_t laneStride = 0;
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

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_WINDOWTILE_H
