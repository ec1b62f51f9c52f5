//===- Arguments.cpp - Errors that name the wrong argument ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace py = pybind11;
using namespace relay_python;

std::string relay_python::describeValue(py::handle value) {
  constexpr size_t maxLength = 200;
  auto text = py::repr(value);
  if (py::len(text) > maxLength)
    text = py::str(text[py::slice(0, maxLength, 1)]) + py::str("...");
  return text.cast<std::string>();
}

py::object relay_python::toSequence(py::handle values, const char *what) {
  if (py::isinstance<py::list>(values) || py::isinstance<py::tuple>(values))
    return py::reinterpret_borrow<py::object>(values);
  if (!py::isinstance<py::iterable>(values))
    throw py::type_error("expects a list of " + std::string(what) +
                         ", but got " + describeValue(values));
  return py::list(py::reinterpret_borrow<py::object>(values));
}

py::array relay_python::toNumbers(py::handle value, const py::dtype &dtype) {
  auto asArray = py::module_::import("numpy").attr("asarray");
  py::array array = asArray(value);
  // bfloat16 is of kind V.
  char kind = array.dtype().kind();
  bool isWhole = kind == 'b' || kind == 'i' || kind == 'u';
  // As are integers that no type of 64 bits holds.
  if (kind == 'O')
    isWhole = llvm::all_of(array.attr("ravel")(), [](py::handle element) {
      return PyLong_Check(element.ptr());
    });
  if ((kind == 'O' && !isWhole) || kind == 'S' || kind == 'U' || kind == 'c')
    throw py::type_error("expects numbers, but got " + describeValue(value));
  bool wantsWhole = dtype.kind() == 'i' || dtype.kind() == 'u';
  if (wantsWhole && !isWhole && array.size() != 0)
    throw py::type_error("expects integers of type " +
                         py::str(dtype).cast<std::string>() + ", but got " +
                         describeValue(value));
  return asArray(value, dtype);
}

void relay_python::raiseWrongArgument(const std::string &what,
                                      const std::string &kind, py::handle value,
                                      unsigned bits) {
  if (PyUnicode_Check(value.ptr()) && kind == "a string")
    throw py::value_error(what + " to be text, but got one with surrogates, " +
                          describeValue(value));
  bool isInteger = bits && PyLong_Check(value.ptr());
  std::string width =
      isInteger ? " of " + std::to_string(bits) + " bits" : std::string();
  std::string text =
      what + " to be " + kind + width + ", but got " + describeValue(value);
  if (!isInteger)
    throw py::type_error(text);
  PyErr_SetString(PyExc_OverflowError, text.c_str());
  throw py::error_already_set();
}

std::vector<py::handle>
relay_python::matchArguments(const std::string &function,
                             const std::vector<Parameter> &parameters,
                             const py::args &args, const py::kwargs &kwargs) {
  if (args.size() > parameters.size())
    throw py::type_error(function + ": expects at most " +
                         std::to_string(parameters.size()) +
                         " arguments, but got " + std::to_string(args.size()));
  std::vector<py::handle> values(parameters.size());
  std::copy(args.begin(), args.end(), values.begin());
  for (auto [key, value] : kwargs) {
    auto name = key.cast<std::string>();
    auto found =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const Parameter &p) { return p.name == name; });
    if (found == parameters.end())
      throw py::type_error(function + ": expects no argument '" + name + "'");
    py::handle &slot = values[found - parameters.begin()];
    if (slot)
      throw py::type_error(function + ": expects '" + name +
                           "' once, but got it twice");
    slot = value;
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!values[i] && !parameters[i].hasDefault)
      throw py::type_error(function + ": expects '" + parameters[i].name +
                           "', but it is missing");
  return values;
}
