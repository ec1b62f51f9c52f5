//===- ElementTiles.h - Tiles of what VTA's ALU computes --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_VTA_ELEMENTTILES_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_VTA_ELEMENTTILES_H

#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"
#include "relay-mlir/Runtime/VTA/Config.h"

namespace mlir::tir {

/// The accesses of a block that takes the maximum of windows of bytes, from an
/// init on.
struct WindowMaximum {
  BufferAccess data, out;
  /// None for another block.
  static std::optional<WindowMaximum> get(const BlockNest &nest);
};

/// What a tile needs in scratchpads.
struct ElementTileNeeds {
  /// Copies of its results in accumulators, and bytes of them in `inp`.
  int64_t accTiles = 1, inpTiles = 0;
  /// The data of its windows, which is in both; null if there are none.
  const BufferAccess *window = nullptr;
};

/// How many iterations of each variable of a block that stores `out` a tile
/// has: as many as fit twice, so that one is loaded while another is computed,
/// or else once. Variables of a reduction are whole. None if results are no
/// whole elements of VTA.
std::optional<SmallVector<int64_t>>
findElementTile(const BlockNest &nest, const BufferAccess &out,
                const ElementTileNeeds &needs, const relay_vta::Config &config);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_VTA_ELEMENTTILES_H
