//===- ProgramTypes.h - Types that a program in bytecode has ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_PROGRAMTYPES_H
#define RELAY_MLIR_PIPELINES_PROGRAMTYPES_H

#include "relay-mlir/Runtime/ArtifactFormat.h"

#include "mlir/IR/Types.h"

#include <optional>
#include <vector>

namespace mlir::relay {

/// A parameter or a result of a function, as the artefact describes it.
struct ProgramValueInfo {
  StringRef name;
  /// Null if the artefact does not have it.
  Type type;
  /// The names of all sizes of it, or of the tensors that it is a tuple of, in
  /// order; empty for those without.
  SmallVector<StringRef> sizeNames;
  /// A tensor of numbers of strings.
  bool isString = false;
};

struct ProgramSignature {
  std::vector<ProgramValueInfo> params;
  /// Those of a public function. Several, or none, are the fields of the tuple
  /// that it returns.
  std::vector<ProgramValueInfo> results;
};

/// What the artefact says of a function of bytecode; nullopt if the program has
/// none of this name.
std::optional<ProgramSignature> readSignature(const RelayVMProgram &program,
                                              StringRef name,
                                              MLIRContext *context);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_PROGRAMTYPES_H
