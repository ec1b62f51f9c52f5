//===- Prelude.cpp - Standard definitions ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Prelude/Prelude.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace llvm;

namespace {
struct PreludeFile {
  StringRef name;
  StringRef text;
};
} // namespace

static constexpr PreludeFile files[] = {
#include "PreludeFiles.inc"
};

std::optional<StringRef> mlir::relay::getPreludeText(StringRef name) {
  for (const PreludeFile &file : files)
    if (file.name == name)
      return file.text;
  return std::nullopt;
}

ArrayRef<StringRef> mlir::relay::getPreludeNames() {
  static const SmallVector<StringRef> names =
      map_to_vector(files, [](const PreludeFile &file) { return file.name; });
  return names;
}
