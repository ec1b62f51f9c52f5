//===- TemporaryFile.h - Files that other programs read ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_TEMPORARYFILE_H
#define RELAY_MLIR_SUPPORT_TEMPORARYFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/ErrorOr.h"

namespace mlir::relay {

/// An empty file in the folder for temporary ones, which goes with the object.
/// For other programs that want a path; what nobody else opens needs no name
/// (FileDescriptor).
class TemporaryFile {
public:
  static llvm::ErrorOr<TemporaryFile> create(StringRef prefix,
                                             StringRef suffix);
  TemporaryFile(TemporaryFile &&other) : path(other.path) {
    other.path.clear();
  }
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();

  StringRef getPath() const { return path; }

private:
  explicit TemporaryFile(StringRef path) : path(path) {}

  SmallString<128> path;
};

/// From now on, temporary files also go when a signal ends the process. For
/// tools: the handlers that do so are the process's, and no library's to set.
void removeTemporaryFilesOnSignals();

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_TEMPORARYFILE_H
