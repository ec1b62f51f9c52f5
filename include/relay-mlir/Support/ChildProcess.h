//===- ChildProcess.h - Run a program to its end ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_CHILDPROCESS_H
#define RELAY_MLIR_SUPPORT_CHILDPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <optional>
#include <string>

namespace mlir::relay {

/// How a program ended. Both are missing if nobody can tell, as where the
/// process has said that it does not care about its children.
struct ExitStatus {
  std::optional<int> code;
  std::optional<int> signal;
};

/// Runs the program at `path` and waits for its end. `args` has its name first.
/// `files[i]` is its descriptor i; -1 stands for an empty one. Unlike LLVM's,
/// this hands over files that have no name.
llvm::ErrorOr<ExitStatus> runChild(llvm::StringRef path,
                                   llvm::ArrayRef<std::string> args,
                                   llvm::ArrayRef<int> files);

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_CHILDPROCESS_H
