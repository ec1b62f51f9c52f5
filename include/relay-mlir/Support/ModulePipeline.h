//===- ModulePipeline.h - Where a pipeline may stand ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_MODULEPIPELINE_H
#define RELAY_MLIR_SUPPORT_MODULEPIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include <functional>
#include <string>

namespace mlir::relay {

/// Fails, with a message, if the passes of modules of the pipeline `name`
/// cannot be added to `manager`: there, OpPassManager::addPass ends the
/// program.
inline LogicalResult
checkModulePipeline(StringRef name, OpPassManager &manager,
                    function_ref<LogicalResult(const Twine &)> errorHandler) {
  std::optional<StringRef> operation = manager.getOpName();
  if (manager.getNesting() == OpPassManager::Nesting::Implicit || !operation ||
      *operation == ModuleOp::getOperationName())
    return success();
  return errorHandler("pipeline '" + name + "' expects to run on '" +
                      ModuleOp::getOperationName() + "', but got '" +
                      *operation + "'");
}

/// Registers a pipeline of modules, as PassPipelineRegistration does, which
/// reports where it cannot stand, and what `check` says of the options if that
/// is not empty.
template <typename Options>
void registerModulePipeline(
    StringRef name, StringRef description,
    std::function<void(OpPassManager &, const Options &)> build,
    std::function<std::string(const Options &)> check = nullptr) {
  registerPassPipeline(
      name, description,
      [=](OpPassManager &manager, StringRef text,
          function_ref<LogicalResult(const Twine &)> errorHandler)
          -> LogicalResult {
        Options options;
        if (failed(options.parseFromString(text)) ||
            failed(checkModulePipeline(name, manager, errorHandler)))
          return failure();
        if (std::string error = check ? check(options) : ""; !error.empty())
          return errorHandler(error);
        build(manager, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(Options());
      });
}

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_MODULEPIPELINE_H
