//===- Transpose.cpp - Copies that change the order of elements
//------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where results lie beside each other along one variable, and what they are
// computed from along another, a block of threads brings a tile to shared
// memory first, so that both sides of memory see neighbours.
//
//===----------------------------------------------------------------------===//

#include "GPURules.h"

using namespace mlir;
using namespace mlir::tir;

/// Rows and columns of a tile: those of a warp.
static constexpr int64_t kTile = cuda::ArchInfo::kWarpSize;
/// Elements below which the launch takes longest.
static constexpr int64_t kMinElements = 64 << 10;

static std::optional<unsigned> getContiguousVar(const BlockNest &nest,
                                                const BufferAccess &access) {
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (nest.getExtent(var) != 1 && isContiguous(access, var))
      return var;
  return std::nullopt;
}

/// Shares out the loops of a tile to the threads of a block: neighbours along
/// the last one.
static void bindTile(KernelSchedule &schedule, ForOp outer, ForOp inner) {
  SmallVector<ForOp> parts =
      schedule.split(outer, {kInferFactor, kBlockSize / kTile});
  // Each thread has its elements within one step of the block.
  if (parts.size() != 2 ||
      failed(schedule.reorder({parts[1], inner, parts[0]})))
    return;
  (void)schedule.bind(parts[1], "threadIdx.y");
  (void)schedule.bind(inner, "threadIdx.x");
  (void)schedule.unroll(parts[0]);
}

LogicalResult mlir::tir::scheduleTransposingCopy(KernelSchedule &schedule,
                                                 BlockNest nest) {
  const BufferAccess *store = nest.getStore();
  if (!store || !store->map || nest.isReduction() ||
      !llvm::all_of(nest.kinds,
                    [](IterKind kind) { return kind == IterKind::Spatial; }))
    return failure();
  std::optional<unsigned> row = getContiguousVar(nest, *store);
  if (!row)
    return failure();
  const BufferAccess *source = nullptr;
  std::optional<unsigned> lane;
  for (const BufferAccess &access : nest.accesses) {
    if (!access.map)
      return failure();
    if (access.isWrite || !access.map->isFunctionOfDim(*row))
      continue;
    std::optional<unsigned> var = getContiguousVar(nest, access);
    if (var == row)
      continue;
    // One that each element is read of once.
    if (source || !var || !access.map->isProjectedPermutation() ||
        !access.symbols.empty())
      return failure();
    source = &access;
    lane = var;
  }
  if (!source)
    return failure();
  std::optional<int64_t> rowExtent = nest.getExtent(*row);
  std::optional<int64_t> laneExtent = nest.getExtent(*lane);
  auto type = cast<MemRefType>(source->buffer.getType());
  if (!rowExtent || *rowExtent < kTile || !laneExtent || *laneExtent < kTile ||
      !type.hasStaticShape() || type.getElementTypeBitWidth() < 8 ||
      nest.getNumInstances() < kMinElements)
    return failure();

  SmallVector<ForOp> outer, inner;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (var != *row && var != *lane)
      outer.push_back(nest.loops[var]);
  for (unsigned var : {*lane, *row}) {
    SmallVector<ForOp> parts =
        schedule.split(nest.loops[var], {kInferFactor, kTile});
    if (parts.size() != 2)
      return failure();
    outer.push_back(parts[0]);
    inner.push_back(parts[1]);
  }
  SmallVector<ForOp> order(outer);
  llvm::append_range(order, inner);
  if (failed(schedule.reorder(order)))
    return failure();
  ForOp tile = schedule.fuse(outer);
  if (!tile)
    return failure();
  Value buffer = source->buffer;
  BlockOp copy = schedule.cacheRead(nest.block, buffer, cuda::kShared);
  if (!copy || failed(schedule.computeAt(copy, tile)))
    return failure();
  (void)schedule.bind(tile, "blockIdx.x");
  for (BlockOp block : {copy, nest.block}) {
    SmallVector<ForOp> loops;
    for (ForOp loop : block.getLoops())
      if (tile->isProperAncestor(loop) && loop.getConstantExtent() != 1)
        loops.push_back(loop);
    if (loops.size() == 2)
      bindTile(schedule, loops[0], loops[1]);
  }
  schedule.compactBuffers(kTile * kTile * sizeof(double));
  // Columns of the tile are in different banks.
  SmallVector<Value> written = getWrittenBuffers(copy);
  (void)schedule.enlarge(copy, written.front(), /*isLast=*/true, kTile + 1);
  schedule.setScheduled(copy);
  return success();
}
