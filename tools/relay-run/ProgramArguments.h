//===- ProgramArguments.h - What a program is called with -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_RUN_PROGRAMARGUMENTS_H
#define RELAY_MLIR_TOOLS_RELAY_RUN_PROGRAMARGUMENTS_H

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Interpreter/InterpreterValue.h"

#include <string>
#include <vector>

namespace relay_run {

/// Reads the arguments of @main from files, "name=file.npy" or "file.npy": what
/// types they have, only the source of the program tells. Errors are printed.
mlir::FailureOr<std::vector<mlir::relay::InterpreterValue>>
readArguments(const RelayVMFunction &main, llvm::ArrayRef<std::string> files,
              mlir::MLIRContext &context);

} // namespace relay_run

#endif // RELAY_MLIR_TOOLS_RELAY_RUN_PROGRAMARGUMENTS_H
