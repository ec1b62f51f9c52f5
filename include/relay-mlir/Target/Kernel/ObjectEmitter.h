//===- ObjectEmitter.h - LLVM-dialect module to code ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_KERNEL_OBJECTEMITTER_H
#define RELAY_MLIR_TARGET_KERNEL_OBJECTEMITTER_H

#include "relay-mlir/Dialect/Target/IR/CPUInfo.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::relay {

/// The form in which code is wanted.
enum class CodeKind {
  /// A relocatable, position-independent object.
  Object,
  Assembly,
  /// LLVM IR, after optimisation.
  LLVMIR
};

/// How much time code is worth.
enum class CodeEffort {
  /// Of a program that calls kernels: straight-line code as it was written.
  Program,
  /// Of short functions between kernels: what is quick.
  Glue,
  /// Of a kernel.
  Kernel
};

/// Loads the dialects that code generation creates, and makes their translation
/// to LLVM IR known. Must be called before several threads compile in
/// `context`.
void prepareForCodeGeneration(MLIRContext &context);

/// Compiles a module in the LLVM dialect. Several threads may compile modules
/// of one context at once. Errors are reported at the module.
LogicalResult compileLLVMModule(ModuleOp module, const CPUInfo &target,
                                CodeKind kind, SmallVectorImpl<char> &output,
                                CodeEffort effort = CodeEffort::Kernel);

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_KERNEL_OBJECTEMITTER_H
