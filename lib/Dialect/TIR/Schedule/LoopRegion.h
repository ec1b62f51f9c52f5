//===- LoopRegion.h - What a loop touches of a buffer -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_LOOPREGION_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_LOOPREGION_H

#include "relay-mlir/Dialect/TIR/Analysis/IndexSpace.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"

namespace mlir::tir {

/// The indices of one buffer dimension that one iteration of a loop touches:
/// [min, min + extent), over the variables of the loop and those around it.
struct DimRegion {
  AffineExpr min;
  AffineExpr extent;
};

/// Collects the region of a buffer that blocks inside a loop access.
class LoopRegion {
public:
  LoopRegion(IndexSpace &space, ForOp loop);

  /// Adds the element `map` at the bindings of `block`.
  void add(BlockOp block, AffineMap map, ArrayRef<Value> symbols);

  /// Adds what `access` in `block` touches, which may run over loops of its
  /// own; the whole buffer if that is not known.
  void add(BlockOp block, const BufferAccess &access);

  /// Adds the whole of a buffer of rank `rank`.
  void addWhole(unsigned rank);

  /// nullopt for a dimension that is touched as a whole.
  ArrayRef<std::optional<DimRegion>> get() const { return region; }

private:
  bool isOuter(AffineExpr dim) const;
  std::optional<DimRegion> getRegion(AffineExpr expr,
                                     const IndexBounds &bounds) const;
  void merge(ArrayRef<std::optional<DimRegion>> access);

  IndexSpace &space;
  SmallVector<Value> outerVars;
  SmallVector<std::optional<DimRegion>> region;
  bool hasRegion = false;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_LOOPREGION_H
