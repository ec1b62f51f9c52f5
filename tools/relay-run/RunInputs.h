//===- RunInputs.h - Inputs of a run ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_RUN_RUNINPUTS_H
#define RELAY_MLIR_TOOLS_RELAY_RUN_RUNINPUTS_H

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Dialect/Relay/IR/Strings.h"
#include "relay-mlir/Interpreter/InterpreterValue.h"
#include "relay-mlir/Pipelines/ProgramTypes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace relay_run {

/// What a model wants to be given.
struct InputSpec {
  std::string name;
  mlir::RankedTensorType type;
  /// Names of the dynamic dimensions, empty for static ones.
  std::vector<std::string> dimNames;
  /// The elements are numbers of strings.
  bool isString = false;
};

/// The strings of a compiled model.
mlir::relay::StringTable getStrings(const RelayModule *module);

/// Reads the specs of a compiled model, or of the arguments of @main; those of
/// the fields of a tuple `t` are called "t.0", "t.1", ...
std::vector<InputSpec> getInputSpecs(const RelayModule *module,
                                     mlir::MLIRContext *context);
mlir::FailureOr<std::vector<InputSpec>> getInputSpecs(mlir::ModuleOp module);

/// The same of parameters with these names and types; errors go to `location`.
mlir::FailureOr<std::vector<InputSpec>>
getInputSpecs(mlir::Location location,
              llvm::ArrayRef<mlir::relay::ProgramValueInfo> params);

/// What the user gave.
struct InputOptions {
  /// "name=file.npy", or "file.npy" for the next input.
  std::vector<std::string> files;
  /// "n=7": the size of a dynamic dimension of inputs without a file.
  std::vector<std::string> dims;
  unsigned seed = 0;
};

/// Reads inputs from files, and makes up the others: floats from -1 to 1,
/// integers from 0 to 9. Errors are printed.
/// `strings` has those of the model, and then also those of the inputs.
mlir::FailureOr<std::vector<mlir::relay::InterpreterValue>>
getInputs(llvm::ArrayRef<InputSpec> specs, const InputOptions &options,
          mlir::relay::StringTable &strings);

/// Makes arguments of these types from one input for each of their specs.
std::vector<mlir::relay::InterpreterValue>
makeArguments(mlir::TypeRange types,
              llvm::ArrayRef<mlir::relay::InterpreterValue> inputs);

} // namespace relay_run

#endif // RELAY_MLIR_TOOLS_RELAY_RUN_RUNINPUTS_H
