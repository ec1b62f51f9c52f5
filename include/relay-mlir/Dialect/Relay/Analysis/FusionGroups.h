//===- FusionGroups.h - Which operators fuse --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_FUSIONGROUPS_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_FUSIONGROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace mlir::relay {

/// The operations of one kernel, in block order. Only the results of the last
/// one are used outside.
using FusionGroup = SmallVector<Operation *, 4>;

/// Partitions the operators of a block into groups to be computed together.
///
/// An operator is merged with its immediate post-dominator, and with all that
/// lies between, if the fusion patterns of the operators allow it. Constants
/// are in no group, nor is an operation without a fusion pattern. Groups are
/// ordered by their last operation and hold at most `maxDepth` operations.
SmallVector<FusionGroup> computeFusionGroups(Block &block, unsigned maxDepth);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_FUSIONGROUPS_H
