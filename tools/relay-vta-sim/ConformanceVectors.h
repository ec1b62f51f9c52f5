//===- ConformanceVectors.h - Checks files of vectors -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector is a program NAME.vtao with the memory that it leaves, NAME.out. A
// cases.json beside them may say more: that a program must be refused and why,
// what it counts, and how long the RTL takes.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_VTA_SIM_CONFORMANCEVECTORS_H
#define RELAY_MLIR_TOOLS_RELAY_VTA_SIM_CONFORMANCEVECTORS_H

#include "relay-mlir/Runtime/VTA/Simulator.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace relay_vta_sim {

class ConformanceVectors {
public:
  ConformanceVectors(bool withCycles, const relay_vta::RunOptions &options)
      : withCycles(withCycles), options(options) {}

  /// Checks one program and prints a line; false if anything differs.
  bool check(llvm::StringRef path, llvm::raw_ostream &os);

private:
  /// What a cases.json says of a program; null if it does not.
  llvm::Expected<const llvm::json::Object *> findCase(llvm::StringRef path);
  llvm::Expected<std::string> checkFile(llvm::StringRef path);
  llvm::Expected<std::string> checkRun(llvm::StringRef path,
                                       const relay_vta::Program &program,
                                       const llvm::json::Object *expected);

  const bool withCycles;
  const relay_vta::RunOptions options;
  /// By their paths; objects of cases by name.
  llvm::StringMap<llvm::json::Value> files;
  /// What has been said.
  llvm::StringSet<> warnings;
};

/// What went wrong, and the option that may help.
std::string explain(const relay_vta::RunStatus &status);

/// Reads the program of a file.
llvm::Error readProgramFile(llvm::StringRef path, relay_vta::Program &program);

} // namespace relay_vta_sim

#endif // RELAY_MLIR_TOOLS_RELAY_VTA_SIM_CONFORMANCEVECTORS_H
