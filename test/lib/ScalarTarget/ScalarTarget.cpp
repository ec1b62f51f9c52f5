//===- ScalarTarget.cpp - A kind of targets from outside ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a project has to write that adds a kind of targets: an attribute that
// describes it, and rules that schedule kernels for it. relay-opt loads it with
// --load-dialect-plugin; nothing in the compiler knows of it.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ScalarDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ScalarAttributes.h.inc"

#include "ScalarDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ScalarAttributes.cpp.inc"

using namespace scalar;

StringRef CoreAttr::getKind() const { return "scalar"; }

std::string CoreAttr::getDescription() const {
  return "scalar core with " + std::to_string(getMemory()) + " bytes";
}

/// Inputs that fit come to the core's memory first.
static LogicalResult scheduleNear(tir::KernelSchedule &schedule,
                                  tir::BlockNest nest) {
  int64_t memory = cast<CoreAttr>(schedule.getTarget()).getMemory();
  auto fits = [&](const tir::BufferAccess &access) {
    auto type = cast<MemRefType>(access.buffer.getType());
    return !access.isWrite && type.hasStaticShape() &&
           type.getNumElements() * type.getElementTypeBitWidth() / 8 <= memory;
  };
  // A copy fits itself; what is fetched once need not be kept.
  if (!nest.isReduction() || !llvm::any_of(nest.accesses, fits))
    return failure();
  for (const tir::BufferAccess &access : nest.accesses)
    if (fits(access))
      (void)schedule.cacheRead(nest.block, access.buffer, "local");
  return success();
}

/// One loop, whatever the shape.
static LogicalResult scheduleFlat(tir::KernelSchedule &schedule,
                                  tir::BlockNest nest) {
  SmallVector<tir::ForOp> loops = nest.block.getLoops();
  return success(!nest.isReduction() && loops.size() > 1 &&
                 schedule.fuse(loops));
}

namespace {

struct ScalarRules : tir::ScheduleRulesInterface {
  using ScheduleRulesInterface::ScheduleRulesInterface;

  void addRules(relay::TargetAttrInterface target,
                tir::ScheduleRules &rules) const override {
    if (!isa<CoreAttr>(target))
      return;
    rules.addBlockRule({"near memory", 2, scheduleNear});
    rules.addBlockRule({"one loop", 1, scheduleFlat});
  }
};

} // namespace

void ScalarDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ScalarAttributes.cpp.inc"
      >();
  addInterfaces<ScalarRules>();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ScalarTarget", "0.1",
          [](DialectRegistry *registry) { registry->insert<ScalarDialect>(); }};
}
