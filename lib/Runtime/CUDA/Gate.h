//===- Gate.h - What holds a stream back ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events around a kernel tell how long it takes only if the device has it
// already when the first one is over: otherwise they tell how long the host
// took to launch it, which is longer than many a kernel. So a stream whose
// times are taken waits at a gate until all is in it.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CUDA_GATE_H
#define RELAY_MLIR_LIB_RUNTIME_CUDA_GATE_H

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace relay_cuda {

class Gate {
public:
  void close() {
    std::lock_guard<std::mutex> lock(mutex);
    isOpen = false;
  }
  void open() {
    std::lock_guard<std::mutex> lock(mutex);
    isOpen = true;
    condition.notify_all();
  }

  /// Called by the driver: waits until the gate is open. Some calls of the
  /// driver wait for streams, so that it may stay closed: not for long.
  static void wait(void *self) {
    auto *gate = static_cast<Gate *>(self);
    std::unique_lock<std::mutex> lock(gate->mutex);
    gate->condition.wait_for(lock, std::chrono::milliseconds(20),
                             [&] { return gate->isOpen; });
  }

private:
  std::mutex mutex;
  std::condition_variable condition;
  bool isOpen = true;
};

} // namespace relay_cuda

#endif // RELAY_MLIR_LIB_RUNTIME_CUDA_GATE_H
