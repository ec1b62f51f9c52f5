//===- ArtifactInfo.h - What an artefact says of itself ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_RUN_ARTIFACTINFO_H
#define RELAY_MLIR_TOOLS_RELAY_RUN_ARTIFACTINFO_H

#include "relay-mlir-c/Runtime.h"

#include "mlir/IR/MLIRContext.h"

namespace relay_run {

/// Prints what a model needs, takes and returns, a line for each thing.
void printInfo(RelayModule *compiled, mlir::MLIRContext &context);

} // namespace relay_run

#endif // RELAY_MLIR_TOOLS_RELAY_RUN_ARTIFACTINFO_H
