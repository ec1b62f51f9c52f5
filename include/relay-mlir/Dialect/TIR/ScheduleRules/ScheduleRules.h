//===- ScheduleRules.h - Schedules without search ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULERULES_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULERULES_H

#include "mlir/IR/DialectInterface.h"
#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRemarks.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include <functional>
#include <string>

namespace mlir::tir {

class KernelSchedule;

/// A rule for one block. It looks at the structure of the block and schedules
/// it, together with what it pulls in. It fails before it changes anything if
/// the block is none of its business.
struct BlockRule {
  /// What it schedules, for people: "sum of products".
  std::string name;
  /// Rules of higher benefit are tried first.
  unsigned benefit;
  std::function<LogicalResult(KernelSchedule &, BlockNest)> apply;
};

/// A rule for a kernel of several blocks.
struct KernelRule {
  /// What such a rule has scheduled.
  enum Result {
    /// Nothing; another rule may.
    None,
    /// What it knows of; the rest is left to rules for blocks.
    Some,
    /// The whole kernel.
    All
  };
  std::string name;
  unsigned benefit;
  std::function<Result(KernelSchedule &)> apply;
};

/// A rule for blocks that wait until all others are scheduled, and then go into
/// loops of theirs.
struct PlacementRule {
  std::string name;
  std::function<bool(const BlockNest &)> waits;
  /// If it fails, other rules schedule the block.
  std::function<LogicalResult(KernelSchedule &, BlockOp)> apply;
};

/// The rules for a target.
class ScheduleRules {
public:
  /// Those that all dialects of the context have for it.
  explicit ScheduleRules(relay::TargetAttrInterface target);

  /// Something that is done before all rules.
  void addPreparation(std::function<void(KernelSchedule &)> preparation) {
    preparations.push_back(std::move(preparation));
  }
  void addKernelRule(KernelRule rule) {
    kernelRules.push_back(std::move(rule));
  }
  void addBlockRule(BlockRule rule) { blockRules.push_back(std::move(rule)); }
  void addPlacementRule(PlacementRule rule) {
    placementRules.push_back(std::move(rule));
  }
  /// What becomes of a block that no rule knows; without, it stays as it is.
  void setFallback(std::function<void(KernelSchedule &, BlockOp)> fallback) {
    this->fallback = std::move(fallback);
  }

  bool isEmpty() const {
    return kernelRules.empty() && blockRules.empty() && !fallback;
  }

  void schedule(KernelSchedule &schedule) const;

private:
  void scheduleBlock(KernelSchedule &schedule, BlockOp block) const;
  void applyFallback(KernelSchedule &schedule, BlockOp block) const;
  /// The rule that a block waits for; null if there is none.
  const PlacementRule *findPlacement(BlockOp block) const;

  SmallVector<std::function<void(KernelSchedule &)>> preparations;
  SmallVector<KernelRule> kernelRules;
  SmallVector<BlockRule> blockRules;
  SmallVector<PlacementRule> placementRules;
  std::function<void(KernelSchedule &, BlockOp)> fallback;
};

/// A dialect that has rules. That of a plugin adds them for targets of its own,
/// or more of them for others. It counts once it is loaded: by an attribute of
/// its own in the module, or, for targets of others, by an extension of theirs:
///
///     registry->addExtension(+[](MLIRContext *context, TargetDialect *) {
///       context->getOrLoadDialect<MyDialect>();
///     });
class ScheduleRulesInterface
    : public DialectInterface::Base<ScheduleRulesInterface> {
public:
  explicit ScheduleRulesInterface(Dialect *dialect) : Base(dialect) {}

  /// Adds the rules for `target`, if there are any.
  virtual void addRules(relay::TargetAttrInterface target,
                        ScheduleRules &rules) const = 0;
};

/// Gives the target dialect the rules for processors.
void registerCPUScheduleRules(DialectRegistry &registry);

/// Gives the cuda dialect the rules for GPUs.
void registerGPUScheduleRules(DialectRegistry &registry);

/// Gives the vta dialect the rules for VTA.
void registerVTAScheduleRules(DialectRegistry &registry);

/// Schedules an unscheduled kernel for its target by rules that look at its
/// structure only: kinds of variables, access maps, extents. What no rule knows
/// is run as it is. Returns the script of what was done, which does the same to
/// a fresh kernel, `transform.named_sequence @<kernel>.schedule`, in a module
/// of its own; null if something went wrong, which has been reported.
/// `remarks`, if not null, receives what there is to say about it.
OwningOpRef<ModuleOp> scheduleKernel(PrimFuncOp kernel,
                                     ScheduleRemarks *remarks = nullptr);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULERULES_H
