//===- TensorArguments.h - Arrays for the run time --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_SRC_TENSORARGUMENTS_H
#define RELAY_MLIR_PYTHON_SRC_TENSORARGUMENTS_H

#include "relay-mlir-c/Runtime.h"

#include <pybind11/numpy.h>

#include <vector>

namespace relay_python {

/// One argument of a call, kept alive while it runs.
struct TensorArgument {
  pybind11::object owner;
  std::vector<int64_t> shape, strides;
  DLTensor tensor = {};
};

/// Raises relay_mlir.RuntimeError (or ValueError for wrong arguments) unless
/// `status` is RELAY_OK.
void checkStatus(RelayStatus status);

pybind11::dtype getDType(DLDataType type);

/// A type that the package ml_dtypes has, and NumPy has not. Raises TypeError
/// if it is not installed.
pybind11::dtype getMlDtype(const std::string &name);

/// Describes a NumPy array without a copy.
void bindArray(TensorArgument &argument, pybind11::array array);

/// An array with the elements of a tensor, which it frees when it goes.
pybind11::array toArray(DLManagedTensor *managed);

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_SRC_TENSORARGUMENTS_H
