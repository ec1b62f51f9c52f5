//===- Lowering.cpp - Kernels to the LLVM dialect -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelErrors.h"
#include "relay-mlir/Conversion/Passes.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Dialect/Target/Transforms/Passes.h"
#include "relay-mlir/Runtime/KernelABI.h"
#include "relay-mlir/Support/ModulePipeline.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relay;

// Conversions do not see the run time.
static_assert(kCheckFailed == RELAY_KERNEL_CHECK_FAILED);
static_assert(kExpectationOffset == offsetof(RelayKernelContext, expectation));
static_assert(kCallStringFunctionOffset ==
              offsetof(RelayKernelContext, call_string_function));

void mlir::relay::buildTIRToLLVMPipeline(OpPassManager &manager) {
  // Loops and vectors.
  manager.addNestedPass<tir::PrimFuncOp>(tir::createVerifyTIRScheduledPass());
  manager.addNestedPass<tir::PrimFuncOp>(tir::createTIRLiftWorkspacesPass());
  manager.addPass(createConvertTIRToSCFPass());
  manager.addPass(createOutlineParallelPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createHoistAccumulatorsPass());
  // The stores that hoisting removed were between equal loads.
  functions.addPass(createCSEPass());
  functions.addPass(createHoistDivisionsPass());
  functions.addPass(createLoopInvariantCodeMotionPass());

  // Arithmetic in types and functions that machines have.
  arith::ArithEmulateUnsupportedFloatsOptions emulation;
  emulation.sourceTypeStrs = {"bf16", "f16"};
  functions.addPass(arith::createArithEmulateUnsupportedFloats(emulation));
  functions.addPass(math::createMathExtendToSupportedTypes());
  manager.addPass(createApproximateMathPass());
  arith::ArithExpandOpsPassOptions expansion;
  // (The instruction of AVX512-BF16, which takes denormal numbers for zero,
  // stands where it may.)
  expansion.includeBf16 = true;
  OpPassManager &expanded = manager.nest<func::FuncOp>();
  expanded.addPass(arith::createArithExpandOpsPass(expansion));
  expanded.addPass(createStreamStoresPass());
  expanded.addPass(createNarrowMaskedStoresPass());
  expanded.addPass(createConvertVectorToSCFPass());

  // Functions as callers see them, and the LLVM dialect.
  manager.addPass(createKernelABIPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createHalfAsBitsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("What to generate code for (see relay-compile --target); "
                     "empty: the target of the module")};
};
} // namespace

void mlir::relay::registerTIRToLLVMPipeline() {
  registerModulePipeline<PipelineOptions>(
      "tir-to-llvm", "Lower scheduled tir kernels to the LLVM dialect",
      [](OpPassManager &manager, const PipelineOptions &options) {
        manager.addPass(createAttachTargetPass({options.target, "", ""}));
        buildTIRToLLVMPipeline(manager);
      });
}

/// The features of which a processor needs one to run `op`, if it is not for
/// any processor of its kind. A schedule that was written may ask for any of
/// them.
static SmallVector<StringRef> getNeededFeatures(Operation *op) {
  if (isa_and_nonnull<amx::AMXDialect>(op->getDialect()))
    return {isa<amx::TileMulFOp>(op)   ? "amx-bf16"
            : isa<amx::TileMulIOp>(op) ? "amx-int8"
                                       : "amx-tile"};
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  StringRef name = call ? call.getIntrin() : "";
  return llvm::StringSwitch<SmallVector<StringRef>>(name)
      .Case("llvm.x86.avx2.pmadd.wd", {"avx2"})
      .Case("llvm.x86.avx512.pmaddw.d.512", {"avx512bw"})
      .Case("llvm.x86.avx512.vpdpbusd.256", {"avxvnni", "avx512vnni"})
      .Case("llvm.x86.avx512.vpdpbusd.512", {"avx512vnni"})
      .StartsWith("llvm.x86.avx512bf16.", {"avx512bf16"})
      .StartsWith("llvm.aarch64.neon.sdot", {"dotprod"})
      .StartsWith("llvm.aarch64.neon.udot", {"dotprod"})
      .Default({});
}

/// Refuses instructions that the target lacks, which LLVM would not.
static LogicalResult checkInstructions(ModuleOp module, const CPUInfo &cpu) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    SmallVector<StringRef> needed = getNeededFeatures(op);
    if (needed.empty() || llvm::any_of(needed, [&](StringRef feature) {
          return cpu.hasFeature(feature);
        }))
      return WalkResult::advance();
    return op->emitError("expects a target with ")
           << needed.front() << ", which the schedule of the kernel uses, but "
           << "got " << cpu.getTriple().str() << " " << cpu.getCPU()
           << ", which has none";
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::relay::compileKernelModule(ModuleOp module, CodeKind kind,
                                               SmallVectorImpl<char> &output) {
  FailureOr<CPUAttr> cpu = getTargetCPU(module);
  if (failed(cpu) || failed(checkInstructions(module, cpu->getInfo())))
    return failure();
  PassManager manager(module.getContext());
  buildTIRToLLVMPipeline(manager);
  if (failed(manager.run(module)))
    return failure();
  return compileLLVMModule(module, cpu->getInfo(), kind, output);
}
