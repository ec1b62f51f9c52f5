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

namespace mlir::relay {

/// Those that the artefact has of the parameters of a function; null for one
/// without, none for a function that is not there.
std::vector<Type> readParamTypes(const RelayVMProgram &program, StringRef name,
                                 MLIRContext *context);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_PROGRAMTYPES_H
