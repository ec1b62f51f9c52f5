//===- Bindings.h - Parts of the extension module ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_SRC_BINDINGS_H
#define RELAY_MLIR_PYTHON_SRC_BINDINGS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

namespace relay_python {

/// A module and the context that it keeps alive. Each has a context of its own,
/// so that its weights go when it goes.
struct IRModule {
  IRModule();
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Raises ValueError unless 0 <= `optLevel` <= 3.
void checkOptLevel(int optLevel);

/// Collects the diagnostics of a context while it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// Raises relay_mlir.CompileError with the collected errors, or with
  /// `fallback` if there are none. Needs the interpreter lock.
  [[noreturn]] void raise(const std::string &fallback) const;

private:
  struct Entry {
    std::string severity, location, message;
    std::vector<Entry> notes;
  };
  static Entry convert(mlir::Diagnostic &diagnostic);

  std::vector<Entry> entries;
  mlir::ScopedDiagnosticHandler handler;
};

void bindDiagnostics(pybind11::module_ &m);
void bindIRModule(pybind11::module_ &m);
void bindRuntimeModule(pybind11::module_ &m);
void bindTIRSchedule(pybind11::module_ &m);

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_SRC_BINDINGS_H
