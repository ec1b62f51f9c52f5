//===- ThreadBlock.h - A block of threads that runs -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a block take turns on one thread of the processor: each runs
// until it has to wait for others.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_GPUEXECUTOR_THREADBLOCK_H
#define RELAY_MLIR_LIB_GPUEXECUTOR_THREADBLOCK_H

#include "Program.h"
#include "Shadow.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"

namespace mlir::relay::gpu_executor {

inline constexpr unsigned kWarpThreads = 32;

enum class ThreadState : uint8_t {
  Running,
  /// At an operation that the threads of a group do together.
  AtCollective,
  /// At an instruction to be tried again when others have gone on.
  Waiting,
  Ended,
};

struct Thread {
  uint64_t *registers = nullptr;
  /// The next instruction.
  const Inst *pc = nullptr;
  ThreadBlock *block = nullptr;
  uint32_t id = 0;
  uint32_t clock = 1;
  ThreadState state = ThreadState::Running;
  /// Which phase of a named barrier it waits for; 0 if for none.
  uint32_t phase = 0;
  uint64_t steps = 0;
};

/// What a thread does with bytes.
enum class AccessKind : uint8_t { Read, Write, Atomic };

/// Bytes that are on their way to shared memory.
struct PendingCopy {
  uint64_t target = 0;
  SmallVector<char, 16> bytes;
  /// The instruction that started it.
  uint32_t inst = 0;
  /// The thread that did, and when; 0 if the bytes are its own when they
  /// arrive.
  uint32_t thread = 0;
  uint32_t clock = 0;
};

/// Copies that a thread waits for by number: groups that are complete, in
/// order, and those that no group has yet.
struct CopyQueue {
  std::vector<std::vector<PendingCopy>> groups;
  std::vector<PendingCopy> open;
};

/// A barrier in shared memory that threads arrive at and copies report to.
struct MBarrier {
  uint32_t expected = 0;
  uint32_t pending = 0;
  int64_t bytes = 0;
  uint32_t phase = 0;
  /// What those know who have arrived in this phase, and did in the last one.
  std::vector<uint32_t> arriving, completed;
  std::vector<PendingCopy> copies;
};

/// A barrier with a number, which some threads wait at and others only reach.
struct NamedBarrier {
  uint32_t arrived = 0;
  uint32_t phase = 1;
  std::vector<uint32_t> arriving, completed;
};

/// Addresses that the products of a warpgroup read until it waits for them.
struct ProductQueue {
  std::vector<std::vector<uint64_t>> groups;
  std::vector<uint64_t> open;
};

/// What a block had done when it last did an atomic operation on a location:
/// all that all of its threads knew, and all that this thread did.
struct Release {
  uint32_t commonClock = 0;
  uint32_t thread = 0;
  uint32_t clock = 0;
};

/// What all blocks of a launch share.
struct LaunchState {
  const Kernel &kernel;
  const GPULaunch &launch;
  const GPUExecutorOptions &options;
  GPUMemory &memory;
};

/// The number of the first block of a launch.
inline constexpr uint32_t kFirstSerial = 1;

class ThreadBlock {
public:
  explicit ThreadBlock(const LaunchState &launch);

  /// Runs the block with these indices to its end.
  LogicalResult run(std::array<int64_t, 3> index, uint32_t serial);

  const Kernel &getKernel() const { return launch.kernel; }
  unsigned getNumThreads() const { return threads.size(); }
  Thread &getThread(unsigned id) { return threads[id]; }

  /// Ends the block with an error at an instruction that a thread runs.
  InFlightDiagnostic fail(const Thread &thread, const Inst &inst,
                          const Twine &message);
  bool hasFailed() const { return failed; }
  Location getLocation(uint32_t inst) const {
    return launch.kernel.operations[inst]->getLoc();
  }
  uint32_t getIndex(const Inst &inst) const {
    return &inst - launch.kernel.code.data();
  }
  std::string describeThread(const Stamp &stamp) const;

  /// Where the bytes are that a thread accesses; null after an error. `base` is
  /// an address in the same allocation.
  char *access(Thread &thread, const Inst &inst, uint64_t base,
               uint64_t address, uint64_t bytes, AccessKind kind,
               GPUMemory::Allocation **cached = nullptr);
  /// The same for an element of a memref, or `count` that follow each other.
  char *access(Thread &thread, const Inst &inst, const Access &access,
               uint64_t count, AccessKind kind);
  /// The address of an element; none after an error.
  std::optional<uint64_t> getAddress(Thread &thread, const Inst &inst,
                                     const Access &access, uint64_t count);

  /// Says that a copy to shared memory has begun, which ends with `finish`.
  bool begin(Thread &thread, const Inst &inst, const PendingCopy &copy);
  /// Brings the bytes of a copy, as `thread` knows then.
  void finish(Thread &thread, const PendingCopy &copy);

  CopyQueue &getCopies(const Thread &thread) { return copies[thread.id]; }

  /// Orders what all threads of the block did before what they do next.
  void synchronizeAll();
  /// The same for some that follow each other.
  void synchronize(unsigned first, unsigned count);
  /// Makes known to `knowledge` what a thread did and knows, and back.
  void release(Thread &thread, std::vector<uint32_t> &knowledge);
  void acquire(Thread &thread, const std::vector<uint32_t> &knowledge);

  /// The barriers in shared memory, by their offsets.
  DenseMap<uint64_t, MBarrier> barriers;
  std::map<uint32_t, NamedBarrier> namedBarriers;
  /// By the number of the warpgroup.
  std::map<unsigned, ProductQueue> warpgroups;
  /// Something has happened that a thread may wait for.
  void notify() { hasProgress = true; }

private:
  void start(std::array<int64_t, 3> index);
  void runThread(Thread &thread);
  /// Runs the operations that all threads of a group have reached.
  void runCollectives(unsigned first, unsigned count, bool wholeBlock);
  void failStuck();
  bool isOrdered(const Stamp &stamp, const Thread &thread) const;
  /// Whether the block has seen by an atomic operation that another one had
  /// done something.
  bool isReleased(const Stamp &stamp) const;
  bool check(Thread &thread, const Inst &inst, Cell &cell, AccessKind kind,
             bool isShared, uint64_t address);
  bool failRace(Thread &thread, const Inst &inst, AccessKind kind,
                const Stamp &other, AccessKind otherKind, uint64_t address);
  std::string describe(uint64_t address);
  /// What a thread knows of the clocks of others; allocates it.
  uint32_t *getKnowledge(const Thread &thread) {
    if (knowledge.empty())
      knowledge.resize(threads.size() * threads.size());
    return &knowledge[thread.id * threads.size()];
  }

  const LaunchState &launch;
  std::array<int64_t, 3> index = {};
  uint32_t serial = 0;
  std::vector<Thread> threads;
  std::vector<uint64_t> registers;
  std::vector<char> shared, local;
  Shadow sharedShadow;
  std::vector<CopyQueue> copies;
  /// What a thread did at this clock or before is known to all.
  uint32_t commonClock = 0;
  std::vector<uint32_t> knowledge;
  /// By the address in global memory and the block, of all blocks of the
  /// launch.
  DenseMap<uint64_t, DenseMap<uint32_t, Release>> releases;
  /// Where this block has done atomic operations.
  DenseSet<uint64_t> acquired;
  bool failed = false;
  bool hasProgress = false;
};

/// The operands of an instruction as handlers use them.
inline uint64_t &reg(Thread &thread, uint32_t number) {
  return thread.registers[number];
}

} // namespace mlir::relay::gpu_executor

#endif // RELAY_MLIR_LIB_GPUEXECUTOR_THREADBLOCK_H
