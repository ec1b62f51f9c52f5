//===- StoragePlanner.h - Share memory among buffers ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which buffers of a straight-line program share memory. Sizes are
// expressions over symbols, so that one plan serves all of their values.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_ANALYSIS_STORAGEPLANNER_H
#define RELAY_MLIR_DIALECT_RELAX_ANALYSIS_STORAGEPLANNER_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::relax {

/// A buffer of `bytes` bytes that is in use from step `first` to step `last`,
/// both included.
struct BufferLifetime {
  AffineExpr bytes;
  int64_t first;
  int64_t last;
};

struct StoragePlan {
  /// Where a buffer lies.
  struct Placement {
    unsigned storage;
    AffineExpr offset;
  };

  /// For each storage: its size is the largest of these expressions.
  SmallVector<SmallVector<AffineExpr>> storages;
  /// For each buffer.
  SmallVector<Placement> placements;

  /// The bytes of all storages together for the given values of the symbols,
  /// each rounded up to `alignment`.
  int64_t getTotalBytes(ArrayRef<int64_t> symbols, int64_t alignment) const;
};

/// Two ways to share, each good for some programs; planStorage picks.
///
/// packByUnit puts all buffers whose sizes are multiples of the same expression
/// into one storage at offsets that are multiples of it too, so that gaps can
/// be filled. With static sizes, or with a batch dimension as the only symbol,
/// this is interval packing.
StoragePlan packByUnit(ArrayRef<BufferLifetime> buffers, int64_t alignment,
                       MLIRContext *context);

/// shareWhole gives each buffer a storage that no live buffer uses: the
/// smallest that is provably large enough, else the largest provably smaller
/// one, which grows, else any, whose size becomes a maximum.
StoragePlan shareWhole(ArrayRef<BufferLifetime> buffers, MLIRContext *context);

/// The smaller of both plans for typical values of `numSymbols` symbols.
/// Offsets are multiples of `alignment` for all values of the symbols.
StoragePlan planStorage(ArrayRef<BufferLifetime> buffers, unsigned numSymbols,
                        int64_t alignment, MLIRContext *context);

} // namespace mlir::relax

#endif // RELAY_MLIR_DIALECT_RELAX_ANALYSIS_STORAGEPLANNER_H
