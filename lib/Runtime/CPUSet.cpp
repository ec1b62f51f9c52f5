//===- CPUSet.cpp - The CPUs of a process and its threads -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUSet.h"

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace relay_rt;

std::vector<int> relay_rt::getUsableCPUs() {
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

void relay_rt::setAffinity(pthread_t thread, const std::vector<int> &cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus)
    CPU_SET(cpu, &set);
  pthread_setaffinity_np(thread, sizeof(set), &set);
}

//===----------------------------------------------------------------------===//
// Control groups
//===----------------------------------------------------------------------===//

namespace {
/// Where the file system of control groups with limits of CPU time lies, and
/// the path of the process's group in it.
struct ControlGroup {
  std::string mountPoint;
  std::string path;
  bool isUnified = false;
};
} // namespace

static bool hasItem(const std::string &list, const std::string &item) {
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');)
    if (part == item)
      return true;
  return false;
}

/// The groups of both kinds that could limit the process.
static std::vector<ControlGroup> findGroups(const std::string &root) {
  std::string unifiedPath, cpuPath;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // hierarchy:controllers:path
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty())
      unifiedPath = line.substr(second + 1);
    else if (hasItem(controllers, "cpu"))
      cpuPath = line.substr(second + 1);
  }
  std::vector<ControlGroup> found;
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    // id parent device root mount-point options... - type source super-options
    std::istringstream fields(line);
    std::string skipped, mountRoot, mountPoint, field, type, source, options;
    fields >> skipped >> skipped >> skipped >> mountRoot >> mountPoint;
    while (fields >> field && field != "-")
      ;
    fields >> type >> source >> options;
    bool isUnified = type == "cgroup2";
    if (!isUnified && !(type == "cgroup" && hasItem(options, "cpu")))
      continue;
    std::string path = isUnified ? unifiedPath : cpuPath;
    // In a container, the mount shows the part of the tree below its root.
    if (mountRoot != "/" && path.compare(0, mountRoot.size(), mountRoot) == 0)
      path = path.substr(mountRoot.size());
    found.push_back({root + mountPoint, path, isUnified});
  }
  return found;
}

/// The limit that one group sets, 0 if it sets none.
static double readQuota(const std::string &folder, bool isUnified) {
  double quota = -1, period = 0;
  if (isUnified) {
    // "max 100000" fails to read as a number.
    std::ifstream(folder + "/cpu.max") >> quota >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

double relay_rt::getCPUQuota(const std::string &root) {
  double least = 0;
  for (ControlGroup &group : findGroups(root)) {
    // Each group limits all below it.
    std::string path = group.path;
    while (true) {
      double quota = readQuota(group.mountPoint + path, group.isUnified);
      if (quota > 0 && (least == 0 || quota < least))
        least = quota;
      size_t slash = path.rfind('/');
      if (slash == std::string::npos)
        break;
      path.erase(slash);
    }
  }
  return least;
}

//===----------------------------------------------------------------------===//
// ThreadClock
//===----------------------------------------------------------------------===//

int relay_rt::getThreadId() {
  static thread_local const int id = static_cast<int>(syscall(SYS_gettid));
  return id;
}

/// The clock's number is part of the kernel's interface. pthread_getcpuclockid
/// makes the same one, but must not be asked about a thread that has ended.
ThreadClock::ThreadClock(int threadId)
    : isKnown(threadId != 0),
      clock(static_cast<clockid_t>(~static_cast<unsigned>(threadId) << 3 | 6)) {
}

bool ThreadClock::hasAdvanced() {
  timespec now;
  if (!isKnown || clock_gettime(clock, &now) != 0)
    return true;
  bool advanced = now.tv_sec != last.tv_sec || now.tv_nsec != last.tv_nsec;
  last = now;
  return advanced;
}
