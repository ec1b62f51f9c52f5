//===- Linker.h - Objects to a shared object --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker is LLVM's, `ld.lld`, and runs in a process of its own: as a
// library it keeps its state in globals and sets every command-line option of
// the process to its default. It reads and writes files in memory, so that
// nothing is left of a link that is interrupted.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_KERNEL_LINKER_H
#define RELAY_MLIR_TARGET_KERNEL_LINKER_H

#include "relay-mlir/Dialect/Target/IR/CPUInfo.h"

#include <vector>

namespace mlir::relay {

/// Links relocatable objects, given by their bytes, to a shared object, and
/// returns its bytes. It depends on libm and libc at most; another undefined
/// symbol is an error. Errors are reported through `emitError`.
///
/// The linker is the program that RELAY_LINKER names, or else `../bin/ld.lld`
/// from the folder of this library, or else the one of the LLVM that the
/// compiler was built with, or else `ld.lld` on the PATH.
FailureOr<std::vector<char>>
linkSharedObject(ArrayRef<StringRef> objects, const CPUInfo &target,
                 llvm::function_ref<InFlightDiagnostic()> emitError);

/// Whether the linker lets shared objects call a function of this name, which
/// is one of libm or libc.
bool isProvidedFunction(StringRef name);

/// Whether an object can be part of a shared object: whether its code is
/// independent of its place. What it does not define is not looked at.
LogicalResult
checkLinksShared(StringRef object, const CPUInfo &target,
                 llvm::function_ref<InFlightDiagnostic()> emitError);

/// Links objects to one relocatable object, with the same conventions.
FailureOr<std::vector<char>>
linkRelocatableObject(ArrayRef<StringRef> objects, const CPUInfo &target,
                      llvm::function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_KERNEL_LINKER_H
