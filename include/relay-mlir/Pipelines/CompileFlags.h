//===- CompileFlags.h - Command line of a compilation -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_COMPILEFLAGS_H
#define RELAY_MLIR_PIPELINES_COMPILEFLAGS_H

#include "relay-mlir/Pipelines/Options.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::relay {

/// What every tool that compiles lets one choose. Lives as long as the
/// program, since the registry of options points into it.
class CompileFlags {
public:
  explicit CompileFlags(llvm::cl::OptionCategory &category);

  /// The names of all of them.
  static llvm::ArrayRef<llvm::StringRef> getNames();

  /// What the command line says; nothing, after a message on standard error, if
  /// that makes no sense.
  std::optional<CompileOptions> get() const;

private:
  llvm::cl::opt<std::string> target;
  llvm::cl::opt<std::string> deviceTargets;
  llvm::cl::opt<std::string> executor;
  llvm::cl::opt<int> optLevel;
  llvm::cl::opt<std::string> precision;
  llvm::cl::opt<bool> forceMatrixTiles;
  llvm::cl::opt<std::string> desiredLayout;
  llvm::cl::opt<std::string> integerRegions;
  llvm::cl::opt<bool> externalFallback;
  llvm::cl::opt<unsigned> vtaSearch;
  llvm::cl::opt<bool> noCache;
  llvm::cl::opt<std::string> cacheDir;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_COMPILEFLAGS_H
