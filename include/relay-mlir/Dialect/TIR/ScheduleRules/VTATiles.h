//===- VTATiles.h - Tiles of kernels for VTA --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules for VTA take the tile that they estimate to be fastest. Who can
// measure, which rules cannot, may look at several, and say which one it is.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_VTATILES_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_VTATILES_H

#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

/// The tile of the product of a kernel for VTA: how many iterations each
/// variable of its block has in it. The rules take it, and the attribute goes.
inline constexpr StringLiteral kVTATileAttrName = "vta.tile";

struct VTATileChoice {
  SmallVector<int64_t> tile;
  /// How often a tile of data is loaded and multiplied, on which the length of
  /// the program depends.
  int64_t steps = 1;
};

/// Up to `count` tiles of an unscheduled kernel that fit the scratchpads, the
/// one that is estimated to be fastest first, and none that is estimated to
/// take twice as long. None for a kernel of another target, or without a
/// product that VTA computes.
SmallVector<VTATileChoice> findVTATiles(PrimFuncOp kernel, size_t count);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_VTATILES_H
