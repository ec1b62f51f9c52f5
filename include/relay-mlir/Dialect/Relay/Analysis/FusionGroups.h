//===- FusionGroups.h - Which operators share a kernel ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_FUSIONGROUPS_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_FUSIONGROUPS_H

#include "mlir/IR/Block.h"

namespace mlir::relay {

/// A partition of a block's operators.
struct FusionGroups {
  /// Each group's operations in block order; groups in the order of their last
  /// operation. Constants, calls and terminators are in no group.
  SmallVector<SmallVector<Operation *>> groups;
};

/// Partitions the operators of `block` by their fusion patterns. With `merge`
/// off every operator is a group of its own.
FusionGroups computeFusionGroups(Block &block, int64_t maxDepth, bool merge);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_FUSIONGROUPS_H
