//===- DialectPlugins.cpp - Dialects from shared objects ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/DialectPlugins.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

llvm::Error relay::loadDialectPlugin(const std::string &path,
                                     DialectRegistry &registry) {
  // The loader looks for names without a slash elsewhere.
  bool isHere = !StringRef(path).contains('/') && llvm::sys::fs::exists(path);
  llvm::Expected<DialectPlugin> plugin =
      DialectPlugin::load(isHere ? "./" + path : path);
  if (!plugin)
    return plugin.takeError();
  plugin->registerDialectRegistryCallbacks(registry);
  return llvm::Error::success();
}

LogicalResult relay::loadDialectPlugins(ArrayRef<std::string> paths,
                                        DialectRegistry &registry) {
  for (const std::string &path : paths) {
    if (llvm::Error error = loadDialectPlugin(path, registry)) {
      llvm::errs() << "error: expects --" << kDialectPluginOption
                   << " of a dialect plugin, but got '" << path
                   << "': " << llvm::toString(std::move(error)) << '\n';
      return failure();
    }
  }
  return success();
}
