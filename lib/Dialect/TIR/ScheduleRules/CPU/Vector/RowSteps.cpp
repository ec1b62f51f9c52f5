//===- RowSteps.cpp - Kernels of several steps along rows -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../RowSteps.h"
#include "../CPURules.h"

using namespace mlir;
using namespace mlir::tir;

LogicalResult mlir::tir::scheduleRowSteps(KernelSchedule &schedule) {
  std::optional<RowSteps> found = matchRowSteps(schedule.getKernel());
  if (!found)
    return failure();
  auto &[steps, numRows, work] = *found;
  const BlockNest &last = steps.back();
  ForOp row = last.loops[numRows - 1];
  bool moved = false;
  for (const BlockNest &step : llvm::reverse(ArrayRef(steps).drop_back()))
    moved |= succeeded(schedule.computeAt(step.block, row));
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
  SmallVector<ForOp> outer(last.loops.begin(), last.loops.begin() + numRows);
  parallelizeOuter(schedule, outer, work / 16);
  return success();
}
