//===- relay-exec.cpp - Runs compiled models, without the compiler --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What relay-run does with compiled models, where there is nothing but the run
// time: it runs a model on the tensors of a case (Case.h), compares what comes
// out, and takes times. It ends with 1 if something is wrong.
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Pack.h"
#include "Profile.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace relay_exec;

namespace {

struct Options {
  std::string model, casePath, name;
  double seconds = 1;
  int repeat = 100;
  bool benchmark = false, profile = false, unpack = false;
};

struct ModuleDeleter {
  void operator()(RelayModule *module) const { relayModuleFree(module); }
};

/// Runs of a model on one case. Outputs stay where the first run puts them.
class Runner {
public:
  Runner(RelayModule *module, const Case &tensors)
      : module(module), inputs(tensors.getInputs()),
        outputs(tensors.getOutputs().size(), nullptr) {}
  ~Runner() {
    for (DLManagedTensor *output : outputs)
      if (output)
        output->deleter(output);
  }
  Runner(const Runner &) = delete;

  void run() {
    if (relayModuleRun(module, inputs.data(),
                       static_cast<int32_t>(inputs.size()), outputs.data(),
                       static_cast<int32_t>(outputs.size())) != RELAY_OK)
      throw Error(relayGetLastError());
  }
  /// Calls `body` after some runs, as often and as long as the options say.
  template <typename Body>
  void repeat(const Options &options, Body body) {
    using Clock = std::chrono::steady_clock;
    // Graphs and clocks of the device are as they stay after these.
    for (int i = 0; i != 5; ++i)
      run();
    Clock::time_point start = Clock::now();
    for (int i = 0; i != options.repeat; ++i) {
      body();
      std::chrono::duration<double> passed = Clock::now() - start;
      if (passed.count() > options.seconds)
        break;
    }
  }

  RelayModule *module;
  std::vector<const DLTensor *> inputs;
  std::vector<DLManagedTensor *> outputs;
};

} // namespace

static void printHelp() {
  std::printf(
      "usage: relay-exec MODEL.so [CASE] [options]\n"
      "       relay-exec --unpack FILE MODEL.so\n\n"
      "Runs a compiled model and compares its outputs with those of the case.\n"
      "Without a case inputs are random.\n\n"
      "  --benchmark    print the median time of a run\n"
      "  --profile      print the time of each kernel, too\n"
      "  --repeat=N     timed runs, at most (100)\n"
      "  --seconds=S    time for them, at most (1)\n"
      "  --unpack       write the model that is in a packed file\n"
      "  --name=TEXT    how the model is called in what is printed\n");
}

static double parseNumber(const char *text, const char *option) {
  char *end;
  double value = std::strtod(text, &end);
  if (end == text || *end || !(value > 0) || value > 1e6)
    throw Error(std::string("expects a number above 0 for ") + option +
                ", but got '" + text + "'");
  return value;
}

static Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i != argc; ++i) {
    std::string word = argv[i];
    if (word == "--help") {
      printHelp();
      std::exit(0);
    }
    if (word == "--benchmark")
      options.benchmark = true;
    else if (word == "--profile")
      options.profile = true;
    else if (word == "--unpack")
      options.unpack = true;
    else if (word.compare(0, 9, "--repeat=") == 0)
      options.repeat =
          static_cast<int>(std::ceil(parseNumber(argv[i] + 9, "--repeat")));
    else if (word.compare(0, 10, "--seconds=") == 0)
      options.seconds = parseNumber(argv[i] + 10, "--seconds");
    else if (word.compare(0, 7, "--name=") == 0)
      options.name = word.substr(7);
    else if (word.compare(0, 1, "-") == 0)
      throw Error("expects an option of --help, but got '" + word + "'");
    else if (options.model.empty())
      options.model = word;
    else if (options.casePath.empty())
      options.casePath = word;
    else
      throw Error("expects a model and a case, but got '" + word + "' too");
  }
  if (options.model.empty())
    throw Error("expects a model; --help says more");
  if (options.name.empty())
    options.name = options.model;
  return options;
}

static void printTimes(Runner &runner, const Options &options) {
  std::vector<double> times;
  runner.repeat(options, [&] {
    auto start = std::chrono::steady_clock::now();
    runner.run();
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  });
  Profile profile(runner.module);
  profile.startRun();
  runner.repeat(options, [&] {
    profile.startRun();
    runner.run();
    profile.endRun();
  });
  std::printf("%s: median of %zu runs %.3f ms", options.name.c_str(),
              times.size(), getMedian(times) * 1e3);
  double deviceSeconds = profile.getDeviceSeconds();
  if (deviceSeconds >= 0)
    std::printf(", %.3f ms of it in kernels", deviceSeconds * 1e3);
  std::printf("\n");
  if (!options.profile)
    return;
  auto numCalls =
      static_cast<size_t>(relayModuleGetArtifact(runner.module)->num_calls);
  std::vector<int64_t> flops(numCalls), bytes(numCalls);
  if (relayModuleGetWork(runner.module, runner.inputs.data(),
                         static_cast<int32_t>(runner.inputs.size()),
                         flops.data(), bytes.data()) != RELAY_OK)
    throw Error(relayGetLastError());
  profile.print(flops, bytes);
}

/// Returns whether all outputs are right, and says if not.
static bool checkOutputs(const Runner &runner, const Case &tensors,
                         const Options &options, bool saysRight = false) {
  double error = 0, bound = 0;
  int numCompared = 0;
  for (size_t i = 0; i != runner.outputs.size(); ++i) {
    const Output &output = tensors.getOutputs()[i];
    if (!output.expected)
      continue;
    ++numCompared;
    Difference difference = compare(runner.outputs[i]->dl_tensor, output);
    if (!difference.reason.empty()) {
      std::printf("%s: wrong: %s (error %.3g, bound %.3g)\n",
                  options.name.c_str(), difference.reason.c_str(),
                  difference.error, output.bound);
      return false;
    }
    error = std::max(error, difference.error);
    bound = std::max(bound, output.bound);
  }
  if (saysRight && numCompared != 0)
    std::printf("%s: right: error %.3g, bound %.3g\n", options.name.c_str(),
                error, bound);
  return true;
}

int main(int argc, char **argv) {
  Options options;
  try {
    options = parseOptions(argc, argv);
    if (options.unpack) {
      if (options.casePath.empty())
        throw Error("expects a packed file and a new one");
      unpack(options.model, options.casePath);
      return 0;
    }
    RelayModule *loaded = nullptr;
    if (relayModuleLoad(options.model.c_str(), &loaded) != RELAY_OK)
      throw Error(relayGetLastError());
    std::unique_ptr<RelayModule, ModuleDeleter> module(loaded);
    if (relayModuleGetArtifact(loaded)->program)
      throw Error("expects one function of tensors, but got a program");
    Case tensors = options.casePath.empty() ? Case(loaded)
                                            : Case(options.casePath, loaded);
    Runner runner(loaded, tensors);
    runner.run();
    if (!checkOutputs(runner, tensors, options))
      return 1;
    // A sequence of launches that comes again may run in another way.
    runner.run();
    runner.run();
    if (!checkOutputs(runner, tensors, options, /*saysRight=*/true))
      return 1;
    if (options.benchmark || options.profile)
      printTimes(runner, options);
    return checkOutputs(runner, tensors, options) ? 0 : 1;
  } catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s%serror: %s\n", options.name.c_str(),
                 options.name.empty() ? "" : ": ", error.what());
    return 1;
  }
}
