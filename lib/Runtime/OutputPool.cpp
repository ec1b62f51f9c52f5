//===- OutputPool.cpp - Memory of released outputs ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputPool.h"

using namespace relay_rt;

/// The C library hands out smaller blocks from memory that it has.
static constexpr size_t kMinPooled = 64 << 10;

Arena OutputPool::take(size_t bytes) {
  if (bytes >= kMinPooled) {
    std::lock_guard<std::mutex> lock(mutex);
    auto best = blocks.rend();
    // Not the memory of a large output for a small one, which its owner may
    // keep for long.
    for (auto it = blocks.rbegin(); it != blocks.rend(); ++it)
      if (it->size >= bytes && it->size / 2 <= bytes &&
          (best == blocks.rend() || it->size < best->size))
        best = it;
    if (best != blocks.rend()) {
      Arena block = std::move(*best);
      blocks.erase(std::prev(best.base()));
      freeBytes -= block.size;
      return block;
    }
  }
  Arena block;
  block.data = allocateAligned(bytes);
  block.size = bytes;
  return block;
}

void OutputPool::give(Arena block) noexcept {
  if (block.size < kMinPooled)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  size_t size = block.size;
  try {
    blocks.push_back(std::move(block));
  } catch (const std::bad_alloc &) {
    return; // The block is freed: it is not needed.
  }
  freeBytes += size;
  trim(2 * runBytes);
}

void OutputPool::setRunBytes(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  runBytes = bytes;
  trim(2 * runBytes);
}

void OutputPool::trim(size_t limit) {
  auto it = blocks.begin();
  while (it != blocks.end() && freeBytes > limit)
    freeBytes -= (it++)->size;
  blocks.erase(blocks.begin(), it);
}
