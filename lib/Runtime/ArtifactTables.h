//===- ArtifactTables.h - Check the tables of an artefact -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checksum finds damage of a file, not that of what was written with it. What
// the tables of an artefact say of themselves is checked before anything is
// done with it: numbers of elements, indices, and that what they point to,
// strings to their ends, is within the file.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_ARTIFACTTABLES_H
#define RELAY_MLIR_LIB_RUNTIME_ARTIFACTTABLES_H

#include "relay-mlir/Runtime/ArtifactFormat.h"

namespace relay_rt {

/// Throws an Error with RELAY_INVALID_ARTIFACT that says which table of
/// `artifact`, which is in a shared object that is loaded, is wrong.
void checkTables(const RelayArtifact *artifact);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_ARTIFACTTABLES_H
