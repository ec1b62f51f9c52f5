//===- RegisterTile.h - Results held in vector registers --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_REGISTERTILE_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_REGISTERTILE_H

#include "Reduction.h"

namespace mlir::tir {

/// The roles of the loops of a nest.
struct TileShape {
  unsigned laneLoop;
  /// Loops whose iterations are the rows, outermost first.
  SmallVector<unsigned, 2> rowLoops;
  SmallVector<int64_t, 2> rowExtents;
  SmallVector<unsigned> reduceLoops;
  int64_t numRows = 1;
  /// Lanes of the tile; the last vector may be partly filled.
  int64_t numLanes;
  /// Extent of the lane loop: more than there are lanes in the last tile.
  int64_t laneExtent;
  /// Lanes of one vector.
  int64_t lanes;
  /// Whether the tile has all lanes of its last vector to itself, also of those
  /// that a guard switches off.
  bool ownsVectors = false;

  int64_t getNumVectors() const { return llvm::divideCeil(numLanes, lanes); }
  /// How far the last vector reaches beyond the lane loop.
  int64_t getOverhang() const {
    return std::max<int64_t>(getNumVectors() * lanes - laneExtent, 0);
  }
  /// Rows of one iteration of the outermost row loop.
  int64_t getRowsPerStep() const { return numRows / rowExtents.front(); }

  /// Moves `point` to a row and a lane. `base`, if not null, is added to the
  /// outermost row loop.
  void moveTo(SmallVectorImpl<AffineExpr> &point, int64_t row, int64_t lane,
              AffineExpr base = {}) const;

  /// Whether consecutive rows are consecutive elements.
  bool isContiguousByRows(const NestedBlock &nest, AffineExpr position) const;
};

/// Fills `result` with the code of the tile.
void emitRegisterTile(NestedBlock &nest, const Computation &computation,
                      const TileShape &shape, BlockOp result,
                      ArrayRef<Value> symbolValues);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_REGISTERTILE_H
