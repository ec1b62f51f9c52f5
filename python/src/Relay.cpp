//===- Relay.cpp - The submodule relay ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayBindings.h"

namespace py = pybind11;
using namespace mlir;

MLIRContext *relay_python::getSessionContext() {
  // Never freed: nodes may live until the interpreter has gone.
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerDialects(registry);
    auto *context = new MLIRContext(registry);
    context->printOpOnDiagnostic(false);
    context->loadAllAvailableDialects();
    return context;
  }();
  return context;
}

void relay_python::bindRelay(py::module_ &parent) {
  py::module_ m = parent.def_submodule("relay", "Programs of Relay");
  bindRelayTypes(m);
  bindRelayValues(m);
  bindRelayExprs(m);
  bindRelayPatterns(m);
  bindRelayDataflow(m);
  bindRelayOperators(m);
  bindRelayOffload(m);
  bindRelayCodegen(m);
  bindRelayModules(m);
  bindRelayExecutor(m);
  bindRelayVM(m);
}
