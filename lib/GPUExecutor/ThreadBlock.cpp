//===- ThreadBlock.cpp - A block of threads that runs ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadBlock.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

ThreadBlock::ThreadBlock(const LaunchState &launch) : launch(launch) {
  const auto &size = launch.launch.block;
  uint64_t count = size[0] * size[1] * size[2];
  threads.resize(count);
  registers.resize(count * launch.kernel.registers.size());
  shared.resize(launch.kernel.sharedBytes + launch.launch.dynamicSharedBytes);
  local.resize(count * launch.kernel.localBytes);
  copies.resize(count);
}

static std::string formatIndex(std::array<int64_t, 3> index) {
  return llvm::formatv("({0}, {1}, {2})", index[0], index[1], index[2]);
}

static std::array<int64_t, 3> delinearize(int64_t id,
                                          const std::array<int64_t, 3> &size) {
  return {id % size[0], id / size[0] % size[1], id / size[0] / size[1]};
}

std::string ThreadBlock::describeThread(const Stamp &stamp) const {
  int64_t linear = stamp.block - kFirstSerial;
  return "thread " +
         formatIndex(delinearize(stamp.thread, launch.launch.block)) +
         " of block " + formatIndex(delinearize(linear, launch.launch.grid));
}

InFlightDiagnostic ThreadBlock::fail(const Thread &thread, const Inst &inst,
                                     const Twine &message) {
  failed = true;
  uint32_t number = getIndex(inst);
  Stamp stamp{serial, thread.clock, number, thread.id};
  return emitError(getLocation(number))
         << "kernel '" << launch.kernel.name << "', " << describeThread(stamp)
         << ": " << message;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void ThreadBlock::start(std::array<int64_t, 3> newIndex) {
  index = newIndex;
  const Kernel &kernel = launch.kernel;
  const SpecialRegisters &special = kernel.special;
  size_t numRegisters = kernel.registers.size();
  for (auto [id, thread] : llvm::enumerate(threads)) {
    uint64_t *r = &registers[id * numRegisters];
    llvm::copy(kernel.registers, r);
    std::array<int64_t, 3> threadIndex = delinearize(id, launch.launch.block);
    for (int i = 0; i < 3; ++i) {
      r[special.threadId[i]] = threadIndex[i];
      r[special.blockId[i]] = index[i];
      r[special.blockDim[i]] = launch.launch.block[i];
      r[special.gridDim[i]] = launch.launch.grid[i];
    }
    r[special.linearId] = id;
    r[special.dynamicBytes] = launch.launch.dynamicSharedBytes;
    for (auto [number, value] :
         llvm::zip_equal(kernel.parameters, launch.launch.arguments))
      r[number] = value;
    thread = Thread();
    thread.registers = r;
    thread.pc = kernel.code.data();
    thread.block = this;
    thread.id = id;
    copies[id] = CopyQueue();
  }
  commonClock = 0;
  knowledge.clear();
  acquired.clear();
  barriers.clear();
  namedBarriers.clear();
  warpgroups.clear();
}

void ThreadBlock::runThread(Thread &thread) {
  uint64_t limit = launch.options.maxSteps;
  uint64_t steps = thread.steps;
  while (thread.state == ThreadState::Running && !failed) {
    const Inst &inst = *thread.pc++;
    if (++steps > limit) {
      fail(thread, inst, "expects a thread to end, but got one that has run ")
          << limit << " instructions";
      return;
    }
    inst.fn(thread, inst);
  }
  thread.steps = steps;
}

void ThreadBlock::runCollectives(unsigned first, unsigned count,
                                 bool wholeBlock) {
  const Inst *inst = nullptr;
  for (unsigned id = first; id < first + count; ++id) {
    const Thread &thread = threads[id];
    if (thread.state != ThreadState::AtCollective)
      return;
    if (inst && thread.pc - 1 != inst)
      return;
    inst = thread.pc - 1;
  }
  const Collective &collective = launch.kernel.collectives[inst->x];
  unsigned size = collective.size ? collective.size : threads.size();
  size = std::min<size_t>(size, threads.size() - first / size * size);
  if (size != count || (collective.size == 0) != wholeBlock)
    return;
  for (unsigned id = first; id < first + count; ++id)
    threads[id].state = ThreadState::Running;
  collective.fn(*this, first, count, *inst);
  hasProgress = true;
}

LogicalResult ThreadBlock::run(std::array<int64_t, 3> newIndex,
                               uint32_t newSerial) {
  serial = newSerial;
  start(newIndex);
  unsigned count = threads.size();
  auto isEnded = [](const Thread &thread) {
    return thread.state == ThreadState::Ended;
  };
  while (!llvm::all_of(threads, isEnded)) {
    hasProgress = false;
    // A warp goes on alone as far as it can, because its registers are near.
    for (unsigned first = 0; first < count; first += kWarpThreads) {
      unsigned size = std::min(kWarpThreads, count - first);
      bool wasRunning = true;
      while (wasRunning) {
        wasRunning = false;
        for (unsigned id = first; id < first + size; ++id) {
          Thread &thread = threads[id];
          if (thread.state == ThreadState::Waiting) {
            // Tries again; it is progress only if it succeeds.
            --thread.pc;
            thread.state = ThreadState::Running;
            const Inst &inst = *thread.pc++;
            inst.fn(thread, inst);
            if (failed)
              return failure();
            if (thread.state == ThreadState::Waiting)
              continue;
          }
          if (thread.state != ThreadState::Running)
            continue;
          runThread(thread);
          if (failed)
            return failure();
          wasRunning = hasProgress = true;
        }
        runCollectives(first, size, /*wholeBlock=*/false);
        if (failed)
          return failure();
      }
    }
    for (unsigned first = 0; first < count; first += 4 * kWarpThreads)
      runCollectives(first, std::min(4 * kWarpThreads, count - first),
                     /*wholeBlock=*/false);
    runCollectives(0, count, /*wholeBlock=*/true);
    if (failed)
      return failure();
    if (!hasProgress && !llvm::all_of(threads, isEnded)) {
      failStuck();
      return failure();
    }
  }
  return success();
}

/// Says why no thread goes on.
void ThreadBlock::failStuck() {
  for (Thread &thread : threads) {
    if (thread.state != ThreadState::AtCollective)
      continue;
    const Inst &inst = *(thread.pc - 1);
    const Collective &collective = launch.kernel.collectives[inst.x];
    unsigned size = collective.size ? collective.size : threads.size();
    unsigned first = thread.id / size * size;
    unsigned last = std::min<unsigned>(first + size, threads.size());
    for (unsigned id = first; id < last; ++id) {
      Thread &other = threads[id];
      if (other.state == ThreadState::AtCollective && other.pc == thread.pc)
        continue;
      StringRef group = collective.size == 0 ? "block" : "warp";
      if (collective.size > kWarpThreads)
        group = "warpgroup";
      Stamp stamp{serial, other.clock, 0, other.id};
      InFlightDiagnostic diag =
          fail(thread, inst, "expects all threads of the ")
          << group << " here, but got " << describeThread(stamp);
      if (other.state == ThreadState::Ended) {
        diag << ", which has ended";
        return;
      }
      diag << ", which waits at another operation";
      diag.attachNote(getLocation(getIndex(*(other.pc - 1))))
          << "it waits here";
      return;
    }
  }
  for (Thread &thread : threads) {
    if (thread.state != ThreadState::Waiting)
      continue;
    fail(thread, *(thread.pc - 1),
         "expects what the thread waits for to happen, but got a block in "
         "which all threads wait or have ended");
    return;
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void ThreadBlock::synchronizeAll() {
  uint32_t latest = commonClock;
  for (const Thread &thread : threads)
    latest = std::max(latest, thread.clock);
  commonClock = latest;
  for (Thread &thread : threads)
    thread.clock = latest + 1;
  knowledge.clear();
}

void ThreadBlock::synchronize(unsigned first, unsigned count) {
  std::vector<uint32_t> all(threads.size());
  for (unsigned id = first; id < first + count; ++id)
    release(threads[id], all);
  for (unsigned id = first; id < first + count; ++id)
    acquire(threads[id], all);
}

void ThreadBlock::release(Thread &thread, std::vector<uint32_t> &target) {
  target.resize(threads.size());
  uint32_t *known = getKnowledge(thread);
  known[thread.id] = thread.clock++;
  for (auto [to, from] : llvm::zip(target, ArrayRef(known, threads.size())))
    to = std::max(to, from);
}

void ThreadBlock::acquire(Thread &thread, const std::vector<uint32_t> &source) {
  uint32_t *known = getKnowledge(thread);
  for (auto [id, clock] : llvm::enumerate(source))
    known[id] = std::max(known[id], clock);
}

bool ThreadBlock::isOrdered(const Stamp &stamp, const Thread &thread) const {
  if (stamp.block < kFirstSerial)
    return true;
  if (stamp.block != serial)
    return isReleased(stamp);
  return stamp.thread == thread.id || stamp.clock <= commonClock ||
         (!knowledge.empty() &&
          stamp.clock <= knowledge[thread.id * threads.size() + stamp.thread]);
}

bool ThreadBlock::isReleased(const Stamp &stamp) const {
  return llvm::any_of(acquired, [&](uint64_t address) {
    const auto &blocks = releases.find(address)->second;
    auto it = blocks.find(stamp.block);
    if (it == blocks.end())
      return false;
    const Release &release = it->second;
    return stamp.clock <= release.commonClock ||
           (stamp.thread == release.thread && stamp.clock <= release.clock);
  });
}
