//===- GPURules.cpp - The rules for GPUs ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURules.h"

#include "../InlineProducers.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

/// Adds the rules to kernels for `#cuda.gpu`.
struct GPURules : ScheduleRulesInterface {
  using ScheduleRulesInterface::ScheduleRulesInterface;

  void addRules(relay::TargetAttrInterface target,
                ScheduleRules &rules) const override {
    if (!isa<cuda::GPUAttr>(target))
      return;
    rules.addPreparation(inlineProducers);
    rules.addPreparation(inlineCopies);
    rules.addKernelRule({"all steps of the kernel for a row in a block", 10,
                         [](KernelSchedule &schedule) {
                           return succeeded(scheduleRows(schedule))
                                      ? KernelRule::All
                                      : KernelRule::None;
                         }});
    rules.addBlockRule({"product by tensor cores", 30, scheduleProduct});
    rules.addBlockRule(
        {"one result for each block of threads", 20, scheduleReduction});
    rules.addBlockRule({"a tile in shared memory for each block", 15,
                        scheduleTransposingCopy});
    rules.addBlockRule({"one result for each thread", 10, scheduleGrid});
    rules.setFallback(scheduleAnything);
  }
};

} // namespace

void mlir::tir::registerGPUScheduleRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, cuda::CUDADialect *dialect) {
    dialect->addInterfaces<GPURules>();
  });
}
