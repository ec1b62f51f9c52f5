//===- ThreadPool.cpp - Threads that run parallel loops -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include "CPUSet.h"
#include "Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <utility>

using namespace relay_rt;

static constexpr int kMaxThreads = 1024;

/// How long a worker spins after a run before it sleeps: longer than the gap
/// between two runs in a row, shorter than what another process would notice.
static constexpr std::chrono::microseconds kSpinAfterRun(100);

/// How long it spins while a run has no loop for it. To be woken costs a
/// hundredth of that.
static constexpr std::chrono::microseconds kSpinInRun(1000);

/// How long one waits for a thread before one looks whether that is on a CPU.
/// To look costs a microsecond.
static constexpr std::chrono::microseconds kPatience(20);

/// How far two looks at the time that a thread has used must be apart.
static constexpr std::chrono::microseconds kLook(3);

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

static int getDefaultNumThreads() {
  const char *text = std::getenv("RELAY_NUM_THREADS");
  if (!text || !*text) {
    int count = static_cast<int>(getUsableCPUs().size());
    // Rounded down: who uses up a quota stands still until the next period.
    if (double quota = getCPUQuota(); quota > 0 && quota < count)
      count = std::max(1, static_cast<int>(quota));
    return std::min(count, kMaxThreads);
  }
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
// Slots and workers
//===----------------------------------------------------------------------===//

/// Set on workers, and on a caller while it runs its part.
static thread_local bool insideLoop = false;

static thread_local int threadNumber = 0;

int ThreadPool::getThread() { return threadNumber; }

struct ThreadPool::Slot {
  explicit Slot(int numThreads) : parts(numThreads) {
    late.reserve(numThreads);
  }

  /// The number of the loop in the upper 32 bits, whether workers may still
  /// join it, and in the lowest bits how many are in it.
  static constexpr uint64_t kOpen = uint64_t(1) << 31;
  static constexpr uint64_t kCountMask = kOpen - 1;
  static uint64_t getEpoch(uint64_t gate) { return gate >> 32; }

  bool hasWorkers() const {
    return gate.load(std::memory_order_acquire) & kCountMask;
  }

  /// Makes the worker one of those in the loop that `seen` is of, unless that
  /// is closed.
  bool join(uint64_t &seen) {
    while (seen & kOpen)
      if (gate.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire))
        return true;
    return false;
  }

  /// The opposite of `join`: wakes the caller if that waits for the last one.
  void leave() {
    uint64_t before = gate.fetch_sub(1);
    if ((before & kCountMask) != 1 || !callerSleeps.load())
      return;
    std::lock_guard<std::mutex> lock(mutex);
    wakeCaller.notify_one();
  }

  Task task = {};
  std::vector<Part> parts;
  alignas(64) std::atomic<uint64_t> gate{0};
  /// The thread whose run this is or was, as the system numbers it.
  std::atomic<int> caller{0};
  alignas(64) std::atomic<bool> callerSleeps{false};
  std::mutex mutex;
  std::condition_variable wakeCaller;
  /// For rescueWorkers.
  std::vector<std::pair<Worker *, ThreadClock>> late;
};

struct alignas(64) ThreadPool::Worker {
  explicit Worker(int number) : number(number) {}

  /// From 1.
  int number;
  std::thread thread;
  /// As the system numbers it, once it has begun.
  std::atomic<int> threadId{0};
  /// The slot whose loop the worker is in.
  std::atomic<Slot *> slot{nullptr};
  /// Whether a caller has moved the worker to its own CPU.
  std::atomic<bool> isMoved{false};
  /// The CPUs it belongs on; guarded by the pool's placementMutex.
  std::vector<int> home;

  std::mutex mutex;
  std::condition_variable wakeUp;
  bool isWoken = false;

  /// The last loop it has been in or found closed.
  Slot *lastSlot = nullptr;
  uint64_t lastEpoch = 0;
};

//===----------------------------------------------------------------------===//
// Who works where
//===----------------------------------------------------------------------===//

/// The number of bits set.
static int count(uint64_t bits) { return __builtin_popcountll(bits); }

/// How many workers there is work for: each run but one takes one's place.
static int getNumUsable(int numThreads, uint64_t active) {
  return std::max(0, numThreads - std::max(1, count(active)));
}

/// The slot that the worker belongs to while these runs are active, or null.
ThreadPool::Slot *ThreadPool::getSlot(const Worker &worker,
                                      uint64_t active) const {
  if (active == 0)
    return nullptr;
  bool isOnly = (active & (active - 1)) == 0;
  if (isOnly)
    return slots[__builtin_ctzll(active)].load(std::memory_order_relaxed);
  if (worker.number > getNumUsable(getNumThreads(), active))
    return nullptr;
  for (int skip = (worker.number - 1) % count(active); skip > 0; --skip)
    active &= active - 1;
  return slots[__builtin_ctzll(active)].load(std::memory_order_relaxed);
}

/// How many workers belong to the slot.
int ThreadPool::getNumWorkers(int slot, uint64_t active) const {
  int numUsable = getNumUsable(getNumThreads(), active);
  int numRuns = count(active);
  int place = count(active & ((uint64_t(1) << slot) - 1));
  return numUsable / numRuns + (place < numUsable % numRuns);
}

void ThreadPool::makeSlot(int slot) {
  std::lock_guard<std::mutex> lock(slotsMutex);
  if (!slots[slot].load(std::memory_order_relaxed))
    slots[slot].store(new Slot(getNumThreads()), std::memory_order_release);
}

int ThreadPool::takeSlot() {
  uint64_t active = activeRuns.load(std::memory_order_relaxed);
  while (~active != 0) {
    int slot = __builtin_ctzll(~active);
    // Workers see the slot after they see its bit.
    if (!slots[slot].load(std::memory_order_acquire))
      makeSlot(slot);
    if (activeRuns.compare_exchange_weak(active, active | uint64_t(1) << slot))
      return slot;
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// Runs and loops
//===----------------------------------------------------------------------===//

ThreadPool::Run::Run(ThreadPool &pool, bool expectsLoops)
    : pool(pool), slot(pool.workers.empty() ? -1 : pool.takeSlot()) {
  if (slot < 0)
    return;
  Slot &loops = *pool.slots[slot].load(std::memory_order_relaxed);
  loops.caller.store(getThreadId(), std::memory_order_relaxed);
  if (!expectsLoops)
    return;
  if (count(pool.activeRuns.load(std::memory_order_relaxed)) == 1)
    pool.makeWay(sched_getcpu());
  pool.wakeWorkers(slot);
}

ThreadPool::Run::~Run() {
  if (slot >= 0)
    pool.activeRuns.fetch_and(~(uint64_t(1) << slot));
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

void ThreadPool::runPieces(Slot &slot, int self) {
  const Task &task = slot.task;
  for (int i = 0; i < task.numParts; ++i) {
    Part &part = slot.parts[(self + i) % task.numParts];
    uint32_t begin, end;
    while (take(part.rest, task.piece, /*fromEnd=*/i != 0, begin, end))
      task.body(task.args, task.dims, begin * task.unit,
                std::min(end * task.unit, task.extent));
  }
}

void ThreadPool::Run::parallelFor(RelayParallelBody body, void *const *args,
                                  const int64_t *dims, int64_t extent) {
  if (extent <= 0)
    return;
  int numWorkers = 0;
  if (slot >= 0 && extent > 1 && !insideLoop) {
    hasLoops = true;
    numWorkers = pool.getNumWorkers(
        slot, pool.activeRuns.load(std::memory_order_relaxed));
  }
  if (numWorkers == 0) {
    body(args, dims, 0, extent);
    return;
  }

  Slot &loops = *pool.slots[slot].load(std::memory_order_relaxed);
  constexpr int64_t kMaxUnits = 1 << 30, kPiecesPerPart = 8;
  int64_t unit = (extent - 1) / kMaxUnits + 1;
  int64_t numUnits = (extent - 1) / unit + 1;
  int64_t numParts = std::min<int64_t>(numUnits, numWorkers + 1);
  int64_t perPart = numUnits / numParts, larger = numUnits % numParts;
  int64_t piece = std::max<int64_t>(1, perPart / kPiecesPerPart);
  loops.task = {body,
                args,
                dims,
                extent,
                unit,
                static_cast<uint32_t>(piece),
                static_cast<int>(numParts)};
  uint64_t begin = 0;
  for (int64_t i = 0; i < numParts; ++i) {
    uint64_t end = begin + perPart + (i < larger);
    loops.parts[i].rest.store(begin << 32 | end, std::memory_order_relaxed);
    begin = end;
  }
  // Sequentially consistent with the workers' marks as sleepers: either the
  // worker sees the new loop, or we see the sleeper.
  loops.gate.store(
      (Slot::getEpoch(loops.gate.load(std::memory_order_relaxed)) + 1) << 32 |
      Slot::kOpen);
  pool.wakeWorkers(slot);

  insideLoop = true;
  runPieces(loops, 0);
  insideLoop = false;

  // Nothing is left to take. Those who took something are waited for.
  loops.gate.fetch_and(~Slot::kOpen);
  if (loops.hasWorkers())
    pool.waitForWorkers(loops);
}

/// Spins until `isDone`, for at most `time`; returns whether it is done.
template <typename Predicate>
static bool spinUntil(std::chrono::steady_clock::duration time,
                      Predicate isDone) {
  auto end = std::chrono::steady_clock::now() + time;
  for (int spins = 1;; ++spins) {
    if (isDone())
      return true;
    if (spins % 16 == 0 && std::chrono::steady_clock::now() >= end)
      return false;
    relax();
  }
}

void ThreadPool::waitForWorkers(Slot &slot) {
  auto isDone = [&] { return !slot.hasWorkers(); };
  while (!isDone()) {
    if (oversubscribed)
      (void)sched_yield();
    else if (spinUntil(kPatience, isDone) || !rescueWorkers(slot))
      continue;
    // Whoever is late gets this CPU. It may be moved away from here again, so
    // that one has to look after it.
    std::unique_lock<std::mutex> lock(slot.mutex);
    slot.callerSleeps = true;
    slot.wakeCaller.wait_for(lock, std::chrono::milliseconds(1), isDone);
    slot.callerSleeps = false;
  }
}

/// Moves the workers that are in the loop, but not on a CPU, to the caller's.
/// Returns whether there is one.
bool ThreadPool::rescueWorkers(Slot &slot) {
  slot.late.clear();
  for (std::unique_ptr<Worker> &worker : workers)
    if (worker->slot.load(std::memory_order_relaxed) == &slot) {
      slot.late.emplace_back(worker.get(), ThreadClock(worker->threadId));
      slot.late.back().second.hasAdvanced();
    }
  if (spinUntil(kLook, [&] { return !slot.hasWorkers(); }))
    return false;
  bool found = false;
  for (auto &[worker, clock] : slot.late) {
    if (clock.hasAdvanced() ||
        worker->slot.load(std::memory_order_relaxed) != &slot)
      continue;
    found = true;
    std::lock_guard<std::mutex> lock(placementMutex);
    setAffinity(worker->thread.native_handle(), {sched_getcpu()});
    worker->isMoved = true;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

ThreadPool::ThreadPool(int numThreads)
    : sleepers((numThreads + 63) / 64), cpus(getUsableCPUs()) {
  oversubscribed = numThreads > static_cast<int>(cpus.size());
  havePlaces = numThreads == static_cast<int>(cpus.size());
  workers.reserve(numThreads - 1);
  for (int number = 1; number < numThreads; ++number)
    workers.push_back(std::make_unique<Worker>(number));
  callerCPU = cpus[0];
  placeWorkers();
  // Workers look at the number of all; so they start when that is known.
  std::unique_lock<std::mutex> lock(placementMutex);
  size_t started = 0;
  try {
    for (std::unique_ptr<Worker> &worker : workers) {
      worker->thread =
          std::thread([this, self = worker.get()] { work(*self); });
      ++started;
    }
  } catch (const std::system_error &) {
    // The system gives no more threads; go on with those there are.
    workers.resize(started);
  }
}

ThreadPool::~ThreadPool() {
  stopping = true;
  for (std::unique_ptr<Worker> &worker : workers) {
    {
      std::lock_guard<std::mutex> lock(worker->mutex);
      worker->isWoken = true;
    }
    worker->wakeUp.notify_one();
  }
  for (std::unique_ptr<Worker> &worker : workers)
    worker->thread.join();
  for (std::atomic<Slot *> &slot : slots)
    delete slot.load(std::memory_order_relaxed);
}

/// Chooses the CPUs that workers run on. Left alone, the system wakes a worker
/// on the caller's CPU, where it waits for milliseconds while the caller waits
/// for it.
void ThreadPool::placeWorkers() {
  if (oversubscribed)
    return;
  std::vector<int> others;
  for (int cpu : cpus)
    if (cpu != callerCPU)
      others.push_back(cpu);
  for (std::unique_ptr<Worker> &worker : workers)
    worker->home =
        havePlaces ? std::vector<int>{others[worker->number - 1]} : others;
}

/// Leaves the CPU on which a run begins to its caller.
void ThreadPool::makeWay(int cpu) {
  if (oversubscribed)
    return;
  std::lock_guard<std::mutex> lock(placementMutex);
  if (cpu == callerCPU || !std::binary_search(cpus.begin(), cpus.end(), cpu))
    return;
  int freed = std::exchange(callerCPU, cpu);
  for (std::unique_ptr<Worker> &worker : workers) {
    auto it = std::find(worker->home.begin(), worker->home.end(), cpu);
    if (it == worker->home.end())
      continue;
    *it = freed;
    setAffinity(worker->thread.native_handle(), worker->home);
  }
}

/// Brings a worker back that a caller has moved.
void ThreadPool::goHome(Worker &worker) {
  if (!worker.isMoved.load(std::memory_order_relaxed))
    return;
  std::lock_guard<std::mutex> lock(placementMutex);
  worker.isMoved = false;
  setAffinity(pthread_self(), worker.home);
}

/// Wakes those workers of the slot that sleep.
void ThreadPool::wakeWorkers(int slot) {
  for (size_t i = 0; i < sleepers.size(); ++i) {
    uint64_t asleep = sleepers[i].load();
    while (asleep) {
      size_t index = i * 64 + __builtin_ctzll(asleep);
      asleep &= asleep - 1;
      Worker &worker = *workers[index];
      if (getSlot(worker, activeRuns.load(std::memory_order_relaxed)) !=
          slots[slot].load(std::memory_order_relaxed))
        continue;
      {
        std::lock_guard<std::mutex> lock(worker.mutex);
        worker.isWoken = true;
      }
      worker.wakeUp.notify_one();
    }
  }
}

/// Returns the slot if it has a loop that the worker can join and has not been
/// in.
ThreadPool::Slot *ThreadPool::findLoop(const Worker &self,
                                       uint64_t &gate) const {
  Slot *slot = getSlot(self, activeRuns.load(std::memory_order_acquire));
  if (!slot)
    return nullptr;
  gate = slot->gate.load(std::memory_order_acquire);
  bool isNew = slot != self.lastSlot || Slot::getEpoch(gate) != self.lastEpoch;
  return isNew && (gate & Slot::kOpen) ? slot : nullptr;
}

/// Sleeps until somebody has a loop for the worker, or may soon have one.
void ThreadPool::sleep(Worker &self) {
  size_t index = self.number - 1;
  std::atomic<uint64_t> &word = sleepers[index / 64];
  uint64_t bit = uint64_t(1) << index % 64;
  {
    std::lock_guard<std::mutex> lock(self.mutex);
    self.isWoken = false;
  }
  word.fetch_or(bit);
  uint64_t gate;
  if (!findLoop(self, gate) && !stopping) {
    std::unique_lock<std::mutex> lock(self.mutex);
    self.wakeUp.wait(lock, [&] { return self.isWoken; });
  }
  word.fetch_and(~bit);
}

/// Waits for the next loop of the worker; returns false if the pool ends.
bool ThreadPool::waitForLoop(Worker &self, Slot *&slot, uint64_t &gate) {
  auto begin = Clock::now(), look = begin + kPatience;
  ThreadClock caller;
  bool isWatching = false;
  for (int spins = 1; !stopping.load(std::memory_order_relaxed); ++spins) {
    goHome(self);
    if ((slot = findLoop(self, gate)))
      return true;
    oversubscribed ? (void)sched_yield() : relax();
    if (spins % 32 != 0)
      continue;
    auto now = Clock::now();
    Slot *own = getSlot(self, activeRuns.load(std::memory_order_acquire));
    bool isTired = now - begin > (own ? kSpinInRun : kSpinAfterRun);
    // A caller that has lost its CPU, or waits for somebody, may need this one.
    if (own && now > look) {
      if (!isWatching)
        caller = ThreadClock(own->caller.load(std::memory_order_relaxed));
      bool hasRun = caller.hasAdvanced();
      isTired |= isWatching && !hasRun;
      isWatching = !isWatching;
      look = now + (isWatching ? kLook : kPatience);
    }
    if (!isTired)
      continue;
    sleep(self);
    begin = Clock::now(), look = begin + kPatience;
    isWatching = false;
  }
  return false;
}

void ThreadPool::work(Worker &self) {
  insideLoop = true;
  threadNumber = self.number;
  self.threadId = getThreadId();
  {
    std::lock_guard<std::mutex> lock(placementMutex);
    if (!self.home.empty())
      setAffinity(pthread_self(), self.home);
  }
  Slot *slot;
  uint64_t gate;
  while (waitForLoop(self, slot, gate)) {
    self.slot.store(slot, std::memory_order_relaxed);
    bool hasJoined = slot->join(gate);
    self.lastSlot = slot;
    self.lastEpoch = Slot::getEpoch(gate);
    if (hasJoined)
      runPieces(*slot, self.number);
    self.slot.store(nullptr, std::memory_order_relaxed);
    if (hasJoined)
      slot->leave();
  }
}
