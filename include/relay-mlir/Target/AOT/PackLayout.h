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
class LayoutPacker {
public:
  LayoutPacker(ArrayRef<int64_t> shape, AffineMap layout,
               ArrayRef<int64_t> packedShape, int64_t elementBytes);

  int64_t getNumSlabs() const { return numSlabs; }
  int64_t getSlabBytes() const { return slabElements * elementBytes; }

  /// Makes the slabs [begin, end). `source`, the whole array, needs no
  /// alignment, unlike `packed`.
  void pack(const char *source, int64_t begin, int64_t end,
            MutableArrayRef<char> packed) const;

private:
  void findSlabs(AffineMap layout, ArrayRef<int64_t> packedShape);
  template <typename T>
  void packAs(const char *source, int64_t begin, int64_t end, T *packed) const;

  SmallVector<int64_t> shape;
  int64_t elementBytes;
  AffineExpr offset;
  bool hasPadding;
  /// What the value of each index adds to the offset; empty for layouts that
  /// are no such sum.
  std::vector<std::vector<int64_t>> tables;
  int64_t numSlabs = 1;
  int64_t slabElements;
  /// The dimension whose index decides on the slab, and the first index of each
  /// slab.
  std::optional<unsigned> slabDim;
  SmallVector<int64_t> slabBegins;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_AOT_PACKLAYOUT_H
