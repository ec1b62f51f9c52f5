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
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "relay-mlir/Conversion/Passes.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Plugin.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace scalar;

#include "ScalarTarget.cpp.inc"

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

/// The nest becomes the instruction of a description and an implementation.
static LogicalResult tensorize(tir::KernelSchedule &schedule, tir::ForOp loop,
                               const std::string &text) {
  OwningOpRef<ModuleOp> pair =
      parseSourceString<ModuleOp>(text, loop.getContext());
  auto functions = llvm::to_vector(pair->getOps<tir::PrimFuncOp>());
  return schedule.tensorizeWith(loop, functions[0], functions[1]);
}

/// A description of a sum of products, and the instruction that computes it:
/// of {0} elements, operands of the types {1} and {2}, and a name {3}.
static const char *const kDot = R"(
  tir.prim_func private @{3}(%x: {1}, %w: {2}, %y: memref<1xf32>)
      attributes {{tir.intrinsic} {{
    tir.for %k = 0 to {0} {{
      tir.block @dot(%v0 = reduce %k in {0})
          reads(%x[%v0] : {1}, %w[%v0] : {2}, %y[0] : memref<1xf32>)
          writes(%y[0] : memref<1xf32>) {{
        %0 = affine.load %x[%v0] : {1}
        %1 = affine.load %w[%v0] : {2}
        %2 = affine.load %y[0] : memref<1xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %y[0] : memref<1xf32>
      }
    }
  }
  tir.prim_func private @{3}.scalar(%x: {1}, %w: {2}, %y: memref<1xf32>)
      attributes {{tir.intrinsic} {{
    scalar.dot %x, %w into %y : {1}, {2} into memref<1xf32>
  }
)";

static LogicalResult tensorizeDot(tir::KernelSchedule &schedule,
                                  tir::ForOp loop) {
  std::optional<int64_t> extent = loop.getConstantExtent();
  tir::BlockOp block = loop.getBlocks().front();
  if (!extent || block.getReads().size() != 3)
    return failure();
  std::string name = "dot_" + std::to_string(*extent), types[2];
  auto loads = llvm::to_vector(block.getBody()->getOps<affine::AffineLoadOp>());
  for (auto [load, type] : llvm::zip(loads, types)) {
    bool isNear = load.getMemRefType().getMemorySpace() != nullptr;
    name += isNear ? "_near" : "_far";
    type = llvm::formatv("memref<{0}xf32{1}>", *extent,
                         isNear ? ", #target.memory<\"local\">" : "");
  }
  return tensorize(schedule, loop,
                   llvm::formatv(kDot, *extent, types[0], types[1], name));
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
  // An instruction goes on from what is in memory.
  tir::ForOp loop = nest.block.getLoops().back();
  if (matchSumOfProducts(nest) && schedule.decomposeReduction(nest.block, loop))
    (void)tensorizeDot(schedule, loop);
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
  return tensorize(schedule, nest.loops.back(),
                   llvm::formatv(kFetch, *extent, type));
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
#include "ScalarTargetAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ScalarTargetOps.cpp.inc"
      >();
  addInterfaces<ScalarRules>();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return relay::getPluginInfo<ScalarDialect>("ScalarTarget", "0.1");
}
