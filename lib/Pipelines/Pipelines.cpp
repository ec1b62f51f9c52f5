//===- Pipelines.cpp - The phases of a compilation ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/Pipelines.h"

#include "DeviceTargets.h"
#include "ExternalObjects.h"

#include "relay-mlir/Conversion/Passes.h"
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"
#include "relay-mlir/Dialect/Relay/Transforms/GenerateExternalCode.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/Passes.h"
#include "relay-mlir/Dialect/TIR/TransformOps/Passes.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Dialect/Target/Transforms/Passes.h"
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h"
#include "relay-mlir/Support/ModulePipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::relay;

/// CPUs take channels last: whole vectors of channels are loaded and stored,
/// and a 1x1 convolution is a matrix product.
static void addLayoutPass(OpPassManager &manager, int optLevel,
                          StringRef layout) {
  if (layout == "default" || (layout.empty() && optLevel < 3))
    return;
  ConvertLayoutPassOptions conversion;
  conversion.estimate = layout.empty();
  SmallVector<StringRef> entries;
  layout.split(entries, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef entry : entries)
    conversion.desiredLayouts.push_back(entry.str());
  manager.addNestedPass<func::FuncOp>(createConvertLayoutPass(conversion));
}

void relay::addAttachTargetPass(OpPassManager &manager,
                                const CompileOptions &options) {
  manager.addPass(createAttachTargetPass(
      {options.target.value_or(""),
       options.precision ? stringifyPrecision(*options.precision).str()
                         : std::string(),
       options.deviceTargets}));
}

std::optional<IntegerRegions> IntegerRegions::parse(StringRef text) {
  IntegerRegions result;
  if (text == "on")
    return result;
  if (text == "off") {
    result.enabled = false;
    return result;
  }
  for (StringRef part : llvm::split(text, ',')) {
    if (part == "hard-fail")
      result.hardFail = true;
    else if (part == "use-qat")
      result.useQat = true;
    else
      return std::nullopt;
  }
  return result;
}

static void addGenerateExternalCodePass(OpPassManager &manager,
                                        const CompileOptions &options) {
  bool isComplete = options.linksExternalCode;
  manager.addPass(createGenerateExternalCodePass(
      options.externalFallback, [isComplete](const ExternalCSource &code,
                                             ArrayRef<func::FuncOp> functions) {
        return checkExternalSource(code, functions, isComplete);
      }));
}

void relay::buildRelayOptimizePipeline(OpPassManager &manager,
                                       const CompileOptions &options) {
  int optLevel = options.optLevel;
  manager.addPass(createInferTypesPass());
  manager.addPass(createDialectPassesPass());
  // Others see their functions as the program has them.
  addGenerateExternalCodePass(manager, options);
  manager.addPass(createToGraphNormalFormPass());
  manager.addPass(createInstantiatePass());
  // Fusion does not look into functions, and executors call kernels only.
  manager.addPass(createVerifyInlinedSizePass());
  manager.addPass(createInlineFunctionsPass({/*all=*/true}));
  manager.addPass(createInlineIndirectCallsPass());
  if (!options.variants.empty()) {
    SpecializePassOptions sizes;
    llvm::append_range(sizes.variants, options.variants);
    manager.addPass(createSpecializePass(sizes));
  }
  PlanDevicesPassOptions devices;
  devices.defaultDevice = options.device;
  manager.addNestedPass<func::FuncOp>(createPlanDevicesPass(devices));
  if (optLevel >= 1 && options.integerRegions.enabled) {
    FakeQuantizationToIntegerPassOptions integers;
    integers.hardFail = options.integerRegions.hardFail;
    integers.useQat = options.integerRegions.useQat;
    integers.estimate = true;
    manager.addPass(createFakeQuantizationToIntegerPass(integers));
  }
  manager.addNestedPass<func::FuncOp>(createSimplifyInferencePass());
  manager.addNestedPass<func::FuncOp>(createDecomposePass());
  if (optLevel >= 1) {
    // Folding makes constants of what simplification spelled out.
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    FoldScaleAxisPassOptions scales;
    scales.onlyConstants = true;
    manager.addNestedPass<func::FuncOp>(createPoolBeforeConvPass());
    // Normalisation may come with a scale of its own after it, whose terms are
    // constants once those before are.
    for (int round = 0; round != 2; ++round) {
      manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
      manager.addNestedPass<func::FuncOp>(createFoldScaleAxisPass(scales));
    }
    // Sizes and widths that a model computes from constants are attributes, and
    // padding is the convolution's own: exporters spell out both.
    manager.addPass(createDynamicToStaticPass());
    manager.addNestedPass<func::FuncOp>(createFoldExplicitPaddingPass());
    manager.addNestedPass<func::FuncOp>(createCropKernelsPass());
    manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
    if (!options.offloadKind.empty()) {
      // Biases are sums like others, and channels come before pixels.
      manager.addNestedPass<func::FuncOp>(createCanonicalizeOpsPass());
      addLayoutPass(manager, optLevel, "nn.conv2d=NCHW:OIHW");
      manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
      manager.addNestedPass<func::FuncOp>(vta::createPartitionGraphPass());
      manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
    }
    addLayoutPass(manager, optLevel, options.desiredLayout);
    // Queries, keys and values of attention in one product; its weights fold.
    CombineParallelDensePassOptions dense;
    CombineParallelMatmulPassOptions matmul;
    dense.estimate = matmul.estimate = true;
    manager.addNestedPass<func::FuncOp>(createCombineParallelDensePass(dense));
    manager.addNestedPass<func::FuncOp>(
        createCombineParallelMatmulPass(matmul));
    // Steps of an unrolled loop put the same weights together. Parts of another
    // device have casts of their own, to take and give bytes: those stay.
    if (options.offloadKind.empty())
      manager.addNestedPass<func::FuncOp>(createCSEPass());
    manager.addNestedPass<func::FuncOp>(createSplitTransposedConvPass());
    manager.addNestedPass<func::FuncOp>(createWidenProductsPass());
    manager.addNestedPass<func::FuncOp>(createRowsToIntegersPass());
    manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
    // What became constant may settle sizes.
    manager.addPass(createInferTypesPass());
    manager.addPass(createCanonicalizerPass());
    manager.addNestedPass<func::FuncOp>(createWinogradPass());
    manager.addNestedPass<func::FuncOp>(createFoldConstantPass());
    if (optLevel >= 3 && options.offloadKind.empty())
      manager.addNestedPass<func::FuncOp>(createSplitBatchPass());
  }
  manager.addPass(createDeadCodePass());
  FuseOpsPassOptions fusion;
  // Parts of a graph that are on another device are kernels as a whole.
  fusion.merge =
      optLevel >= 2 || (optLevel == 1 && !options.offloadKind.empty());
  manager.addPass(createFuseOpsPass(fusion));
  if (optLevel >= 1)
    manager.addPass(createNarrowValuesPass());
  manager.addPass(createVerifyFusedPass());
  if (optLevel >= 1 && !options.offloadKind.empty())
    manager.addPass(vta::createMultiplyConstantsPass());
}

void relay::buildOutlineTensorsPipeline(OpPassManager &manager,
                                        const CompileOptions &options) {
  manager.addPass(createInferTypesPass());
  manager.addPass(createDialectPassesPass());
  addGenerateExternalCodePass(manager, options);
  manager.addPass(createDeadCodePass());
  manager.addPass(createOutlineTensorsPass());
}

void relay::buildRelayToObjectsPipeline(OpPassManager &manager,
                                        const CompileOptions &options) {
  buildOutlineTensorsPipeline(manager, options);
  manager.addPass(createConvertRelayToObjectsPass());
  manager.addPass(relax::createCallKnownClosuresPass());
}

void relay::buildRelayToKernelsPipeline(OpPassManager &manager) {
  manager.addPass(createMarkByteBoundsPass());
  manager.addNestedPass<func::FuncOp>(createConvertRelayToLinalgPass());
  manager.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  manager.addNestedPass<func::FuncOp>(createCSEPass());
  // Shapes of calls come from the linalg form of the callees, so main goes
  // before they become kernels.
  manager.addPass(createConvertRelayToRelaxPass());
  manager.addPass(createCollapseKernelsPass());
  manager.addPass(createConvertLinalgToTIRPass());
  manager.addNestedPass<tir::PrimFuncOp>(tir::createTIRCountWorkPass());
  manager.addPass(relax::createAssignTargetsPass());
  manager.addPass(relax::createVerifyKernelsPass());
}

void relay::buildTIRSchedulePipeline(OpPassManager &manager) {
  manager.addPass(tir::createTIRChoosePrecisionPass());
  manager.addPass(tir::createTIRScheduleRulesPass());
  manager.addPass(tir::createTIRApplySchedulesPass());
  manager.addNestedPass<tir::PrimFuncOp>(tir::createTIRLiftWorkspacesPass());
}

namespace {

/// What a pipeline may give the module before its passes.
struct TargetChoice {
  explicit TargetChoice(mlir::detail::PassOptions &options)
      : target(options, "target",
               llvm::cl::desc("What to compile for (see relay-compile "
                              "--target); empty: the target of the module")),
        precision(options, "precision",
                  llvm::cl::desc("How exactly results are computed in f32: "
                                 "highest, high or medium; empty: as the "
                                 "module says")),
        deviceTargets(options, "device-targets",
                      llvm::cl::desc("Targets of devices that are no "
                                     "processor: kind = #dialect.target, "
                                     "...; empty: as the module says")) {}

  /// What is chosen, or what is wrong with it.
  std::string get(CompileOptions &options) const {
    if (!target.empty())
      options.target = target;
    options.deviceTargets = deviceTargets;
    return resolveDeviceTargets(options);
  }

  void addPass(OpPassManager &manager) const {
    CompileOptions options;
    (void)get(options);
    manager.addPass(createAttachTargetPass(
        {options.target.value_or(""), precision, options.deviceTargets}));
  }

  mlir::detail::PassOptions::Option<std::string> target;
  mlir::detail::PassOptions::Option<std::string> precision;
  mlir::detail::PassOptions::Option<std::string> deviceTargets;
};

struct SchedulePipelineOptions : PassPipelineOptions<SchedulePipelineOptions> {
  TargetChoice choice{*this};
};

struct OptimizePipelineOptions : PassPipelineOptions<OptimizePipelineOptions> {
  TargetChoice choice{*this};
  Option<int> optLevel{*this, "opt-level",
                       llvm::cl::desc("0: no folding, no fusion; 1: folding; "
                                      "2: fusion too; 3: layouts too"),
                       llvm::cl::init(3)};
  Option<bool> externalFallback{
      *this, "external-fallback",
      llvm::cl::desc("Compile what other code generators fail at")};
  Option<std::string> desiredLayout{
      *this, "desired-layout",
      llvm::cl::desc("Layout of convolutions, such as NHWC; `default` leaves "
                     "them as they are")};
  Option<std::string> integerRegions{
      *this, "integer-regions",
      llvm::cl::desc(
          "Whether floats between integers are computed in integers: "
          "on, off, or hard-fail and use-qat"),
      llvm::cl::init("on")};
};

} // namespace

static std::string checkOptions(const OptimizePipelineOptions &options) {
  int level = options.optLevel;
  if (!isOptLevel(level))
    return "expects opt-level from 0 to 3, but got " + std::to_string(level);
  if (!IntegerRegions::parse(options.integerRegions))
    return "expects integer-regions to be " +
           std::string(IntegerRegions::kExpected) + ", but got '" +
           options.integerRegions + "'";
  CompileOptions chosen;
  return options.choice.get(chosen);
}

static std::string checkTarget(const SchedulePipelineOptions &options) {
  CompileOptions chosen;
  return options.choice.get(chosen);
}

void relay::registerPipelines() {
  registerModulePipeline<OptimizePipelineOptions>(
      "relay-optimize",
      "Simplify, fold and fuse a relay module: relay-typed to relay-fused",
      [](OpPassManager &manager, const OptimizePipelineOptions &options) {
        options.choice.addPass(manager);
        CompileOptions compilation;
        (void)options.choice.get(compilation);
        compilation.optLevel = options.optLevel;
        compilation.desiredLayout = options.desiredLayout;
        compilation.externalFallback = options.externalFallback;
        compilation.integerRegions =
            *IntegerRegions::parse(options.integerRegions);
        buildRelayOptimizePipeline(manager, compilation);
      },
      checkOptions);
  registerModulePipeline<EmptyPipelineOptions>(
      "relay-to-kernels",
      "Lower primitive functions to tir kernels and main to relax: "
      "relay-fused to relax-kernels",
      [](OpPassManager &manager, const EmptyPipelineOptions &) {
        buildRelayToKernelsPipeline(manager);
      });
  registerModulePipeline<SchedulePipelineOptions>(
      "tir-schedule",
      "Schedule kernels by rules, for the target: relax-kernels to "
      "tir-scheduled",
      [](OpPassManager &manager, const SchedulePipelineOptions &options) {
        options.choice.addPass(manager);
        buildTIRSchedulePipeline(manager);
      },
      checkTarget);
}
