//===- ScheduleKernel.cpp - Schedules whole kernels -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"

#include "relay-mlir/Dialect/TIR/Analysis/ConstantTable.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"

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

ScheduleRules::ScheduleRules(relay::TargetAttrInterface target) {
  DialectInterfaceCollection<ScheduleRulesInterface> dialects(
      target.getContext());
  for (const ScheduleRulesInterface &dialect : dialects)
    dialect.addRules(target, *this);
  // Dialects are in no order.
  auto sort = [](auto &rules) {
    llvm::sort(rules, [](const auto &lhs, const auto &rhs) {
      return std::tie(rhs.benefit, lhs.name) < std::tie(lhs.benefit, rhs.name);
    });
  };
  sort(kernelRules);
  sort(blockRules);
}

void ScheduleRules::applyFallback(KernelSchedule &schedule,
                                  BlockOp block) const {
  if (fallback)
    fallback(schedule, block);
}

void ScheduleRules::scheduleBlock(KernelSchedule &schedule,
                                  BlockOp block) const {
  FailureOr<BlockNest> nest = BlockNest::get(block);
  // Part of the schedule of another block.
  if (failed(nest))
    return;
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
  for (const BlockRule &rule : blockRules) {
    if (succeeded(rule.apply(schedule, *nest))) {
      schedule.remark("rule", "@" + Twine(name) + ": " + rule.name);
      return;
    }
    // A primitive may have refused when the rule had begun.
    nest = BlockNest::get(block);
    if (failed(nest))
      return applyFallback(schedule, block);
  }
  // What reads such a table may know its elements; there is nothing to gain.
  SmallVector<Value> written = getWrittenBuffers(block);
  if (written.size() == 1 && succeeded(ConstantTable::get(written.front())))
    schedule.remark("rule", "@" + Twine(name) + ": table of constants");
  else
    schedule.remarkMissed("rule", "@" + Twine(name) + ": no rule knows it, " +
                                      explainNoRule(*nest));
  applyFallback(schedule, block);
}

void ScheduleRules::schedule(KernelSchedule &schedule) const {
  for (const auto &prepare : preparations)
    prepare(schedule);
  for (const KernelRule &rule : kernelRules) {
    KernelRule::Result result = rule.apply(schedule);
    if (result == KernelRule::None)
      continue;
    schedule.remark("rule", rule.name);
    if (result == KernelRule::All)
      return;
    break;
  }
  // Rules may add blocks (copies), and erase those that they take in others.
  SmallVector<std::pair<std::string, const PlacementRule *>> waiting;
  while (BlockOp block = schedule.getNextBlock()) {
    if (const PlacementRule *rule = findPlacement(block))
      waiting.push_back({block.getName().str(), rule});
    else
      scheduleBlock(schedule, block);
  }
  // Readers first, which are to have their loops.
  for (const auto &[name, rule] : llvm::reverse(waiting)) {
    BlockOp block = schedule.getKernel().getBlock(name);
    if (!block)
      continue;
    if (failed(rule->apply(schedule, block)))
      scheduleBlock(schedule, block);
    else
      schedule.remark("rule", "@" + Twine(name) + ": " + rule->name);
  }
}

const PlacementRule *ScheduleRules::findPlacement(BlockOp block) const {
  FailureOr<BlockNest> nest = BlockNest::get(block);
  if (failed(nest))
    return nullptr;
  const auto *rule =
      llvm::find_if(placementRules, [&](const PlacementRule &candidate) {
        return candidate.waits(*nest);
      });
  return rule == placementRules.end() ? nullptr : rule;
}

OwningOpRef<ModuleOp> mlir::tir::scheduleKernel(PrimFuncOp kernel,
                                                ScheduleRemarks *remarks) {
  FailureOr<relay::TargetAttrInterface> target = relay::getTarget(kernel);
  if (failed(target))
    return {};
  ScheduleRules rules(*target);
  if (rules.isEmpty()) {
    InFlightDiagnostic diag = emitError(kernel.getLoc());
    diag << "expects schedule rules for targets of kind " << target->getKind()
         << ", but there are none";
    diag.attachNote() << "the plugin that has the kind has its rules";
    return {};
  }
  KernelSchedule schedule(kernel, *target, remarks);
  rules.schedule(schedule);
  schedule.finalize();
  return schedule.takeScript();
}
