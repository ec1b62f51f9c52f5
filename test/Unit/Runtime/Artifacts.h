//===- Artifacts.h - Artefacts of tests -------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_UNIT_RUNTIME_ARTIFACTS_H
#define RELAY_MLIR_TEST_UNIT_RUNTIME_ARTIFACTS_H

#include "relay-mlir-c/Runtime.h"

#include <string>
#include <vector>

namespace relay_test {

using Bytes = std::vector<char>;

Bytes readBytes(const std::string &path);
void writeBytes(const std::string &path, const Bytes &bytes);

/// The shared object that was built of Inputs/artifact.c under this name.
std::string getLibrary(const std::string &name);

/// The note in an image; null if there is none.
RelayArtifactNote *findNote(Bytes &image);

/// The file of an artefact: the image with its note filled in, and the weights.
Bytes makeArtifact(Bytes image, const Bytes &weights);

/// The same of a library, multiplying by `factor`, in a file of its own that
/// goes with the test's folder; returns its path.
std::string makeArtifact(const std::string &name, float factor = 2);

/// The first output of the module for a row of three numbers; empty, with the
/// run time's last error set, if it does not run.
std::vector<float> runRow(RelayModule *module, std::vector<float> row);

} // namespace relay_test

#endif // RELAY_MLIR_TEST_UNIT_RUNTIME_ARTIFACTS_H
