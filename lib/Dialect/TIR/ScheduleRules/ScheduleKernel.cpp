//===- ScheduleKernel.cpp - Schedules whole kernels -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"

#include "CPU/Vector/Window.h"
#include "ScheduleRule.h"
#include "relay-mlir/Dialect/TIR/Analysis/ConstantTable.h"

using namespace mlir;
using namespace mlir::tir;

/// What about the block is unlike all that rules know.
static std::string explainNoRule(const BlockNest &nest) {
  for (const BufferAccess &access : nest.accesses)
    if (!access.map)
      return access.isWrite ? "it writes where data says"
                            : "it reads where data says";
  if (!nest.getStore())
    return "it does not store exactly one element at a time";
  if (llvm::any_of(nest.kinds, [](IterKind kind) {
        return kind != IterKind::Spatial && kind != IterKind::Reduce;
      }))
    return "its iterations depend on each other";
  if (nest.getNumVars() == 0)
    return "it has a single iteration";
  if (nest.isReduction())
    return "neither what it reads nor what it writes is contiguous";
  return "it is not elementwise";
}

static void scheduleBlock(KernelSchedule &schedule, BlockOp block) {
  FailureOr<BlockNest> nest = BlockNest::get(block);
  // Part of the schedule of another block.
  if (failed(nest))
    return;
  struct Rule {
    LogicalResult (*apply)(KernelSchedule &, BlockNest);
    StringRef name;
  };
  std::string name = block.getName().str();
  if (isCheck(block)) {
    schedule.remark("rule", "@" + Twine(name) + ": checks data at once");
    return;
  }
  // There is nothing to divide into tiles.
  if (llvm::any_of(block.getLoops(),
                   [](ForOp loop) { return loop.getConstantExtent() == 0; })) {
    schedule.remark("rule", "@" + Twine(name) + ": has no iterations");
    return;
  }
  for (Rule rule :
       {Rule{scheduleContraction, "sum of products"},
        Rule{scheduleWindow, "window that slides over channels-last data"},
        Rule{scheduleRowWindow, "window that slides along rows"},
        Rule{scheduleSpatialReduction, "reduction, results side by side"},
        Rule{scheduleRowReduction, "reduction along rows"},
        Rule{scheduleTranspose, "transposing copy"},
        Rule{scheduleElementwise, "elementwise"}}) {
    if (succeeded(rule.apply(schedule, *nest))) {
      schedule.remark("rule", "@" + Twine(name) + ": " + rule.name);
      return;
    }
    // A primitive may have refused when the rule had begun.
    nest = BlockNest::get(block);
    if (failed(nest))
      return scheduleFallback(schedule, block);
  }
  // What reads such a table may know its elements; there is nothing to gain.
  SmallVector<Value> written = getWrittenBuffers(block);
  if (written.size() == 1 && succeeded(ConstantTable::get(written.front())))
    schedule.remark("rule", "@" + Twine(name) + ": table of constants");
  else
    schedule.remarkMissed("rule", "@" + Twine(name) + ": no rule knows it, " +
                                      explainNoRule(*nest));
  scheduleFallback(schedule, block);
}

static void scheduleBlocks(KernelSchedule &schedule) {
  // Rules may add blocks (copies), and erase those that they take in others.
  while (BlockOp block = schedule.getNextBlock())
    scheduleBlock(schedule, block);
}

OwningOpRef<ModuleOp> mlir::tir::scheduleKernel(PrimFuncOp kernel,
                                                ScheduleRemarks *remarks) {
  FailureOr<relay::CPUAttr> cpu = relay::getTargetCPU(kernel);
  if (failed(cpu))
    return {};
  KernelSchedule schedule(kernel, cpu->getInfo(), remarks);
  inlineProducers(schedule);
  if (scheduleConstantTransforms(schedule)) {
    schedule.remark("rule", "transforms by constant matrices at their uses");
    scheduleBlocks(schedule);
  } else if (succeeded(scheduleAttention(schedule))) {
    schedule.remark("rule", "two products and the steps between them for one "
                            "block of rows at a time");
    scheduleBlocks(schedule);
  } else if (succeeded(scheduleRowSteps(schedule))) {
    schedule.remark("rule", "all steps of the kernel for one row at a time");
  } else {
    scheduleBlocks(schedule);
  }
  schedule.finalize();
  return schedule.takeScript();
}
