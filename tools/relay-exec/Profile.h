//===- Profile.h - Where the time of a run goes -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_EXEC_PROFILE_H
#define RELAY_MLIR_TOOLS_RELAY_EXEC_PROFILE_H

#include "relay-mlir-c/Runtime.h"

#include <vector>

namespace relay_exec {

double getMedian(std::vector<double> values);

/// Times of the calls of a model.
class Profile {
public:
  /// Has `module` watched, until this goes.
  explicit Profile(RelayModule *module);
  ~Profile();
  Profile(const Profile &) = delete;

  void startRun();
  void endRun();

  /// The median over runs of the time that kernels on devices with a clock
  /// took, in seconds; negative without such devices.
  double getDeviceSeconds() const;

  /// Prints a row for each kernel; `flops` and `bytes` are by call.
  void print(const std::vector<int64_t> &flops,
             const std::vector<int64_t> &bytes) const;

private:
  RelayModule *module;
  const RelayArtifact &artifact;
  bool hasClock = false;
  int64_t lastTime = 0;
  /// Seconds of each call in the run at hand, and whether a device told them.
  std::vector<double> seconds;
  std::vector<bool> isTold;
  /// By run and call.
  std::vector<std::vector<double>> runs;
};

} // namespace relay_exec

#endif // RELAY_MLIR_TOOLS_RELAY_EXEC_PROFILE_H
