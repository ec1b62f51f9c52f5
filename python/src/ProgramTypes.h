//===- ProgramTypes.h - Types that a program in bytecode has ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PYTHON_PROGRAMTYPES_H
#define RELAY_MLIR_PYTHON_PROGRAMTYPES_H

#include "relay-mlir/Runtime/ArtifactFormat.h"

#include "mlir/IR/Types.h"

namespace relay_python {

/// Those that the artefact has of the parameters of a function; null for one
/// without, none for a function that is not there.
std::vector<mlir::Type> readParamTypes(const RelayVMProgram &program,
                                       llvm::StringRef name,
                                       mlir::MLIRContext *context);

} // namespace relay_python

#endif // RELAY_MLIR_PYTHON_PROGRAMTYPES_H
