//===- Stream.h - A queue of a device ---------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CUDA_STREAM_H
#define RELAY_MLIR_LIB_RUNTIME_CUDA_STREAM_H

#include "Gate.h"
#include "Module.h"
#include "Replay.h"

#include <array>

namespace relay_cuda {

/// Used by one thread at a time.
class Stream {
public:
  explicit Stream(Device &device);
  ~Stream();
  Stream(const Stream &) = delete;

  /// Memory of the host may be changed, or is complete, when these return.
  void copyFromHost(Address to, const void *from, uint64_t bytes);
  void copyToHost(void *to, Address from, uint64_t bytes);
  /// From this or another device.
  void copyAcross(Address to, Device &fromDevice, Address from, uint64_t bytes);

  /// `args` and `dims` may be changed when this returns. Allocates nothing once
  /// the stream has launched as many kernels before.
  void launch(const LoadedKernel &kernel, void *const *args, int32_t numArgs,
              const int64_t *dims);

  /// Puts an event into the stream, whose time is looked at.
  void record(Event event);

  /// Throws if a kernel since the last time failed or found an index out of
  /// range.
  void synchronize();

private:
  struct Staging {
    char *memory = nullptr;
    Event event = nullptr;
    bool isBusy = false;
  };

  void check(Result result, const char *what) const;
  std::string describeLaunched() const;
  void prepareStaging();
  void readStatus();
  void finish();

  void launchNow(const LoadedKernel &kernel, void *const *args,
                 const int64_t *dims);
  void launchGrid(const LoadedKernel &kernel, const Launch &launch,
                  Function function, const int64_t *dims);
  void closeGate();
  void openGate();
  void noteLaunch(const LoadedKernel &kernel);
  /// Hands what was matched to the driver.
  void submitMatched();
  /// Lets the device begin with everything that was launched.
  void flush();
  /// Makes a graph of what is recorded.
  void makeGraph();

  Device &device;
  const Driver &driver;
  StreamHandle stream = nullptr;

  /// Copies go through these in turn; so many bytes of the current one are in
  /// use.
  std::array<Staging, 2> staging;
  size_t current = 0, usedBytes = 0;

  /// Where kernels say that something is wrong, and a copy of it.
  Address status = 0;
  uint32_t *pinnedStatus = nullptr;
  /// Whether there is something to wait for, and something to read there.
  bool isIdle = true, mayHaveStatus = false;

  /// What was launched since the stream was idle: how many kernels, the last
  /// ones of them, and the module of all.
  uint64_t numLaunched = 0;
  std::array<const LoadedKernel *, 16> lastLaunched = {};
  const Module *launchedModule = nullptr;

  /// Holds the stream back while its times are taken: whether it does, and how
  /// many events are behind it. The end of a copy to the host needs none.
  std::unique_ptr<Gate> gate = std::make_unique<Gate>();
  bool isGateClosed = false, hasCopiedToHost = false;
  size_t numGated = 0;

  /// Room for addresses of parameters.
  std::vector<void *> parameters;

  /// Launches since the last flush, and graphs of such sequences.
  bool useGraphs;
  Recording recording;
  ReplayCache replays;
};

} // namespace relay_cuda

#endif // RELAY_MLIR_LIB_RUNTIME_CUDA_STREAM_H
