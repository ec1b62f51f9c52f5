//===- ThreadPool.h - Threads that run parallel loops -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is divided into a part for each thread, and a part into pieces; who
// has done its own part takes pieces from the ends of the others'. So nobody
// waits for a worker that has not begun. A caller waits only for pieces that a
// worker has begun, and if that worker has lost its CPU, it gets the caller's.
// Each run has a slot with its own loops, and the workers are shared out among
// the slots that are in use.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_THREADPOOL_H
#define RELAY_MLIR_LIB_RUNTIME_THREADPOOL_H

#include "relay-mlir/Runtime/KernelABI.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace relay_rt {

/// A fixed set of threads for fork-join loops. Callers are among them: with one
/// run of a model at work there are as many workers as threads but one, and
/// each further run takes the place of a worker. Workers are shared out evenly
/// between the runs.
///
/// Workers spin between the loops of a run, since the next one follows within
/// microseconds, and for a moment after; then they sleep. On a machine that
/// others use too, a worker can lose its CPU at any time, and so can a caller:
/// whoever is there takes the pieces that nobody has begun, and a worker that
/// is not on a CPU gets the caller's to end the piece it has begun.
class ThreadPool {
public:
  /// The pool of the process, created at its first use. Throws if
  /// RELAY_NUM_THREADS is not a number of threads. Without it there is a
  /// thread for each CPU that the process may use; a quota of CPU time counts
  /// as the CPUs that it can keep busy.
  static std::shared_ptr<ThreadPool> get();

  /// Replaces the pool of the process by one of `numThreads` threads; runs that
  /// have begun keep theirs.
  static void setNumThreads(int numThreads);

  explicit ThreadPool(int numThreads);
  ~ThreadPool();

  /// The run of one model, on one thread.
  class Run {
  public:
    /// Wakes the workers ahead of the first loop if `expectsLoops`.
    explicit Run(ThreadPool &pool, bool expectsLoops = true);
    ~Run();
    Run(const Run &) = delete;

    /// Runs body over [0, extent) in equal consecutive parts, one per thread,
    /// in several pieces each. Who is done takes pieces from the end of the
    /// others' parts. A call from inside a body runs on the calling thread
    /// alone.
    void parallelFor(RelayParallelBody body, void *const *args,
                     const int64_t *dims, int64_t extent);

    /// Whether there was a loop that several threads could have run.
    bool hasRunLoops() const { return hasLoops; }

  private:
    ThreadPool &pool;
    /// The place of the run in the pool, -1 if there was none left.
    int slot;
    bool hasLoops = false;
  };

  int getNumThreads() const { return static_cast<int>(workers.size()) + 1; }

  /// How many runs it makes sense to have at a time: two for each processor, of
  /// which one goes on while the other one ends and makes way for the next.
  int getNumPlaces() const {
    return 2 * std::max(getNumThreads(), static_cast<int>(cpus.size()));
  }

  /// The number of the calling thread: 0 unless it is a worker.
  static int getThread();

private:
  using Clock = std::chrono::steady_clock;

  struct Task {
    RelayParallelBody body;
    void *const *args;
    const int64_t *dims;
    int64_t extent;
    /// Iterations are handed out by `unit` at a time, such that their number
    /// fits in 32 bits, and pieces are of `piece` units.
    int64_t unit;
    uint32_t piece;
    int numParts;
  };
  /// What of a part nobody has taken: from the upper to the lower 32 bits.
  struct alignas(64) Part {
    std::atomic<uint64_t> rest{0};
  };
  /// The loops of one run, one after the other.
  struct Slot;
  struct Worker;

  /// Runs in progress, a bit for the slot of each.
  static constexpr int kMaxRuns = 64;

  void work(Worker &self);
  Slot *findLoop(const Worker &self, uint64_t &gate) const;
  bool waitForLoop(Worker &self, Slot *&slot, uint64_t &gate);
  bool isCallerRunning(const Worker &self);
  void sleep(Worker &self);

  int takeSlot();
  void makeSlot(int slot);
  Slot *getSlot(const Worker &worker, uint64_t active) const;
  int getNumWorkers(int slot, uint64_t active) const;
  void wakeWorkers(int slot);
  static void runPieces(Slot &slot, int self);
  void waitForWorkers(Slot &slot);
  bool rescueWorkers(Slot &slot);

  void placeWorkers();
  void makeWay(int cpu);
  void goHome(Worker &worker);

  std::atomic<uint64_t> activeRuns{0};
  /// Made when they are first used.
  std::atomic<Slot *> slots[kMaxRuns] = {};
  std::mutex slotsMutex;
  /// A bit for each worker that sleeps or is about to.
  std::vector<std::atomic<uint64_t>> sleepers;
  std::atomic<bool> stopping{false};
  std::vector<std::unique_ptr<Worker>> workers;

  /// More threads than CPUs: nobody has a place, and who waits must let others
  /// run.
  bool oversubscribed = false;
  /// Guards the places of the workers, and the CPU left to the caller.
  std::mutex placementMutex;
  int callerCPU = -1;
  /// With a worker for each CPU but the caller's, each has its own.
  bool havePlaces = false;
  std::vector<int> cpus;
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_THREADPOOL_H
