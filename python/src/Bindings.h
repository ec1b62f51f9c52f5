//===- Bindings.h - Parts of the extension module ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_SRC_BINDINGS_H
#define RELAY_MLIR_PYTHON_SRC_BINDINGS_H

#include "relay-mlir/Frontend/RelayText/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace relay_python {

/// Whose words diagnostics use: those of MLIR's text, or of Relay's.
enum class Words { MLIR, Relay };

/// The words for a model that is read from a file of that name.
Words getWords(const std::string &path);

/// Adds all dialects: those of the project and of the plugins that were loaded.
void registerDialects(mlir::DialectRegistry &registry);

/// A module and the context that it keeps alive. Each has a context of its own,
/// so that its weights go when it goes.
struct IRModule {
  IRModule();
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Words words = Words::MLIR;
};

/// Raises ValueError unless 0 <= `optLevel` <= 3.
void checkOptLevel(int optLevel);

/// Collects the diagnostics of a context while it lives. Errors beyond those
/// that a person reads are only counted.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context,
                               Words words = Words::MLIR);

  /// Raises relay_mlir.CompileError with the collected errors, or with
  /// `fallback` if there are none. Needs the interpreter lock.
  [[noreturn]] void raise(const std::string &fallback) const;

  /// Hands the collected warnings to Python's module `warnings`, for a caller
  /// outside of this package. Needs the interpreter lock.
  void warn() const;

private:
  struct Entry {
    std::string severity, location, message;
    /// How many columns the location spans, 0 if it is no place in a file.
    unsigned width;
    std::vector<Entry> notes;
  };
  static Entry convert(mlir::Diagnostic &diagnostic);

  std::vector<Entry> entries;
  size_t numErrors = 0;
  mlir::ScopedDiagnosticHandler handler;
  std::optional<mlir::relay::RelayDiagnostics> translator;
};

/// Parses a pipeline and runs it on a module, without the interpreter lock.
/// Raises ValueError if there is no such pipeline, and what `diagnostics` has
/// collected if it fails; a pass that says nothing is named.
void runPipeline(mlir::ModuleOp module, const std::string &pipeline,
                 DiagnosticCollector &diagnostics);

/// (kind, sizes, name of the elements' type) of a value: of tensors in a
/// sequence or an optional value, "seq(tensor)" and so on. Sizes without a name
/// in `dims`, which may be null, are "?".
pybind11::tuple describeType(mlir::Type type, mlir::ArrayAttr dims);

void bindDiagnostics(pybind11::module_ &m);
void bindIRModule(pybind11::module_ &m);
/// PackedFunctions.cpp: register_function.
void bindPackedFunctions(pybind11::module_ &m);
void bindRunStrings(pybind11::module_ &m);
void bindRuntimeModule(pybind11::module_ &m);
void bindTIRSchedule(pybind11::module_ &m);

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_SRC_BINDINGS_H
