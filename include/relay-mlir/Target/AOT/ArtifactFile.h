//===- ArtifactFile.h - The file of a compiled model ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an artefact has beside code and tables: its weights, and the note that
// says what is in the file (Runtime/ArtifactFormat.h).
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_AOT_ARTIFACTFILE_H
#define RELAY_MLIR_TARGET_AOT_ARTIFACTFILE_H

#include "relay-mlir/Dialect/Target/IR/CPUInfo.h"
#include "relay-mlir/Target/AOT/ConstantPool.h"

#include <string>
#include <vector>

namespace mlir::relay {

/// A relocatable ELF object for `target` with the section RELAY_WEIGHTS_SECTION
/// for `weightsSize` bytes that are not there. For a shared object it has the
/// note, too, and the weights are not loaded with the code; for one that is to
/// be linked into a program, kWeightsSymbol is their start.
std::string getArtifactObject(const CPUInfo &target, uint64_t weightsSize,
                              bool isShared);

/// Writes `linked`, an object or shared object that the linker made of such an
/// object, to `file`, with the weights and, in a shared object, the checksums.
std::error_code writeArtifactFile(int file, std::vector<char> linked,
                                  const ConstantPool &pool);

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_AOT_ARTIFACTFILE_H
