//===- CPURules.cpp - The rules for processors ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPURules.h"

#include "../InlineProducers.h"
#include "Vector/Window.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

/// Adds the rules to kernels for `#target.cpu`.
struct CPURules : ScheduleRulesInterface {
  using ScheduleRulesInterface::ScheduleRulesInterface;

  void addRules(relay::TargetAttrInterface target,
                ScheduleRules &rules) const override {
    if (!isa<relay::CPUAttr>(target))
      return;
    rules.addPreparation(inlineProducers);

    rules.addKernelRule({"transforms by constant matrices at their uses", 30,
                         [](KernelSchedule &schedule) {
                           return scheduleConstantTransforms(schedule)
                                      ? KernelRule::Some
                                      : KernelRule::None;
                         }});
    rules.addKernelRule(
        {"two products and the steps between them for one block of rows at a "
         "time",
         20, [](KernelSchedule &schedule) {
           return succeeded(scheduleAttention(schedule)) ? KernelRule::Some
                                                         : KernelRule::None;
         }});
    rules.addKernelRule({"all steps of the kernel for one row at a time", 10,
                         [](KernelSchedule &schedule) {
                           return succeeded(scheduleRowSteps(schedule))
                                      ? KernelRule::All
                                      : KernelRule::None;
                         }});

    rules.addBlockRule(
        {"products within groups of few channels", 75, scheduleSmallGroups});
    rules.addBlockRule({"sum of products", 70, scheduleContraction});
    rules.addBlockRule(
        {"window that slides over channels-last data", 60, scheduleWindow});
    rules.addBlockRule(
        {"window that slides along rows", 50, scheduleRowWindow});
    rules.addBlockRule(
        {"reduction, results side by side", 40, scheduleSpatialReduction});
    rules.addBlockRule({"reduction along rows", 30, scheduleRowReduction});
    rules.addBlockRule({"transposing copy", 20, scheduleTranspose});
    rules.addBlockRule({"elementwise", 10, scheduleElementwise});

    rules.addPlacementRule(
        {"padding, a piece where it is read", isPaddingForPieces, placePieces});

    rules.addPlacementRule({"weight of constants, a part where it is read",
                            isWeightMaker, checkMaker});
    rules.addPlacementRule({"data made wider, where tiles are made of it",
                            isWideningForTiles, checkMaker});

    rules.setFallback(scheduleFallback);
  }
};

} // namespace

void mlir::tir::registerCPUScheduleRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, relay::TargetDialect *dialect) {
    dialect->addInterfaces<CPURules>();
  });
}
