//===- PackLayout.h - Rearrange the elements of an array --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_AOT_PACKLAYOUT_H
#define RELAY_MLIR_TARGET_AOT_PACKLAYOUT_H

#include "mlir/IR/AffineMap.h"

#include <optional>
#include <vector>

namespace mlir::relay {

/// Copies the elements of an array of shape `shape` to where `layout` puts them
/// in an array of shape `packedShape`, whose other elements become zero. The
/// packed array can be made in slabs, one after the other or several at once.
///
/// If `numPieces` is not 0, elements are f32 and become that many of bf16 each,
/// at most 3 (see Support/SplitFloat.h); `layout` has the piece as its last
/// dimension.
class LayoutPacker {
public:
  LayoutPacker(ArrayRef<int64_t> shape, AffineMap layout,
               ArrayRef<int64_t> packedShape, int64_t elementBytes,
               int64_t numPieces = 0);

  int64_t getNumSlabs() const { return numSlabs; }
  int64_t getSlabBytes() const { return slabElements * elementBytes; }

  /// Makes the slabs [begin, end). `source`, the whole array, needs no
  /// alignment, unlike `packed`.
  void pack(const char *source, int64_t begin, int64_t end,
            MutableArrayRef<char> packed) const;

private:
  void findSlabs(AffineMap layout, ArrayRef<int64_t> packedShape);
  /// Where the elements of slabs [begin, end) come from and where they go, by
  /// the index of each axis. Returns false if there are none.
  bool getOffsets(int64_t begin, int64_t end,
                  SmallVectorImpl<std::vector<int64_t>> &from,
                  SmallVectorImpl<std::vector<int64_t>> &to) const;
  template <typename T>
  void packAs(const char *source, int64_t begin, int64_t end, T *packed) const;
  template <size_t numPieces>
  void packPieces(const char *source, int64_t begin, int64_t end,
                  uint16_t *packed) const;

  /// With the pieces, if there are any.
  SmallVector<int64_t> shape;
  /// Of an element of the packed array.
  int64_t elementBytes;
  int64_t numPieces;
  AffineExpr offset;
  bool hasPadding;
  /// Dimensions that decide together what they add to the offset.
  SmallVector<SmallVector<unsigned>> axes;
  /// Where the elements of each index of an axis are in the source, and what it
  /// adds to the offset; empty for layouts that are no such sum.
  std::vector<std::vector<int64_t>> sources, tables;
  int64_t numSlabs = 1;
  int64_t slabElements;
  /// The axis, of one dimension, whose index decides on the slab, and the first
  /// index of each slab.
  std::optional<unsigned> slabAxis;
  SmallVector<int64_t> slabBegins;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_AOT_PACKLAYOUT_H
