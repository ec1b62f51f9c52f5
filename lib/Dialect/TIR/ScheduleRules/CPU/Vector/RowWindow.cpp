//===- RowWindow.cpp - Schedules windows along rows -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// out[.., y, x] = combine over (kh, kw) of data[.., y * s + kh, x * s + kw]:
// pooling, channels first. Lanes are neighbours in a row. Padding is a
// condition on the load, which the tile resolves.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "../../SlidingWindows.h"

using namespace mlir;
using namespace mlir::tir;

/// A tile has this many vectors of a row at most.
static constexpr int64_t kMaxVectors = 8;
/// Rows that share what they load.
static constexpr int64_t kMaxRows = 2;

/// Vectors of a row in one tile. The last tile of several is no narrower than a
/// vector, so that padding concerns the first and the last tile only.
static int64_t chooseVectors(int64_t extent, int64_t lanes, int64_t maximum) {
  int64_t numVectors = llvm::divideCeil(extent, lanes);
  if (numVectors <= maximum)
    return numVectors;
  int64_t best = 0, bestTiles = 0;
  for (int64_t size = maximum; size != 0; --size) {
    int64_t tiles = llvm::divideCeil(numVectors, size);
    if (extent - (tiles - 1) * size * lanes < lanes)
      continue;
    if (best == 0 || tiles <= bestTiles) {
      best = size;
      bestTiles = tiles;
    }
  }
  return best;
}

LogicalResult mlir::tir::scheduleRowWindow(KernelSchedule &schedule,
                                           BlockNest nest) {
  std::optional<RowWindow> window = matchRowWindow(nest);
  if (!window)
    return failure();
  Value result = nest.getStore()->buffer;
  int64_t lanes =
      schedule.getLanes(cast<MemRefType>(result.getType()).getElementType());
  int64_t extent = *nest.getExtent(window->lane);
  if (lanes < 4 || 2 * extent < lanes)
    return failure();
  double work = nest.getWork() / lanes;

  // Extremes need registers for inputs and for what is no number.
  bool isSum = isa<arith::AddFOp>(window->combiner);
  int64_t registers =
      getCPU(schedule).getNumVectorRegisters() - (isSum ? 2 : 5);
  int64_t vectors = chooseVectors(extent, lanes, kMaxVectors);
  if (vectors == 0)
    return failure();
  int64_t rows = 1;
  if (window->row && window->stride == 1)
    for (int64_t size = 2; size <= kMaxRows; ++size)
      if (*nest.getExtent(*window->row) % size == 0 &&
          size * vectors <= registers &&
          size * vectors * window->numSteps <= RowWindow::kMaxUpdates)
        rows = size;

  SmallVector<ForOp> outer;
  ForOp laneLoop = nest.loops[window->lane], laneOuter, rowLoop;
  if (extent > vectors * lanes) {
    SmallVector<ForOp> parts =
        schedule.split(laneLoop, {kInferFactor, vectors * lanes});
    if (parts.empty())
      return failure();
    laneOuter = parts[0];
    laneLoop = parts[1];
  }
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    if (var == window->lane)
      continue;
    ForOp loop = nest.loops[var];
    if (var == window->row && rows == nest.getExtent(var)) {
      rowLoop = loop;
      continue;
    }
    if (var == window->row && rows > 1) {
      SmallVector<ForOp> parts = schedule.split(loop, {kInferFactor, rows});
      if (parts.empty())
        break;
      loop = parts[0];
      rowLoop = parts[1];
    }
    outer.push_back(loop);
  }
  if (laneOuter)
    outer.push_back(laneOuter);
  if (failed(reorderTile(schedule, nest, outer, rowLoop, laneLoop)))
    return success();
  schedule.deferTensorize(nest.block, Intrinsic::RegisterTile);
  if (!outer.empty())
    if (BlockOp epilogue = moveEpilogue(schedule, result, outer.back()))
      schedule.deferTensorize(epilogue, Intrinsic::RegisterTile);
  parallelizeOuter(schedule, outer, work);
  return success();
}
