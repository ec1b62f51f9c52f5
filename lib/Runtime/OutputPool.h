//===- OutputPool.h - Memory of released outputs ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_OUTPUTPOOL_H
#define RELAY_MLIR_LIB_RUNTIME_OUTPUTPOOL_H

#include "Module.h"

namespace relay_rt {

/// Memory of outputs whose owners have released them, for outputs of later
/// runs. Fresh memory costs a page fault per page, several times what it takes
/// to write it. Any thread may take and give.
class OutputPool {
public:
  /// A block of at least `bytes`, with whatever is in it.
  Arena take(size_t bytes);
  /// Keeps the block for a later run, or frees it.
  void give(Arena block) noexcept;
  /// How many bytes the outputs of the current run take. Twice as many are
  /// kept: callers often release a result when they have the next one.
  void setRunBytes(size_t bytes);

private:
  void trim(size_t limit);

  std::mutex mutex;
  size_t runBytes = 0;
  size_t freeBytes = 0;
  /// Those released last are at the end: parts of them may still be in caches.
  std::vector<Arena> blocks;
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_OUTPUTPOOL_H
