//===- ProductTiles.h - Tiles of products that VTA computes -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_VTA_PRODUCTTILES_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_VTA_PRODUCTTILES_H

#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/VTATiles.h"
#include "relay-mlir/Runtime/VTA/Config.h"

namespace mlir::tir {

/// A sum of products of elements in the layouts of VTA: the variables of its
/// block by what they are for.
struct VTAProduct {
  SumOfProducts sum;
  /// Positions of the result, which only the data has, and blocks of output
  /// channels, which the weight has, and in groups the data too.
  SmallVector<unsigned> positions, outputs;
  /// Blocks of input channels and window, and those of which a tile has a part.
  SmallVector<unsigned> reductions;
  /// Variables within an element.
  SmallVector<unsigned> lanes;
  /// A variable of positions in which images of a block are too, so that a tile
  /// has a multiple of these; there need be none.
  std::optional<unsigned> imagesVar;
  int64_t batch = 1;
  /// The variable of outputs, if channels of a block are in it too, as they are
  /// where blocks follow each other like these: a tile has a multiple of them.
  std::optional<unsigned> channelsVar;
  int64_t block = 1;
  /// A variable of outputs of which so many are in a group, if the data is the
  /// same for these: a tile has a part of one group.
  std::optional<unsigned> groupsVar;
  int64_t groupSize = 1;

  /// The block of a nest, if VTA computes it.
  static std::optional<VTAProduct> get(const BlockNest &nest,
                                       const relay_vta::Config &config);
};

/// How many iterations of each variable a tile has.
using VTATile = SmallVector<int64_t>;

/// What a tile takes in a scratchpad, in elements: as it is loaded for one step
/// of the first reduction variable.
struct VTATileSizes {
  int64_t inp = 1, wgt = 1, acc = 1;
  static VTATileSizes get(const VTAProduct &product, const VTATile &tile);
};

/// What the steps behind a product need for each tile of results: tiles of
/// bytes in `inp`, and tiles of accumulators beside them; and whether constants
/// of channels are products, with an element of `wgt` for each block of these.
struct VTAStepNeeds {
  int64_t inpTiles = 0, accTiles = 0;
  bool hasConstants = false;
};

/// Up to `count` tiles for which a model of the time is least among those that
/// fit, twice where that is possible, so that one is loaded while another is
/// computed; the best one first, and none of twice its time. None if no tile
/// fits.
SmallVector<VTATileChoice> findVTATiles(const BlockNest &nest,
                                        const VTAProduct &product,
                                        const relay_vta::Config &config,
                                        VTAStepNeeds needs, size_t count);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_VTA_PRODUCTTILES_H
