//===- TranslateFile.h - From one file to another ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_TRANSLATEFILE_H
#define RELAY_MLIR_SUPPORT_TRANSLATEFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <memory>

namespace llvm {
class MemoryBuffer;
class raw_ostream;
} // namespace llvm

namespace mlir::relay {

/// The main part of a tool: gives what is in the file `input` to `translate`,
/// and writes what that prints to the file `output`, or nothing if it fails.
/// "-" is standard input and output. Prints an error if a file cannot be read
/// or written; `translate` prints its own.
llvm::LogicalResult translateFile(
    llvm::StringRef input, llvm::StringRef output,
    llvm::function_ref<llvm::LogicalResult(std::unique_ptr<llvm::MemoryBuffer>,
                                           llvm::raw_ostream &)>
        translate);

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_TRANSLATEFILE_H
