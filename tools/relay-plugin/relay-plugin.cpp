//===- relay-plugin.cpp - The dialects as a plugin of mlir-opt ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mlir-opt --load-dialect-plugin=RelayMLIRPlugin.so \
//     --pass-pipeline='builtin.module(relay-fuse-ops)' model.mlir
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/InitAllPasses.h"
#include "relay-mlir/Support/Version.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "RelayMLIR", mlir::relay::getVersionString(),
          [](mlir::DialectRegistry *registry) {
            mlir::relay::registerProjectDialects(*registry);
            // A tool that loads only the dialects can then run the passes too.
            mlir::relay::registerProjectPasses();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "RelayMLIR", mlir::relay::getVersionString(),
          [] { mlir::relay::registerProjectPasses(); }};
}
