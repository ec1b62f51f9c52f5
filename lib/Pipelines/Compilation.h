//===- Compilation.h - The phases of one compilation ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_PIPELINES_COMPILATION_H
#define RELAY_MLIR_LIB_PIPELINES_COMPILATION_H

#include "relay-mlir/Pipelines/Compiler.h"

namespace mlir::relay {

/// Runs the phases that compileModule() comes to, once the targets of devices
/// are resolved, and the executor is known to be aot or vm.
LogicalResult runCompilation(ModuleOp module, const CompileOptions &options,
                             EmitKind kind, llvm::StringRef outputPath);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_PIPELINES_COMPILATION_H
