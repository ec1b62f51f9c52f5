//===- TemporaryFile.cpp - Files that other programs read -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/TemporaryFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

#include <atomic>

using namespace mlir;
using namespace mlir::relay;

static std::atomic<bool> removesOnSignals = false;

void relay::removeTemporaryFilesOnSignals() { removesOnSignals = true; }

llvm::ErrorOr<TemporaryFile> TemporaryFile::create(StringRef prefix,
                                                   StringRef suffix) {
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile(prefix, suffix, path))
    return error;
  if (removesOnSignals)
    llvm::sys::RemoveFileOnSignal(path);
  return TemporaryFile(path);
}

TemporaryFile::~TemporaryFile() {
  if (path.empty())
    return;
  // One that somebody else has removed is gone, too.
  [[maybe_unused]] std::error_code ignored = llvm::sys::fs::remove(path);
  if (removesOnSignals)
    llvm::sys::DontRemoveFileOnSignal(path);
}
