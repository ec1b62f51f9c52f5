//===- ScalarTarget.cpp - A kind of targets from outside ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a project has to write that adds a kind of targets: an attribute that
// describes it, rules that schedule kernels for it, an instruction with the
// loops that it stands for, and a code generator. The tools load it with
// --load-dialect-plugin; nothing in the compiler knows of it. ScalarDevice.c
// runs the code.
//
//===----------------------------------------------------------------------===//

#include "ScalarTarget.h"

#include "ScalarCode.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Transforms/Passes.h"
#include "relay-mlir/Conversion/Passes.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace scalar;

#include "ScalarDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ScalarAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "ScalarOps.cpp.inc"

LogicalResult CoreAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t memory) {
  if (memory < 0)
    return emitError() << "expects bytes of memory, but got " << memory;
  return success();
}

StringRef CoreAttr::getKind() const { return "scalar"; }

std::string CoreAttr::getDescription() const {
  return "scalar core with " + std::to_string(getMemory()) + " bytes";
}

SmallVector<relay::MemoryInfo> CoreAttr::getMemories() const {
  using namespace relay;
  // Registers are of the one thread; a line is only fetched.
  return {{MemoryAttr::kLocal, MemorySharing::Kernel, MemoryAccess::Elements,
           getMemory()},
          {"register", MemorySharing::Thread, MemoryAccess::Elements, 64},
          {"line", MemorySharing::Kernel, MemoryAccess::Instructions, 0}};
}

FailureOr<relay::DeviceCode> CoreAttr::generateCode(ModuleOp kernels) const {
  PassManager manager(getContext());
  manager.addPass(relay::createConvertTIRToSCFPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (failed(manager.run(kernels)))
    return failure();
  FailureOr<std::string> text = writeCode(kernels, getMemory());
  if (failed(text))
    return failure();
  return relay::DeviceCode{"scalar-text", std::move(*text)};
}

static int64_t getBytes(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Inputs that fit come to the core's memory first.
static LogicalResult scheduleNear(tir::KernelSchedule &schedule,
                                  tir::BlockNest nest) {
  auto fits = [&](const tir::BufferAccess &access) {
    auto type = cast<MemRefType>(access.buffer.getType());
    int64_t room = cast<CoreAttr>(schedule.getTarget()).getMemory();
    schedule.getKernel().walk([&](tir::AllocBufferOp buffer) {
      if (buffer.getMemory())
        room -= getBytes(buffer.getType());
    });
    return !access.isWrite && type.hasStaticShape() && getBytes(type) <= room;
  };
  // A copy fits itself; what is fetched once need not be kept.
  if (!nest.isReduction() || !llvm::any_of(nest.accesses, fits))
    return failure();
  for (const tir::BufferAccess &access : nest.accesses)
    if (fits(access))
      (void)schedule.cacheRead(nest.block, access.buffer, "local");
  return success();
}

/// A description of the copy of a row, and the instruction that does it.
static const char *const kFetch = R"(
  tir.prim_func private @fetch_{0}_{1}(
      %x: memref<{0}x{1}>, %y: memref<{0}x{1}, #target.memory<"local">>)
      attributes {{tir.intrinsic} {{
    tir.for %i = 0 to {0} {{
      tir.block @fetch(%v0 = spatial %i in {0})
          reads(%x[%v0] : memref<{0}x{1}>)
          writes(%y[%v0] : memref<{0}x{1}, #target.memory<"local">>) {{
        %0 = affine.load %x[%v0] : memref<{0}x{1}>
        affine.store %0, %y[%v0] : memref<{0}x{1}, #target.memory<"local">>
      }
    }
  }
  tir.prim_func private @fetch_{0}_{1}.scalar(
      %x: memref<{0}x{1}>, %y: memref<{0}x{1}, #target.memory<"local">>)
      attributes {{tir.intrinsic} {{
    scalar.fetch %x to %y
        : memref<{0}x{1}> to memref<{0}x{1}, #target.memory<"local">>
  }
)";

/// Rows of copies to near memory are one instruction.
static LogicalResult scheduleFetch(tir::KernelSchedule &schedule,
                                   tir::BlockNest nest) {
  const tir::BufferAccess *store = nest.getStore();
  auto buffer =
      store ? store->buffer.getDefiningOp<tir::AllocBufferOp>() : nullptr;
  if (!buffer || !buffer.getMemory() || nest.loops.empty())
    return failure();
  std::optional<int64_t> extent = nest.getExtent(nest.getNumVars() - 1);
  if (!extent)
    return failure();
  std::string type;
  llvm::raw_string_ostream(type) << buffer.getType().getElementType();
  OwningOpRef<ModuleOp> pair = parseSourceString<ModuleOp>(
      llvm::formatv(kFetch, *extent, type).str(), buffer.getContext());
  auto functions = llvm::to_vector(pair->getOps<tir::PrimFuncOp>());
  return schedule.tensorizeWith(nest.loops.back(), functions[0], functions[1]);
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
    rules.addBlockRule({"near memory", 3, scheduleNear});
    rules.addBlockRule({"fetch", 2, scheduleFetch});
    rules.addBlockRule({"one loop", 1, scheduleFlat});
  }
};

} // namespace

void ScalarDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ScalarAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ScalarOps.cpp.inc"
      >();
  addInterfaces<ScalarRules>();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ScalarTarget", "0.1",
          [](DialectRegistry *registry) { registry->insert<ScalarDialect>(); }};
}
