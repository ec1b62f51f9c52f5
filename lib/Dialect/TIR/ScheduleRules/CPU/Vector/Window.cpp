//===- Window.cpp - Schedules sliding windows -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// out[.., x, c] = combine over (kh, kw) of data[.., x * s + kw, c] and perhaps
// weight[kh, kw, c]: depthwise convolutions and pooling, channels last. Lanes
// are channels. A tile takes several columns of one row, so that what is loaded
// serves all columns whose windows it is in; padding is a condition on the
// load, which the tile resolves.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "../../SlidingWindows.h"

using namespace mlir;
using namespace mlir::tir;

/// Columns of one tile; more bring nothing.
static constexpr int64_t kMaxColumns = 14;
/// Rows that follow one another at the same place, while what their windows
/// share is in the first cache.
static constexpr int64_t kMaxRows = 4;
/// Iterations of the loops over rows that keep several threads busy.
static constexpr int64_t kParallelRows = 16;
/// Results of a tile that runs along whole pixels. More need registers for what
/// maxima check.
static constexpr int64_t kMaxStreamed = 8;

/// The largest divisor of `value` in [limit / 2, limit], or parts of about
/// equal size.
static int64_t getPartSize(int64_t value, int64_t limit) {
  if (value <= limit)
    return value;
  for (int64_t size = limit; 2 * size >= limit && size > 1; --size)
    if (value % size == 0)
      return size;
  return llvm::divideCeil(value, llvm::divideCeil(value, limit));
}

/// Lanes last.
static LogicalResult packLanes(KernelSchedule &schedule, const BlockNest &nest,
                               const BufferAccess &access, unsigned lane) {
  AffineMap layout =
      putLast(schedule.getKernel().getContext(), access.map->getNumResults(),
              *getBareIndex(access, lane));
  if (hasFreeLayout(access.buffer) && succeeded(schedule.transformReadLayout(
                                          nest.block, access.buffer, layout)))
    return success();
  BlockOp copy = schedule.cacheRead(nest.block, access.buffer, "global");
  if (!copy)
    return failure();
  return schedule.transformWriteLayout(copy, getWrittenBuffers(copy).front(),
                                       layout);
}

/// Whether tiles take a few columns and as many lanes as they can, one tile
/// after the other along the lanes of a pixel: memory is read as it lies, each
/// line once. Else tiles take many columns of one vector, which share what they
/// load, and weights; that pays for large windows, whose arithmetic takes
/// longer than reading, and where all is near.
static bool runsAlongPixels(const ChannelWindow &window, const BlockNest &nest,
                            int64_t numVectors, int64_t registers) {
  if (!window.row)
    return false;
  if (!window.hasWeights)
    return true;
  // Of bytes arithmetic takes longer in any case.
  if (cast<MemRefType>(window.data->buffer.getType()).getElementTypeBitWidth() <
      16)
    return false;
  constexpr int64_t kMaxWidth = 3, kMinTile = 8;
  double rows = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/false))
    if (var != window.lane && var != window.column)
      rows *= nest.getExtent(var).value_or(1);
  return window.width <= kMaxWidth && numVectors % 2 == 0 &&
         registers - 2 * window.width >= kMinTile && rows >= kParallelRows;
}

LogicalResult mlir::tir::scheduleWindow(KernelSchedule &schedule,
                                        BlockNest nest) {
  std::optional<ChannelWindow> window = matchChannelWindow(nest);
  if (!window || !window->column)
    return failure();
  Value result = nest.getStore()->buffer;
  int64_t lanes =
      schedule.getLanes(cast<MemRefType>(result.getType()).getElementType());
  if (lanes < 2)
    return failure();
  double work = nest.getWork() / lanes;

  // Results, the weights of one row of the window, and an input.
  int64_t numLanes = *nest.getExtent(window->lane);
  int64_t numVectors = llvm::divideCeil(numLanes, lanes);
  int64_t registers = getCPU(schedule).getNumVectorRegisters() - 2;
  int64_t weights = window->hasWeights ? window->width : 0;
  // Sizes that are open may be small: no thread waits for many of them.
  auto getLeast = [&](unsigned var) { return nest.getExtent(var).value_or(1); };
  int64_t numColumns = nest.guessExtent(*window->column);
  int64_t maxColumns = std::clamp<int64_t>(registers - weights, 1, kMaxColumns);
  int64_t columns = getPartSize(numColumns, maxColumns);
  // Few columns leave room for more vectors of lanes.
  int64_t vectors = std::clamp<int64_t>(registers / (columns + weights), 1,
                                        std::min<int64_t>(numVectors, 4));
  bool isStreamed = runsAlongPixels(*window, nest, numVectors, registers);
  if (isStreamed) {
    vectors = window->hasWeights ? 2 : std::min(numVectors, kMaxStreamed);
    columns = 1;
  }
  while (numVectors % vectors != 0)
    --vectors;
  if (isStreamed) {
    int64_t room = window->hasWeights ? registers - weights * vectors
                                      : std::min(registers, kMaxStreamed);
    columns = getPartSize(numColumns, std::max<int64_t>(room / vectors, 1));
  }
  int64_t width = vectors * lanes;

  for (const BufferAccess *access : window->packed)
    if (failed(packLanes(schedule, nest, *access, window->lane)))
      break;

  auto split = [&](unsigned var, int64_t size) -> std::pair<ForOp, ForOp> {
    if (nest.getExtent(var).value_or(size + 1) <= size)
      return {ForOp(), nest.loops[var]};
    SmallVector<ForOp> parts =
        schedule.split(nest.loops[var], {kInferFactor, size});
    return {parts[0], parts[1]};
  };
  auto [laneOuter, laneInner] = split(window->lane, width);
  auto [columnOuter, columnInner] = split(*window->column, columns);
  SmallVector<ForOp> outer;
  int64_t numOuter = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    if (var == window->lane || var == window->column || var == window->row)
      continue;
    outer.push_back(nest.loops[var]);
    numOuter *= getLeast(var);
  }
  ForOp rowInner;
  if (window->row && isStreamed) {
    outer.push_back(nest.loops[*window->row]);
  } else if (window->row) {
    int64_t numRows = getLeast(*window->row), size = kMaxRows;
    while (size > 1 && (numRows % size != 0 ||
                        numOuter * (numRows / size) < kParallelRows / 2))
      --size;
    if (size > 1 && size < numRows) {
      std::pair<ForOp, ForOp> parts = split(*window->row, size);
      outer.push_back(parts.first);
      rowInner = parts.second;
    } else {
      outer.push_back(nest.loops[*window->row]);
    }
    numOuter *= numRows / size;
  }
  // Few rows: threads share the lanes, too. Not if the last tile is cut off,
  // which a loop of its own can tell.
  bool sharesLanes =
      !isStreamed && numOuter < kParallelRows && numLanes % width == 0;
  SmallVector<ForOp> inner;
  if (laneOuter && sharesLanes)
    outer.push_back(laneOuter);
  if (columnOuter)
    inner.push_back(columnOuter);
  if (laneOuter && !sharesLanes)
    inner.push_back(laneOuter);
  if (rowInner)
    inner.push_back(rowInner);

  SmallVector<ForOp> order = outer;
  llvm::append_range(order, inner);
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    order.push_back(nest.loops[var]);
  order.push_back(columnInner);
  order.push_back(laneInner);
  if (failed(schedule.reorder(order))) {
    scheduleFallback(schedule, nest.block);
    return success();
  }
  schedule.deferTensorize(nest.block, Intrinsic::RegisterTile);
  ForOp innermost =
      inner.empty() ? (outer.empty() ? ForOp() : outer.back()) : inner.back();
  if (innermost)
    if (BlockOp epilogue = moveEpilogue(schedule, result, innermost))
      schedule.deferTensorize(epilogue, Intrinsic::RegisterTile);
  parallelizeOuter(schedule, outer, work);
  return success();
}
