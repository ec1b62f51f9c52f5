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

/// Calls of Python from code that is built without exceptions, under the
/// interpreter lock: what is raised first waits, and nothing is called after
/// that.
class Calls {
public:
  template <typename T>
  std::optional<T> call(llvm::function_ref<T()> fn) {
    if (hasFailed())
      return std::nullopt;
    try {
      return fn();
    } catch (pybind11::error_already_set &raised) {
      error.emplace(raised);
    } catch (pybind11::cast_error &raised) {
      wrong = raised.what();
    }
    return std::nullopt;
  }

  bool hasFailed() const { return error || !wrong.empty(); }

  void raise() {
    if (error)
      throw pybind11::error_already_set(*error);
    if (!wrong.empty())
      throw pybind11::type_error(wrong);
  }

private:
  std::optional<pybind11::error_already_set> error;
  std::string wrong;
};

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_SRC_CALLBACK_H
