//===- RelayTestPasses.cpp - Plugin with passes that only tests use -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTestPasses.h"

#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "RelayTestPasses", LLVM_VERSION_STRING, [] {
            relay::test::registerTestInterpretPass();
            relay::test::registerTestOperatorStatusPass();
          }};
}
