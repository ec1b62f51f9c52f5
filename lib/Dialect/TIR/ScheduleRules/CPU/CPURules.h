//===- CPURules.h - Rules for processors ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule looks at one block, asks for structure (kinds of variables, access
// maps) and schedules it, together with what it pulls in. It fails before it
// changes anything if the block is none of its business.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_CPURULES_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_CPURULES_H

#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"

namespace mlir::tir {

/// The processor that the kernel is for.
inline const relay::CPUInfo &getCPU(const KernelSchedule &schedule) {
  return cast<relay::CPUAttr>(schedule.getTarget()).getInfo();
}

/// Sums of products with reuse: matrix products, convolutions.
LogicalResult scheduleContraction(KernelSchedule &schedule, BlockNest nest);

/// The product of one row and a weight that the kernel makes of constants:
/// along the row, each element of the weight made where it is multiplied.
LogicalResult scheduleMadeRow(KernelSchedule &schedule, const BlockNest &nest);

/// Sums of products by matrix units, where the target has some and this is
/// estimated to be faster.
LogicalResult scheduleMatrixTiles(KernelSchedule &schedule, BlockNest nest);

/// Sums of products within groups of few columns: lanes are groups.
LogicalResult scheduleSmallGroups(KernelSchedule &schedule, BlockNest nest);

/// Reductions whose results are contiguous along a spatial variable: pooling,
/// depthwise convolutions, sums over leading dimensions.
LogicalResult scheduleSpatialReduction(KernelSchedule &schedule,
                                       BlockNest nest);

/// Reductions along contiguous memory.
LogicalResult scheduleRowReduction(KernelSchedule &schedule, BlockNest nest);

/// Copies from one contiguous variable to another.
LogicalResult scheduleTranspose(KernelSchedule &schedule, BlockNest nest);

/// Blocks without reduction.
LogicalResult scheduleElementwise(KernelSchedule &schedule, BlockNest nest);

/// Whether the block pads what a single reduction reads, and is worth a look
/// once that has its loops.
bool isPaddingForPieces(const BlockNest &nest);

/// Moves such a block into a loop of its reader whose iterations read pieces
/// that are small and apart; fails if there is none.
LogicalResult placePieces(KernelSchedule &schedule, BlockOp block);

/// Fails if the schedule of a product left what makes an operand of it where it
/// was: a weight of constants (isWeightMaker), or data made wider.
LogicalResult checkMaker(KernelSchedule &schedule, BlockOp block);

/// Whether the block makes floats of bf16 for a product that may be on matrix
/// units, which take them as they are.
bool isWideningForTiles(const BlockNest &nest);

/// Anything: the outermost spatial loop in parallel, the innermost by vectors,
/// as far as that is possible.
void scheduleFallback(KernelSchedule &schedule, BlockOp block);

/// Products with small constant matrices, and what they feed or are fed by: all
/// steps for one tile after another. Returns whether there were any.
bool scheduleConstantTransforms(KernelSchedule &schedule);

/// Kernels of several steps along the same rows (softmax, normalisation): all
/// steps for one row after another. Works on the whole kernel.
LogicalResult scheduleRowSteps(KernelSchedule &schedule);

/// Stores a constant of f32 that only `block` reads as bf16, if products of so
/// few rows only wait for it, and the precision permits.
void halveWeights(KernelSchedule &schedule, BlockOp block, Value constant,
                  double numRows);

/// Two batched products with steps along rows between them: everything for one
/// block of rows after another. Works on the whole kernel; what it leaves over
/// (copies of operands) is for the other rules.
LogicalResult scheduleAttention(KernelSchedule &schedule);

/// Orders the loops of a tile of `laneLoop`, and of `rowLoop` if it is there:
/// `outer`, the reduction, then the tile. If that is not possible, schedules
/// the block in the simplest way and fails.
LogicalResult reorderTile(KernelSchedule &schedule, const BlockNest &nest,
                          ArrayRef<ForOp> outer, ForOp rowLoop, ForOp laneLoop);

/// Moves the only consumer of the block to `loop`, where the results are still
/// in cache, if there is one and it is possible.
/// Its innermost loop is vectorized.
void attachEpilogue(KernelSchedule &schedule, Value result, ForOp loop);

/// The same, but leaves it to the caller what becomes of the consumer, which is
/// returned; null if there is none.
BlockOp moveEpilogue(KernelSchedule &schedule, Value result, ForOp loop);

/// Fuses the outermost of `loops` (a perfect nest, outermost first) until there
/// are enough iterations for all threads, and runs them in parallel if `work`,
/// in scalar operations, is worth it. The loops that were fused are replaced by
/// the fused one in `loops`.
void parallelizeOuter(KernelSchedule &schedule, SmallVectorImpl<ForOp> &loops,
                      double work);

/// The layout of `rank` dimensions with the one at `position` last, in groups
/// of `size`: of these the number is last, and the place in it stays where it
/// was.
AffineMap putLast(MLIRContext *context, unsigned rank, unsigned position,
                  int64_t size = 1);

/// The innermost loop around `block` that its variable `var` follows; null if
/// there is none, as of a single iteration.
ForOp getLoopOf(BlockOp block, unsigned var);

/// `loops` without loops of one iteration.
SmallVector<ForOp> dropUnitLoops(ArrayRef<ForOp> loops);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_CPURULES_H
