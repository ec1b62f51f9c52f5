//===- Version.h - Version of the project -----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_VERSION_H
#define RELAY_MLIR_SUPPORT_VERSION_H

namespace mlir::relay {

/// Returns the version of the compiler, "major.minor.patch".
const char *getVersionString();

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_VERSION_H
