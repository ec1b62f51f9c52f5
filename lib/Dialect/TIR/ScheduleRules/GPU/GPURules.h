//===- GPURules.h - Rules for GPUs ------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops at the top of a kernel become launches, in order; a rule binds their
// iterations to blocks and threads.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_GPU_GPURULES_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_GPU_GPURULES_H

#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"
#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"

namespace mlir::tir {

/// The GPU that the kernel is for.
inline const cuda::ArchInfo &getGPU(const KernelSchedule &schedule) {
  return cast<cuda::GPUAttr>(schedule.getTarget()).getInfo();
}

/// Threads of a block where nothing asks for another number.
inline constexpr int64_t kBlockSize = 256;

/// Inlines blocks that only move data where they are read.
void inlineCopies(KernelSchedule &schedule);

/// Products of matrices, and what is one (convolutions), by tensor cores.
LogicalResult scheduleProduct(KernelSchedule &schedule, BlockNest nest);

/// Whether that would take `nest`.
bool isProduct(KernelSchedule &schedule, const BlockNest &nest);

/// Tiles through shared memory.
LogicalResult scheduleTransposingCopy(KernelSchedule &schedule, BlockNest nest);

/// Any block with spatial variables: an element of the result for each thread.
LogicalResult scheduleGrid(KernelSchedule &schedule, BlockNest nest);

/// Brings the loops of the reduction of a fresh nest behind the others, and
/// returns those; nothing, before anything happens, if some are neither.
std::optional<SmallVector<ForOp>> bringReductionLast(KernelSchedule &schedule,
                                                     const BlockNest &nest);

/// Binds the iterations of `loop` to blocks of threads; of many, a thread may
/// take several.
void bindToGrid(KernelSchedule &schedule, ForOp loop, bool mayTakeSeveral);

/// Binds the loops of results of a reduction. That no two threads update one is
/// only known of loops that are fused or divided, not both: the last ones are
/// threads, and the others blocks.
void bindReduction(KernelSchedule &schedule, ArrayRef<ForOp> spatial);

/// Reductions along contiguous memory, or of few results: the threads of a
/// block for each result.
LogicalResult scheduleReduction(KernelSchedule &schedule, BlockNest nest);

/// Kernels of several steps along the same rows (softmax, normalisation): all
/// steps for a row in one block. Works on the whole kernel.
LogicalResult scheduleRows(KernelSchedule &schedule);

/// What is no fresh block: outer loops whose iterations are independent.
void scheduleAnything(KernelSchedule &schedule, BlockOp block);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_GPU_GPURULES_H
