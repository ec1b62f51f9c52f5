//===- FileArguments.h - Files of inputs and outputs ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_RUN_FILEARGUMENTS_H
#define RELAY_MLIR_TOOLS_RELAY_RUN_FILEARGUMENTS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace relay_run {

/// Prints "error: " and the message, and fails.
mlir::LogicalResult printError(const llvm::Twine &message);

/// What arguments of the form "name=file", or "file" for the next thing, mean.
struct FileArguments {
  llvm::ArrayRef<std::string> arguments;
  /// Names of the things that may have a file, in order.
  llvm::ArrayRef<llvm::StringRef> names;
  /// What things are called in "expects 2 inputs".
  llvm::StringRef plural;
  /// What a name is expected to be: "the name of an output".
  llvm::StringRef expectedName;

  /// Calls `use` with the position and the path of each. Errors are printed.
  mlir::LogicalResult
  forEach(llvm::function_ref<mlir::LogicalResult(size_t, llvm::StringRef)> use)
      const;
};

} // namespace relay_run

#endif // RELAY_MLIR_TOOLS_RELAY_RUN_FILEARGUMENTS_H
