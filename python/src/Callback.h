//===- Callback.h - Functions of Python that the compiler calls -*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_SRC_CALLBACK_H
#define RELAY_MLIR_PYTHON_SRC_CALLBACK_H

#include "mlir/IR/Diagnostics.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>

namespace relay_python {

/// A function of Python that outlives the interpreter: what is registered is
/// never freed. It does not raise, but returns (result, None) or (None, why).
struct Callback {
  explicit Callback(pybind11::object function)
      : function(function.release().ptr()) {}

  /// Calls the function with what `makeArgs` returns, under the interpreter
  /// lock, and converts the result.
  template <typename T>
  mlir::FailureOr<T>
  call(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
       llvm::function_ref<pybind11::tuple()> makeArgs,
       llvm::function_ref<T(pybind11::handle)> convert) const {
    pybind11::gil_scoped_acquire acquire;
    // The callers are built without exceptions.
    try {
      pybind11::object result = pybind11::handle(function)(*makeArgs());
      auto [value, error] =
          result
              .cast<std::pair<pybind11::object, std::optional<std::string>>>();
      if (error)
        return emitError() << *error;
      return convert(value);
    } catch (std::exception &error) {
      return emitError() << error.what();
    }
  }

  PyObject *function;
};

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_SRC_CALLBACK_H
