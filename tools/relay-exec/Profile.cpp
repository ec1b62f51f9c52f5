//===- Profile.cpp - Where the time of a run goes -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

using namespace relay_exec;

double relay_exec::getMedian(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

static int64_t getTime() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Profile::Profile(RelayModule *module)
    : module(module), artifact(*relayModuleGetArtifact(module)) {
  relayModuleSetObserver(
      module,
      [](void *user, int64_t call, void *const *, const int64_t *) {
        auto *self = static_cast<Profile *>(user);
        int64_t now = getTime();
        if (call >= 0)
          self->seconds[static_cast<size_t>(call)] +=
              static_cast<double>(now - self->lastTime) * 1e-9;
        self->lastTime = now;
      },
      this);
  relayModuleSetDeviceObserver(
      module,
      [](void *user, int64_t call, int64_t start, int64_t end) {
        auto *self = static_cast<Profile *>(user);
        auto i = static_cast<size_t>(call);
        // In place of when the host put it into a stream.
        if (!self->isTold[i])
          self->seconds[i] = 0;
        self->isTold[i] = true;
        self->seconds[i] += static_cast<double>(end - start) * 1e-9;
      },
      this);
}

Profile::~Profile() {
  relayModuleSetObserver(module, nullptr, nullptr);
  relayModuleSetDeviceObserver(module, nullptr, nullptr);
}

void Profile::startRun() {
  seconds.assign(static_cast<size_t>(artifact.num_calls), 0);
  isTold.assign(seconds.size(), false);
}

void Profile::endRun() {
  runs.push_back(seconds);
  hasClock |= std::count(isTold.begin(), isTold.end(), true) != 0;
}

double Profile::getDeviceSeconds() const {
  if (!hasClock)
    return -1;
  std::vector<double> sums;
  for (const std::vector<double> &run : runs) {
    sums.push_back(0);
    for (size_t i = 0; i != run.size(); ++i)
      if (isTold[i] && artifact.calls[i].source_device < 0)
        sums.back() += run[i];
  }
  return getMedian(sums);
}

void Profile::print(const std::vector<int64_t> &flops,
                    const std::vector<int64_t> &bytes) const {
  struct Row {
    std::string name, device;
    int calls = 0;
    std::vector<double> sums;
    double flops = 0, bytes = 0, median = 0;
  };
  std::map<std::string, Row> byName;
  for (size_t i = 0; i != seconds.size(); ++i) {
    const RelayArtifactCall &call = artifact.calls[i];
    const RelayArtifactDevice &device = artifact.devices[call.device];
    std::string place =
        std::string(device.kind) + ":" + std::to_string(device.index);
    Row &row = byName[place + " " + call.kernel];
    row.name = call.function;
    row.device = place;
    ++row.calls;
    row.sums.resize(runs.size());
    for (size_t run = 0; run != runs.size(); ++run)
      row.sums[run] += runs[run][i];
    // Unknown ones, -1, make the sum unknown.
    auto add = [](double &sum, int64_t count) {
      sum = sum < 0 || count < 0 ? -1 : sum + static_cast<double>(count);
    };
    add(row.flops, flops[i]);
    add(row.bytes, bytes[i]);
  }
  std::vector<Row> rows;
  double total = 0;
  size_t width = 12;
  for (auto &entry : byName) {
    rows.push_back(std::move(entry.second));
    rows.back().median = getMedian(rows.back().sums);
    total += rows.back().median;
    width = std::max(width, rows.back().name.size());
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row &a, const Row &b) { return a.median > b.median; });
  std::printf("  %-*s %-8s %5s %11s %6s %9s %9s\n", static_cast<int>(width),
              "kernel", "device", "calls", "median us", "share", "GFLOP/s",
              "GB/s");
  auto printRate = [](double count, double seconds) {
    if (count >= 0 && seconds > 0)
      std::printf(" %9.1f", count / seconds / 1e9);
    else
      std::printf(" %9s", "-");
  };
  for (const Row &row : rows) {
    std::printf("  %-*s %-8s %5d %11.1f %5.1f%%", static_cast<int>(width),
                row.name.c_str(), row.device.c_str(), row.calls,
                row.median * 1e6, total > 0 ? row.median / total * 100 : 0);
    printRate(row.flops, row.median);
    printRate(row.bytes, row.median);
    std::printf("\n");
  }
}
