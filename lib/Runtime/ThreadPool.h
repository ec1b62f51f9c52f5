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

  /// Runs body over [0, extent) in equal consecutive parts, one per thread. A
  /// call from inside a body, or while another thread uses the pool, runs on
  /// the calling thread alone.
  void parallelFor(RelayParallelBody body, void *const *args,
                   const int64_t *dims, int64_t extent);

private:
  struct Task {
    RelayParallelBody body;
    void *const *args;
    const int64_t *dims;
    int64_t extent;
    int numParts;
  };

  void work(int part);
  void wakeSleepers();
  void makeWay(int cpu);
  static void runPart(const Task &task, int part);

  /// Held by the thread whose loop is being run.
  std::mutex inUse;
  Task task = {};
  /// Counts loops; a new value tells the workers that `task` is new.
  alignas(64) std::atomic<uint64_t> epoch{0};
  /// Workers that have not yet finished the current loop.
  alignas(64) std::atomic<int> pending{0};
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
