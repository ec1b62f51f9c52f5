//===- VTASearch.cpp - Tiles by measuring them ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a program of VTA takes is known, and does not depend on data. So the
// tiles that rules estimate to be fastest are made programs of, and the cycle
// simulator says which one it is.
//
//===----------------------------------------------------------------------===//

#include "VTASearch.h"

#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/VTATiles.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"
#include "relay-mlir/Runtime/VTA/Simulator.h"
#include "relay-mlir/Support/SilentDiagnostics.h"
#include "relay-mlir/Target/VTA/VTABinary.h"
#include "relay-mlir/Target/VTA/VTACode.h"

#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;

/// Loads what is needed: dialects cannot be loaded once several threads are at
/// work.
static void loadDialects(MLIRContext &context) {
  PassManager manager(&context);
  vta::buildTIRToVTAPipeline(manager);
  DialectRegistry registry;
  manager.getDependentDialects(registry);
  registry.insert<vta::VTADialect>();
  context.appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context.getOrLoadDialect(name);
}

/// How many cycles a kernel takes with a tile; none if it cannot be computed
/// so, for which there are reasons other than scratchpads.
static std::optional<uint64_t> countCycles(tir::PrimFuncOp kernel,
                                           ArrayRef<int64_t> tile) {
  MLIRContext *context = kernel.getContext();
  // Nobody has asked for this tile, so that nobody need know what is wrong.
  SilentDiagnostics silence(context);
  OwningOpRef<ModuleOp> module = kernel.cloneIntoModule();
  auto copy = *module->getOps<tir::PrimFuncOp>().begin();
  copy->setAttr(tir::kVTATileAttrName, DenseI64ArrayAttr::get(context, tile));
  PassManager manager(context);
  vta::buildTIRToVTAPipeline(manager);
  if (!tir::scheduleKernel(copy) || failed(manager.run(*module)))
    return std::nullopt;
  auto programs = module->getOps<vta::ProgramOp>();
  if (programs.empty())
    return std::nullopt;
  relay_vta::Program program = vta::encodeProgram(*programs.begin());
  relay_vta::RunOptions options;
  options.timingOnly = true;
  relay_vta::Timing timing;
  relay_vta::RunStatus status =
      relay_vta::Simulator(program.config)
          .runCycles(program.instructions, program.dramBase, program.image,
                     timing, options);
  if (!status.isOk())
    return std::nullopt;
  return timing.cycles;
}

/// The text of a kernel, whatever its name.
static std::string getText(tir::PrimFuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OwningOpRef<tir::PrimFuncOp> unnamed = kernel.clone();
  unnamed->setSymName("kernel");
  (*unnamed)->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  return text;
}

/// How many steps all programs of a search may have, which take about 0.1 ms
/// each. Sizes with few divisors, such as 97, have few tiles that fit, and
/// small ones.
static constexpr int64_t kMaxSteps = int64_t(1) << 15;

/// The fastest of the first tiles, as numbers with commas between them; empty
/// if there are none.
static std::string findFastest(tir::PrimFuncOp kernel, unsigned count) {
  uint64_t least = UINT64_MAX;
  std::string fastest;
  int64_t steps = 0;
  for (const tir::VTATileChoice &choice : tir::findVTATiles(kernel, count)) {
    if (steps + choice.steps > kMaxSteps) {
      // The first one is what others have to be faster than.
      if (steps == 0)
        break;
      continue;
    }
    steps += choice.steps;
    ArrayRef<int64_t> tile = choice.tile;
    // The one with the better estimate, of several that take equally long.
    std::optional<uint64_t> cycles = countCycles(kernel, tile);
    if (!cycles || *cycles >= least)
      continue;
    least = *cycles;
    fastest =
        llvm::join(llvm::map_range(
                       tile, [](int64_t size) { return std::to_string(size); }),
                   ",");
  }
  return fastest;
}

static void chooseTile(tir::PrimFuncOp kernel, const std::string &text) {
  SmallVector<int64_t> tile;
  for (StringRef part : llvm::split(text, ",")) {
    int64_t size;
    if (part.getAsInteger(10, size))
      return;
    tile.push_back(size);
  }
  kernel->setAttr(tir::kVTATileAttrName,
                  DenseI64ArrayAttr::get(kernel.getContext(), tile));
}

void relay::searchVTATiles(ArrayRef<tir::PrimFuncOp> kernels, unsigned count,
                           const KernelCompiler &compiler) {
  // Equal kernels, of which a network may have many, are one.
  llvm::MapVector<std::string, SmallVector<tir::PrimFuncOp>,
                  llvm::StringMap<unsigned>>
      groups;
  for (tir::PrimFuncOp kernel : kernels) {
    FailureOr<TargetAttrInterface> target = getTarget(kernel);
    if (failed(target) || !isa<vta::ConfigAttr>(*target))
      continue;
    std::string key = "vta tile of " + std::to_string(count) + "\n";
    llvm::raw_string_ostream(key) << *target << '\n' << getText(kernel);
    groups[key].push_back(kernel);
  }
  if (groups.empty())
    return;
  MLIRContext *context = groups.begin()->second.front().getContext();
  loadDialects(*context);
  std::vector<std::string> found(groups.size());
  parallelFor(context, 0, groups.size(), [&](size_t i) {
    const auto &group = groups.begin()[i];
    tir::PrimFuncOp kernel = group.second.front();
    found[i] = compiler.remember(group.first,
                                 [&] { return findFastest(kernel, count); });
  });
  for (const auto &[group, text] : llvm::zip_equal(groups, found))
    for (tir::PrimFuncOp kernel : group.second)
      chooseTile(kernel, text);
}
