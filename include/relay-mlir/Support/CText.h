//===- CText.h - Texts that strings of C can hold ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_CTEXT_H
#define RELAY_MLIR_SUPPORT_CTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace mlir::relay {

/// Whether `text` is UTF-8 without zeros, as texts of an artefact are.
inline bool isCText(llvm::StringRef text) {
  return !text.contains('\0') && llvm::json::isUTF8(text);
}

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_CTEXT_H
