//===- PartRoom.h - Room of scratchpads for parts ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_PARTROOM_H
#define RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_PARTROOM_H

#include "PartFinder.h"

namespace mlir::vta {

/// Why scratchpads have no room for one result of a part, the least that a tile
/// has: its whole window, of one block of channels, and what the steps take.
/// Empty if they have.
std::string whyNoRoom(const Part &part, const relay_vta::Config &config);

} // namespace mlir::vta

#endif // RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_PARTROOM_H
