//===- ElementRules.cpp - Rules for kernels without products --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The maximum of windows, and functions of elements. The ALU computes both, on
// tiles of results in accumulators; data comes to these as bytes.
//
//===----------------------------------------------------------------------===//

#include "ElementRules.h"

#include "ElementTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"

using namespace mlir;
using namespace mlir::tir;

/// Whether a block only computes elements of others of a buffer of the kernel.
static bool isStep(BlockOp block) {
  if (block.getInit() || block.hasReduceIters() ||
      block.getWrites().size() != 1 ||
      !block.getWrites().front().getDefiningOp<AllocBufferOp>())
    return false;
  return !block.getBody()
              ->walk([](affine::AffineIfOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

void mlir::tir::inlineSteps(KernelSchedule &schedule, BlockOp reduction) {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (BlockOp block : schedule.getKernel().getBlocks()) {
      // What the reduction reads is loaded as it is.
      if (!isStep(block) ||
          (reduction && llvm::is_contained(
                            getReaders(block.getWrites().front()), reduction)))
        continue;
      if (succeeded(schedule.computeInline(block))) {
        isChanged = true;
        break;
      }
    }
  }
}

BlockOp mlir::tir::getPadding(Value buffer) {
  if (!buffer.getDefiningOp<AllocBufferOp>())
    return {};
  SmallVector<BlockOp> writers = getWriters(buffer);
  return writers.size() == 1 ? writers.front() : BlockOp();
}

/// How many tiles a block needs that computes elements: one for each operand,
/// and for each value that several operations take.
static void countTiles(BlockOp block, ElementTileNeeds &needs) {
  for (Operation &op : *block.getBody()) {
    if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
      ++needs.accTiles;
      needs.inpTiles += load.getType().isSignlessInteger(8);
    } else if (op.getNumResults() == 1 && !op.getResult(0).hasOneUse()) {
      ++needs.accTiles;
    } else if (isa<arith::MulIOp>(op)) {
      ++needs.accTiles;
    }
  }
}

namespace {

/// The loops around tiles, and those of a tile.
struct TileLoops {
  SmallVector<ForOp> grid, inner;
};

} // namespace

/// Splits the loops of a nest, and puts those around tiles first; the rest
/// keeps its order. Nullopt if refused.
static std::optional<TileLoops> splitLoops(KernelSchedule &schedule,
                                           const BlockNest &nest,
                                           ArrayRef<int64_t> tile) {
  TileLoops result;
  std::string text;
  for (auto [var, loop] : llvm::enumerate(nest.loops)) {
    if (nest.isReduce(var)) {
      result.inner.push_back(loop);
      continue;
    }
    SmallVector<ForOp> parts = schedule.split(loop, {kInferFactor, tile[var]});
    if (parts.size() != 2)
      return std::nullopt;
    result.grid.push_back(parts[0]);
    result.inner.push_back(parts[1]);
    text += (text.empty() ? "" : " x ") + std::to_string(tile[var]);
  }
  SmallVector<ForOp> order(result.grid);
  llvm::append_range(order, result.inner);
  if (result.grid.empty() || failed(schedule.reorder(order)))
    return std::nullopt;
  BlockOp block = nest.block;
  schedule.remark("tile", "@" + block.getName() + ": tile of " + text);
  return result;
}

KernelRule::Result mlir::tir::scheduleMaximum(KernelSchedule &schedule) {
  auto findReduction = [&]() -> BlockOp {
    for (BlockOp block : schedule.getKernel().getBlocks())
      if (block.getInit())
        return block;
    return {};
  };
  BlockOp block = findReduction();
  if (!block)
    return KernelRule::None;
  FailureOr<BlockNest> nest = BlockNest::get(block);
  if (failed(nest) || !WindowMaximum::get(*nest))
    return KernelRule::None;
  inlineSteps(schedule, block);
  block = findReduction();
  Value result = block.getWrites().front();
  if (!result.getDefiningOp<AllocBufferOp>() &&
      !schedule.cacheWrite(block, result, vta::kAcc))
    return KernelRule::None;
  block = findReduction();
  nest = BlockNest::get(block);
  std::optional<WindowMaximum> maximum =
      succeeded(nest) ? WindowMaximum::get(*nest) : std::nullopt;
  if (!maximum)
    return KernelRule::Some;
  Value data = maximum->data.buffer;
  result = maximum->out.buffer;
  ElementTileNeeds needs;
  needs.window = &maximum->data;
  for (BlockOp reader : getReaders(result))
    if (reader != block)
      countTiles(reader, needs);
  std::optional<SmallVector<int64_t>> tile =
      findElementTile(*nest, maximum->out, needs,
                      cast<vta::ConfigAttr>(schedule.getTarget()).getConfig());
  if (!tile)
    return KernelRule::Some;
  std::optional<TileLoops> loops = splitLoops(schedule, *nest, *tile);
  if (!loops)
    return KernelRule::Some;
  ForOp around = loops->grid.back();
  BlockOp copy = getPadding(data);
  if (copy ? failed(schedule.setScope(copy, data, vta::kAcc))
           : !(copy = schedule.cacheRead(block, data, vta::kAcc)))
    return KernelRule::Some;
  if (failed(schedule.computeAt(copy, around)) ||
      failed(schedule.setScope(block, result, vta::kAcc)))
    return KernelRule::Some;
  for (BlockOp reader : getReaders(result))
    if (reader != block && failed(schedule.reverseComputeAt(reader, around)))
      return KernelRule::Some;
  if (!schedule.decomposeReduction(block, loops->inner.front()))
    return KernelRule::Some;
  schedule.compactBuffers(/*maxBytes=*/0);
  return KernelRule::All;
}

KernelRule::Result mlir::tir::scheduleElements(KernelSchedule &schedule) {
  if (llvm::any_of(schedule.getKernel().getBlocks(), [](BlockOp block) {
        return block.getInit() || block.hasReduceIters();
      }))
    return KernelRule::None;
  inlineSteps(schedule, /*reduction=*/{});
  for (BlockOp block : schedule.getKernel().getBlocks()) {
    FailureOr<BlockNest> nest = BlockNest::get(block);
    const BufferAccess *store = succeeded(nest) ? nest->getStore() : nullptr;
    if (!store || !store->map)
      return KernelRule::Some;
    ElementTileNeeds needs;
    countTiles(block, needs);
    std::optional<SmallVector<int64_t>> tile = findElementTile(
        *nest, *store, needs,
        cast<vta::ConfigAttr>(schedule.getTarget()).getConfig());
    if (!tile)
      return KernelRule::Some;
    std::optional<TileLoops> loops = splitLoops(schedule, *nest, *tile);
    if (!loops)
      return KernelRule::Some;
    // There is no buffer of a tile that tells loops around it from those in it.
    for (ForOp loop : loops->grid)
      if (failed(schedule.unroll(loop)))
        return KernelRule::Some;
  }
  return KernelRule::All;
}
