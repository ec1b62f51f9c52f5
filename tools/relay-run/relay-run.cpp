//===- relay-run.cpp - Run, check and time a model ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactInfo.h"
#include "FileArguments.h"
#include "ProgramArguments.h"
#include "RunInputs.h"
#include "RunOptions.h"
#include "RunOutputs.h"

#include "relay-mlir/Dialect/Relay/IR/Strings.h"
#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Interpreter/TensorIO.h"
#include "relay-mlir/Pipelines/CheckModel.h"
#include "relay-mlir/Pipelines/CompileFlags.h"
#include "relay-mlir/Pipelines/CompiledTensors.h"
#include "relay-mlir/Pipelines/Compiler.h"
#include "relay-mlir/Pipelines/LoadModel.h"
#include "relay-mlir/Pipelines/ProfileModel.h"
#include "relay-mlir/Pipelines/ProgramTypes.h"
#include "relay-mlir/Pipelines/ProgramValues.h"
#include "relay-mlir/Support/DialectPlugins.h"
#include "relay-mlir/Support/Npy.h"
#include "relay-mlir/Support/OptionUse.h"
#include "relay-mlir/Support/OutputFile.h"
#include "relay-mlir/Support/TemporaryFile.h"
#include "relay-mlir/Support/Version.h"

#include "mlir/Support/ToolUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

#include <chrono>
#include <cmath>

namespace cl = llvm::cl;
using namespace mlir;
using relay::InterpreterValue;
using relay::Tensor;
using relay_run::addOutputs;
using relay_run::Output;
using relay_run::printError;
using relay_run::RunOptions;
using relay_run::writeOutputs;

//===----------------------------------------------------------------------===//
// The interpreter
//===----------------------------------------------------------------------===//

static LogicalResult runInterpreter(ModuleOp module,
                                    ArrayRef<InterpreterValue> inputs,
                                    relay::StringTable &strings,
                                    const RunOptions &options) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<std::string> names;
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    auto name = main.getResultAttrOfType<StringAttr>(i, relay::kNameAttrName);
    names.push_back(name ? name.str() : "output" + std::to_string(i));
  }
  if (failed(relay_run::checkOutputFilesOfParts(options.outputFiles, names)))
    return failure();
  relay::StringRun stringRun(strings);
  FailureOr<SmallVector<InterpreterValue>> results =
      relay::interpretMain(module, inputs, /*observer=*/{}, options.limits);
  if (failed(results))
    return failure();
  stringRun.addTo(strings);
  SmallVector<Output> outputs;
  for (auto [index, name] : llvm::enumerate(names)) {
    addOutputs(name, (*results)[index], outputs);
    if (main.getResultAttr(index, relay::kIsStringAttrName) &&
        failed(relay_run::setStrings(outputs.back(), strings)))
      return failure();
  }
  return writeOutputs(outputs, options.outputFiles);
}

//===----------------------------------------------------------------------===//
// Compiled models
//===----------------------------------------------------------------------===//

/// The types of what @main is called with.
static TypeRange getMainTypes(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main").getArgumentTypes();
}

/// `run` runs it once, and drops what comes out.
static LogicalResult runBenchmark(RelayModule *compiled,
                                  const RunOptions &options,
                                  function_ref<LogicalResult()> run) {
  int32_t numThreads = 0;
  if (relayGetNumThreads(&numThreads) != RELAY_OK)
    return printError(relayGetLastError());
  SmallVector<double> milliseconds;
  for (int i = -options.warmUp; i < options.repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (failed(run()))
      return failure();
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - start;
    if (i >= 0)
      milliseconds.push_back(time.count());
  }
  llvm::sort(milliseconds);
  auto percentile = [&](double part) {
    return milliseconds[static_cast<size_t>(part * (milliseconds.size() - 1))];
  };
  llvm::outs() << llvm::format(
      "latency: p50 %.3f ms, p90 %.3f ms, p99 %.3f ms, min %.3f ms (%d runs, "
      "%d threads, precision %s)\n",
      percentile(0.5), percentile(0.9), percentile(0.99), milliseconds.front(),
      options.repeat, static_cast<int>(numThreads),
      relayModuleGetArtifact(compiled)->precision);
  return success();
}

/// Reads "gflops,gbytes", or measures both if `text` is empty.
static FailureOr<relay::MachinePeak> getPeak(StringRef text) {
  if (text.empty()) {
    int32_t numThreads = 0;
    if (relayGetNumThreads(&numThreads) != RELAY_OK)
      return printError(relayGetLastError());
    return relay::measureMachinePeak(numThreads);
  }
  auto [gflops, gbytes] = text.split(',');
  relay::MachinePeak peak;
  if (!llvm::to_float(gflops, peak.flopsPerSecond) ||
      !llvm::to_float(gbytes, peak.bytesPerSecond) ||
      !(peak.flopsPerSecond > 0) || !(peak.bytesPerSecond > 0) ||
      !std::isfinite(peak.flopsPerSecond) ||
      !std::isfinite(peak.bytesPerSecond))
    return printError("expects --peak=<GFLOP/s>,<GB/s>, but got '" + text +
                      "'");
  peak.flopsPerSecond *= 1e9;
  peak.bytesPerSecond *= 1e9;
  return peak;
}

/// What `measure` finds is printed, and written as a trace.
static LogicalResult
runProfile(const RunOptions &options,
           function_ref<llvm::Expected<relay::ModelProfile>()> measure) {
  FailureOr<relay::MachinePeak> peak = getPeak(options.peak);
  if (failed(peak))
    return failure();
  llvm::Expected<relay::ModelProfile> profile = measure();
  if (!profile)
    return printError(llvm::toString(profile.takeError()));
  profile->print(llvm::outs(), *peak);
  if (options.tracePath.empty())
    return success();
  std::error_code code;
  llvm::raw_fd_ostream os(options.tracePath, code);
  if (!code) {
    profile->writeTrace(os);
    os.flush();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return printError("cannot write '" + options.tracePath +
                      "': " + code.message());
  return success();
}

/// What a compiled model is compared with.
struct CheckedModel {
  ModuleOp source;
  /// The kernels in tir that devices have, for --check=tir.
  ModuleOp kernels;
};

static LogicalResult runModel(RelayModule *compiled, const CheckedModel &model,
                              ArrayRef<InterpreterValue> inputs,
                              relay::StringTable &strings,
                              const RunOptions &options, Location location) {
  SmallVector<StringRef> names;
  SmallVector<bool> areStrings;
  for (int32_t i = 0; i < relayModuleGetNumOutputs(compiled); ++i) {
    RelayTensorInfo info;
    relayModuleGetOutputInfo(compiled, i, &info);
    names.push_back(info.name);
    areStrings.push_back(info.is_string);
  }
  if (failed(relay_run::checkOutputFiles(options.outputFiles, names)))
    return failure();
  relay::StringRun stringRun(strings, compiled);
  auto run = [&]() -> LogicalResult {
    return relay::runCompiled(compiled, inputs, location);
  };
  if (!options.check.empty()) {
    FailureOr<bool> agree =
        model.kernels
            ? relay::checkVTAKernels(compiled, model.kernels, options.compile,
                                     llvm::outs(), run)
            : relay::checkModel(model.source, compiled, inputs, options.compile,
                                options.checkOptions, llvm::outs());
    if (failed(agree) || !*agree)
      return failure();
  }
  FailureOr<SmallVector<Tensor>> results =
      relay::runCompiled(compiled, inputs, location);
  if (failed(results))
    return failure();
  stringRun.addTo(strings);
  SmallVector<Output> outputs;
  for (auto [name, result, isString] :
       llvm::zip_equal(names, *results, areStrings)) {
    outputs.push_back({name.str(), result, {}, {}});
    if (isString && failed(relay_run::setStrings(outputs.back(), strings)))
      return failure();
  }
  if (failed(writeOutputs(outputs, options.outputFiles)))
    return failure();
  if (options.benchmark && failed(runBenchmark(compiled, options, run)))
    return failure();
  if (!options.profile)
    return success();
  return runProfile(options, [&]() {
    relay::DLTensorViews tensors(inputs);
    return relay::profileModel(compiled, tensors.get(),
                               {options.repeat, options.warmUp});
  });
}

/// The same of a program, whose arguments are values.
static LogicalResult runProgram(RelayModule *compiled,
                                const CheckedModel &model,
                                ArrayRef<InterpreterValue> inputs,
                                relay::StringTable &strings,
                                const RunOptions &options, Location location) {
  std::optional<relay::ProgramSignature> signature =
      relay::readSignature(*relayModuleGetArtifact(compiled)->program, "main",
                           location.getContext());
  if (!signature)
    return printError("expects a program with a function @main");
  std::vector<std::string> names;
  SmallVector<StringRef> tensors;
  for (const relay::ProgramValueInfo &info : signature->results) {
    names.push_back(info.name.str());
    if (isa<RankedTensorType>(info.type))
      tensors.push_back(info.name);
  }
  // What other results have as parts is not known before they are there.
  if (failed(
          tensors.size() == names.size()
              ? relay_run::checkOutputFiles(options.outputFiles, tensors)
              : relay_run::checkOutputFilesOfParts(options.outputFiles, names)))
    return failure();
  FailureOr<std::vector<relay::ProgramValue>> arguments =
      relay::toProgramValues(compiled, inputs, location);
  if (failed(arguments))
    return failure();
  relay::StringRun stringRun(strings, compiled);
  auto run = [&]() {
    return relay::runProgram(compiled, *arguments, location);
  };
  if (!options.check.empty()) {
    FailureOr<bool> agree =
        model.kernels
            ? relay::checkVTAKernels(compiled, model.kernels, options.compile,
                                     llvm::outs(),
                                     [&]() -> LogicalResult { return run(); })
            : relay::checkProgram(model.source, compiled, inputs,
                                  options.compile, options.checkOptions,
                                  llvm::outs());
    if (failed(agree) || !*agree)
      return failure();
  }
  FailureOr<relay::ProgramValue> result = run();
  if (failed(result))
    return failure();
  stringRun.addTo(strings);
  SmallVector<Output> outputs;
  relay_run::addResults(names, result->get(), *location.getContext(), outputs);
  for (const relay::ProgramValueInfo &info : signature->results)
    for (Output &output : outputs)
      if (info.isString && output.name == info.name &&
          failed(relay_run::setStrings(output, strings)))
        return failure();
  if (failed(writeOutputs(outputs, options.outputFiles)))
    return failure();
  if (options.benchmark &&
      failed(runBenchmark(compiled, options,
                          [&]() -> LogicalResult { return run(); })))
    return failure();
  if (!options.profile)
    return success();
  return runProfile(options, [&]() {
    SmallVector<RelayValue *> values =
        llvm::map_to_vector(*arguments, [](const relay::ProgramValue &value) {
          return value.get();
        });
    return relay::profileProgram(compiled, "main", values,
                                 {options.repeat, options.warmUp});
  });
}

static LogicalResult run(MLIRContext &context, const RunOptions &options) {
  if (!options.check.empty() && options.check != "interpreter" &&
      options.check != "tir")
    return printError("expects --check=interpreter or --check=tir, but got '" +
                      options.check + "'");
  bool isArtefact = StringRef(options.modelPath).ends_with(".so");
  if (isArtefact && (options.interpret || !options.check.empty()))
    return printError("expects the file that the model was compiled from for "
                      "--interpret and --check");
  if (!isArtefact && (options.verify || options.mapWeights))
    return printError("expects a compiled model, model.so, for --verify and "
                      "--map-weights");
  if (!options.peak.empty() && failed(getPeak(options.peak)))
    return failure();
  const relay::Tolerance &tolerance = options.checkOptions.tolerance;
  if (!(tolerance.relative >= 0) || !(tolerance.absolute >= 0))
    return printError("expects --rtol and --atol from 0");
  if (options.limits.maxDepth < 1)
    return printError("expects a positive --max-depth, but got " +
                      llvm::Twine(options.limits.maxDepth));
  if (options.repeat < 1 || options.warmUp < 0)
    return printError("expects a positive --repeat and --warm-up from 0");
  if (failed(relay_run::checkOptionUse(options, isArtefact)))
    return failure();
  if (options.threads && relaySetNumThreads(*options.threads) != RELAY_OK)
    return printError(relayGetLastError());
  Location location = FileLineColLoc::get(&context, options.modelPath, 0, 0);

  if (isArtefact) {
    RelayModule *compiled = nullptr;
    if (relayModuleLoadFor(options.modelPath.c_str(),
                           options.mapWeights ? RELAY_LOAD_MAP_WEIGHTS : 0,
                           options.getDevice(), &compiled) != RELAY_OK)
      return printError(relayGetLastError());
    std::unique_ptr<RelayModule, decltype(&relayModuleFree)> owner(
        compiled, relayModuleFree);
    if (options.verify) {
      if (relayModuleVerify(compiled) != RELAY_OK)
        return printError(relayGetLastError());
      llvm::outs() << "code, tables and "
                   << relayModuleGetArtifact(compiled)->weights_size
                   << " bytes of weights are as compiled\n";
      return success();
    }
    if (options.info) {
      relay_run::printInfo(compiled, context);
      return success();
    }
    relay::StringTable strings = relay_run::getStrings(compiled);
    if (const RelayVMProgram *program =
            relayModuleGetArtifact(compiled)->program) {
      ArrayRef functions(program->functions, program->num_functions);
      const auto *main =
          llvm::find_if(functions, [](const RelayVMFunction &function) {
            return function.kind == RELAY_VM_BYTECODE && function.is_public &&
                   StringRef(function.name) == "main";
          });
      if (main == functions.end())
        return printError("expects a program with a function @main");
      auto arguments = relay_run::getArguments(*program, *main, options.inputs,
                                               strings, location);
      if (failed(arguments))
        return failure();
      return runProgram(compiled, {}, *arguments, strings, options, location);
    }
    auto inputs = relay_run::getInputs(
        relay_run::getInputSpecs(compiled, &context), options.inputs, strings);
    if (failed(inputs))
      return failure();
    return runModel(compiled, {}, *inputs, strings, options, location);
  }

  OwningOpRef<ModuleOp> module = relay::loadModel(options.modelPath, &context);
  if (!module)
    return failure();
  if (options.interpret) {
    auto specs = relay_run::getInputSpecs(*module);
    if (failed(specs))
      return failure();
    relay::StringTable strings(*module);
    auto inputs = relay_run::getInputs(*specs, options.inputs, strings);
    if (failed(inputs))
      return failure();
    return runInterpreter(
        *module, relay_run::makeArguments(getMainTypes(*module), *inputs),
        strings, options);
  }

  OwningOpRef<ModuleOp> copy = module->clone(), kernels;
  relay::CompileOptions compile = options.compile;
  if (options.check == "tir") {
    kernels = ModuleOp::create(location);
    compile.deviceKernels = *kernels;
  }
  FailureOr<RelayModule *> compiled =
      relay::compileAndLoad(*copy, compile, options.getDevice());
  if (failed(compiled))
    return failure();
  std::unique_ptr<RelayModule, decltype(&relayModuleFree)> owner(
      *compiled, relayModuleFree);
  if (options.info) {
    relay_run::printInfo(*compiled, context);
    return success();
  }
  relay::StringTable strings = relay_run::getStrings(*compiled);
  if (relayModuleGetArtifact(*compiled)->program) {
    auto specs = relay_run::getInputSpecs(*module);
    if (failed(specs))
      return failure();
    auto inputs = relay_run::getInputs(*specs, options.inputs, strings);
    if (failed(inputs))
      return failure();
    return runProgram(*compiled, {*module, kernels.get()},
                      relay_run::makeArguments(getMainTypes(*module), *inputs),
                      strings, options, location);
  }
  // Those of the compiled model: every dynamic dimension has a name there.
  auto inputs = relay_run::getInputs(
      relay_run::getInputSpecs(*compiled, &context), options.inputs, strings);
  if (failed(inputs))
    return failure();
  return runModel(*compiled, {*module, kernels.get()}, *inputs, strings,
                  options, location);
}

/// They register their functions when they are loaded, and stay.
static LogicalResult loadLibraries(ArrayRef<std::string> paths) {
  for (const std::string &path : paths) {
    std::string error;
    if (!llvm::sys::DynamicLibrary::LoadLibraryPermanently(path.c_str(),
                                                           &error))
      continue;
    llvm::errs() << "error: cannot load '" << path << "': " << error << '\n';
    return failure();
  }
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::relay::removeTemporaryFilesOnSignals();
  RunOptions options = relay_run::parseCommandLine(argc, argv);
  DialectRegistry registry;
  relay::registerAllDialects(registry);
  if (failed(relay::loadDialectPlugins(options.dialectPlugins, registry)) ||
      failed(loadLibraries(options.libraries)))
    return 1;
  MLIRContext context(registry);
  relay::ModelDiagnostics diagnostics(&context, options.modelPath);
  bool hasFailed = failed(run(context, options));
  return failed(relay::finishStandardOutput()) || hasFailed;
}
