//===- Profile.cpp - Where the time of a model goes -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace py = pybind11;
using namespace mlir::relay;

static void writeTrace(const ModelProfile &profile, const std::string &path) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    profile.writeTrace(os);
    os.flush();
    code = os.error();
    os.clear_error();
  }
  if (!code)
    return;
  errno = code.value();
  PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
  throw py::error_already_set();
}

py::list relay_python::measureProfile(
    std::shared_mutex &runs, int repeat, int warmUp, const std::string &trace,
    llvm::function_ref<llvm::Expected<ModelProfile>(const ProfileOptions &)>
        measure) {
  if (repeat < 1 || warmUp < 0)
    throw py::value_error("expects a positive number of runs, but got " +
                          std::to_string(repeat) + " after " +
                          std::to_string(warmUp));
  ModelProfile profile;
  std::string message;
  {
    py::gil_scoped_release release;
    std::unique_lock<std::shared_mutex> lock(runs);
    llvm::Expected<ModelProfile> result = measure({repeat, warmUp});
    if (result)
      profile = std::move(*result);
    else
      message = llvm::toString(result.takeError());
  }
  // What an interrupted run has raised says more.
  if (PyErr_Occurred())
    throw py::error_already_set();
  if (!message.empty())
    throw py::value_error(message);
  if (!trace.empty())
    writeTrace(profile, trace);
  py::list rows;
  auto known = [](int64_t value) {
    return value < 0 ? py::object(py::none()) : py::object(py::int_(value));
  };
  for (const KernelProfile &kernel : profile.getKernels()) {
    py::dict counters;
    for (const auto &[name, value] : kernel.counters)
      counters[py::str(name)] = value;
    rows.append(py::make_tuple(
        kernel.name, kernel.numCalls, kernel.minSeconds, kernel.medianSeconds,
        kernel.share, known(kernel.flops), known(kernel.bytes),
        kernel.busy < 0 ? py::object(py::none()) : py::float_(kernel.busy),
        kernel.device, counters));
  }
  return rows;
}
