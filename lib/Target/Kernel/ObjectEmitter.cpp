//===- ObjectEmitter.cpp - Machine code for an LLVM-dialect module --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/Kernel/ObjectEmitter.h"

#include "SingleLaneStores.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir;
using namespace mlir::relay;

void mlir::relay::prepareForCodeGeneration(MLIRContext &context) {
  DialectRegistry registry;
  registerAllToLLVMIRTranslations(registry);
  context.appendDialectRegistry(registry);
  context.getOrLoadDialect<LLVM::LLVMDialect>();
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const CPUInfo &target, CodeEffort effort) {
  std::string error;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(target.getTriple(), error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  // Kernels are leaf functions of a shared object; nobody unwinds them.
  options.ExceptionModel = llvm::ExceptionHandling::None;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      target.getTriple(), target.getCPU(), target.getFeatureString(), options,
      llvm::Reloc::PIC_, std::nullopt,
      effort == CodeEffort::Program ? llvm::CodeGenOptLevel::None
      : effort == CodeEffort::Glue  ? llvm::CodeGenOptLevel::None
                                    : llvm::CodeGenOptLevel::Default));
}

/// Runs LLVM's mid-level pipeline. Explicit vector code needs little of it;
/// what matters is that scalar code of kernels without a schedule gets it all.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     CodeEffort effort) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);

  if (effort == CodeEffort::Glue) {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(llvm::SimplifyCFGPass());
    llvm::ModulePassManager manager;
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    manager.run(module, modules);
    return;
  }
  bool hasVectors = llvm::any_of(module, [](const llvm::Function &function) {
    return llvm::any_of(function, [](const llvm::BasicBlock &block) {
      return llvm::any_of(block, [](const llvm::Instruction &inst) {
        return inst.getType()->isVectorTy();
      });
    });
  });
  builder
      .buildPerModuleDefaultPipeline(hasVectors ? llvm::OptimizationLevel::O1
                                                : llvm::OptimizationLevel::O2)
      .run(module, modules);
  storeSingleLanes(module);
}

LogicalResult mlir::relay::compileLLVMModule(ModuleOp module,
                                             const CPUInfo &target,
                                             CodeKind kind,
                                             SmallVectorImpl<char> &output,
                                             CodeEffort effort) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(target, effort);
  if (!machine)
    return module.emitError("expects a target of this LLVM, but got ")
           << target.getTriple().str();

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!code)
    return module.emitError("expects a module in the LLVM dialect");
  code->setTargetTriple(target.getTriple());
  code->setDataLayout(machine->createDataLayout());
  if (StringRef tuneCPU = target.getTuneCPU(); !tuneCPU.empty())
    for (llvm::Function &function : *code)
      if (!function.isDeclaration())
        function.addFnAttr("tune-cpu", tuneCPU);
  if (effort != CodeEffort::Program)
    optimize(*code, *machine, effort);

  llvm::raw_svector_ostream os(output);
  if (kind == CodeKind::LLVMIR) {
    code->print(os, nullptr);
    return success();
  }
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, os, nullptr,
                                   kind == CodeKind::Object
                                       ? llvm::CodeGenFileType::ObjectFile
                                       : llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("expects a target that can emit code, but got ")
           << target.getTriple().str();
  codegen.run(*code);
  return success();
}
