//===- FakeMemory.cpp - Memory of the driver, and copies ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstring>

using namespace relay_cuda;

RELAY_CUDA_FUNCTIONS(FAKE_DECLARE)

static void checkPinned(State &state, const void *memory, size_t bytes) {
  const char *begin = static_cast<const char *>(memory);
  auto it = state.pinned.upper_bound(begin);
  if (it == state.pinned.begin())
    throw Failure{kInvalidValue};
  --it;
  size_t offset = static_cast<size_t>(begin - it->first);
  if (offset > it->second || bytes > it->second - offset)
    throw Failure{kInvalidValue};
}

static Address addBlock(ContextState &context, uint64_t bytes) {
  Block block;
  block.memory = std::make_unique<char[]>(bytes + 256);
  block.bytes = bytes;
  auto place = reinterpret_cast<Address>(block.memory.get());
  Address address = (place + 255) / 256 * 256 + kBias;
  // What nobody has written is no zero.
  std::memset(reinterpret_cast<char *>(address - kBias), 0xfe, bytes);
  context.blocks[address] = std::move(block);
  context.usedBytes += bytes;
  ++get().fake.allocations;
  return address;
}

/// Removes a block; returns its size.
static uint64_t removeBlock(ContextState &context, Address address) {
  auto it = context.blocks.find(address);
  if (it == context.blocks.end())
    throw Failure{kInvalidValue};
  uint64_t bytes = it->second.bytes;
  context.blocks.erase(it);
  context.usedBytes -= bytes;
  return bytes;
}

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  return call([&](State &state) {
    *total = state.fake.memoryBytes;
    *free = getContext().getFree(*total);
  });
}

Result cuMemAlloc_v2(Address *address, size_t bytes) {
  return call([&](State &state) {
    ContextState &context = getContext();
    if (bytes == 0)
      throw Failure{kInvalidValue};
    if (bytes > context.getFree(state.fake.memoryBytes))
      throw Failure{kOutOfMemory};
    context.reservedBytes += bytes;
    *address = addBlock(context, bytes);
  });
}

Result cuMemFree_v2(Address address) {
  return call([&](State &) {
    ContextState &context = getContext();
    context.reservedBytes -= removeBlock(context, address);
  });
}

Result cuMemPoolCreate(MemoryPool *pool, const PoolProperties *properties) {
  return call([&](State &state) {
    if (!state.fake.hasPools || properties->allocationType != 1 ||
        properties->location.type != 1 ||
        properties->location.device != getContext().device)
      throw Failure{kInvalidValue};
    *pool = new PoolState;
    (*pool)->context = &getContext();
    getContext().pool = *pool;
  });
}

Result cuMemPoolTrimTo(MemoryPool pool, size_t bytes) {
  return call([&](State &state) {
    ++state.fake.trims;
    for (uint64_t size : pool->kept)
      pool->context->reservedBytes -= size;
    pool->kept.clear();
  });
}

Result cuMemPoolSetAttribute(MemoryPool pool, PoolAttribute attribute,
                             void *value) {
  if (attribute != kReleaseThreshold)
    return kInvalidValue;
  pool->threshold = *static_cast<uint64_t *>(value);
  return kSuccess;
}

Result cuMemPoolGetAttribute(MemoryPool pool, PoolAttribute attribute,
                             void *value) {
  if (attribute != kReservedBytes && attribute != kUsedBytes)
    return kInvalidValue;
  *static_cast<uint64_t *>(value) = attribute == kReservedBytes
                                        ? pool->context->reservedBytes
                                        : pool->context->usedBytes;
  return kSuccess;
}

Result cuMemPoolSetAccess(MemoryPool pool, const AccessDescription *access,
                          size_t count) {
  bool isRight = count == 1 && access->flags == 3 &&
                 access->location.device != pool->context->device;
  return isRight ? kSuccess : kInvalidValue;
}

Result cuMemAllocFromPoolAsync(Address *address, size_t bytes, MemoryPool pool,
                               StreamHandle stream) {
  return call([&](State &state) {
    checkStream(stream);
    ContextState &context = *pool->context;
    // A piece that was released is used again if it has the size.
    auto it = pool->kept.find(bytes);
    if (it != pool->kept.end())
      pool->kept.erase(it);
    else if (bytes > context.getFree(state.fake.memoryBytes))
      throw Failure{kOutOfMemory};
    else
      context.reservedBytes += bytes;
    *address = addBlock(context, bytes);
  });
}

Result cuMemFreeAsync(Address address, StreamHandle stream) {
  return call([&](State &) {
    checkStream(stream);
    // It keeps everything.
    stream->context->pool->kept.insert(removeBlock(*stream->context, address));
  });
}

Result cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  return call([&](State &state) {
    getContext();
    ++state.fake.pinnedAllocations;
    *memory = std::malloc(bytes);
    state.pinned[static_cast<char *>(*memory)] = bytes;
  });
}

Result cuMemFreeHost(void *memory) {
  return call([&](State &state) {
    if (state.pinned.erase(static_cast<char *>(memory)) != 1)
      throw Failure{kInvalidValue};
    std::free(memory);
  });
}

Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes,
                            StreamHandle stream) {
  return call([&](State &state) {
    checkPinned(state, from, bytes);
    ++state.fake.copiesFromHost;
    enqueue(stream, bytes, [=] {
      std::memcpy(stream->context->find(to, bytes), from, bytes);
    });
  });
}

Result cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes,
                            StreamHandle stream) {
  return call([&](State &state) {
    checkPinned(state, to, bytes);
    ++state.fake.copiesToHost;
    enqueue(stream, bytes, [=] {
      std::memcpy(to, stream->context->find(from, bytes), bytes);
    });
  });
}

Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes,
                            StreamHandle stream) {
  return cuMemcpyPeerAsync(to, stream->context, from, stream->context, bytes,
                           stream);
}

Result cuMemcpyPeerAsync(Address to, Context toContext, Address from,
                         Context fromContext, size_t bytes,
                         StreamHandle stream) {
  return call([&](State &state) {
    ++state.fake.copiesAcross;
    enqueue(stream, bytes, [=] {
      std::memmove(toContext->find(to, bytes), fromContext->find(from, bytes),
                   bytes);
    });
  });
}

Result cuMemsetD32Async(Address to, unsigned value, size_t count,
                        StreamHandle stream) {
  return call([&](State &) {
    enqueue(stream, count, [=] {
      char *memory = stream->context->find(to, 4 * count);
      std::fill_n(reinterpret_cast<uint32_t *>(memory), count, value);
    });
  });
}
