//===- ProgramArguments.cpp - What a program is called with ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramArguments.h"

#include "FileArguments.h"

#include "relay-mlir/Dialect/Relay/IR/TupleLeaves.h"
#include "relay-mlir/Interpreter/TensorIO.h"
#include "relay-mlir/Pipelines/ProgramTypes.h"
#include "relay-mlir/Support/Npy.h"

using namespace mlir;
using namespace relay_run;
using relay::InterpreterValue;

/// Reads the arguments from files, "name=file.npy" or "file.npy".
static FailureOr<std::vector<InterpreterValue>>
readArguments(const RelayVMFunction &main, ArrayRef<std::string> files,
              MLIRContext &context) {
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

/// `type` is null if the artefact does not have it.
static bool hasTensorsOnly(Type type) {
  return type && llvm::all_of(relay::getLeafTypes(type),
                              llvm::IsaPred<RankedTensorType>);
}

FailureOr<std::vector<InterpreterValue>>
relay_run::getArguments(const RelayVMProgram &program,
                        const RelayVMFunction &main,
                        const InputOptions &options,
                        relay::StringTable &strings, Location location) {
  std::optional<relay::ProgramSignature> signature =
      relay::readSignature(program, main.name, location.getContext());
  if (!signature ||
      !llvm::all_of(signature->params, [](const relay::ProgramValueInfo &info) {
        return hasTensorsOnly(info.type);
      }))
    return readArguments(main, options.files, *location.getContext());
  auto specs = getInputSpecs(location, signature->params);
  if (failed(specs))
    return failure();
  auto inputs = getInputs(*specs, options, strings);
  if (failed(inputs))
    return failure();
  SmallVector<Type> types = llvm::map_to_vector(
      signature->params,
      [](const relay::ProgramValueInfo &info) { return info.type; });
  return makeArguments(types, *inputs);
}
