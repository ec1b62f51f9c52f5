//===- ScheduleKernel.cpp - Schedules whole kernels -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are here, below the passes that search for better schedules,
// because they need nothing but the dialect and its primitives.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Transforms/ScheduleRules.h"

#include "ScheduleRule.h"
#include "Window.h"

using namespace mlir;
using namespace mlir::tir;

static void scheduleBlock(KernelSchedule &schedule, BlockOp block) {
  FailureOr<BlockNest> nest = BlockNest::get(block);
  // Part of the schedule of another block.
  if (failed(nest))
    return;
  using Rule = LogicalResult (*)(KernelSchedule &, BlockNest);
  for (Rule rule :
       {scheduleContraction, scheduleWindow, scheduleSpatialReduction,
        scheduleRowReduction, scheduleTranspose, scheduleElementwise})
    if (succeeded(rule(schedule, *nest)))
      return;
  scheduleFallback(schedule, block);
}

LogicalResult mlir::tir::scheduleKernel(PrimFuncOp kernel,
                                        const relay::TargetInfo &target,
                                        ScheduleTrace *trace) {
  KernelSchedule schedule(kernel, target, trace);
  inlineProducers(schedule);
  if (scheduleConstantTransforms(schedule) ||
      failed(scheduleRowSteps(schedule))) {
    // Rules may add blocks (copies) before the one at hand, and erase none.
    llvm::DenseSet<Operation *> done;
    for (bool changed = true; changed;) {
      changed = false;
      for (BlockOp block : kernel.getBlocks())
        if (done.insert(block).second) {
          scheduleBlock(schedule, block);
          changed = true;
        }
    }
  }
  schedule.finalize();
  return success();
}
