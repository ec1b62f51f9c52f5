//===- CPUSet.h - The CPUs of a process and its threads ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CPUSET_H
#define RELAY_MLIR_LIB_RUNTIME_CPUSET_H

#include <pthread.h>

#include <string>
#include <time.h>
#include <vector>

namespace relay_rt {

/// Returns the numbers of the CPUs that the calling thread may use, in order;
/// at least one.
std::vector<int> getUsableCPUs();

/// Returns how many CPUs' time the control groups of the process grant it, 0 if
/// there is no limit. `root` is where the file system begins.
double getCPUQuota(const std::string &root = "");

/// Lets the thread run on these CPUs only. Failure costs speed only.
void setAffinity(pthread_t thread, const std::vector<int> &cpus);

/// Returns the system's number of the calling thread.
int getThreadId();

/// Tells whether another thread is on a CPU, from the time that it has used.
class ThreadClock {
public:
  ThreadClock() = default;
  /// The thread may have ended.
  explicit ThreadClock(int threadId);

  /// Whether the thread has run since the last call, which should be a few
  /// microseconds ago. True if the system does not tell.
  bool hasAdvanced();

private:
  bool isKnown = false;
  clockid_t clock = 0;
  timespec last = {};
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_CPUSET_H
