//===- Main.cpp - The extension module ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayBindings.h"

#include "relay-mlir/Support/Version.h"

PYBIND11_MODULE(_relay_mlir, m) {
  m.doc() = "Extension module of relay_mlir";
  m.attr("__version__") = mlir::relay::getVersionString();
  relay_python::bindDiagnostics(m);
  relay_python::bindReport(m);
  relay_python::bindIRModule(m);
  relay_python::bindRelay(m);
  relay_python::bindPackedFunctions(m);
  relay_python::bindRunStrings(m);
  relay_python::bindRuntimeModule(m);
  relay_python::bindTIRSchedule(m);
}
