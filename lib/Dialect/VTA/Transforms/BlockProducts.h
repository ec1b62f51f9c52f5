//===- BlockProducts.h - Layers as convolutions of blocks -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_BLOCKPRODUCTS_H
#define RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_BLOCKPRODUCTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <vector>

namespace mlir::vta {

/// A convolution that VTA computes, with weights as OIHW. In more than one
/// group, each has one block of outputs, and whole blocks of inputs.
struct BlockProduct {
  std::array<int64_t, 4> weightShape;
  /// None if the weight is that of the layer.
  std::vector<int8_t> weight;
  std::array<int64_t, 2> strides = {1, 1}, dilation = {1, 1};
  /// Top, left, bottom, right.
  std::array<int64_t, 4> padding = {0, 0, 0, 0};
  int64_t groups = 1;
  /// Each block of channels is by itself, and all have the same weights, so
  /// that blocks are as images.
  bool isPerBlock = false;
};

/// What a layer becomes: one convolution, or one for each phase of the result,
/// which are then interleaved.
struct BlockProducts {
  /// Results of a phase are this far apart; phases of rows come first.
  std::array<int64_t, 2> phases = {1, 1};
  SmallVector<BlockProduct> products;
};

/// What is cast to `value`, if that is a cast to 32 bits.
Value getUncast(Value value);

/// The convolutions of `root`, a layer of bytes with a constant weight, for
/// blocks of `block` channels; nullopt if VTA does not have it.
std::optional<BlockProducts> getBlockProducts(Operation *root, int64_t block);

} // namespace mlir::vta

#endif // RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_BLOCKPRODUCTS_H
