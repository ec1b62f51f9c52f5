//===- ProgramArguments.h - What a program is called with -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_RUN_PROGRAMARGUMENTS_H
#define RELAY_MLIR_TOOLS_RELAY_RUN_PROGRAMARGUMENTS_H

#include "RunInputs.h"

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Interpreter/InterpreterValue.h"

#include <string>
#include <vector>

namespace relay_run {

/// The arguments of @main: tensors, and tuples of them, as of any model, and
/// others, which have to be given, from files. Errors are printed.
mlir::FailureOr<std::vector<mlir::relay::InterpreterValue>>
getArguments(const RelayVMProgram &program, const RelayVMFunction &main,
             const InputOptions &options, mlir::relay::StringTable &strings,
             mlir::Location location);

} // namespace relay_run

#endif // RELAY_MLIR_TOOLS_RELAY_RUN_PROGRAMARGUMENTS_H
