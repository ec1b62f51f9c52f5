//===- Report.cpp - Reports of passes -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "RelayBindings.h"

#include "relay-mlir/Report/Report.h"

#include "llvm/Support/raw_ostream.h"

namespace py = pybind11;
using namespace relay_python;
using namespace mlir;

/// Raises OSError with what was said, if `act` fails.
static void raiseIfFailed(function_ref<LogicalResult(raw_ostream &)> act) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (succeeded(act(os)))
    return;
  StringRef message = StringRef(text).rtrim();
  message.consume_front("error: ");
  PyErr_SetString(PyExc_OSError, message.str().c_str());
  throw py::error_already_set();
}

static void addPass(relay::Report &self, const std::string &name,
                    double seconds, const py::tuple &before,
                    const py::object &after) {
  OwningOpRef<ModuleOp> first = importModule(before[0], before[1]), second;
  if (!after.is_none()) {
    auto program = after.cast<py::tuple>();
    second = importModule(program[0], program[1]);
  }
  self.addPass(name, seconds, *first,
               second ? second->getOperation() : nullptr);
}

void relay_python::bindReport(py::module_ &m) {
  py::class_<relay::Report>(m, "Report")
      .def(py::init([](std::string path, std::string input) {
             return std::make_unique<relay::Report>(relay::ReportOptions{
                 std::move(path), "relay_mlir", std::move(input)});
           }),
           py::arg("path"), py::arg("input"))
      .def("add_pass", &addPass, py::arg("name"), py::arg("seconds"),
           py::arg("before"), py::arg("after"))
      .def("num_steps", &relay::Report::getNumSteps)
      .def("read_profile",
           [](relay::Report &self, const std::string &path) {
             raiseIfFailed(
                 [&](raw_ostream &os) { return self.readProfile(path, os); });
           })
      .def("write", [](const relay::Report &self) {
        raiseIfFailed([&](raw_ostream &os) { return self.write(os); });
      });
}
