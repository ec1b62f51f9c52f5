//===- ProgramArguments.cpp - What a program is called with ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramArguments.h"

#include "FileArguments.h"

#include "relay-mlir/Interpreter/TensorIO.h"
#include "relay-mlir/Support/Npy.h"

using namespace mlir;
using relay::InterpreterValue;

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
