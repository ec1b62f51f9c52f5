//===- PackedFunctions.cpp - Functions of Python that programs call -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of Python gets copies: it may keep arrays for as long as it likes,
// while the memory of a program is used again.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Bindings.h"
#include "TensorArguments.h"

#include "relay-mlir-c/Functions.h"

#include <cstring>
#include <set>
#include <string>

namespace py = pybind11;
using namespace relay_python;

namespace {

struct Release {
  void operator()(RelayValue *value) const { relayValueRelease(value); }
};
using OwnedValue = std::unique_ptr<RelayValue, Release>;

} // namespace

static py::object toPython(RelayValue *value, bool isOutput) {
  RecursionGuard guard;
  RelayValueKind kind = relayValueGetKind(value);
  if (kind == RELAY_VALUE_TENSOR) {
    DLTensor tensor;
    checkStatus(relayValueGetTensor(value, &tensor));
    std::vector<py::ssize_t> shape(tensor.shape, tensor.shape + tensor.ndim);
    if (isOutput)
      return py::module_::import("numpy").attr("zeros")(py::cast(shape),
                                                        getDType(tensor.dtype));
    return py::array(getDType(tensor.dtype), shape,
                     static_cast<char *>(tensor.data) + tensor.byte_offset);
  }
  if (kind != RELAY_VALUE_TUPLE)
    throw py::type_error("expects tensors and tuples of them as arguments of a "
                         "function of Python, but got a value of another kind");
  int32_t count = 0;
  checkStatus(relayValueGetNumFields(value, &count));
  py::tuple fields(count);
  for (int32_t i = 0; i < count; ++i) {
    RelayValue *field = nullptr;
    checkStatus(relayValueGetField(value, i, &field));
    OwnedValue owner(field);
    fields[i] = toPython(field, isOutput);
  }
  return std::move(fields);
}

static OwnedValue fromPython(py::handle value) {
  RecursionGuard guard;
  RelayValue *result = nullptr;
  if (py::isinstance<py::tuple>(value)) {
    std::vector<OwnedValue> owners;
    std::vector<RelayValue *> fields;
    for (py::handle field : value) {
      owners.push_back(fromPython(field));
      fields.push_back(owners.back().get());
    }
    checkStatus(relayValueMakeTuple(
        fields.data(), static_cast<int32_t>(fields.size()), &result));
    return OwnedValue(result);
  }
  if (value.is_none())
    throw py::type_error("expects a function that programs call to return an "
                         "array or a tuple of them, but got None");
  TensorArgument argument;
  bindArray(
      argument,
      py::module_::import("numpy").attr("asarray")(value).cast<py::array>());
  checkStatus(relayValueFromTensor(&argument.tensor, &result));
  return OwnedValue(result);
}

/// Copies what a function has written to its outputs, which it may have made
/// something else.
static void copyOutput(RelayValue *value, const py::array &array) {
  DLTensor tensor;
  checkStatus(relayValueGetTensor(value, &tensor));
  py::dtype dtype = getDType(tensor.dtype);
  bool isRight = array.dtype().equal(dtype) && array.ndim() == tensor.ndim &&
                 (array.flags() & py::array::c_style);
  for (int32_t i = 0; isRight && i < tensor.ndim; ++i)
    isRight = array.shape(i) == tensor.shape[i];
  if (!isRight)
    throw py::type_error(
        "expects a function of relax.call_dps_packed to leave its outputs of "
        "the dtype, shape and strides that they have, but got " +
        py::str(array.dtype()).cast<std::string>() + " of shape " +
        py::str(array.attr("shape")).cast<std::string>() + " and strides " +
        py::str(array.attr("strides")).cast<std::string>());
  std::memcpy(static_cast<char *>(tensor.data) + tensor.byte_offset,
              array.data(), array.nbytes());
}

/// Calls the function of Python that has a name now. What it raises ends the
/// program, whose caller finds it.
static int32_t callFunction(void *name, RelayValue *const *args,
                            int32_t numArgs, int32_t numOutputs,
                            RelayValue **result) {
  py::gil_scoped_acquire acquire;
  try {
    py::tuple values(numArgs);
    for (int32_t i = 0; i < numArgs; ++i)
      values[i] = toPython(args[i], /*isOutput=*/i >= numArgs - numOutputs);
    py::object function =
        py::module_::import("relay_mlir._functions")
            .attr("get_global_func")(static_cast<const char *>(name));
    py::object returned = function(*values);
    if (result) {
      *result = fromPython(returned).release();
      return RELAY_OK;
    }
    if (!returned.is_none())
      throw py::type_error(
          "expects a function of relax.call_dps_packed to write the last " +
          std::to_string(numOutputs) +
          " of its arguments and to return None, but got " +
          describeValue(returned));
    for (int32_t i = numArgs - numOutputs; i < numArgs; ++i)
      copyOutput(args[i], py::reinterpret_borrow<py::array>(values[i]));
    return RELAY_OK;
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (py::builtin_exception &error) {
    error.set_error();
  } catch (std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return RELAY_INTERRUPTED;
}

/// Lets programs find what has a name in relay_mlir._functions. Names are never
/// freed: a program may be calling the function while it goes.
static void registerFunction(const std::string &name, bool isThere) {
  static auto *names = new std::set<std::string>();
  const std::string &known = *names->insert(name).first;
  checkStatus(relayRegisterFunction(known.c_str(),
                                    isThere ? &callFunction : nullptr,
                                    const_cast<char *>(known.c_str())));
}

void relay_python::bindPackedFunctions(py::module_ &m) {
  m.def("register_function", &registerFunction);
}
