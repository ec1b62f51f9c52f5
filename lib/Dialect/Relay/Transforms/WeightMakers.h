//===- WeightMakers.h - Weights that a product makes itself -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_WEIGHTMAKERS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_WEIGHTMAKERS_H

#include "OperatorTargets.h"
#include "relay-mlir/Dialect/Relay/Analysis/FusionGroups.h"

namespace mlir::relay {

/// The rows of data that a product has for its weight; none if that is not
/// known.
std::optional<int64_t> countRows(RankedTensorType data);

/// Joins the group of a product with the one that makes its weight from
/// constants of few bits (casts, zero points, scales), where the target gains
/// by it: the kernel makes a part of the weight, in a cache, and multiplies it
/// with all rows, where the whole weight would go to memory and back in each
/// run. That pays for all but many rows.
///
/// Groups that became part of others are empty then.
void joinWeightMakers(MutableArrayRef<FusionGroup> groups,
                      const OperatorTargets &targets);

/// Whether the kernel of `product` adds up the results of blocks as they come:
/// vectors do, matrix units take one block after the other.
bool addsBlocksUp(Operation *product, TargetAttrInterface target);

/// Joins the group of a product of integers with the sum over its batches,
/// which are the blocks of a weight: the kernel adds up the results of a block
/// while they are near.
///
/// Groups that became part of others are empty then.
void joinBlockSums(MutableArrayRef<FusionGroup> groups,
                   const OperatorTargets &targets);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_WEIGHTMAKERS_H
