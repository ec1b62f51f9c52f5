//===- Memory.cpp - Memory and who accesses it ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses to one byte, of which one writes, must be in an order: by the
// same thread, or with something between through which the second thread learns
// what the first one did, as a barrier. A block learns of another one what it
// had done before an atomic operation, by one on the same location later.
//
//===----------------------------------------------------------------------===//

#include "ThreadBlock.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

GPUMemory::GPUMemory() = default;
GPUMemory::~GPUMemory() = default;

void GPUMemory::add(uint64_t address, void *host, uint64_t bytes, bool shared) {
  Allocation &allocation = allocations[address];
  allocation.address = address;
  allocation.bytes = bytes;
  allocation.host = static_cast<char *>(host);
  if (!shared)
    allocation.shadow = std::make_unique<Shadow>();
}

void GPUMemory::remove(uint64_t address) { allocations.erase(address); }

GPUMemory::Allocation *GPUMemory::find(uint64_t address) {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return nullptr;
  Allocation &allocation = std::prev(next)->second;
  return address - allocation.address < allocation.bytes ? &allocation
                                                         : nullptr;
}

void GPUMemory::forget() {
  for (auto &[address, allocation] : allocations)
    if (allocation.shadow)
      allocation.shadow = std::make_unique<Shadow>();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static StringRef getVerb(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "a read";
  case AccessKind::Write:
    return "a write";
  case AccessKind::Atomic:
    return "an atomic write";
  }
  llvm_unreachable("all kinds are above");
}

std::string ThreadBlock::describe(uint64_t address) {
  switch (address >> kTagShift) {
  case kSharedTag:
    return llvm::formatv("byte {0} of shared memory", address & kOffsetMask);
  case kLocalTag:
    return llvm::formatv("byte {0} of the thread's memory",
                         address & kOffsetMask);
  }
  if (GPUMemory::Allocation *allocation = launch.memory.find(address))
    for (auto [number, value] : llvm::enumerate(launch.launch.arguments))
      if (launch.memory.find(value) == allocation && value <= address &&
          allocation->address == value)
        return llvm::formatv("byte {0} of parameter {1}", address - value,
                             number);
  return llvm::formatv("address {0:x}", address);
}

bool ThreadBlock::failRace(Thread &thread, const Inst &inst, AccessKind kind,
                           const Stamp &other, AccessKind otherKind,
                           uint64_t address) {
  InFlightDiagnostic diag = fail(thread, inst, "expects a barrier between ");
  diag << "two threads at one location, but got " << getVerb(kind) << " of "
       << describe(address) << " after " << getVerb(otherKind) << " by "
       << describeThread(other);
  diag.attachNote(getLocation(other.inst)) << "it does so here";
  return false;
}

bool ThreadBlock::check(Thread &thread, const Inst &inst, Cell &cell,
                        AccessKind kind, bool isShared, uint64_t address) {
  Stamp stamp{serial, thread.clock, getIndex(inst), thread.id};
  // Shared memory is new for each block.
  if (isShared && cell.write.block != serial)
    cell = Cell();
  if (cell.isPending) {
    InFlightDiagnostic diag = fail(
        thread, inst, "expects an asynchronous copy to have been waited for");
    diag << ", but got " << getVerb(kind) << " of " << describe(address)
         << " before";
    diag.attachNote(getLocation(cell.write.inst)) << "the copy begins here";
    return false;
  }
  if (!isOrdered(cell.write, thread))
    return failRace(thread, inst, kind, cell.write, AccessKind::Write, address);
  if (kind != AccessKind::Atomic && !isOrdered(cell.atomic, thread))
    return failRace(thread, inst, kind, cell.atomic, AccessKind::Atomic,
                    address);
  if (kind == AccessKind::Read) {
    if (isShared && cell.write.block != serial) {
      fail(thread, inst,
           "expects shared memory that has been written, but got "
           "a read of ")
          << describe(address) << ", which no thread has written";
      return false;
    }
    if (cell.read.thread == thread.id && cell.read.block == serial)
      cell.read = stamp;
    else if (isOrdered(cell.read, thread))
      cell.read = stamp;
    else
      cell.otherRead = stamp;
    return true;
  }
  for (const Stamp &read : {cell.read, cell.otherRead})
    if (!isOrdered(read, thread))
      return failRace(thread, inst, kind, read, AccessKind::Read, address);
  if (kind == AccessKind::Atomic && isShared && cell.write.block != serial) {
    fail(thread, inst,
         "expects shared memory that has been written, but got "
         "an atomic operation on ")
        << describe(address) << ", which no thread has written";
    return false;
  }
  (kind == AccessKind::Atomic ? cell.atomic : cell.write) = stamp;
  return true;
}

char *ThreadBlock::access(Thread &thread, const Inst &inst, uint64_t base,
                          uint64_t address, uint64_t bytes, AccessKind kind,
                          GPUMemory::Allocation **cached) {
  auto failBounds = [&](const Twine &what, uint64_t size) {
    fail(thread, inst, "expects ")
        << what.str() << ", but got " << getVerb(kind) << " of " << bytes
        << " bytes at " << llvm::formatv("{0:x}", address).str() << " in "
        << size << " bytes";
    return nullptr;
  };
  uint64_t tag = address >> kTagShift;
  uint64_t offset = address & kOffsetMask;
  Shadow *shadow = nullptr;
  char *host;
  if (tag == kLocalTag) {
    if (offset > launch.kernel.localBytes ||
        bytes > launch.kernel.localBytes - offset)
      return failBounds("an access in the thread's memory",
                        launch.kernel.localBytes);
    return &local[thread.id * launch.kernel.localBytes + offset];
  }
  if (tag == kSharedTag) {
    if (offset > shared.size() || bytes > shared.size() - offset)
      return failBounds("an access in shared memory", shared.size());
    host = &shared[offset];
    shadow = &sharedShadow;
  } else {
    GPUMemory::Allocation *allocation = cached ? *cached : nullptr;
    if (!allocation || base - allocation->address >= allocation->bytes) {
      allocation = launch.memory.find(base);
      if (cached)
        *cached = allocation;
    }
    if (!allocation) {
      fail(thread, inst, "expects memory of the device, but got ")
          << getVerb(kind) << " of address "
          << llvm::formatv("{0:x}", address).str();
      return nullptr;
    }
    offset = address - allocation->address;
    if (offset > allocation->bytes || bytes > allocation->bytes - offset)
      return failBounds("an access in an allocation", allocation->bytes);
    host = allocation->host + offset;
    shadow = allocation->shadow.get();
  }
  if (launch.options.detect && shadow) {
    bool isShared = tag == kSharedTag;
    if (!shadow->forEachCell(offset, offset + bytes, [&](Cell &cell) {
          return check(thread, inst, cell, kind, isShared, address);
        }))
      return nullptr;
    if (kind == AccessKind::Atomic && !isShared) {
      releases[address][serial] = {commonClock, thread.id, thread.clock};
      acquired.insert(address);
    }
  }
  return host;
}

std::optional<uint64_t> ThreadBlock::getAddress(Thread &thread,
                                                const Inst &inst,
                                                const Access &access,
                                                uint64_t count) {
  uint64_t *r = thread.registers;
  uint64_t element = r[access.offset];
  size_t rank = access.indices.size();
  for (size_t dim = 0; dim < rank; ++dim) {
    uint64_t at = r[access.indices[dim]], size = r[access.sizes[dim]];
    uint64_t room = dim + 1 == rank ? count : 1;
    if (at >= size || room > size - at) {
      InFlightDiagnostic diag =
          fail(thread, inst, "expects an index in bounds, but got ");
      diag << static_cast<int64_t>(at);
      if (room > 1)
        diag << " and " << room - 1 << " more";
      diag << " in dimension " << dim << " of size " << size;
      return std::nullopt;
    }
    element += at * r[access.strides[dim]];
  }
  uint64_t address = r[access.base] + element * access.elementBytes;
  if (address % access.alignment) {
    fail(thread, inst, "expects an address that is a multiple of ")
        << access.alignment << ", but got "
        << llvm::formatv("{0:x}", address).str();
    return std::nullopt;
  }
  return address;
}

char *ThreadBlock::access(Thread &thread, const Inst &inst, const Access &where,
                          uint64_t count, AccessKind kind) {
  std::optional<uint64_t> address = getAddress(thread, inst, where, count);
  if (!address)
    return nullptr;
  return access(thread, inst, thread.registers[where.base], *address,
                count * where.elementBytes, kind, &where.cached);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

bool ThreadBlock::begin(Thread &thread, const Inst &inst,
                        const PendingCopy &copy) {
  uint64_t bytes = copy.bytes.size();
  if (!access(thread, inst, copy.target, copy.target, bytes, AccessKind::Write))
    return false;
  if (launch.options.detect) {
    uint64_t offset = copy.target & kOffsetMask;
    sharedShadow.forEachCell(offset, offset + bytes, [](Cell &cell) {
      cell.isPending = true;
      return true;
    });
  }
  return true;
}

void ThreadBlock::finish(Thread &thread, const PendingCopy &copy) {
  uint64_t offset = copy.target & kOffsetMask;
  llvm::copy(copy.bytes, &shared[offset]);
  if (!launch.options.detect)
    return;
  Stamp stamp{serial, copy.clock ? copy.clock : thread.clock, copy.inst,
              copy.thread};
  sharedShadow.forEachCell(offset, offset + copy.bytes.size(), [&](Cell &cell) {
    cell.isPending = false;
    cell.write = stamp;
    return true;
  });
}
