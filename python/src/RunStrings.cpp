//===- RunStrings.cpp - Strings of a call ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunStrings.h"

#include "Arguments.h"
#include "Bindings.h"
#include "TensorArguments.h"

#include <pybind11/numpy.h>

namespace py = pybind11;
using namespace relay_python;

std::unique_ptr<RunStrings> RunStrings::create(const RelayModule *module) {
  if (relayModuleGetNumStrings(module) == 0)
    return nullptr;
  RelayStrings *strings = nullptr;
  checkStatus(relayStringsCreate(module, &strings));
  return std::unique_ptr<RunStrings>(new RunStrings(strings));
}

py::array_t<int64_t> RunStrings::encode(const py::list &texts) {
  py::array_t<int64_t> numbers(static_cast<py::ssize_t>(texts.size()));
  int64_t *next = numbers.mutable_data();
  for (py::handle text : texts) {
    Py_ssize_t size = 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!bytes)
      throw py::error_already_set();
    checkStatus(relayStringsGetNumber(strings, bytes, size, next++));
  }
  return numbers;
}

py::list RunStrings::decode(
    const py::array_t<int64_t, py::array::c_style | py::array::forcecast>
        &numbers) const {
  py::list texts(numbers.size());
  for (py::ssize_t i = 0; i < numbers.size(); ++i) {
    const char *bytes = nullptr;
    uint64_t size = 0;
    checkStatus(relayStringsGetText(strings, numbers.data()[i], &bytes, &size));
    texts[i] = py::str(bytes, size);
  }
  return texts;
}

void relay_python::bindRunStrings(py::module_ &m) {
  py::class_<RunStrings>(m, "RunStrings")
      .def("encode", &RunStrings::encode, py::arg("texts"))
      .def("decode", &RunStrings::decode, py::arg("numbers"))
      .def("__enter__", &RunStrings::enter)
      .def("__exit__", [](RunStrings &self, const py::args &) { self.exit(); });
}
