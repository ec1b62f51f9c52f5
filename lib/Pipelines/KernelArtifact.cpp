//===- KernelArtifact.cpp - A kernel as an artefact -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/KernelArtifact.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Target/AOT/Artifact.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"
#include "llvm/ADT/StringExtras.h"

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

/// The program: one call.
static std::string getProgram(tir::PrimFuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t numInputs = kernel.getNumInputs();
  int64_t numOutputs = kernel.getNumOutputs();
  auto printType = [&](int64_t index) {
    auto type = cast<MemRefType>(kernel.getArgumentTypes()[index]);
    os << "!relax.tensor<[";
    llvm::interleaveComma(type.getShape(), os);
    os << "], " << type.getElementType() << ">";
  };
  auto printTypes = [&](int64_t begin, int64_t end) {
    os << "(";
    for (int64_t i = begin; i != end; ++i) {
      os << (i == begin ? "" : ", ");
      printType(i);
    }
    os << ")";
  };
  os << "relax.func @main(";
  for (int64_t i = 0; i != numInputs; ++i) {
    os << (i ? ", " : "") << "%x" << i << ": ";
    printType(i);
    os << " {relax.name = \"x" << i << "\"}";
  }
  os << ") -> (";
  for (int64_t i = 0; i != numOutputs; ++i) {
    os << (i ? ", " : "");
    printType(numInputs + i);
    os << " {relax.name = \"y" << i << "\"}";
  }
  os << ") {\n  %y:" << numOutputs << " = relax.call_tir @"
     << kernel.getSymName() << "(";
  for (int64_t i = 0; i != numInputs; ++i)
    os << (i ? ", " : "") << "%x" << i;
  os << ") : ";
  printTypes(0, numInputs);
  os << " -> ";
  printTypes(numInputs, numInputs + numOutputs);
  os << "\n  relax.return ";
  for (int64_t i = 0; i != numOutputs; ++i)
    os << (i ? ", " : "") << "%y#" << i;
  os << " : ";
  for (int64_t i = 0; i != numOutputs; ++i) {
    os << (i ? ", " : "");
    printType(numInputs + i);
  }
  os << "\n}\n";
  return text;
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
  std::string program = getProgram(kernel);

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
  ParserConfig config(context, /*verifyAfterParse=*/false);
  if (failed(parseSourceString(program, module->getBody(), config)))
    return failure();
  PassManager manager(context);
  manager.addPass(relax::createPlanMemoryPass());
  manager.addPass(relax::createVerifyExecutablePass());
  if (failed(manager.run(*module)))
    return failure();
  auto main = *module->getOps<relax::FuncOp>().begin();
  ArtifactKernel artifactKernel{kernel.getSymName(), result.symbol,
                                *result.object};
  return writeArtifact(main, main.getLoc(), artifactKernel, *target,
                       outputPath);
}
