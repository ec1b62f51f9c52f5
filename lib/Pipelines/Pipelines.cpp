//===- Pipelines.cpp - The phases of a compilation ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/Pipelines.h"

#include "relay-mlir/Conversion/Passes.h"
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Support/ModulePipeline.h"
#include "relay-mlir/Target/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relay;

std::optional<Precision> relay::parsePrecision(StringRef name) {
  return llvm::StringSwitch<std::optional<Precision>>(name)
      .Case("highest", Precision::Highest)
      .Case("high", Precision::High)
      .Case("medium", Precision::Medium)
      .Default(std::nullopt);
}

StringRef relay::getPrecisionName(Precision precision) {
  switch (precision) {
  case Precision::Highest:
    return "highest";
  case Precision::High:
    return "high";
  case Precision::Medium:
    return "medium";
  }
  llvm_unreachable("unknown precision");
}

/// Options of the pass for the target of the compilation.
static WinogradPassOptions getWinogradOptions(const CompileOptions &options) {
  WinogradPassOptions result;
  MLIRContext quiet(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler silence(&quiet, [](Diagnostic &) {});
  // A wrong name is reported by whoever compiles for it.
  FailureOr<TargetInfo> target = TargetInfo::parse(
      options.target, [&] { return emitError(UnknownLoc::get(&quiet)); });
  if (failed(target))
    return result;
  result.vectorBits = target->getVectorBits();
  result.l2Bytes = target->getCacheSizes().l2;
  result.l3Bytes = target->getCacheSizes().l3;
  if (target->hasTiles())
    result.matrixTerms = options.precision == Precision::High ? 3 : 1;
  return result;
}

/// CPUs take channels last: whole vectors of channels are loaded and stored,
/// and a 1x1 convolution is a matrix product.
static void addLayoutPass(OpPassManager &manager,
                          const CompileOptions &options) {
  StringRef layout = options.desiredLayout;
  if (layout == "default" || (layout.empty() && options.optLevel < 3))
    return;
  ConvertLayoutPassOptions conversion;
  conversion.estimate = layout.empty();
  SmallVector<StringRef> entries;
  layout.split(entries, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef entry : entries)
    conversion.desiredLayouts.push_back(entry.str());
  manager.addNestedPass<func::FuncOp>(createConvertLayoutPass(conversion));
}

void relay::buildRelayOptimizePipeline(OpPassManager &manager,
                                       const CompileOptions &options) {
  manager.addPass(createInferTypesPass());
  manager.addPass(createToGraphNormalFormPass());
  manager.addPass(createInstantiatePass());
  // Fusion does not look into functions, and executors call kernels only.
  manager.addPass(createVerifyInlinedSizePass());
  manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  manager.addNestedPass<func::FuncOp>(createSimplifyInferencePass());
  if (options.optLevel >= 1) {
    // Folding makes constants of what simplification spelled out.
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    if (options.precision != Precision::Highest) {
      FoldScaleAxisPassOptions scales;
      scales.onlyConstants = true;
      manager.addNestedPass<func::FuncOp>(createPoolBeforeConvPass());
      // Normalisation may come with a scale of its own after it, whose terms
      // are constants once those before are.
      for (int round = 0; round != 2; ++round) {
        manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
        manager.addNestedPass<func::FuncOp>(createFoldScaleAxisPass(scales));
      }
    }
    addLayoutPass(manager, options);
    // Queries, keys and values of attention in one product; its weights fold.
    CombineParallelDensePassOptions dense;
    CombineParallelMatmulPassOptions matmul;
    dense.estimate = matmul.estimate = true;
    manager.addNestedPass<func::FuncOp>(createCombineParallelDensePass(dense));
    manager.addNestedPass<func::FuncOp>(
        createCombineParallelMatmulPass(matmul));
    manager.addNestedPass<func::FuncOp>(createSplitTransposedConvPass());
    manager.addNestedPass<func::FuncOp>(createWidenProductsPass());
    manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
    // What became constant may settle sizes.
    manager.addPass(createInferTypesPass());
    manager.addPass(createCanonicalizerPass());
    if (options.precision != Precision::Highest) {
      manager.addNestedPass<func::FuncOp>(
          createWinogradPass(getWinogradOptions(options)));
      manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
    }
  }
  manager.addPass(createDeadCodePass());
  FuseOpsPassOptions fusion;
  fusion.merge = options.optLevel >= 2;
  manager.addPass(createFuseOpsPass(fusion));
  manager.addPass(createVerifyFusedPass());
}

void relay::buildRelayToKernelsPipeline(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createConvertRelayToLinalgPass());
  manager.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  // Shapes of calls come from the linalg form of the callees, so main goes
  // before they become kernels.
  manager.addPass(createConvertRelayToRelaxPass());
  manager.addPass(createCollapseKernelsPass());
  manager.addPass(createConvertLinalgToTIRPass());
  manager.addNestedPass<tir::PrimFuncOp>(tir::createTIRCountWorkPass());
  manager.addPass(relax::createVerifyKernelsPass());
}

namespace {
struct OptimizeOptions : PassPipelineOptions<OptimizeOptions> {
  Option<int> optLevel{*this, "opt-level",
                       llvm::cl::desc("0: no folding, no fusion; 1: folding; "
                                      "2: fusion too; 3: layouts too"),
                       llvm::cl::init(3)};
  Option<Precision> precision{
      *this, "precision",
      llvm::cl::desc("How exactly results are computed in f32"),
      llvm::cl::init(Precision::High),
      llvm::cl::values(
          clEnumValN(Precision::Highest, "highest", "as sums of products"),
          clEnumValN(Precision::High, "high", "to 1e-4 of a network's scale"),
          clEnumValN(Precision::Medium, "medium", "with bf16 operands"))};
  Option<std::string> target{
      *this, "target", llvm::cl::desc("Processor that costs are estimated for"),
      llvm::cl::init("native")};
  Option<std::string> desiredLayout{
      *this, "desired-layout",
      llvm::cl::desc("Layout of convolutions, such as NHWC; `default` leaves "
                     "them as they are")};
};
} // namespace

static std::string checkOptions(const EmptyPipelineOptions &) { return ""; }

static std::string checkOptions(const OptimizeOptions &options) {
  int level = options.optLevel;
  return isOptLevel(level) ? ""
                           : "expects opt-level from 0 to 3, but got " +
                                 std::to_string(level);
}

/// As PassPipelineRegistration does, but for pipelines of modules, and with a
/// check of the options.
template <typename Options>
static void registerModulePipeline(
    StringRef name, StringRef description,
    std::function<void(OpPassManager &, const Options &)> build) {
  registerPassPipeline(
      name, description,
      [=](OpPassManager &manager, StringRef text,
          function_ref<LogicalResult(const Twine &)> errorHandler)
          -> LogicalResult {
        Options options;
        if (failed(options.parseFromString(text)) ||
            failed(relay::checkModulePipeline(name, manager, errorHandler)))
          return failure();
        if (std::string error = checkOptions(options); !error.empty())
          return errorHandler(error);
        build(manager, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(Options());
      });
}

void relay::registerPipelines() {
  registerModulePipeline<OptimizeOptions>(
      "relay-optimize",
      "Simplify, fold and fuse a relay module: relay-typed to relay-fused",
      [](OpPassManager &manager, const OptimizeOptions &options) {
        CompileOptions compile;
        compile.optLevel = options.optLevel;
        compile.precision = options.precision;
        compile.target = options.target;
        compile.desiredLayout = options.desiredLayout;
        buildRelayOptimizePipeline(manager, compile);
      });
  registerModulePipeline<EmptyPipelineOptions>(
      "relay-to-kernels",
      "Lower primitive functions to tir kernels and main to relax: "
      "relay-fused to relax-kernels",
      [](OpPassManager &manager, const EmptyPipelineOptions &) {
        buildRelayToKernelsPipeline(manager);
      });
}
