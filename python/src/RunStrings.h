//===- RunStrings.h - Strings of a call -------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_RUNSTRINGS_H
#define RELAY_MLIR_PYTHON_RUNSTRINGS_H

#include "relay-mlir-c/Strings.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>

namespace relay_python {

/// Strings and their numbers for one call of a model, which runs while this is
/// entered.
class RunStrings {
public:
  /// Null for a model without strings.
  static std::unique_ptr<RunStrings> create(const RelayModule *module);
  ~RunStrings() { relayStringsFree(strings); }
  RunStrings(const RunStrings &) = delete;

  /// The numbers of a list of str.
  pybind11::array_t<int64_t> encode(const pybind11::list &texts);
  pybind11::list decode(
      const pybind11::array_t<int64_t, pybind11::array::c_style |
                                           pybind11::array::forcecast> &numbers)
      const;
  void enter() { before = relayUseStrings(strings); }
  void exit() { relayUseStrings(before); }

private:
  explicit RunStrings(RelayStrings *strings) : strings(strings) {}

  RelayStrings *strings;
  RelayStrings *before = nullptr;
};

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_RUNSTRINGS_H
