//===- ThreadPool.h - Threads that run parallel loops -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_THREADPOOL_H
#define RELAY_MLIR_LIB_RUNTIME_THREADPOOL_H

#include "relay-mlir/Runtime/KernelABI.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace relay_rt {

/// A fixed set of threads for fork-join loops. The caller is one of them.
/// Workers spin while a model runs, since the next kernel follows within
/// microseconds, and for a moment after; then they sleep.
class ThreadPool {
public:
  /// The pool of the process, created at its first use. Throws if
  /// RELAY_NUM_THREADS is not a number of threads.
  static std::shared_ptr<ThreadPool> get();

  /// Replaces the pool of the process by one of `numThreads` threads; runs that
  /// have begun keep theirs.
  static void setNumThreads(int numThreads);

  explicit ThreadPool(int numThreads);
  ~ThreadPool();

  /// Keeps the workers awake while it lives: the run of one model.
  class Run {
  public:
    explicit Run(ThreadPool &pool);
    ~Run() { pool.activeRuns.fetch_sub(1); }
    Run(const Run &) = delete;

  private:
    ThreadPool &pool;
  };

  int getNumThreads() const { return static_cast<int>(workers.size()) + 1; }

  /// The number of the calling thread: 0 unless it is a worker.
  static int getThread();

  /// Runs body over [0, extent) in equal consecutive parts, one per thread, in
  /// several pieces each. Who is done takes pieces from the end of the others'
  /// parts: a thread that the system delays, or that still sleeps, holds up
  /// nobody. A call from inside a body, or while another thread uses the pool,
  /// runs on the calling thread alone.
  void parallelFor(RelayParallelBody body, void *const *args,
                   const int64_t *dims, int64_t extent);

private:
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

  void work(int self);
  void wakeSleepers();
  void makeWay(int cpu);
  void runPieces(int self);
  bool join(uint64_t &gate);

  /// Held by the thread whose loop is being run.
  std::mutex inUse;
  Task task = {};
  std::vector<Part> parts;
  /// The number of the loop in the upper 32 bits, whether workers may still
  /// join it, and in the lowest bits how many are in it.
  static constexpr uint64_t kOpen = uint64_t(1) << 31;
  static constexpr uint64_t kCountMask = kOpen - 1;
  static uint64_t getEpoch(uint64_t gate) { return gate >> 32; }
  alignas(64) std::atomic<uint64_t> gate{0};
  alignas(64) std::atomic<int> sleepers{0};
  std::atomic<int> activeRuns{0};
  /// More threads than CPUs: who waits must let others run.
  bool oversubscribed = false;
  std::atomic<bool> stopping{false};
  std::mutex sleepMutex;
  std::condition_variable wakeUp;
  std::vector<std::thread> workers;
  /// The CPU that each worker is pinned to, and the one left to the caller.
  std::mutex placementMutex;
  std::vector<int> workerCPUs;
  int callerCPU = -1;
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_THREADPOOL_H
