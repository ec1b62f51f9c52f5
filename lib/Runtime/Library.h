//===- Library.h - Load and check an artefact -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_LIBRARY_H
#define RELAY_MLIR_LIB_RUNTIME_LIBRARY_H

#include "ArtifactFile.h"
#include "relay-mlir-c/Runtime.h"

#include <string>

namespace relay_rt {

/// Loads a shared object that nobody else writes to. Throws an error that calls
/// it `name`.
void *openLibrary(int file, const std::string &name);

/// The shared object and the description it exports.
class Library {
public:
  /// Throws if the file is not an artefact that this run time and CPU can run.
  /// `flags` are those of relayModuleLoadWithFlags.
  Library(const char *path, int32_t flags);
  ~Library();
  Library(const Library &) = delete;

  /// What the file exports, and where its weights are.
  const RelayArtifact &getArtifact() const { return artifact; }

  /// Throws if the weights are not those that the compiler wrote.
  void verify() const;

private:
  std::string path;
  RelayArtifactNote note;
  Weights weights;
  void *handle;
  RelayArtifact artifact;
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_LIBRARY_H
