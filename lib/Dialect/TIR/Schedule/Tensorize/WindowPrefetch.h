//===- WindowPrefetch.h - Data under the next windows -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_WINDOWPREFETCH_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_WINDOWPREFETCH_H

#include "RegisterTile.h"
#include "TileEmitter.h"

namespace mlir::tir {

/// Prefetches the data of windows that move along, as those of depthwise
/// convolutions with channels last do: what the same tile of the next row of
/// windows reads and this one does not. A tile reads pieces of a few cache
/// lines, each from another place, which the hardware takes for no stream; data
/// that no cache holds would come line by line.
class WindowPrefetch {
public:
  /// Nothing if the tile has no such data, or a cache holds it.
  static std::optional<WindowPrefetch> plan(NestedBlock &nest,
                                            const TileShape &shape);

  /// For the tile that begins at `start`, which gives each loop of the nest.
  void emit(OpBuilder &builder, TileEmitter &emitter,
            ArrayRef<AffineExpr> start) const;

private:
  Operation *load = nullptr;
  /// The lines, by their first elements, from the first element of the tile.
  SmallVector<int64_t> lines;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_WINDOWPREFETCH_H
