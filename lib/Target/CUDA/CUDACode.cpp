//===- CUDACode.cpp - Code of kernels for NVIDIA GPUs ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From scheduled kernels to what the run time loads: a header that says which
// launches a kernel is, and images of code (docs/GPU.md).
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/CUDA/CUDACode.h"

#include "HalfProducts.h"
#include "LaunchTable.h"
#include "Ptx.h"

#include "relay-mlir/Conversion/Passes.h"
#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Support/ModulePipeline.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::cuda;

/// What the run time knows the format by.
static constexpr StringLiteral kFormat = "cuda";

void mlir::cuda::buildTIRToGPUPipeline(OpPassManager &manager) {
  manager.addNestedPass<tir::PrimFuncOp>(tir::createVerifyTIRScheduledPass());
  manager.addNestedPass<tir::PrimFuncOp>(tir::createTIRLiftWorkspacesPass());
  manager.addPass(relay::createConvertTIRToSCFPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(relay::createHoistAccumulatorsPass());
  functions.addPass(createCSEPass());
  functions.addPass(relay::createHoistDivisionsPass());
  functions.addPass(createLoopInvariantCodeMotionPass());
  // Sums of half precision are those of other targets.
  arith::ArithEmulateUnsupportedFloatsOptions emulation;
  emulation.sourceTypeStrs = {"bf16", "f16"};
  functions.addPass(arith::createArithEmulateUnsupportedFloats(emulation));
  functions.addPass(math::createMathExtendToSupportedTypes());
  manager.addPass(relay::createApproximateMathPass());
  manager.addPass(relay::createConvertKernelToGPUPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void mlir::cuda::registerTIRToGPUPipeline() {
  PassPipelineRegistration<>(
      "tir-to-gpu", "Lower scheduled tir kernels of a GPU to the gpu dialect",
      buildTIRToGPUPipeline);
}

/// Functions of the gpu dialect to the LLVM and NVVM dialects.
static void buildGPUToNVVMPipeline(OpPassManager &manager) {
  OpPassManager &module = manager.nest<gpu::GPUModuleOp>();
  module.addPass(arith::createArithExpandOpsPass());
  module.addPass(createConvertVectorToSCFPass());
  module.addPass(createLowerAffinePass());
  module.addPass(createSCFToControlFlowPass());
  module.addPass(memref::createExpandStridedMetadataPass());
  module.addPass(createLowerAffinePass());
  module.addPass(createConvertNVGPUToNVVMPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.useBarePtrCallConv = true;
  options.indexBitwidth = 64;
  module.addPass(createConvertGpuOpsToNVVMOps(options));
  // Functions that are instructions, and none of libdevice.
  module.addPass(createConvertMathToLLVMPass());
  module.addPass(createConvertVectorToLLVMPass());
  // Instructions that LLVM has as text alone.
  module.addPass(createConvertNVVMToLLVMPass());
  module.addPass(createReconcileUnrealizedCastsPass());
  module.addPass(createCanonicalizerPass());
  module.addPass(createCSEPass());
}

/// Buffers whose sizes are not in their types are addresses alone: what is done
/// with them has its own sizes.
static void dropUnknownSizes(gpu::GPUModuleOp module) {
  for (auto function : module.getOps<gpu::GPUFuncOp>()) {
    SmallVector<Type> inputs;
    for (BlockArgument argument : function.getBody().getArguments().take_front(
             function.getNumArguments())) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (type && !type.hasStaticShape())
        argument.setType(MemRefType::Builder(type).setShape({1}));
      inputs.push_back(argument.getType());
    }
    function.setFunctionType(
        FunctionType::get(function.getContext(), inputs, {}));
  }
}

/// What a launch gives a kernel of shared memory begins where any operand of an
/// instruction may. (The lowering asks for 16 bytes, and makes it a variable of
/// the function with no size.)
static void declareDynamicShared(gpu::GPUModuleOp module) {
  static constexpr uint64_t kAlignment = 1024;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    if (global.getAddrSpace() != unsigned(NVVM::NVVMMemorySpace::Shared) ||
        !type || type.getNumElements() != 0)
      continue;
    global.setLinkage(LLVM::Linkage::External);
    global.setAlignment(kAlignment);
  }
}

namespace {

struct CUDACodeGenerator
    : relay::CodeGeneratorAttrInterface::ExternalModel<CUDACodeGenerator,
                                                       GPUAttr> {
  FailureOr<relay::DeviceCode> generateCode(Attribute attr,
                                            ModuleOp kernels) const {
    auto target = cast<GPUAttr>(attr);
    MLIRContext *context = kernels.getContext();
    DialectRegistry registry;
    registerAllToLLVMIRTranslations(registry);
    context->appendDialectRegistry(registry);
    context
        ->loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, gpu::GPUDialect>();

    PassManager manager(context);
    buildTIRToGPUPipeline(manager);
    if (failed(manager.run(kernels)))
      return failure();
    FailureOr<std::string> table = writeLaunchTable(kernels);
    if (failed(table))
      return failure();
    for (auto function :
         llvm::make_early_inc_range(kernels.getOps<func::FuncOp>()))
      function.erase();
    PassManager abi(context);
    abi.addNestedPass<gpu::GPUModuleOp>(relay::createGPUKernelABIPass());
    abi.addNestedPass<gpu::GPUModuleOp>(createCanonicalizerPass());
    if (failed(abi.run(kernels)))
      return failure();
    auto module = *kernels.getOps<gpu::GPUModuleOp>().begin();
    FailureOr<std::string> image = makeImage(kernels, module, target);
    if (failed(image))
      return failure();
    std::string header = "relay-cuda 1\nimage " + target.getCode().str() + " " +
                         target.getArch().str() + " " +
                         std::to_string(image->size()) + "\n" + *table +
                         "end\n";
    return relay::DeviceCode{kFormat.str(), header + *image};
  }

  static FailureOr<std::string>
  makeImage(ModuleOp kernels, gpu::GPUModuleOp module, GPUAttr target) {
    if (target.getCode() == "mlir") {
      std::string bytes;
      llvm::raw_string_ostream os(bytes);
      if (failed(writeBytecodeToFile(kernels, os)))
        return kernels.emitError("cannot write kernels as bytecode");
      return bytes;
    }
    dropUnknownSizes(module);
    lowerBF16Products(module);
    PassManager manager(kernels.getContext());
    buildGPUToNVVMPipeline(manager);
    if (failed(manager.run(kernels)))
      return failure();
    declareDynamicShared(module);
    FailureOr<std::string> ptx = emitPtx(module, target);
    if (failed(ptx) || target.getCode() == "ptx")
      return ptx;
    return assemblePtx(module.getLoc(), *ptx, target);
  }
};

} // namespace

void mlir::cuda::registerCodeGenerator(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CUDADialect *) {
    GPUAttr::attachInterface<CUDACodeGenerator>(*context);
  });
}
