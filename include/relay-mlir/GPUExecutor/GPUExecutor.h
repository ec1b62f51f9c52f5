//===- GPUExecutor.h - Runs GPU kernels in software -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the kernels of a gpu.module, as they are before they become NVVM, on the
// processor: blocks, threads, warps, shared memory, barriers and the operations
// on matrices. It looks at every access to memory and finds what a device does
// not tell: two threads at one location without a barrier between, what nobody
// has written, what lies out of bounds, barriers that not all threads reach.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_GPUEXECUTOR_GPUEXECUTOR_H
#define RELAY_MLIR_GPUEXECUTOR_GPUEXECUTOR_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <map>
#include <memory>

namespace mlir::relay {

namespace gpu_executor {
struct Kernel;
class Shadow;
} // namespace gpu_executor

/// The global memory of a device: allocations, each at an address that kernels
/// know and at a place of the host where its bytes are.
class GPUMemory {
public:
  struct Allocation {
    uint64_t address = 0;
    uint64_t bytes = 0;
    char *host = nullptr;
    /// What threads did to it; null if nobody looks.
    std::unique_ptr<gpu_executor::Shadow> shadow;
  };

  GPUMemory();
  ~GPUMemory();

  /// Adds `bytes` bytes at `host`, which kernels see at `address`. They must
  /// not overlap others. Races are no error in what is `shared` by design.
  void add(uint64_t address, void *host, uint64_t bytes, bool shared = false);
  /// The same, at the address that the host has.
  void add(void *host, uint64_t bytes) {
    add(reinterpret_cast<uint64_t>(host), host, bytes);
  }
  void remove(uint64_t address);

  /// The allocation that holds the address; null if none does.
  Allocation *find(uint64_t address);

  /// Forgets what threads did: all of it is over when a launch begins.
  void forget();

private:
  std::map<uint64_t, Allocation> allocations;
};

struct GPUExecutorOptions {
  /// A thread that runs more instructions than this has an infinite loop.
  uint64_t maxSteps = uint64_t(1) << 28;
  /// Whether to look for races and for what nobody has written.
  bool detect = true;
};

/// A launch of a kernel. A parameter is an integer, the bits of a float, or the
/// address of a memref or pointer; a memref takes no sizes.
struct GPULaunch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  uint64_t dynamicSharedBytes = 0;
  SmallVector<uint64_t> arguments;
};

/// The kernels of a gpu.module, in the form in which they run.
class GPUExecutor {
public:
  GPUExecutor(GPUExecutor &&);
  ~GPUExecutor();

  /// Prepares all kernels of the gpu.modules in `module`, which must outlive
  /// the result. Fails with a diagnostic at an operation that it does not know.
  static FailureOr<GPUExecutor> create(ModuleOp module,
                                       GPUExecutorOptions options = {});

  bool hasKernel(StringRef name) const { return kernels.count(name); }
  /// How many parameters a kernel has; it must exist.
  unsigned getNumParameters(StringRef name) const;

  /// Runs a kernel to its end. Fails with a diagnostic at the operation that
  /// does what it must not do, which names the block and the thread. One launch
  /// at a time may run on an executor and on a memory.
  LogicalResult launch(StringRef name, const GPULaunch &launch,
                       GPUMemory &memory);

private:
  GPUExecutor();

  GPUExecutorOptions options;
  llvm::StringMap<std::unique_ptr<gpu_executor::Kernel>> kernels;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_GPUEXECUTOR_GPUEXECUTOR_H
