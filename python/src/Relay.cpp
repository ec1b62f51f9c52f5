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

relay_python::SessionLock::SessionLock() : lock(getMutex(), std::defer_lock) {
  // Whoever holds it may need Python's lock to go on.
  py::gil_scoped_release release;
  lock.lock();
}

std::recursive_mutex &relay_python::SessionLock::getMutex() {
  static std::recursive_mutex mutex;
  return mutex;
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
  bindRelayCollage(m);
  bindRelayModules(m);
  bindRelayExecutor(m);
  bindRelayVM(m);
}
