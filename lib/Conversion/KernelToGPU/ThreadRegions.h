//===- ThreadRegions.h - Bound loops to threads of a block ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOGPU_THREADREGIONS_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOGPU_THREADREGIONS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>

namespace mlir::relay::detail {

/// Threads of a block along x, y and z.
using BlockSize = std::array<int64_t, 3>;

/// The index that iterations of a loop are, if it is bound: whether it is one
/// of blocks, else of threads, and its axis.
struct BoundAxis {
  bool isBlock;
  unsigned axis;
};
std::optional<BoundAxis> getBoundAxis(Operation *op);

/// How many iterations a bound loop has, if that is known.
std::optional<int64_t> getExtent(scf::ForallOp loop);

/// Whether `op` is, or has in it, a loop that is bound.
bool hasBoundLoop(Operation *op);

/// Whether an operation changes memory, or ends the kernel.
bool hasEffects(Operation *op);

/// What threads a nest needs: the largest extents of its loops.
FailureOr<BlockSize> getBlockSize(Operation *op);

/// Makes all bound loops in the body of `function` code of one thread.
/// `isExact` says of a loop that is bound to blocks whether the grid has a
/// block for each iteration; others go over several.
LogicalResult lowerBoundLoops(gpu::GPUFuncOp function, BlockSize size,
                              llvm::function_ref<bool(scf::ForallOp)> isExact);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOGPU_THREADREGIONS_H
