//===- FuzzCommandLine.cpp - Flags of the tools ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"

#include "relay-mlir/InitAllPasses.h"
#include "relay-mlir/Pipelines/CompileFlags.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace cl = llvm::cl;

/// Each line is an argument. The flags are those of every tool that compiles;
/// the values of --pass-pipeline are pipelines of relay-opt.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static cl::OptionCategory category("flags");
  static relay::CompileFlags flags(category);
  static cl::list<std::string> files(cl::Positional, cl::cat(category));
  static bool isRegistered = [] {
    relay::registerProjectPasses();
    return true;
  }();
  (void)isRegistered;

  SmallVector<StringRef> lines;
  StringRef(reinterpret_cast<const char *>(data), size)
      .split(lines, '\n', /*MaxSplit=*/64);
  std::vector<std::string> words = {"relay-compile"};
  for (StringRef line : lines) {
    // These print something and exit.
    StringRef name = line.ltrim('-');
    if (name.starts_with("h") || name.starts_with("version"))
      continue;
    words.push_back(line.split('\0').first.str());
  }
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());

  cl::ResetAllOptionOccurrences();
  std::string errors;
  llvm::raw_string_ostream os(errors);
  bool parsed =
      cl::ParseCommandLineOptions(arguments.size(), arguments.data(), "", &os);
  if (parsed)
    flags.get();

  for (StringRef word : words) {
    if (!word.consume_front("--pass-pipeline="))
      continue;
    relay::fuzz::QuietDiagnostics diagnostics(relay::fuzz::getContext());
    errors.clear();
    FailureOr<OpPassManager> pipeline = parsePassPipeline(word, os);
    relay::fuzz::expect(succeeded(pipeline) || !errors.empty() ||
                            diagnostics.numErrors,
                        "a pipeline is refused with an error");
  }
  return 0;
}
