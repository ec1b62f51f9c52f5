//===- RowPieces.h - Parts of rows as vectors -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a window slides along the lanes, neighbouring lanes read elements of
// one row of data, and the first and last lanes may be outside of it. The
// elements come in a few vectors that lie inside, from which the lanes are
// picked.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_ROWPIECES_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_ROWPIECES_H

#include "TileEmitter.h"

namespace mlir::tir {

/// How the lanes of a vector are loaded. Offsets count elements from that of
/// the first lane.
struct RowPieces {
  int64_t stride, lanes;
  /// The lanes that are read: [low, high).
  int64_t low, high;
  /// Where vectors start, in ascending order.
  SmallVector<int64_t, 4> starts;
  /// Elements before and after must not be read.
  bool isMasked = false;

  bool isWhole() const {
    return stride == 1 && low == 0 && high == lanes && starts.front() == 0;
  }
  SmallVector<Value, 4> load(OpBuilder &builder, TileEmitter &emitter,
                             Operation *access, AffineExpr position) const;
  /// A vector of the lanes out of `parts`, as loaded; others are `otherwise`.
  Value assemble(OpBuilder &builder, Location loc, ArrayRef<Value> parts,
                 TypedAttr otherwise) const;

  auto getKey() const {
    return std::tie(stride, lanes, low, high, starts, isMasked);
  }
  bool operator==(const RowPieces &other) const {
    return getKey() == other.getKey();
  }
};

/// The lanes of a vector that are inside of a row.
struct RowPart {
  int64_t low = 0, high = 0;
  /// The first and the last element of the row, if known.
  std::optional<int64_t> min, max;

  /// `position` is that of the first lane, at step `offset` of the window.
  RowPieces choosePieces(const NestedBlock &nest, const IndexBounds &bounds,
                         Value buffer, AffineExpr position, int64_t offset,
                         int64_t stride, int64_t lanes) const;
};

} // namespace mlir::tir

template <>
struct llvm::DenseMapInfo<mlir::tir::RowPieces> {
  using T = mlir::tir::RowPieces;
  static T getEmptyKey() { return {-1, 0, 0, 0, {}, false}; }
  static T getTombstoneKey() { return {-2, 0, 0, 0, {}, false}; }
  static unsigned getHashValue(const T &pieces) {
    return hash_combine(pieces.low, pieces.high,
                        hash_combine_range(pieces.starts));
  }
  static bool isEqual(const T &a, const T &b) { return a == b; }
};

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_ROWPIECES_H
