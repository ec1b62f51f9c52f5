//===- PartReasons.h - Why VTA does not take a layer ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_PARTREASONS_H
#define RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_PARTREASONS_H

#include "PartFinder.h"

namespace mlir::vta {

/// Why scratchpads have no room for one result of a part, the least that a tile
/// has: its whole window, of one block of channels, and what the steps take.
/// Empty if they have.
std::string whyNoRoom(const Part &part, const relay_vta::Config &config);

/// Why there are no bytes after `value`, the last one that is of a part.
std::string whyNoBytes(Value value);

} // namespace mlir::vta

#endif // RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_PARTREASONS_H
