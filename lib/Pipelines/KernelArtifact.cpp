//===- KernelArtifact.cpp - A kernel as an artefact -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/KernelArtifact.h"

#include "mlir/Pass/PassManager.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Target/AOT/Artifact.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"

using namespace mlir;
using namespace mlir::relay;

static LogicalResult checkArguments(tir::PrimFuncOp kernel) {
  if (kernel.getNumOutputs() == 0)
    return kernel.emitError("expects a kernel with outputs, but @")
           << kernel.getSymName() << " has no tir.num_outputs";
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (!cast<MemRefType>(type).hasStaticShape())
      return kernel.emitError(
                 "expects arguments of static shape, but argument ")
             << index << " is " << type;
    if (kernel.getArgAttr(index, tir::PrimFuncOp::kLayout))
      return kernel.emitError("expects arguments in their own layout, but the "
                              "schedule packs argument ")
             << index;
  }
  return success();
}

/// Adds the program to the module: one call of the kernel, with tensors x0, x1,
/// ... that gives y0, y1, ...
static relax::FuncOp buildProgram(ModuleOp module, tir::PrimFuncOp kernel) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = kernel.getLoc();
  SmallVector<Type> types =
      llvm::map_to_vector(kernel.getArgumentTypes(), [](Type type) -> Type {
        auto memref = cast<MemRefType>(type);
        return relax::SymbolicTensorType::get(memref.getShape(),
                                              memref.getElementType());
      });
  int64_t numInputs = kernel.getNumInputs();
  auto inputs = ArrayRef(types).take_front(numInputs);
  auto outputs = ArrayRef(types).slice(numInputs, kernel.getNumOutputs());
  auto program = relax::FuncOp::create(
      builder, loc, "main", builder.getFunctionType(inputs, outputs));
  auto makeName = [&](StringRef letter, size_t index) {
    return builder.getStringAttr(letter + Twine(index));
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    program.setArgAttr(i, relax::kNameAttr, makeName("x", i));
  for (size_t i = 0; i < outputs.size(); ++i)
    program.setResultAttr(i, relax::kNameAttr, makeName("y", i));

  Block *body = builder.createBlock(&program.getBody());
  body->addArguments(inputs, SmallVector<Location>(inputs.size(), loc));
  auto call = relax::CallTIROp::create(builder, loc, outputs,
                                       FlatSymbolRefAttr::get(kernel),
                                       body->getArguments());
  relax::ReturnOp::create(builder, loc, call.getResults());
  return program;
}

LogicalResult relay::writeKernelArtifact(tir::PrimFuncOp kernel,
                                         const CompileOptions &options,
                                         StringRef outputPath) {
  if (failed(checkArguments(kernel)))
    return failure();
  FailureOr<CPUInfo> target =
      CPUInfo::parse(options.target.value_or("native"),
                     [&] { return emitError(kernel.getLoc()); });
  if (failed(target))
    return failure();
  MLIRContext *context = kernel.getContext();
  context->loadDialect<relax::RelaxDialect, TargetDialect>();

  KernelCompilerOptions compilerOptions;
  compilerOptions.useCache = options.useCache;
  compilerOptions.cacheDir = options.cacheDir;
  KernelCompiler compiler(context, compilerOptions);
  OwningOpRef<ModuleOp> single = kernel.cloneIntoModule();
  (*single)->setAttr(TargetDialect::kSpecAttrName, target->getAttr(context));
  FailureOr<std::vector<CompiledKernel>> compiled =
      compiler.compile(*single->getOps<tir::PrimFuncOp>().begin(),
                       [](tir::PrimFuncOp copy) -> LogicalResult {
                         if (copy->hasAttr(tir::PrimFuncOp::kWorkspaces))
                           return success();
                         return tir::liftWorkspaces(copy);
                       });
  if (failed(compiled))
    return failure();
  CompiledKernel &result = compiled->front();

  // The kernel is declared before the program, which is checked against it.
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  auto signature = cast<tir::PrimFuncOp>(result.signature.get()->clone());
  signature.setSymName(kernel.getSymName());
  module->push_back(signature);
  relax::FuncOp main = buildProgram(*module, kernel);
  PassManager manager(context);
  manager.addPass(relax::createPlanMemoryPass());
  manager.addPass(relax::createVerifyExecutablePass());
  if (failed(manager.run(*module)))
    return failure();
  ArtifactKernel artifactKernel{kernel.getSymName(), result.symbol,
                                *result.object};
  return writeArtifact(main, main.getLoc(), artifactKernel, *target,
                       outputPath);
}
