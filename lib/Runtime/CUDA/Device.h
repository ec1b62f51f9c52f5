//===- Device.h - One NVIDIA device -----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CUDA_DEVICE_H
#define RELAY_MLIR_LIB_RUNTIME_CUDA_DEVICE_H

#include "Driver.h"
#include "Gate.h"

#include "relay-mlir-c/Device.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace relay_cuda {

class Stream;

/// A device and its primary context, which other users of the driver in this
/// process share. All functions throw errors of the run time, and may be called
/// by several threads.
class Device {
public:
  /// Throws if there is no driver or no such device.
  static Device &get(int32_t index);

  const Driver &driver;
  const int32_t index;
  Context context = nullptr;
  std::string name;
  int major = 0, minor = 0;
  /// Bytes of shared memory that a block may have.
  int maxSharedBytes = 0;
  bool hasClusters = false;

  /// Throws if the device is lost.
  void checkAlive() const;
  bool isLost() const { return lost.load(std::memory_order_acquire); }

  /// Throws if `result` is an error, which happened while the driver did
  /// `what`. Errors after which no call succeeds any more mark the device as
  /// lost; `kernels`, if not empty, says which kernels may be the reason.
  void check(Result result, const char *what,
             const std::string &kernels = {}) const {
    if (result != kSuccess)
      fail(result, what, kernels);
  }
  [[noreturn]] void fail(Result result, const char *what,
                         const std::string &kernels = {}) const;

  /// Memory of the device, aligned to 256 bytes. All that uses it must be over
  /// when it is released.
  Address allocate(uint64_t bytes);
  void release(Address address);

  /// How many bytes a piece of memory of the host has that the device copies
  /// from and to directly.
  static constexpr size_t kStagingBytes = size_t(4) << 20;
  char *takeStaging();
  void giveStaging(char *memory);
  /// As few bytes as wanted, for as long as the process lives or until freed.
  void *allocatePinned(size_t bytes);
  void freePinned(void *memory);

  /// Keeps the gate of a stream that is gone while the driver may still have
  /// something to do with it.
  void keepGate(std::unique_ptr<Gate> gate);

  Event createEvent(bool hasTime) const;
  void destroyEvent(Event event) const;
  /// Nanoseconds between events that are over.
  int64_t getElapsedTime(Event start, Event end) const;

  /// Lets another device read memory of this one, if they can.
  void allowAccess(const Device &peer);

  /// Calls a function with the stream of the device for those who have none;
  /// its work is over when this returns.
  template <typename Body>
  void withOwnStream(Body body) {
    std::lock_guard<std::mutex> lock(ownStreamMutex);
    body(getOwnStream());
  }

private:
  Device(const Driver &driver, int32_t index);
  Stream &getOwnStream();
  Result tryAllocate(uint64_t bytes, Address &address);
  [[noreturn]] void failFull(uint64_t bytes);

  DeviceNumber number = 0;
  mutable std::atomic<bool> lost{false};
  mutable std::mutex lostMutex;
  mutable std::string lostReason;

  std::mutex memoryMutex;
  /// Null if the driver has no pools for this device.
  MemoryPool pool = nullptr;
  StreamHandle memoryStream = nullptr;
  std::unordered_map<Address, uint64_t> blocks;
  uint64_t usedBytes = 0;
  std::vector<int32_t> peers;

  std::mutex stagingMutex;
  std::vector<char *> freeStaging;
  std::vector<std::unique_ptr<Gate>> keptGates;

  std::mutex ownStreamMutex;
  std::unique_ptr<Stream> ownStream;
};

/// Makes the context of a device the current one of this thread, and afterwards
/// what it was before.
class ContextScope {
public:
  explicit ContextScope(const Device &device) : driver(device.driver) {
    Context current = nullptr;
    if (driver.ctxGetCurrent(&current) == kSuccess && current == device.context)
      return;
    device.check(driver.ctxPushCurrent(device.context), "use its context");
    isPushed = true;
  }
  ~ContextScope() {
    Context popped;
    if (isPushed)
      (void)driver.ctxPopCurrent(&popped);
  }
  ContextScope(const ContextScope &) = delete;

private:
  const Driver &driver;
  bool isPushed = false;
};

} // namespace relay_cuda

#endif // RELAY_MLIR_LIB_RUNTIME_CUDA_DEVICE_H
