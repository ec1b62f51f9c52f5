//===- RunOptions.h - The command line of relay-run -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_RUN_RUNOPTIONS_H
#define RELAY_MLIR_TOOLS_RELAY_RUN_RUNOPTIONS_H

#include "RunInputs.h"

#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Pipelines/CheckModel.h"
#include "relay-mlir/Pipelines/Options.h"

#include <optional>
#include <string>
#include <vector>

namespace relay_run {

/// What the command line says.
struct RunOptions {
  std::string modelPath;
  InputOptions inputs;
  std::vector<std::string> outputFiles;
  bool interpret = false;
  std::string check;
  mlir::relay::CheckOptions checkOptions;
  bool info = false;
  bool benchmark = false;
  int repeat = 50;
  int warmUp = 5;
  bool profile = false;
  std::string tracePath;
  std::string peak;
  std::optional<int> threads;
  bool verify = false;
  bool mapWeights = false;
  /// What relayModuleLoadFor takes.
  std::optional<std::string> device;
  const char *getDevice() const { return device ? device->c_str() : nullptr; }
  std::vector<std::string> dialectPlugins;
  /// Shared objects that register functions which models call.
  std::vector<std::string> libraries;
  mlir::relay::CompileOptions compile;
  mlir::relay::InterpreterLimits limits;
};

/// Ends the program if the command line is wrong.
RunOptions parseCommandLine(int argc, char **argv);

/// Refuses options that have no effect on what the others ask for.
mlir::LogicalResult checkOptionUse(const RunOptions &options, bool isArtefact);

} // namespace relay_run

#endif // RELAY_MLIR_TOOLS_RELAY_RUN_RUNOPTIONS_H
