//===- Compilation.cpp - The phases of one compilation --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phases in order, up to what the caller asked for: graph passes, lowering
// to relax and tir, precision of products, schedules, machine code of kernels
// (on several threads), the memory plan, the host program, and the artefact.
// Remarks and times of phases are gathered along the way.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"

#include "DeviceTargets.h"
#include "ExternalObjects.h"
#include "KernelRemarks.h"
#include "ProgramGlue.h"
#include "TextOutput.h"
#include "VTASearch.h"

#include "relay-mlir/Conversion/LinalgToTIR/LinalgToTIR.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TensorFunctions.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/Passes.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Dialect/TIR/TransformOps/ScheduleSession.h"
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"
#include "relay-mlir/Pipelines/LoadModel.h"
#include "relay-mlir/Pipelines/Pipelines.h"
#include "relay-mlir/Pipelines/Schedules.h"
#include "relay-mlir/Report/Report.h"
#include "relay-mlir/Support/PassFailures.h"
#include "relay-mlir/Target/AOT/Artifact.h"
#include "relay-mlir/Target/AOT/HostModule.h"
#include "relay-mlir/Target/GraphJSON/GraphJSON.h"
#include "relay-mlir/Target/Kernel/DeviceModules.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"

#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// One run of its phases.
class Compilation {
public:
  Compilation(ModuleOp module, const CompileOptions &options, EmitKind kind,
              StringRef outputPath)
      : module(module), options(options), kind(kind), outputPath(outputPath) {
    timingManager.setEnabled(options.timing);
    timing = timingManager.getRootScope();
  }

  LogicalResult run();

private:
  LogicalResult runPasses(function_ref<void(OpPassManager &)> build);
  LogicalResult checkForm();
  bool isDeviceTarget(TargetAttrInterface target) const;
  LogicalResult attachTarget();
  LogicalResult splitProgram();
  SmallVector<tir::PrimFuncOp> getHostKernels();
  LogicalResult compileHostKernels();
  LogicalResult scheduleKernels(function_ref<bool(Operation *)> isMeant);
  void searchTiles();
  LogicalResult generateKernels();
  LogicalResult schedule(tir::PrimFuncOp kernel) const;
  LogicalResult writeModule();
  LogicalResult writeForm();
  LogicalResult writeCode(CodeKind codeKind);
  LogicalResult writeBinary();
  FailureOr<SmallVector<relax::FuncOp>> getFunctions();
  FailureOr<HostModules> buildHost(ConstantPool &pool);

  /// What counts the time of a phase, up to its end, for whoever wants to know.
  struct Phase {
    TimingScope timing;
    Report::Phase report;
  };
  Phase time(StringRef phase) {
    return {timing.nest(phase), Report::Phase(options.report, phase)};
  }

  ModuleOp module;
  const CompileOptions &options;
  EmitKind kind;
  StringRef outputPath;
  /// Prints its report when it goes.
  DefaultTimingManager timingManager;
  TimingScope timing;

  /// The functions of objects of a program; null for a model that is one
  /// function of tensors.
  OwningOpRef<ModuleOp> glue;
  /// Of the module, once it has one.
  CPUAttr target;
  std::optional<KernelCompiler> compiler;
  /// What there is to tell of the kernels, if anyone wants to know.
  std::optional<KernelRemarks> remarks;
  ScheduleScripts scripts;
  /// The calls of kernels as JSON, if that is asked for.
  std::string graph;
  /// Kernels for the processor in the order of the module, once they are
  /// compiled, and code for other devices.
  std::vector<CompiledKernel> kernels;
  std::vector<DeviceModule> deviceModules;
};

} // namespace

/// Whether somebody else has made the code of a kernel.
static bool isExternal(tir::PrimFuncOp kernel) {
  return kernel->hasAttr(tir::kExternalAttr);
}

/// Brings one kernel to the form in which it is compiled.
LogicalResult Compilation::schedule(tir::PrimFuncOp kernel) const {
  if (!isExternal(kernel) && options.from < NormalForm::TIRScheduled &&
      (scripts.contains(kernel) ? failed(scripts.apply(kernel))
                                : !tir::scheduleKernel(kernel)))
    return failure();
  if (kernel->hasAttr(tir::PrimFuncOp::kWorkspaces))
    return success();
  return tir::liftWorkspaces(kernel);
}

LogicalResult
Compilation::runPasses(function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  // Fails where nobody has registered these options, as outside of tools.
  (void)applyPassManagerCLOptions(manager);
  TimingScope scope = timing.nest("Passes");
  if (options.timing)
    manager.enableTiming(scope);
  build(manager);
  nameFailedPasses(manager);
  if (options.report)
    options.report->attach(manager);
  return manager.run(module);
}

/// Checks that a module that did not come from the phases has the form that it
/// is said to have.
LogicalResult Compilation::checkForm() {
  return runPasses([&](OpPassManager &manager) {
    switch (options.from) {
    case NormalForm::RelayTyped:
      // Type inference sees to that.
      return;
    case NormalForm::RelayFused:
      manager.addPass(createVerifyFusedPass());
      return;
    case NormalForm::TIRScheduled:
      manager.addNestedPass<tir::PrimFuncOp>(
          tir::createVerifyTIRScheduledPass());
      [[fallthrough]];
    case NormalForm::RelaxKernels:
      manager.addPass(relax::createVerifyKernelsPass());
      return;
    case NormalForm::RelaxExecutable:
      manager.addNestedPass<tir::PrimFuncOp>(
          tir::createVerifyTIRScheduledPass());
      manager.addPass(relax::createVerifyExecutablePass());
      return;
    }
  });
}

/// Whether kernels on devices of some kind are compiled for `target`.
bool Compilation::isDeviceTarget(TargetAttrInterface target) const {
  auto specs = module->getAttrOfType<DictionaryAttr>(
      TargetDialect::kDeviceSpecsAttrName);
  return specs && llvm::any_of(specs, [&](NamedAttribute spec) {
           return spec.getValue() == target;
         });
}

LogicalResult Compilation::attachTarget() {
  // An empty name is no way to ask for the target of the module.
  if (options.target == "" &&
      failed(CPUInfo::parse("", [&] { return emitError(module.getLoc()); })))
    return failure();
  // Nothing has relied yet on what the module may have.
  if (options.from == NormalForm::RelayTyped) {
    if (options.target)
      module->removeAttr(TargetDialect::kSpecAttrName);
    if (options.precision)
      module->removeAttr(TargetDialect::kPrecisionAttrName);
    if (!options.deviceTargets.empty())
      module->removeAttr(TargetDialect::kDeviceSpecsAttrName);
  }
  if (failed(runPasses([&](OpPassManager &manager) {
        addAttachTargetPass(manager, options);
      })))
    return failure();
  FailureOr<CPUAttr> cpu = getTargetCPU(module);
  if (failed(cpu))
    return failure();
  target = *cpu;
  for (auto kernel : module.getOps<tir::PrimFuncOp>()) {
    // They share one artefact, which is for one processor and the devices that
    // the module names, and says how exactly all of it computes.
    TargetAttrInterface own = lookupTarget(kernel);
    if (own != target && !isDeviceTarget(own))
      return emitError(kernel.getLoc())
             << "expects a kernel for the target of the module, "
             << target.getDescription() << ", but got one for "
             << own.getDescription();
    if (getPrecision(kernel) > getPrecision(module))
      return emitError(kernel.getLoc())
             << "expects a kernel of the precision of the module, "
             << stringifyPrecision(getPrecision(module))
             << ", or higher, but got "
             << stringifyPrecision(getPrecision(kernel));
  }
  return success();
}

/// Takes the functions of objects out of the module, which then has functions
/// of tensors only.
LogicalResult Compilation::splitProgram() {
  auto isWhole = [](NormalForm form) {
    return form == NormalForm::RelayTyped || form == NormalForm::RelaxKernels;
  };
  if (!isWhole(options.from) || (options.to && !isWhole(*options.to)))
    return module.emitError("expects a program with functions of objects in "
                            "the form relay-typed or relax-kernels: others are "
                            "of functions of tensors");
  if (kind == EmitKind::Object)
    return module.emitError("expects a shared object for a program with "
                            "functions of objects, but got a relocatable one");
  if (!options.variants.empty())
    return module.emitError("expects variants for sizes of one function of "
                            "tensors, but got a program");
  if (options.from == NormalForm::RelayTyped &&
      failed(runPasses([&](OpPassManager &manager) {
        buildRelayToObjectsPipeline(manager, options);
      })))
    return failure();
  FailureOr<OwningOpRef<ModuleOp>> taken = takeGlue(module);
  if (failed(taken))
    return failure();
  glue = std::move(*taken);
  return success();
}

LogicalResult Compilation::run() {
  // What was tried with another executor may have left some.
  if (ModuleOp copies = options.deviceKernels)
    copies.getBody()->clear();
  if (failed(checkForm()) || failed(attachTarget()))
    return failure();
  if (options.hasGlue ? failed(splitProgram()) : failed(checkNoGlue(module)))
    return failure();
  tir::loadScheduleDialects(module.getContext());
  // Also loads the dialects that kernels are lowered to.
  KernelCompilerOptions compilerOptions;
  compilerOptions.useCache = options.useCache;
  compilerOptions.cacheDir = options.cacheDir;
  compiler.emplace(module.getContext(), compilerOptions);
  if (KernelRemarks::areWanted(module.getContext()))
    remarks.emplace(target.getInfo());

  if (options.from < NormalForm::RelayFused) {
    // Only @main is called from outside: others go where they are inlined.
    std::vector<std::string> called;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.getSymName() == "main" ||
          function->hasAttr(kVariantOfAttrName))
        called.push_back(function.getSymName().str());
    if (failed(runPasses([&](OpPassManager &manager) {
          if (!called.empty())
            manager.addPass(createSymbolPrivatizePass(called));
          buildRelayOptimizePipeline(manager, options);
        })))
      return failure();
  }
  if (kind == EmitKind::Relay)
    return writeModule();
  if (options.to == NormalForm::RelayFused)
    return writeForm();
  if (remarks)
    remarks->addOperators(module);

  if (options.from < NormalForm::RelaxKernels &&
      failed(runPasses(buildRelayToKernelsPipeline)))
    return failure();
  if (!options.graphPath.empty()) {
    llvm::raw_string_ostream os(graph);
    if (failed(writeGraphJSON(module, os)))
      return failure();
  }
  if (kind == EmitKind::Nothing)
    return success();
  if (options.to == NormalForm::RelaxKernels)
    return writeForm();
  if (options.from < NormalForm::TIRScheduled &&
      failed(runPasses([&](OpPassManager &manager) {
        manager.addPass(
            tir::createTIRChoosePrecisionPass({options.forceMatrixTiles}));
      })))
    return failure();
  if (!options.schedules.empty() &&
      failed(scripts.load(options.schedules, module)))
    return failure();
  if (options.from < NormalForm::TIRScheduled)
    searchTiles();
  if (remarks && failed(remarks->addSchedules(module, scripts)))
    return failure();
  if (!options.saveSchedules.empty() &&
      failed(scripts.save(options.saveSchedules, module)))
    return failure();
  if (kind == EmitKind::Schedules) {
    OwningOpRef<ModuleOp> written = scripts.write(module);
    if (!written)
      return failure();
    return emitText(module.getContext(), outputPath, [&](raw_ostream &os) {
      written->print(os, OpPrintingFlags().useLocalScope());
    });
  }

  if (failed(generateKernels()))
    return failure();
  if (remarks)
    remarks->emit();
  if (options.to == NormalForm::TIRScheduled)
    return writeForm();
  if (kind == EmitKind::TIR) {
    for (auto function :
         llvm::make_early_inc_range(module.getOps<relax::FuncOp>()))
      function.erase();
    return writeModule();
  }

  if (options.from < NormalForm::RelaxExecutable &&
      failed(runPasses([](OpPassManager &manager) {
        manager.addPass(relax::createPlanMemoryPass());
        manager.addPass(relax::createVerifyExecutablePass());
      })))
    return failure();
  if (options.to == NormalForm::RelaxExecutable)
    return writeForm();
  switch (kind) {
  case EmitKind::Relax:
    joinGlue(module, glue.get());
    return writeModule();
  case EmitKind::LLVM:
    return writeCode(CodeKind::LLVMIR);
  case EmitKind::Assembly:
    return writeCode(CodeKind::Assembly);
  default:
    if (failed(writeBinary()))
      return failure();
    return options.graphPath.empty()
               ? success()
               : emitText(module.getContext(), options.graphPath,
                          [&](raw_ostream &os) { os << graph; });
  }
}

/// Says which tiles of kernels for VTA the rules are to take, if that is asked
/// for.
void Compilation::searchTiles() {
  if (options.vtaSearch == 0)
    return;
  Phase scope = time("Tiles");
  SmallVector<tir::PrimFuncOp> kernels;
  for (auto kernel : module.getOps<tir::PrimFuncOp>())
    if (!isForHost(kernel) && !isExternal(kernel) && !scripts.contains(kernel))
      kernels.push_back(kernel);
  searchVTATiles(kernels, options.vtaSearch, *compiler);
}

/// Makes code of kernels, as far as is asked for; others are scheduled.
LogicalResult Compilation::generateKernels() {
  bool isText = kind == EmitKind::TIR || kind == EmitKind::Relax || options.to;
  bool isBinary = kind == EmitKind::Object || kind == EmitKind::SharedObject;
  if (isText || !isBinary) {
    if (failed(scheduleKernels([](Operation *) { return true; })))
      return failure();
  } else if (failed(compileHostKernels()) ||
             failed(scheduleKernels(
                 [](Operation *kernel) { return !isForHost(kernel); }))) {
    return failure();
  }
  if (isText)
    return success();
  if (ModuleOp copies = options.deviceKernels)
    for (auto kernel : module.getOps<tir::PrimFuncOp>())
      if (!isForHost(kernel) && !isExternal(kernel))
        copies.push_back(kernel.clone());
  Phase scope = time("Device modules");
  FailureOr<std::vector<DeviceModule>> modules = generateDeviceModules(module);
  if (failed(modules))
    return failure();
  deviceModules = std::move(*modules);
  return success();
}

/// Schedules kernels of the module in place.
LogicalResult
Compilation::scheduleKernels(function_ref<bool(Operation *)> isMeant) {
  Phase scope = time("Schedules");
  SmallVector<tir::PrimFuncOp> functions;
  for (auto function : module.getOps<tir::PrimFuncOp>())
    if (isMeant(function))
      functions.push_back(function);
  // A kernel is scheduled in a module of its own, so that several can be at
  // once, and so that schedules do not meet each other's names.
  std::vector<OwningOpRef<ModuleOp>> modules;
  for (tir::PrimFuncOp function : functions)
    modules.push_back(function.cloneIntoModule());
  LogicalResult result = failableParallelForEach(
      module.getContext(), modules, [&](OwningOpRef<ModuleOp> &single) {
        return schedule(*single->getOps<tir::PrimFuncOp>().begin());
      });
  if (failed(result))
    return failure();
  for (auto [function, single] : llvm::zip_equal(functions, modules)) {
    OpBuilder builder(function);
    for (Operation &op : *single->getBody())
      builder.clone(op);
    function.erase();
  }
  return success();
}

SmallVector<tir::PrimFuncOp> Compilation::getHostKernels() {
  SmallVector<tir::PrimFuncOp> functions;
  for (auto function : module.getOps<tir::PrimFuncOp>())
    if (isForHost(function))
      functions.push_back(function);
  return functions;
}

/// Compiles the kernels for the processor and leaves their final signatures.
LogicalResult Compilation::compileHostKernels() {
  Phase scope = time("Kernels");
  SmallVector<tir::PrimFuncOp> functions = getHostKernels(), own;
  llvm::copy_if(functions, std::back_inserter(own),
                [](tir::PrimFuncOp kernel) { return !isExternal(kernel); });
  FailureOr<std::vector<CompiledKernel>> compiled = compiler->compile(
      own, [&](tir::PrimFuncOp kernel) { return schedule(kernel); },
      [&](tir::PrimFuncOp kernel) { return scripts.getKey(kernel); });
  if (failed(compiled))
    return failure();
  FailureOr<ExternalObjects> objects =
      compileExternalSources(module, functions, target.getInfo(),
                             /*isComplete=*/kind == EmitKind::SharedObject);
  if (failed(objects))
    return failure();
  auto next = compiled->begin();
  for (tir::PrimFuncOp function : functions) {
    if (!isExternal(function)) {
      kernels.push_back(std::move(*next++));
      continue;
    }
    if (failed(schedule(function)))
      return failure();
    auto name = function->getAttrOfType<StringAttr>(tir::kExternalAttr);
    kernels.push_back({objects->lookup(name), function.getSymName().str(),
                       cast<tir::PrimFuncOp>(function->clone())});
  }
  for (auto [function, kernel] : llvm::zip_equal(functions, kernels)) {
    StringRef name = function.getSymName();
    if (remarks && !isExternal(function))
      remarks->addObject(name, *kernel.object);
    OpBuilder builder(function);
    auto signature =
        cast<tir::PrimFuncOp>(builder.clone(*kernel.signature->getOperation()));
    signature.setSymName(name);
    function.erase();
  }
  return success();
}

FailureOr<SmallVector<relax::FuncOp>> Compilation::getFunctions() {
  // The first one is the model; its variants stand behind it.
  SmallVector<relax::FuncOp> functions, variants;
  for (auto function : module.getOps<relax::FuncOp>())
    (function->hasAttr(relax::kVariantOfAttr) ? variants : functions)
        .push_back(function);
  bool isOne = functions.size() == 1;
  llvm::append_range(functions, variants);
  if (glue || isOne)
    return functions;
  InFlightDiagnostic diag =
      module.emitError("expects one function to compile, @main, but got ")
      << functions.size();
  if (!functions.empty())
    diag.attachNote() << "--symbol-privatize=exclude=main, before "
                         "--relay-optimize, lets the others go where they are "
                         "inlined";
  return diag;
}

FailureOr<HostModules> Compilation::buildHost(ConstantPool &pool) {
  FailureOr<SmallVector<relax::FuncOp>> functions = getFunctions();
  if (failed(functions))
    return failure();
  HostModuleOptions hostOptions;
  hostOptions.targetTriple = target.getTriple().str();
  hostOptions.requiredFeatures = target.getInfo().getRequiredFeatures();
  hostOptions.precision = stringifyPrecision(getPrecision(module));
  hostOptions.deviceModules = deviceModules;
  hostOptions.glue = glue.get();
  hostOptions.nativeGlue = options.executor == ExecutorKind::AOT;
  return buildHostModule(*functions, hostOptions, pool);
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

LogicalResult Compilation::writeModule() {
  return emitText(module.getContext(), outputPath, [&](raw_ostream &os) {
    // Weights would drown what one wants to read here.
    OpPrintingFlags flags;
    // Zero: not even turned into text first.
    flags.elideLargeResourceString(0).elideLargeElementsAttrs(32);
    module.print(os, flags);
  });
}

/// Writes all of the module, for `from` of another compilation.
LogicalResult Compilation::writeForm() {
  joinGlue(module, glue.get());
  return emitText(module.getContext(), outputPath, [&](raw_ostream &os) {
    module.print(os);
    os << '\n';
  });
}

LogicalResult Compilation::writeCode(CodeKind codeKind) {
  ConstantPool pool(module.getContext());
  FailureOr<HostModules> host = buildHost(pool);
  if (failed(host))
    return failure();
  SmallVector<SmallVector<char, 0>> texts;
  // What is for other devices is data of the program.
  for (tir::PrimFuncOp kernel : getHostKernels()) {
    if (isExternal(kernel))
      continue;
    OwningOpRef<ModuleOp> single = kernel.cloneIntoModule();
    if (failed(compileKernelModule(*single, codeKind, texts.emplace_back())))
      return failure();
  }
  for (HostModules::Part &part : host->parts)
    if (failed(compileLLVMModule(*part.module, target.getInfo(), codeKind,
                                 texts.emplace_back(), part.effort)))
      return failure();
  return emitText(module.getContext(), outputPath, [&](raw_ostream &os) {
    for (const SmallVector<char, 0> &text : texts)
      os << StringRef(text.data(), text.size()) << '\n';
    // Code of other devices, where it is text.
    if (codeKind == CodeKind::Assembly)
      for (const DeviceModule &device : deviceModules)
        if (llvm::json::isUTF8(device.code.data) &&
            !StringRef(device.code.data).contains('\0'))
          os << device.code.data << '\n';
  });
}

LogicalResult Compilation::writeBinary() {
  FailureOr<SmallVector<relax::FuncOp>> functions = getFunctions();
  if (failed(functions))
    return failure();
  SmallVector<ArtifactKernel> artifactKernels;
  for (auto [function, kernel] : llvm::zip_equal(getHostKernels(), kernels))
    artifactKernels.push_back(
        {function.getSymName(), kernel.symbol, *kernel.object});
  ArtifactOptions artifactOptions;
  artifactOptions.relocatable = kind == EmitKind::Object;
  artifactOptions.precision = stringifyPrecision(getPrecision(module));
  artifactOptions.deviceModules = deviceModules;
  artifactOptions.glue = glue.get();
  artifactOptions.nativeGlue = options.executor == ExecutorKind::AOT;
  Phase scope = time("Artefact");
  artifactOptions.timing = &scope.timing;
  return writeArtifact(*functions, module.getLoc(), artifactKernels,
                       target.getInfo(), outputPath, artifactOptions);
}

LogicalResult relay::runCompilation(ModuleOp module,
                                    const CompileOptions &options,
                                    EmitKind kind, StringRef outputPath) {
  if (failed(checkResources(module)))
    return failure();
  CompileOptions own = options;
  own.linksExternalCode = kind != EmitKind::Object;
  return Compilation(module, own, kind, outputPath).run();
}
