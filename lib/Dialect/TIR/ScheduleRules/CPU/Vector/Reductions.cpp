//===- Reductions.cpp - Schedules reductions --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CPURules.h"

using namespace mlir;
using namespace mlir::tir;

/// Vectors of results in one tile: enough to hide the latency of an update.
static constexpr int64_t kVectorsPerTile = 4;
static constexpr int64_t kRegistersPerTile = 8;

static int64_t getLanes(const KernelSchedule &schedule,
                        const BufferAccess &store) {
  return schedule.getLanes(
      cast<MemRefType>(store.buffer.getType()).getElementType());
}

/// The spatial variable along which the result is contiguous.
static std::optional<unsigned> getContiguousVar(const BlockNest &nest,
                                                const BufferAccess &access,
                                                bool isReduce) {
  std::optional<unsigned> found;
  for (unsigned var : nest.getVars(isReduce))
    if (isContiguous(access, var) && nest.getExtent(var) != 1 &&
        (!found || nest.guessExtent(var) > nest.guessExtent(*found)))
      found = var;
  return found;
}

/// The width of a tile over `extent` elements.
static int64_t getTileWidth(int64_t extent, int64_t lanes) {
  int64_t numTiles = llvm::divideCeil(extent, kVectorsPerTile * lanes);
  if (extent % numTiles == 0)
    return extent / numTiles;
  return llvm::alignTo(llvm::divideCeil(extent, numTiles), lanes);
}

static int64_t getLargestDivisor(int64_t value, int64_t limit) {
  for (int64_t divisor = std::min(value, limit); divisor > 1; --divisor)
    if (value % divisor == 0)
      return divisor;
  return 1;
}

/// Bytes of results whose reduction runs through memory row by row: enough of
/// each row to read it fast, and few enough to stay in the nearest cache.
static constexpr int64_t kChunkBytes = 2048;
/// Below this, what a tile reads is in a cache the next time.
static constexpr int64_t kMinStridedBytes = 256 << 10;
/// Rows that a tile takes in at once, so that its results seldom leave
/// registers.
static constexpr int64_t kMaxRowsAtOnce = 16, kMinRowsAtOnce = 4;

/// Orders the loops of a reduction over rows longer than a tile such that
/// memory is read row by row and not column by column: results in chunks, and
/// of each chunk some rows at a time. Returns what is outside of the tile,
/// without the loops over the rows; fails if that is not better.
static FailureOr<SmallVector<ForOp>> orderByRows(KernelSchedule &schedule,
                                                 BlockNest &nest, unsigned lane,
                                                 int64_t width,
                                                 int64_t elementBytes) {
  std::optional<int64_t> extent = nest.getExtent(lane);
  SmallVector<unsigned> reduction = nest.getVars(/*isReduce=*/true);
  int64_t numRows = 1;
  for (unsigned var : reduction) {
    if (!nest.getExtent(var))
      return failure();
    numRows *= *nest.getExtent(var);
  }
  if (!extent || *extent < 2 * width ||
      numRows * *extent * elementBytes < kMinStridedBytes)
    return failure();
  // Results that leave their registers more than once start from 0.
  int64_t rowsAtOnce =
      getLargestDivisor(*nest.getExtent(reduction.back()), kMaxRowsAtOnce);
  if (rowsAtOnce < kMinRowsAtOnce)
    return failure();
  // What neighbours read is contiguous; windows and the like have other rules.
  for (const BufferAccess &access : nest.accesses)
    for (unsigned var : reduction)
      if (!access.isWrite && getStride(access, var) == 1)
        return failure();

  SmallVector<ForOp> rows =
      schedule.split(nest.loops[reduction.back()], {kInferFactor, rowsAtOnce});
  if (rows.empty())
    return failure();
  int64_t chunk = llvm::alignTo(kChunkBytes / elementBytes, width);
  SmallVector<int64_t> factors = {kInferFactor, width};
  if (*extent > chunk)
    factors = {kInferFactor, chunk / width, width};
  SmallVector<ForOp> lanes = schedule.split(nest.loops[lane], factors);
  if (lanes.empty())
    return failure();
  SmallVector<ForOp> outer, order;
  for (unsigned var : nest.getVars(/*isReduce=*/false))
    if (var != lane)
      outer.push_back(nest.loops[var]);
  if (lanes.size() == 3)
    outer.push_back(lanes.front());
  order = outer;
  for (unsigned var : ArrayRef(reduction).drop_back())
    order.push_back(nest.loops[var]);
  llvm::append_values(order, rows[0], lanes[lanes.size() - 2], rows[1],
                      lanes.back());
  if (failed(schedule.reorder(order)))
    return failure();
  return outer;
}

/// Why a rule for reductions leaves a reduction to the next rule.
static LogicalResult decline(KernelSchedule &schedule, BlockNest &nest,
                             const Twine &reason) {
  schedule.remarkMissed("rule", "@" + nest.block.getName() + ": " + reason);
  return failure();
}

LogicalResult mlir::tir::scheduleSpatialReduction(KernelSchedule &schedule,
                                                  BlockNest nest) {
  const BufferAccess *store = nest.getStore();
  if (!store || !store->map || !nest.isReduction())
    return failure();
  std::optional<unsigned> lane =
      getContiguousVar(nest, *store, /*isReduce=*/false);
  if (!lane)
    return decline(schedule, nest,
                   "no results side by side: none are contiguous");
  // Lanes far apart would be gathered one by one.
  constexpr int64_t kMaxStride = 4;
  for (const BufferAccess &access : nest.accesses) {
    std::optional<int64_t> stride = getStride(access, *lane);
    if (!stride || std::abs(*stride) > kMaxStride)
      return decline(schedule, nest,
                     "no results side by side: what neighbours read lies " +
                         (stride ? Twine(std::abs(*stride)) + " elements apart"
                                 : Twine("where data says")));
  }
  int64_t lanes = getLanes(schedule, *store);
  if (lanes < 2)
    return decline(schedule, nest,
                   "no results side by side: no vectors of its elements");
  double work = nest.getWork() / lanes;

  std::optional<int64_t> extent = nest.getExtent(*lane);
  int64_t width = extent ? getTileWidth(*extent, lanes) : lanes;
  int64_t elementBytes =
      cast<MemRefType>(store->buffer.getType()).getElementTypeBitWidth() / 8;
  FailureOr<SmallVector<ForOp>> byRows =
      orderByRows(schedule, nest, *lane, width, elementBytes);
  if (succeeded(byRows)) {
    if (!byRows->empty())
      attachEpilogue(schedule, store->buffer, byRows->back());
    parallelizeOuter(schedule, *byRows, work);
    schedule.deferTensorize(nest.block, Intrinsic::RegisterTile);
    return success();
  }
  SmallVector<ForOp> outer;
  ForOp laneLoop = nest.loops[*lane], laneOuter;
  if (!extent || *extent > width) {
    SmallVector<ForOp> parts = schedule.split(laneLoop, {kInferFactor, width});
    if (parts.empty())
      return failure();
    laneOuter = parts[0];
    laneLoop = parts[1];
  }
  // Few lanes leave room for several rows.
  int64_t maxRows = kRegistersPerTile / llvm::divideCeil(width, lanes);
  ForOp rowLoop;
  std::optional<unsigned> row;
  for (unsigned var : nest.getVars(/*isReduce=*/false))
    if (var != *lane && nest.getExtent(var).value_or(1) > 1)
      row = var;
  if (row) {
    int64_t extent = *nest.getExtent(*row);
    int64_t size = getLargestDivisor(extent, maxRows);
    if (size == extent) {
      rowLoop = nest.loops[*row];
      nest.loops[*row] = {};
    } else if (size > 1) {
      SmallVector<ForOp> parts =
          schedule.split(nest.loops[*row], {kInferFactor, size});
      nest.loops[*row] = parts[0];
      rowLoop = parts[1];
    }
  }
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    ForOp loop = var == *lane ? laneOuter : nest.loops[var];
    if (loop)
      outer.push_back(loop);
  }
  if (failed(reorderTile(schedule, nest, outer, rowLoop, laneLoop)))
    return success();
  if (!outer.empty())
    attachEpilogue(schedule, store->buffer, outer.back());
  parallelizeOuter(schedule, outer, work);
  schedule.deferTensorize(nest.block, Intrinsic::RegisterTile);
  return success();
}

LogicalResult mlir::tir::scheduleRowReduction(KernelSchedule &schedule,
                                              BlockNest nest) {
  const BufferAccess *store = nest.getStore();
  if (!store || !store->map || !nest.isReduction())
    return failure();
  std::optional<unsigned> lane;
  for (const BufferAccess &access : nest.accesses)
    if (!access.isWrite && access.buffer != store->buffer && access.map &&
        !lane)
      lane = getContiguousVar(nest, access, /*isReduce=*/true);
  int64_t lanes = getLanes(schedule, *store);
  if (!lane || lanes < 2)
    return decline(schedule, nest,
                   !lane ? "not along rows: what it reduces is not contiguous"
                         : "not along rows: no vectors of its elements");
  double work = nest.getWork() / lanes;

  SmallVector<ForOp> outer;
  for (unsigned var : nest.getVars(/*isReduce=*/false))
    outer.push_back(nest.loops[var]);
  SmallVector<unsigned> reduction = nest.getVars(/*isReduce=*/true);
  llvm::erase(reduction, *lane);
  reduction.push_back(*lane);
  SmallVector<ForOp> order = outer;
  for (unsigned var : reduction)
    order.push_back(nest.loops[var]);
  if (failed(schedule.reorder(order))) {
    scheduleFallback(schedule, nest.block);
    return success();
  }
  SmallVector<ForOp> joint = {nest.loops[*lane]};
  for (size_t i = reduction.size() - 1; i-- != 0;) {
    if (!nest.areJointlyContiguous(reduction[i], reduction[i + 1]))
      break;
    joint.insert(joint.begin(), nest.loops[reduction[i]]);
  }
  (void)schedule.fuse(joint);
  if (!outer.empty())
    attachEpilogue(schedule, store->buffer, outer.back());
  parallelizeOuter(schedule, outer, work);
  schedule.deferTensorize(nest.block, Intrinsic::RowReduction);
  return success();
}
