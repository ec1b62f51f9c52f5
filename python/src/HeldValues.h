//===- HeldValues.h - Values that have no form in Python --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of data types, closures and references, of the interpreter. Those of
// the virtual machine are classes derived from these (RelayVM.cpp), so that
// they are the same classes in Python.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_SRC_HELDVALUES_H
#define RELAY_MLIR_PYTHON_SRC_HELDVALUES_H

#include "RelayBindings.h"

#include "relay-mlir-c/Runtime.h"

#include "relay-mlir/Interpreter/InterpreterValue.h"

#include <pybind11/numpy.h>

#include <chrono>
#include <memory>

namespace relay_python {

class Program;

/// Without a value if it is one of the virtual machine.
struct HeldValue {
  mlir::relay::InterpreterValue value;
  std::shared_ptr<Program> program;
};
struct DataValue : HeldValue {
  /// What Python made it of; null if the interpreter did.
  pybind11::object constructor = {}, fields = {};
};
struct ClosureValue : HeldValue {};
struct RefValue : HeldValue {};

/// The array that an argument is. Lists and numbers take the dtype of `type`,
/// which may be null.
pybind11::array toTypedArray(pybind11::handle value, mlir::Type type);

/// Raises TypeError: `value` has no form that a value of `type` has.
[[noreturn]] void raiseWrongKind(mlir::Type type, pybind11::handle value);

/// A value of a program as debug functions get it: arrays and tuples of them,
/// any other value as text.
pybind11::object showProgramValue(RelayValue *value);

/// Whether a handler of a signal, such as that of Ctrl-C, has raised an
/// exception. Looks for signals now and then only, as this needs the lock of
/// Python.
bool isInterrupted(std::chrono::steady_clock::time_point &lastLook);

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_SRC_HELDVALUES_H
