//===- Shadow.h - What threads did to memory --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_GPUEXECUTOR_SHADOW_H
#define RELAY_MLIR_LIB_GPUEXECUTOR_SHADOW_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mlir::relay::gpu_executor {

/// When a thread did something: blocks of a launch have numbers from 1; a
/// thread's clock goes on when others learn what it did before.
struct Stamp {
  uint32_t block = 0;
  uint32_t clock = 0;
  uint32_t inst = 0;
  uint32_t thread = 0;
};

/// The last accesses to a few bytes. Of threads that read without order, two
/// are known: a thread that writes is not both.
struct Cell {
  Stamp write, atomic, read, otherRead;
  /// A copy to the bytes is on its way.
  bool isPending = false;
};

/// The cells of a range of memory, which are made when they are needed. A cell
/// has four bytes, until fewer are accessed.
class Shadow {
public:
  /// Calls `fn` for the cells of bytes [begin, end), until it returns false.
  bool forEachCell(uint64_t begin, uint64_t end,
                   llvm::function_ref<bool(Cell &)> fn);

private:
  static constexpr unsigned kPageShift = 10;

  struct Page {
    unsigned shift = 2;
    std::vector<Cell> cells;
  };

  /// Makes cells of a page smaller.
  static void split(Page &page, unsigned shift);

  std::vector<std::unique_ptr<Page>> pages;
};

} // namespace mlir::relay::gpu_executor

#endif // RELAY_MLIR_LIB_GPUEXECUTOR_SHADOW_H
