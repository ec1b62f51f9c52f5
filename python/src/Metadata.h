//===- Metadata.h - What a model says of itself -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_METADATA_H
#define RELAY_MLIR_PYTHON_METADATA_H

#include "relay-mlir-c/Runtime.h"

#include <pybind11/pybind11.h>

namespace relay_python {

/// A dictionary of texts.
inline pybind11::dict getMetadata(const RelayModule *module) {
  pybind11::dict metadata;
  const char *key = nullptr, *value = nullptr;
  for (int64_t i = 0; relayModuleGetMetadata(module, i, &key, &value); ++i)
    metadata[key] = value;
  return metadata;
}

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_METADATA_H
