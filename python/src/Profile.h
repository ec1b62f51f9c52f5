//===- Profile.h - Where the time of a model goes ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_PROFILE_H
#define RELAY_MLIR_PYTHON_PROFILE_H

#include "relay-mlir/Pipelines/ProfileModel.h"

#include <pybind11/pybind11.h>

#include <shared_mutex>

namespace relay_python {

/// Measures without Python's lock, when nothing holds `runs`, as each run does:
/// what is measured is what this call runs. Writes a trace unless its path is
/// empty. Returns (name, calls, min seconds, median seconds, share, flops,
/// bytes, busy, device, counters) of each kernel; None for what is not known.
/// Throws ValueError for numbers of runs there cannot be and for what `measure`
/// says, OSError for the trace.
pybind11::list
measureProfile(std::shared_mutex &runs, int repeat, int warmUp,
               const std::string &trace,
               llvm::function_ref<llvm::Expected<mlir::relay::ModelProfile>(
                   const mlir::relay::ProfileOptions &)>
                   measure);

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_PROFILE_H
