//===- DialectPlugins.h - Dialects from shared objects ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_DIALECTPLUGINS_H
#define RELAY_MLIR_SUPPORT_DIALECTPLUGINS_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::relay {

/// The option of tools that load plugins, as mlir-opt has it.
inline constexpr char kDialectPluginOption[] = "load-dialect-plugin";

/// Loads a shared object that has dialects (MLIR's DialectPlugin.h) into the
/// process, and adds the dialects to `registry`.
llvm::Error loadDialectPlugin(const std::string &path,
                              DialectRegistry &registry);

/// The same of several, for a tool. Fails, after a message on standard error,
/// for one that is no such plugin.
LogicalResult loadDialectPlugins(ArrayRef<std::string> paths,
                                 DialectRegistry &registry);

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_DIALECTPLUGINS_H
