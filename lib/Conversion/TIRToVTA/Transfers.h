//===- Transfers.h - Copies between memory and scratchpads ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_TRANSFERS_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_TRANSFERS_H

#include "ProgramBuilder.h"

namespace mlir::relay::detail {

/// A loop of a copy, with steps in lanes, or in elements once these are taken
/// out. Outside of `begin` to before `end`, there are zeros instead.
struct TransferLoop {
  int64_t extent;
  int64_t sram, dram;
  int64_t begin = 0, end;

  TransferLoop(int64_t extent, int64_t sram, int64_t dram)
      : extent(extent), sram(sram), dram(dram), end(extent) {}
  bool hasPad() const { return begin != 0 || end != extent; }
};

/// A copy of lanes from memory to a scratchpad, or the other way.
struct Transfer {
  vta::Memory memory;
  /// In lanes.
  int64_t sram, dram;
  SmallVector<TransferLoop> loops;
  /// Whether there are only zeros.
  bool isZero = false;
};

/// Emits the instructions of a copy from memory (`isStore`: to memory). Returns
/// what is wrong with it; empty if it is one that VTA can do.
std::string emitTransfer(ProgramBuilder &builder, Transfer transfer,
                         bool isStore);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_TRANSFERS_H
