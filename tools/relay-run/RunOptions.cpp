//===- RunOptions.cpp - The command line of relay-run ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"

#include "relay-mlir/Pipelines/CompileFlags.h"
#include "relay-mlir/Support/DialectPlugins.h"
#include "relay-mlir/Support/OptionUse.h"
#include "relay-mlir/Support/Version.h"

#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;
using namespace mlir;
using namespace relay_run;

static cl::OptionCategory category("relay-run options");

RunOptions relay_run::parseCommandLine(int argc, char **argv) {
  // LLVM's link-time optimiser has an option of this name, too.
  if (cl::Option *other = cl::getRegisteredOptions().lookup("threads"))
    other->removeArgument();

  RunOptions result;
  // Static, since the registry keeps pointers to them.
  static cl::opt<std::string> modelPath(
      cl::Positional, cl::Required,
      cl::desc("<model.so, model.onnx, model.mlir or program.relay>"),
      cl::cat(category));
  static cl::list<std::string> inputFiles(
      "input",
      cl::desc("Input, by name or in order; others are random (int32 and "
               "int64: 0 and 1)"),
      cl::value_desc("[name=]file.npy"), cl::cat(category));
  static cl::list<std::string> outputFiles(
      "output", cl::desc("Where to write an output, by name or in order"),
      cl::value_desc("[name=]file.npy"), cl::cat(category));
  static cl::list<std::string> dims(
      "dim",
      cl::desc("Size of a dynamic dimension of random inputs "
               "(default 1)"),
      cl::value_desc("name=size"), cl::cat(category));
  static cl::opt<unsigned> seed("seed", cl::desc("Seed of random inputs"),
                                cl::init(0), cl::cat(category));
  static cl::opt<int> threads("threads",
                              cl::desc("Number of threads (default: "
                                       "$RELAY_NUM_THREADS, else all CPUs)"),
                              cl::cat(category));
  static cl::opt<bool> interpret(
      "interpret", cl::desc("Run the reference interpreter, not compiled code"),
      cl::cat(category));
  static cl::opt<int64_t> maxDepth(
      "max-depth", cl::desc("How deep calls may nest with --interpret"),
      cl::init(result.limits.maxDepth), cl::cat(category));
  static cl::opt<std::string> check(
      "check",
      cl::desc("Compare every output with: interpreter; or the kernels of vta "
               "with: tir"),
      cl::value_desc("what"), cl::cat(category));
  static cl::opt<std::string> dump(
      "check-dump",
      cl::desc("Where --check writes the first kernel that differs, as a model "
               "with its inputs"),
      cl::value_desc("folder"), cl::cat(category));
  static cl::opt<double> relative(
      "rtol",
      cl::desc("Relative tolerance of --check; 8 times that for bfloat16"),
      cl::init(relay::Tolerance().relative), cl::cat(category));
  static cl::opt<double> absolute(
      "atol",
      cl::desc("Tolerance of --check, relative to the output's largest "
               "magnitude"),
      cl::init(relay::Tolerance().absolute), cl::cat(category));
  static cl::opt<bool> info(
      "info",
      cl::desc("Print what the model was compiled for, at which precision, its "
               "inputs and outputs; do not run it"),
      cl::cat(category));
  static cl::opt<bool> benchmark("benchmark", cl::desc("Print latencies"),
                                 cl::cat(category));
  static cl::opt<std::string> profile(
      "profile", cl::ValueOptional,
      cl::desc("Print the time of each kernel, and write a trace of all runs "
               "for Perfetto or chrome://tracing"),
      cl::value_desc("trace.json"), cl::cat(category));
  static cl::opt<std::string> peak(
      "peak",
      cl::desc("The machine's limits for --profile in GFLOP/s and GB/s "
               "(default: measured, as relay-peak does)"),
      cl::value_desc("gflops,gbytes"), cl::cat(category));
  static cl::opt<int> repeat(
      "repeat", cl::desc("Timed runs of --benchmark and --profile"),
      cl::init(result.repeat), cl::cat(category));
  static cl::opt<int> warmUp("warm-up", cl::desc("Runs before the timed ones"),
                             cl::init(result.warmUp), cl::cat(category));
  static cl::opt<bool> verify(
      "verify",
      cl::desc("Only load the model, and check that it is as compiled"),
      cl::cat(category));
  static cl::opt<bool> mapWeights(
      "map-weights",
      cl::desc("Map the weights of a model.so in place of reading them: "
               "processes share them, and the file must not change"),
      cl::cat(category));
  static cl::opt<std::string> device(
      "device",
      cl::desc("What runs the kernels for a kind of devices: vta:fsim, the "
               "functional simulator of VTA, or vta:tsim, which counts cycles"),
      cl::value_desc("kind:name"), cl::cat(category));
  static cl::list<std::string> dialectPlugins(
      relay::kDialectPluginOption,
      cl::desc("Load dialects, such as operators, from a plugin"),
      cl::value_desc("shared object"), cl::cat(category));
  static cl::list<std::string> libraries(
      "load-library",
      cl::desc("Load a shared object first, which registers functions that the "
               "model calls (relayRegisterFunction)"),
      cl::value_desc("shared object"), cl::cat(category));
  static relay::CompileFlags compileFlags(category);

  cl::HideUnrelatedOptions(category);
  cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << relay::getVersionString() << '\n';
  });
  cl::ParseCommandLineOptions(argc, argv, "Runs, checks and times a model\n");

  std::optional<relay::CompileOptions> compile = compileFlags.get();
  if (!compile)
    std::exit(1);
  result.compile = *compile;
  result.modelPath = modelPath;
  result.inputs = {inputFiles, dims, seed};
  result.outputFiles = outputFiles;
  result.interpret = interpret;
  result.check = check;
  result.checkOptions = {{relative, absolute}, dump};
  result.info = info;
  result.benchmark = benchmark;
  result.repeat = repeat;
  result.warmUp = warmUp;
  result.profile = profile.getNumOccurrences() > 0;
  result.tracePath = profile;
  result.peak = peak;
  if (threads.getNumOccurrences())
    result.threads = threads;
  result.limits.maxDepth = maxDepth;
  result.verify = verify;
  result.mapWeights = mapWeights;
  if (device.getNumOccurrences())
    result.device = device;
  result.dialectPlugins = dialectPlugins;
  result.libraries = libraries;
  return result;
}

LogicalResult relay_run::checkOptionUse(const RunOptions &options,
                                        bool isArtefact) {
  using relay::refuseOtherOptions;
  SmallVector<StringRef> allowed = {""};
  allowed.push_back(isArtefact ? "map-weights" : relay::kDialectPluginOption);
  if (options.verify) {
    allowed.push_back("verify");
    return refuseOtherOptions(category, allowed, "with --verify");
  }
  if (options.info) {
    allowed.push_back("info");
    if (!isArtefact)
      llvm::append_range(allowed, relay::CompileFlags::getNames());
    return refuseOtherOptions(category, allowed, "with --info");
  }
  llvm::append_range(allowed,
                     ArrayRef<StringRef>{"input", "output", "dim", "seed"});
  if (options.interpret) {
    llvm::append_range(allowed, ArrayRef<StringRef>{"interpret", "max-depth"});
    return refuseOtherOptions(category, allowed, "with --interpret");
  }
  if (failed(relay::refuseOptions({"max-depth"}, "without --interpret")) ||
      (options.check.empty() &&
       failed(relay::refuseOptions({"rtol", "atol", "check-dump"},
                                   "without --check"))) ||
      (options.check == "tir" &&
       failed(relay::refuseOptions({"rtol", "atol", "check-dump"},
                                   "with --check=tir"))) ||
      (!options.profile &&
       failed(relay::refuseOptions({"peak"}, "without --profile"))) ||
      (!options.profile && !options.benchmark &&
       failed(relay::refuseOptions({"repeat", "warm-up"},
                                   "without --benchmark or --profile"))))
    return failure();
  if (!isArtefact)
    return success();
  SmallVector<StringRef> names(relay::CompileFlags::getNames());
  names.push_back(relay::kDialectPluginOption);
  return relay::refuseOptions(names, "with a compiled model");
}
