//===- RunOutputs.h - Outputs of a run --------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_RUN_RUNOUTPUTS_H
#define RELAY_MLIR_TOOLS_RELAY_RUN_RUNOUTPUTS_H

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Dialect/Relay/IR/Strings.h"
#include "relay-mlir/Interpreter/InterpreterValue.h"
#include "relay-mlir/Support/Npy.h"

#include <optional>
#include <string>
#include <vector>

namespace relay_run {

/// A tensor; or the text of what is none.
struct Output {
  std::string name;
  mlir::relay::Tensor tensor;
  std::string text;
  /// What `tensor` has the numbers of, or nothing.
  std::optional<mlir::relay::NpyStrings> strings;
};

/// Splits tuples into their fields, "t.0" and so on.
void addOutputs(std::string name, const mlir::relay::InterpreterValue &value,
                llvm::SmallVectorImpl<Output> &outputs);
void addOutputs(std::string name, RelayValue *value, mlir::MLIRContext &context,
                llvm::SmallVectorImpl<Output> &outputs);

/// Those of the results of a function: of what it returns, or of the fields of
/// the tuple that it returns if it has several results.
void addResults(llvm::ArrayRef<std::string> names, RelayValue *value,
                mlir::MLIRContext &context,
                llvm::SmallVectorImpl<Output> &outputs);

/// Makes strings of the numbers of an output. Errors are printed.
mlir::LogicalResult setStrings(Output &output,
                               const mlir::relay::StringTable &table);

/// Refuses names that no output of these has, and more files than outputs:
/// before the run, whose results would be lost.
mlir::LogicalResult checkOutputFiles(llvm::ArrayRef<std::string> files,
                                     llvm::ArrayRef<llvm::StringRef> names);

/// The same where only the results are known whose parts have the names.
mlir::LogicalResult
checkOutputFilesOfParts(llvm::ArrayRef<std::string> files,
                        llvm::ArrayRef<std::string> results);

/// Prints a line for each output, and writes those that have files. Errors are
/// printed.
mlir::LogicalResult writeOutputs(llvm::ArrayRef<Output> outputs,
                                 llvm::ArrayRef<std::string> files);

} // namespace relay_run

#endif // RELAY_MLIR_TOOLS_RELAY_RUN_RUNOUTPUTS_H
