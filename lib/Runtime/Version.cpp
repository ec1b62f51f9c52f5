//===- Version.cpp - Version of the run time ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir-c/Runtime.h"

const char *relayRuntimeVersion(void) { return RELAY_MLIR_VERSION; }
