//===- RowSteps.cpp - Kernels of several steps along rows -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CPURules.h"

using namespace mlir;
using namespace mlir::tir;

LogicalResult mlir::tir::scheduleRowSteps(KernelSchedule &schedule) {
  SmallVector<BlockOp, 6> blocks = schedule.getKernel().getBlocks();
  llvm::erase_if(blocks, isCheck);
  if (blocks.size() < 2)
    return failure();
  FailureOr<BlockNest> last = BlockNest::get(blocks.back());
  if (failed(last) || last->isReduction())
    return failure();

  // The rows: leading variables that every step has as well.
  unsigned numRows = last->getNumVars();
  double work = 0;
  std::vector<BlockNest> steps;
  for (BlockOp block : blocks) {
    FailureOr<BlockNest> nest = BlockNest::get(block);
    if (failed(nest) || !nest->getStore() || !nest->getStore()->map)
      return failure();
    if (nest->isReduction()) {
      // What is reduced is contiguous, or lanes across rows would be better.
      SmallVector<unsigned> reduce = nest->getVars(/*isReduce=*/true);
      bool isRow = llvm::any_of(nest->accesses, [&](const auto &access) {
        return !access.isWrite && isContiguous(access, reduce.back());
      });
      if (!isRow)
        return failure();
      numRows = std::min<unsigned>(numRows, reduce.front());
    }
    work += nest->getWork() / 16;
    steps.push_back(std::move(*nest));
  }
  bool hasReduction = llvm::any_of(
      steps, [](const BlockNest &nest) { return nest.isReduction(); });
  if (!hasReduction || numRows == 0 || numRows == last->getNumVars())
    return failure();
  for (const BlockNest &step : steps) {
    if (step.getNumVars() < numRows)
      return failure();
    for (unsigned var = 0; var != numRows; ++var)
      if (step.isReduce(var) || step.getExtent(var) != last->getExtent(var))
        return failure();
  }

  ForOp row = last->loops[numRows - 1];
  bool moved = false;
  for (BlockOp block : llvm::reverse(ArrayRef(blocks).drop_back()))
    moved |= succeeded(schedule.computeAt(block, row));
  if (!moved)
    return failure();
  for (const BlockNest &step : steps) {
    BlockOp block = step.block;
    SmallVector<ForOp, 6> loops = block.getLoops();
    if (!row->isProperAncestor(block)) {
      scheduleFallback(schedule, block);
      continue;
    }
    if (block.hasReduceIters())
      schedule.deferTensorize(block, Intrinsic::RowReduction);
    else if (loops.back() != row)
      (void)schedule.vectorize(loops.back());
  }
  SmallVector<ForOp> outer(last->loops.begin(), last->loops.begin() + numRows);
  parallelizeOuter(schedule, outer, work);
  return success();
}
