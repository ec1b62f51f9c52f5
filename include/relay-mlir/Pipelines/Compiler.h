//===- Compiler.h - From a relay module to an artefact ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What relay-compile, relay-run and the Python package share: the phases of
// Pipelines.h one after the other, and code generation behind them.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_COMPILER_H
#define RELAY_MLIR_PIPELINES_COMPILER_H

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Pipelines/Options.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace mlir::relay {

/// The stage at which a compilation stops, and what it writes there.
enum class EmitKind {
  /// Nothing: what is refused before kernels are compiled is refused.
  Nothing,
  /// relay, optimised and fused, as MLIR.
  Relay,
  /// relax with its memory plan, as MLIR.
  Relax,
  /// The schedules of the kernels, as transform scripts.
  Schedules,
  /// The scheduled kernels, as MLIR.
  TIR,
  /// Kernels and main as LLVM IR, after optimisation.
  LLVM,
  Assembly,
  /// The bytecode of a program for the executor VM, as text.
  Bytecode,
  /// One relocatable object with kernels, main and weights.
  Object,
  SharedObject,
};

/// Returns the kind called `name` in `--emit=`, if there is one.
std::optional<EmitKind> parseEmitKind(llvm::StringRef name);

/// Compiles `module`, which must be in the form `relay-typed`, and writes the
/// result to `outputPath` ("-" is standard output for the textual kinds). The
/// module is consumed: it is left in whatever form the last phase gives it.
/// Errors go to the context's diagnostics.
LogicalResult compileModule(ModuleOp module, const CompileOptions &options,
                            EmitKind kind, llvm::StringRef outputPath);

/// Loads what `write` writes to a path, a file in memory. The rest is as for
/// compileAndLoad.
FailureOr<RelayModule *>
writeAndLoad(Location location, function_ref<LogicalResult(StringRef)> write,
             const char *device = nullptr);

/// Compiles `module`, which is consumed, and loads the result into this
/// process. The caller frees it with relayModuleFree(). `device` is what
/// relayModuleLoadFor takes.
FailureOr<RelayModule *> compileAndLoad(ModuleOp module,
                                        const CompileOptions &options,
                                        const char *device = nullptr);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_COMPILER_H
