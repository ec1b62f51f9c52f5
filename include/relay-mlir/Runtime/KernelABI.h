//===- KernelABI.h - How kernels are called ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C types that compiled kernels and the run time agree on. Plain C: it is
// included by the run time, by its users and by the code generator's tests.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_KERNELABI_H
#define RELAY_MLIR_RUNTIME_KERNELABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RelayKernelContext RelayKernelContext;

/// The body of a parallel loop: runs the iterations [begin, end). `args` and
/// `dims` are those of the kernel it belongs to.
typedef void (*RelayParallelBody)(void *const *args, const int64_t *dims,
                                  int64_t begin, int64_t end);

/// A kernel. `args` holds one pointer to row-major contiguous data per buffer:
/// inputs, then outputs, then workspaces. `dims` holds the sizes of all dynamic
/// dimensions of these buffers, in order of buffer and dimension, one entry for
/// each occurrence. Returns 0, or a RelayKernelError; an error ends the kernel,
/// whose outputs are then undefined.
typedef int32_t (*RelayKernel)(void *const *args, const int64_t *dims,
                               const RelayKernelContext *context);

/// What kernels find wrong with their data. Values are part of the artefact
/// format, and at most 255.
typedef enum RelayKernelError {
  /// The data are not what the operator expects;
  /// RelayKernelContext::expectation says what that is.
  RELAY_KERNEL_CHECK_FAILED = 1,
  /// A device refused a call or a copy; the run time knows why.
  RELAY_KERNEL_DEVICE_FAILED = 2,
  /// A function of strings refused what it got; the run time knows why.
  RELAY_KERNEL_STRING_FAILED = 3,
  /// A packed function failed, or is not there; the run time knows why.
  RELAY_KERNEL_PACKED_FAILED = 4,
} RelayKernelError;

/// What a program has on a device: memory for its intermediate values, and its
/// constants.
typedef struct RelayDeviceMemory {
  void *arena;
  const void *weights;
} RelayDeviceMemory;

/// What a kernel may ask of its surroundings. The layout is part of the
/// artefact format: members are only ever added at the end.
struct RelayKernelContext {
  /// Runs `body` over [0, extent), split among the threads, which take over the
  /// parts of others when they are done, and returns when all iterations have
  /// run.
  int32_t (*parallel_for)(const RelayKernelContext *context,
                          RelayParallelBody body, void *const *args,
                          const int64_t *dims, int64_t extent);

  /// If not null: called after each kernel call of a program with the number
  /// of that call (the index into RelayArtifact::calls).
  void (*observer)(const RelayKernelContext *context, int64_t call_index,
                   void *const *args, const int64_t *dims);

  /// For the observer's owner.
  void *observer_data;

  /// For the owner of parallel_for.
  void *thread_pool;

  /// Runs call `call_index` of a program, which is not for the host: a kernel
  /// on another device, or a copy of `bytes` bytes from `args[0]` to `args[1]`.
  /// Returns 0 or a RelayKernelError.
  int32_t (*call_device)(const RelayKernelContext *context, int64_t call_index,
                         void *const *args, const int64_t *dims, int64_t bytes);

  /// By the numbers of RelayArtifact::devices; the first, the host's, is not
  /// used.
  const RelayDeviceMemory *devices;

  /// For the owner of call_device.
  void *device_run;

  /// Where a kernel that returns RELAY_KERNEL_CHECK_FAILED leaves what it
  /// expects, such as "expects indices within the data". The text lives as long
  /// as the kernel's code. Never null.
  const char **expectation;

  /// Calls a RelayStringFunction (relay-mlir-c/Strings.h) with the strings of
  /// the run, and stores its result. Returns 0 or a RelayKernelError.
  int32_t (*call_string_function)(const RelayKernelContext *context,
                                  int32_t function, const int64_t *args,
                                  int32_t num_args, int64_t *result);

  /// For the owner of call_string_function.
  void *strings;

  /// Runs call `call_index` of a program, which is one of a packed function
  /// (relay-mlir-c/Functions.h), in destination-passing style. `dims` are the
  /// sizes that RelayArtifactCall leaves open. Returns 0 or a RelayKernelError.
  int32_t (*call_packed)(const RelayKernelContext *context, int64_t call_index,
                         void *const *args, const int64_t *dims);

  /// For the owner of call_packed.
  void *packed_run;
};

#ifdef __cplusplus
} // extern "C"
#endif

#endif // RELAY_MLIR_RUNTIME_KERNELABI_H
