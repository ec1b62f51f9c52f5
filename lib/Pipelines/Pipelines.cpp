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

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::relay;

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
  // Fusion does not look into functions, and executors call kernels only.
  manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  manager.addNestedPass<func::FuncOp>(createSimplifyInferencePass());
  if (options.optLevel >= 1) {
    // Folding makes constants of what simplification spelled out.
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    addLayoutPass(manager, options);
    manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
    // What became constant may settle sizes.
    manager.addPass(createInferTypesPass());
    manager.addPass(createCanonicalizerPass());
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
  manager.addPass(relax::createVerifyKernelsPass());
}

namespace {
struct OptimizeOptions : PassPipelineOptions<OptimizeOptions> {
  Option<int> optLevel{*this, "opt-level",
                       llvm::cl::desc("0: no folding, no fusion; 1: folding; "
                                      "2 and up: fusion too"),
                       llvm::cl::init(3)};
  Option<std::string> desiredLayout{
      *this, "desired-layout",
      llvm::cl::desc("Layout of convolutions, such as NHWC; `default` leaves "
                     "them as they are")};
};
} // namespace

void relay::registerPipelines() {
  PassPipelineRegistration<OptimizeOptions>(
      "relay-optimize",
      "Simplify, fold and fuse a relay module: relay-typed to relay-fused",
      [](OpPassManager &manager, const OptimizeOptions &options) {
        CompileOptions compile;
        compile.optLevel = options.optLevel;
        compile.desiredLayout = options.desiredLayout;
        buildRelayOptimizePipeline(manager, compile);
      });
  PassPipelineRegistration<>(
      "relay-to-kernels",
      "Lower primitive functions to tir kernels and main to relax: "
      "relay-fused to relax-kernels",
      buildRelayToKernelsPipeline);
}
