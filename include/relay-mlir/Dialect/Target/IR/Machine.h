//===- Machine.h - What targets tell of their machine -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TARGET_IR_MACHINE_H
#define RELAY_MLIR_DIALECT_TARGET_IR_MACHINE_H

#include "mlir/Support/LLVM.h"

namespace mlir::relay {

/// How iterations of a loop run at once.
enum class Threading {
  /// They do not.
  None,
  /// A parallel loop, which has no loop around it, is shared out to a pool of
  /// threads.
  Pool,
  /// Loops are bound to the threads of a launch, such as `threadIdx.x`.
  Grid
};

/// Who sees a buffer in a memory.
enum class MemorySharing {
  /// One thread: each iteration of a parallel loop has its own.
  Thread,
  /// All threads of a kernel.
  Kernel
};

/// How buffers in a memory are reached.
enum class MemoryAccess {
  /// By loads and stores at the addresses of the default memory, as the stack.
  Flat,
  /// By loads and stores of its own.
  Elements,
  /// By instructions of the target alone, which kernels get by tensorization.
  Instructions
};

/// A memory of a target, besides the default one, which arguments and
/// workspaces of kernels lie in.
struct MemoryInfo {
  /// The name in `#target.memory` and in schedules; lives as long as the
  /// target.
  StringRef name;
  MemorySharing sharing = MemorySharing::Kernel;
  MemoryAccess access = MemoryAccess::Elements;
  /// What all buffers of a kernel may take, or 0 for no limit.
  int64_t numBytes = 0;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_TARGET_IR_MACHINE_H
