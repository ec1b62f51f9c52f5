//===- DeviceModules.cpp - Code for other devices -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/Kernel/DeviceModules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"
#include "relay-mlir/Target/Kernel/Linker.h"

using namespace mlir;
using namespace mlir::relay;

bool mlir::relay::isForHost(Operation *kernel) {
  return lookupTarget(kernel) ==
         lookupTarget(kernel->getParentOfType<ModuleOp>());
}

/// A module of its own for the kernels that are for `target`; null if there are
/// none.
static OwningOpRef<ModuleOp> copyKernels(ModuleOp module,
                                         TargetAttrInterface target) {
  OwningOpRef<ModuleOp> copy;
  for (auto kernel : module.getOps<tir::PrimFuncOp>()) {
    if (lookupTarget(kernel) != target)
      continue;
    if (!copy) {
      copy = ModuleOp::create(module.getLoc());
      (*copy)->setAttrs(module->getAttrs());
      (*copy)->setAttr(TargetDialect::kSpecAttrName, target);
    }
    copy->push_back(kernel.clone());
  }
  return copy;
}

FailureOr<DeviceCode> mlir::relay::compileKernelLibrary(ModuleOp kernels,
                                                        StringRef processor) {
  auto fail = [&] { return emitError(kernels.getLoc()); };
  FailureOr<CPUInfo> cpu = CPUInfo::parse(processor, fail);
  if (failed(cpu))
    return failure();
  MLIRContext *context = kernels.getContext();
  prepareForCodeGeneration(*context);
  kernels->setAttr(TargetDialect::kSpecAttrName, cpu->getAttr(context));
  for (auto kernel : kernels.getOps<tir::PrimFuncOp>())
    kernel->removeAttr(TargetDialect::kSpecAttrName);
  SmallVector<char, 0> object;
  if (failed(compileKernelModule(kernels, CodeKind::Object, object)))
    return failure();
  FailureOr<std::vector<char>> library =
      linkSharedObject(StringRef(object.data(), object.size()), *cpu, fail);
  if (failed(library))
    return failure();
  return DeviceCode{RELAY_MODULE_FORMAT_LIBRARY,
                    std::string(library->begin(), library->end())};
}

FailureOr<std::vector<DeviceModule>>
mlir::relay::generateDeviceModules(ModuleOp module) {
  std::vector<DeviceModule> modules;
  auto specs = module->getAttrOfType<DictionaryAttr>(
      TargetDialect::kDeviceSpecsAttrName);
  if (!specs)
    return modules;
  for (NamedAttribute spec : specs) {
    StringRef kind = spec.getName();
    auto target = cast<TargetAttrInterface>(spec.getValue());
    OwningOpRef<ModuleOp> kernels = copyKernels(module, target);
    if (!kernels)
      continue;
    auto generator = dyn_cast<CodeGeneratorAttrInterface>(spec.getValue());
    if (!generator)
      return emitError(module.getLoc())
             << "expects a target with a code generator for devices of kind "
             << kind << ", but got " << spec.getValue();
    PassManager manager(module.getContext());
    manager.addNestedPass<tir::PrimFuncOp>(tir::createVerifyTIRScheduledPass());
    if (failed(manager.run(*kernels)))
      return failure();
    FailureOr<DeviceCode> code = generator.generateCode(*kernels);
    if (failed(code))
      return failure();
    if (code->format.empty() || StringRef(code->format).contains('\0'))
      return emitError(module.getLoc())
             << "expects the code generator of " << spec.getValue()
             << " to name the format of its code";
    modules.push_back({kind.str(), std::move(*code)});
  }
  return modules;
}
