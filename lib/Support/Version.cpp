//===- Version.cpp - Version of the project -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/Version.h"

const char *mlir::relay::getVersionString() { return RELAY_MLIR_VERSION; }
