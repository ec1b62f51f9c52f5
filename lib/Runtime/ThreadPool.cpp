//===- ThreadPool.cpp - Threads that run parallel loops -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include "Error.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <utility>

using namespace relay_rt;

static constexpr int kMaxThreads = 1024;

/// How long a worker spins after a run before it sleeps: longer than the gap
/// between two runs in a row, shorter than what another process would notice.
static constexpr std::chrono::microseconds kSpinTime(100);

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

//===----------------------------------------------------------------------===//
// The pool of the process
//===----------------------------------------------------------------------===//

namespace {
struct ProcessPool {
  std::mutex mutex;
  std::shared_ptr<ThreadPool> pool;
};
} // namespace

/// Never destroyed: a module may still run while the process exits.
static ProcessPool &processPool() {
  static ProcessPool *instance = [] {
    // After fork() the workers exist only in the parent. The child leaks the
    // parent's pool, whose threads cannot be joined, and makes its own.
    pthread_atfork(
        nullptr, nullptr, +[] {
          ProcessPool &process = processPool();
          new (&process.mutex) std::mutex();
          if (process.pool)
            new std::shared_ptr<ThreadPool>(std::move(process.pool));
          process.pool = nullptr;
        });
    return new ProcessPool;
  }();
  return *instance;
}

/// Returns the numbers of the CPUs that the process may use.
static std::vector<int> getUsableCPUs() {
  std::vector<int> cpus;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        cpus.push_back(cpu);
  if (cpus.empty())
    for (unsigned cpu = 0;
         cpu < std::max(1u, std::thread::hardware_concurrency()); ++cpu)
      cpus.push_back(static_cast<int>(cpu));
  return cpus;
}

static int getDefaultNumThreads() {
  const char *text = std::getenv("RELAY_NUM_THREADS");
  if (!text || !*text)
    return std::min(static_cast<int>(getUsableCPUs().size()), kMaxThreads);
  char *end;
  errno = 0;
  long value = std::strtol(text, &end, 10);
  if (errno || *end || end == text || value < 1 || value > kMaxThreads)
    fail(RELAY_INVALID_ARGUMENT,
         "expects RELAY_NUM_THREADS to be a number from 1 to ", kMaxThreads,
         ", but got '", text, "'");
  return static_cast<int>(value);
}

std::shared_ptr<ThreadPool> ThreadPool::get() {
  ProcessPool &process = processPool();
  std::lock_guard<std::mutex> lock(process.mutex);
  if (!process.pool)
    process.pool = std::make_shared<ThreadPool>(getDefaultNumThreads());
  return process.pool;
}

void ThreadPool::setNumThreads(int numThreads) {
  if (numThreads < 1 || numThreads > kMaxThreads)
    fail(RELAY_INVALID_ARGUMENT, "expects a number of threads from 1 to ",
         kMaxThreads, ", but got ", numThreads);
  ProcessPool &process = processPool();
  std::lock_guard<std::mutex> lock(process.mutex);
  if (!process.pool || process.pool->getNumThreads() != numThreads)
    process.pool = std::make_shared<ThreadPool>(numThreads);
}

//===----------------------------------------------------------------------===//
// ThreadPool
//===----------------------------------------------------------------------===//

/// Set on workers, and on a caller while it runs its part.
static thread_local bool insideLoop = false;

static thread_local int threadNumber = 0;

int ThreadPool::getThread() { return threadNumber; }

/// Left alone, the system wakes a worker on the caller's CPU, where it waits
/// for milliseconds while the caller waits for it. Failure to pin costs speed
/// only.
static void pin(std::thread &thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(thread.native_handle(), sizeof(set), &set);
}

ThreadPool::ThreadPool(int numThreads) : parts(numThreads) {
  workers.reserve(numThreads - 1);
  std::vector<int> cpus = getUsableCPUs();
  oversubscribed = numThreads > static_cast<int>(cpus.size());
  callerCPU = cpus[0];
  try {
    for (int part = 1; part < numThreads; ++part) {
      workers.emplace_back([this, part] { work(part); });
      if (oversubscribed)
        continue;
      pin(workers.back(), cpus[part]);
      workerCPUs.push_back(cpus[part]);
    }
  } catch (const std::system_error &) {
    // The system gives no more threads; go on with those there are.
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(sleepMutex);
    stopping = true;
  }
  wakeUp.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

/// Takes up to `piece` units from one end of what is left of a part.
static bool take(std::atomic<uint64_t> &rest, uint32_t piece, bool fromEnd,
                 uint32_t &begin, uint32_t &end) {
  uint64_t old = rest.load(std::memory_order_relaxed);
  while (true) {
    begin = static_cast<uint32_t>(old >> 32);
    end = static_cast<uint32_t>(old);
    if (begin >= end)
      return false;
    uint32_t middle = end - begin <= piece ? (fromEnd ? begin : end)
                      : fromEnd            ? end - piece
                                           : begin + piece;
    uint64_t left =
        fromEnd ? uint64_t(begin) << 32 | middle : uint64_t(middle) << 32 | end;
    // Nothing but the range itself is passed on here.
    if (rest.compare_exchange_weak(old, left, std::memory_order_relaxed)) {
      (fromEnd ? begin : end) = middle;
      return true;
    }
  }
}

void ThreadPool::runPieces(int self) {
  for (int i = 0; i < task.numParts; ++i) {
    Part &part = parts[(self + i) % task.numParts];
    uint32_t begin, end;
    while (take(part.rest, task.piece, /*fromEnd=*/i != 0, begin, end))
      task.body(task.args, task.dims, begin * task.unit,
                std::min(end * task.unit, task.extent));
  }
}

void ThreadPool::parallelFor(RelayParallelBody body, void *const *args,
                             const int64_t *dims, int64_t extent) {
  if (extent <= 0)
    return;
  std::unique_lock<std::mutex> lock(inUse, std::defer_lock);
  if (extent == 1 || workers.empty() || insideLoop || !lock.try_lock()) {
    body(args, dims, 0, extent);
    return;
  }

  constexpr int64_t kMaxUnits = 1 << 30, kPiecesPerPart = 8;
  int64_t unit = (extent - 1) / kMaxUnits + 1;
  int64_t numUnits = (extent - 1) / unit + 1;
  int64_t numParts = std::min<int64_t>(numUnits, workers.size() + 1);
  int64_t perPart = numUnits / numParts, larger = numUnits % numParts;
  int64_t piece = std::max<int64_t>(1, perPart / kPiecesPerPart);
  task = {body,
          args,
          dims,
          extent,
          unit,
          static_cast<uint32_t>(piece),
          static_cast<int>(numParts)};
  uint64_t begin = 0;
  for (int64_t i = 0; i < numParts; ++i) {
    uint64_t end = begin + perPart + (i < larger);
    parts[i].rest.store(begin << 32 | end, std::memory_order_relaxed);
    begin = end;
  }
  // Sequentially consistent with the workers' count of sleepers: either the
  // worker sees the new loop, or we see the sleeper.
  gate.store((getEpoch(gate.load(std::memory_order_relaxed)) + 1) << 32 |
             kOpen);
  wakeSleepers();

  insideLoop = true;
  runPieces(0);
  insideLoop = false;

  // Nothing is left to take. Those who took something are waited for.
  gate.fetch_and(~kOpen);
  for (int spins = 0; gate.load(std::memory_order_acquire) & kCountMask;
       ++spins)
    spins < 10000 && !oversubscribed ? relax() : (void)sched_yield();
}

/// Makes the worker one of those in the loop that `seen` is of, unless that is
/// closed.
bool ThreadPool::join(uint64_t &seen) {
  while (seen & kOpen)
    if (gate.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire))
      return true;
  return false;
}

void ThreadPool::wakeSleepers() {
  if (sleepers.load() == 0)
    return;
  std::lock_guard<std::mutex> lock(sleepMutex);
  wakeUp.notify_all();
}

ThreadPool::Run::Run(ThreadPool &pool) : pool(pool) {
  if (pool.activeRuns.fetch_add(1) == 0)
    pool.makeWay(sched_getcpu());
  pool.wakeSleepers();
}

/// Moves the worker that is pinned to the CPU on which a run begins to the CPU
/// that the last caller was left.
void ThreadPool::makeWay(int cpu) {
  std::lock_guard<std::mutex> lock(placementMutex);
  for (size_t i = 0; i < workerCPUs.size(); ++i)
    if (workerCPUs[i] == cpu) {
      pin(workers[i], callerCPU);
      workerCPUs[i] = std::exchange(callerCPU, cpu);
      return;
    }
}

void ThreadPool::work(int self) {
  insideLoop = true;
  threadNumber = self;
  uint64_t epoch = 0;
  auto isNew = [&](uint64_t gate) { return getEpoch(gate) != epoch; };
  while (true) {
    auto deadline = std::chrono::steady_clock::now() + kSpinTime;
    uint64_t seen;
    for (int spins = 1; !isNew(seen = gate.load(std::memory_order_acquire)) &&
                        !stopping.load(std::memory_order_relaxed);
         ++spins) {
      oversubscribed ? (void)sched_yield() : relax();
      if (spins % 64 != 0)
        continue;
      if (activeRuns.load(std::memory_order_relaxed) > 0) {
        deadline = std::chrono::steady_clock::now() + kSpinTime;
      } else if (std::chrono::steady_clock::now() > deadline) {
        std::unique_lock<std::mutex> lock(sleepMutex);
        sleepers.fetch_add(1);
        wakeUp.wait(lock, [&] {
          return isNew(gate.load()) || activeRuns.load() > 0 || stopping;
        });
        sleepers.fetch_sub(1);
      }
    }
    if (!isNew(seen))
      return; // stopping
    bool hasJoined = join(seen);
    epoch = getEpoch(seen);
    if (!hasJoined)
      continue;
    runPieces(self);
    gate.fetch_sub(1, std::memory_order_release);
  }
}
