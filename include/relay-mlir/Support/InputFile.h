//===- InputFile.h - Read files that may change -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM maps large files, and a page of a mapping that another program has cut
// off ends the process. These functions read.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_INPUTFILE_H
#define RELAY_MLIR_SUPPORT_INPUTFILE_H

#include "relay-mlir/Support/FileDescriptor.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace mlir::relay {

/// A file that is read at offsets.
class InputFile {
public:
  /// Opens the regular file `path`; a folder, a device or a pipe is an error,
  /// for which it does not wait.
  static llvm::ErrorOr<InputFile> open(llvm::StringRef path);

  uint64_t getSize() const { return size; }

  /// Fills `bytes` from `offset` on; fails if the file has become shorter.
  std::error_code read(llvm::MutableArrayRef<char> bytes,
                       uint64_t offset) const;

private:
  FileDescriptor file;
  uint64_t size = 0;
};

/// The contents of the regular file `path`, followed by a zero.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readInputFile(llvm::StringRef path);

/// Reads text, or what may be text, from a file or a pipe; "-" is standard
/// input. A device is an error, unless it is /dev/null.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readInputText(llvm::StringRef path);

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_INPUTFILE_H
