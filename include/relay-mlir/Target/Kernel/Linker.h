//===- Linker.h - Objects to a shared object --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_KERNEL_LINKER_H
#define RELAY_MLIR_TARGET_KERNEL_LINKER_H

#include "relay-mlir/Target/TargetInfo.h"

#include <functional>
#include <string>
#include <system_error>

namespace mlir::relay {

/// A relocatable object: a file, or its contents.
struct LinkInput {
  static LinkInput fromFile(StringRef path) { return {path.str(), {}}; }
  static LinkInput fromMemory(StringRef bytes) { return {{}, bytes}; }

  std::string path;
  StringRef bytes;
};

/// Completes a linked file, whose descriptor it gets, before it takes its
/// place.
using LinkFinishFn = std::function<std::error_code(int file)>;

/// Links `inputs` to a shared object, in process. It depends on libm and libc
/// at most; another undefined symbol is an error. `output` is replaced at once
/// when the link has succeeded, and stays as it is when not; then the reason is
/// reported through `emitError`.
LogicalResult
linkSharedObject(ArrayRef<LinkInput> inputs, const TargetInfo &target,
                 StringRef output,
                 llvm::function_ref<InFlightDiagnostic()> emitError,
                 const LinkFinishFn &finish = {});

/// Links `inputs` to one relocatable object, with the same conventions.
LogicalResult
linkRelocatableObject(ArrayRef<LinkInput> inputs, const TargetInfo &target,
                      StringRef output,
                      llvm::function_ref<InFlightDiagnostic()> emitError,
                      const LinkFinishFn &finish = {});

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_KERNEL_LINKER_H
