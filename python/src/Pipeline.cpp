//===- Pipeline.cpp - Passes by the text of a pipeline --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include "relay-mlir/InitAllPasses.h"
#include "relay-mlir/Support/PassFailures.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;

void relay_python::runPipeline(ModuleOp module, const std::string &pipeline,
                               DiagnosticCollector &diagnostics) {
  static std::once_flag registered;
  std::call_once(registered, [] { mlir::relay::registerAllPasses(); });

  std::string error;
  llvm::raw_string_ostream os(error);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, os);
  if (failed(parsed))
    throw py::value_error(
        error.empty() ? "cannot parse the pipeline '" + pipeline + "'" : error);
  PassManager manager(module.getContext());
  static_cast<OpPassManager &>(manager) = std::move(*parsed);
  mlir::relay::nameFailedPasses(manager);
  LogicalResult result = failure();
  {
    // Operators of Python take the lock, on any thread.
    py::gil_scoped_release release;
    result = manager.run(module);
  }
  if (failed(result))
    diagnostics.raise("cannot start the pipeline '" + pipeline + "'");
}
