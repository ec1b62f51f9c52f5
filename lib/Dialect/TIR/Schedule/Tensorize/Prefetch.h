//===- Prefetch.h - Columns of the next tiles -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_PREFETCH_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_PREFETCH_H

#include "RegisterTile.h"
#include "TileEmitter.h"

namespace mlir::tir {

/// Prefetches a packed operand that comes from memory, as weights do, step by
/// step of the reduction. Where many tiles go through the same piece of it, as
/// rows do through columns of weights, each of them prefetches its share of the
/// piece that follows; where a few do, each prefetches what it will read soon.
class Prefetch {
public:
  /// Nothing if the tile has no such operand.
  static std::optional<Prefetch> plan(NestedBlock &nest,
                                      const TileShape &shape);

  /// The position, among the reduction loops, of the one whose iterations
  /// prefetch: the innermost one.
  unsigned getDepth() const;

  /// The part of an iteration of that loop that starts at `point` and makes
  /// `numSteps` steps.
  void emit(OpBuilder &builder, TileEmitter &emitter,
            ArrayRef<AffineExpr> point, int64_t numSteps) const;

private:
  const TileShape *shape;
  Operation *load;
  /// The elements of the piece, and of one step.
  int64_t size, stepSize;
  /// From this piece to the one after it.
  int64_t distance = 0;
  /// How many tiles read the piece, and which of them this is.
  int64_t numTiles = 1;
  AffineExpr tile;
  /// Whether there are enough of them to share the work.
  bool isShared = false;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_PREFETCH_H
