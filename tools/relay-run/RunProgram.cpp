//===- RunProgram.cpp - Run a program in bytecode -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgram.h"

#include "FileArguments.h"
#include "RunOutputs.h"

#include "relay-mlir/Interpreter/TensorIO.h"
#include "relay-mlir/Pipelines/ProgramValues.h"
#include "relay-mlir/Support/Npy.h"

using namespace mlir;
using relay::InterpreterValue;
using relay_run::Output;

FailureOr<std::vector<InterpreterValue>>
relay_run::readArguments(const RelayVMFunction &main,
                         ArrayRef<std::string> files, MLIRContext &context) {
  std::vector<InterpreterValue> arguments(main.num_params);
  SmallVector<StringRef> params(main.params, main.params + main.num_params);
  FileArguments inputs = {files, params, "inputs",
                          "the name of a parameter of @main"};
  LogicalResult areRead =
      inputs.forEach([&](size_t position, StringRef path) -> LogicalResult {
        llvm::Expected<relay::NpyArray> array = relay::readNpy(path);
        if (!array)
          return printError(llvm::toString(array.takeError()));
        arguments[position] = relay::getTensor(*array, &context);
        return success();
      });
  if (failed(areRead))
    return failure();
  for (auto [param, value] : llvm::zip_equal(params, arguments))
    if (!value)
      return printError("expects --input for each parameter of @main, but got "
                        "none for '" +
                        param + "'");
  return arguments;
}

LogicalResult relay_run::runProgram(RelayModule *compiled,
                                    ArrayRef<InterpreterValue> inputs,
                                    MLIRContext &context,
                                    ArrayRef<std::string> outputFiles) {
  std::vector<relay::ProgramValue> owners;
  SmallVector<RelayValue *> arguments;
  for (const InterpreterValue &input : inputs) {
    llvm::Expected<relay::ProgramValue> value =
        relay::toProgramValue(compiled, input);
    if (!value)
      return printError(llvm::toString(value.takeError()));
    arguments.push_back(value->get());
    owners.push_back(std::move(*value));
  }
  RelayValue *result = nullptr;
  if (relayModuleInvoke(compiled, "main", arguments.data(),
                        static_cast<int32_t>(arguments.size()),
                        &result) != RELAY_OK)
    return printError(relayGetLastError());
  relay::ProgramValue owner(result);
  SmallVector<Output> outputs;
  addOutputs("result0", result, context, outputs);
  return writeOutputs(outputs, outputFiles);
}
