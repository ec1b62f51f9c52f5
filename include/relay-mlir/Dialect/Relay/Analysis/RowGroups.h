//===- RowGroups.h - Operators along the same rows --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_ROWGROUPS_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_ROWGROUPS_H

#include "relay-mlir/Dialect/Relay/Analysis/FusionGroups.h"

namespace mlir::relay {

/// Groups of operators that one kernel computes row by row, because a row, or a
/// block of them, stays in cache between the steps:
///
/// * attention: `nn.softmax` along the last axis of a batched product, with
/// what
///   is done to the product in between (scale, mask), the product with its
///   result, and the reshapes and transpositions around;
/// * normalisations that are spelled out: reductions of the last axis, what is
///   computed of them, and what is done to the rows with it.
///
/// Only the result of the last operation of a group is used outside. Groups are
/// disjoint, each in block order.
SmallVector<FusionGroup> computeRowGroups(Block &block, unsigned maxDepth);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_ROWGROUPS_H
