//===- FileDescriptor.h - Open files ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_FILEDESCRIPTOR_H
#define RELAY_MLIR_SUPPORT_FILEDESCRIPTOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <system_error>
#include <utility>
#include <vector>

namespace mlir::relay {

/// A descriptor of an open file, which closes it with its owner. Children do
/// not inherit it.
class FileDescriptor {
public:
  explicit FileDescriptor(int file = -1) : file(file) {}
  FileDescriptor(FileDescriptor &&other) : file(other.release()) {}
  FileDescriptor &operator=(FileDescriptor &&other);
  ~FileDescriptor();

  int get() const { return file; }
  /// Gives it up without closing.
  int release() { return std::exchange(file, -1); }

  /// A file in memory, which nobody else can see and which is gone with its
  /// last descriptor and mapping. `name` is for tools that show it.
  static llvm::ErrorOr<FileDescriptor> createInMemory(llvm::StringRef name);

  /// Nobody can change a file in memory after this.
  std::error_code seal();

private:
  int file;
};

/// Fills `bytes` from `offset` on; a file that is shorter is an error.
std::error_code readAt(int file, llvm::MutableArrayRef<char> bytes,
                       uint64_t offset);

/// The whole file.
llvm::ErrorOr<std::vector<char>> readAll(int file);

std::error_code writeAt(int file, llvm::ArrayRef<char> bytes, uint64_t offset);

/// The error that errno has.
std::error_code getSystemError();

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_FILEDESCRIPTOR_H
