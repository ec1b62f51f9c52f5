//===- SizeNames.h - Names of open sizes ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_SIZENAMES_H
#define RELAY_MLIR_SUPPORT_SIZENAMES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::relay {

/// A name for an open size that has none, as artefacts and all tools call it:
/// d0 and so on, in the order of inputs. `number` is the next one.
inline std::string
makeSizeName(unsigned &number,
             llvm::function_ref<bool(llvm::StringRef)> isTaken) {
  std::string name;
  do
    name = "d" + std::to_string(number++);
  while (isTaken(name));
  return name;
}

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_SIZENAMES_H
