//===- relay-peak.cpp - Print the limits of this machine ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/MachinePeak.h"
#include "relay-mlir/Support/OutputFile.h"
#include "relay-mlir/Support/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

namespace cl = llvm::cl;
using namespace mlir;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // LLVM's link-time optimiser has an option of this name, too.
  if (cl::Option *other = cl::getRegisteredOptions().lookup("threads"))
    other->removeArgument();
  static cl::OptionCategory category("relay-peak options");
  static cl::opt<int> threads(
      "threads", cl::desc("Threads (default: all CPUs)"), cl::cat(category));
  static cl::opt<bool> json("json", cl::desc("Print a JSON object"),
                            cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << relay::getVersionString() << '\n';
  });
  cl::ParseCommandLineOptions(
      argc, argv, "Measures f32 arithmetic and copies on this machine\n");
  int numThreads = threads.getNumOccurrences()
                       ? threads
                       : std::max(1u, std::thread::hardware_concurrency());
  if (numThreads < 1 || numThreads > 1024) {
    llvm::errs()
        << "error: expects a number of threads from 1 to 1024, but got "
        << numThreads << '\n';
    return 1;
  }

  relay::MachinePeak peak = relay::measureMachinePeak(numThreads);
  double gflops = peak.flopsPerSecond / 1e9, gbytes = peak.bytesPerSecond / 1e9;
  if (json) {
    llvm::json::OStream os(llvm::outs(), /*IndentSize=*/2);
    os.object([&] {
      os.attribute("cpu", relay::getProcessorName());
      os.attributeArray("features", [&] {
        for (const std::string &feature : relay::getProcessorFeatures())
          os.value(feature);
      });
      os.attribute("threads", numThreads);
      os.attribute("instructions", peak.instructions);
      os.attribute("gflops", gflops);
      os.attribute("gbytes_per_s", gbytes);
    });
    llvm::outs() << '\n';
    return failed(relay::finishStandardOutput());
  }
  llvm::outs() << relay::getProcessorName() << ", " << numThreads
               << (numThreads == 1 ? " thread" : " threads") << '\n'
               << llvm::format("multiply-add (%s, f32): %.1f GFLOP/s\n",
                               peak.instructions, gflops)
               << llvm::format("copy (read and write): %.1f GB/s\n", gbytes);
  return failed(relay::finishStandardOutput());
}
