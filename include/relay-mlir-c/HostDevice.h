//===- HostDevice.h - A library of kernels as a device ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever runs kernels on the processor, in the memory of the host, needs most
// of RelayDeviceAPI for nothing but memcpy. RELAY_DEFINE_HOST_DEVICE makes all
// of it of four functions, those that load code and run it:
//
//   static RelayStatus load(const char *format, const void *data, uint64_t
//   size,
//                           void **module);
//   static RelayStatus unload(void *module);
//   static RelayStatus find(void *module, const char *name, void **kernel);
//   static RelayStatus run(void *kernel, void *const *args, int32_t numArgs,
//                          const int64_t *dims,
//                          const RelayKernelContext *context);
//   RELAY_DEFINE_HOST_DEVICE("mine", load, unload, find, run)
//
// A file with these is all of `librelay_device_mine.so`, and links nothing: a
// copy of relayGetCPUDeviceAPI() would need the run time. The functions are
// what RelayDeviceAPI says of load_module, unload_module, get_kernel and
// launch, and may be called by several threads at once. `return
// relayHostDeviceFail(status, "format", ...)` says what is wrong. Plain C.
//
// RELAY_DEFINE_CHECKED_HOST_DEVICE takes a fifth one, check_kernel, for code
// that says how large the buffers are:
//
//   static RelayStatus check(void *kernel, const uint64_t *bytes,
//                            int32_t numArgs);
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_C_HOSTDEVICE_H
#define RELAY_MLIR_C_HOSTDEVICE_H

#include "relay-mlir-c/Device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define RELAY_HOST_DEVICE_EXPORT                                               \
  extern "C" __attribute__((visibility("default")))
#else
#define RELAY_HOST_DEVICE_EXPORT __attribute__((visibility("default")))
#endif

static __thread char relayHostDeviceError[256];

/// Remembers one line about an error of this thread. Returns `status`.
__attribute__((format(printf, 2, 3))) static inline RelayStatus
relayHostDeviceFail(RelayStatus status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(relayHostDeviceError, sizeof(relayHostDeviceError), format, args);
  va_end(args);
  return status;
}

static inline const char *relayHostDeviceGetError(void *user) {
  (void)user;
  return relayHostDeviceError;
}

static inline RelayStatus relayHostDeviceCount(void *user, int32_t *count) {
  (void)user;
  *count = 1;
  return RELAY_OK;
}

static inline RelayStatus relayHostDeviceAllocate(void *user, int32_t device,
                                                  uint64_t bytes,
                                                  void **memory) {
  (void)user;
  (void)device;
  if (posix_memalign(memory, RELAY_BUFFER_ALIGNMENT, bytes) != 0)
    return relayHostDeviceFail(RELAY_OUT_OF_MEMORY,
                               "there is no memory for %llu bytes",
                               (unsigned long long)bytes);
  return RELAY_OK;
}

static inline RelayStatus relayHostDeviceRelease(void *user, int32_t device,
                                                 void *memory) {
  (void)user;
  (void)device;
  free(memory);
  return RELAY_OK;
}

/// Everything has run when a function returns, so that streams are nothing.
static inline RelayStatus
relayHostDeviceCreateStream(void *user, int32_t device, void **stream) {
  (void)user;
  (void)device;
  *stream = NULL;
  return RELAY_OK;
}

static inline RelayStatus relayHostDeviceOnStream(void *user, int32_t device,
                                                  void *stream) {
  (void)user;
  (void)device;
  (void)stream;
  return RELAY_OK;
}

static inline RelayStatus relayHostDeviceCopy(void *user, int32_t device,
                                              void *stream, void *to,
                                              const void *from,
                                              uint64_t bytes) {
  (void)user;
  (void)device;
  (void)stream;
  memcpy(to, from, bytes);
  return RELAY_OK;
}

static inline RelayStatus
relayHostDeviceCopyAcross(void *user, int32_t device, void *stream, void *to,
                          int32_t other, const void *from, uint64_t bytes) {
  (void)other;
  return relayHostDeviceCopy(user, device, stream, to, from, bytes);
}

/// What both ways to define a device have in common; `check` is the member.
#define RELAY_DEFINE_HOST_DEVICE_API(kind, load, unload, find, run, check)     \
  static RelayStatus relayHostDeviceLoad(void *user, int32_t device,           \
                                         const char *format, const void *data, \
                                         uint64_t size, void **module) {       \
    (void)user;                                                                \
    (void)device;                                                              \
    return load(format, data, size, module);                                   \
  }                                                                            \
  static RelayStatus relayHostDeviceUnload(void *user, int32_t device,         \
                                           void *module) {                     \
    (void)user;                                                                \
    (void)device;                                                              \
    return unload(module);                                                     \
  }                                                                            \
  static RelayStatus relayHostDeviceFind(void *user, int32_t device,           \
                                         void *module, const char *name,       \
                                         void **kernel) {                      \
    (void)user;                                                                \
    (void)device;                                                              \
    return find(module, name, kernel);                                         \
  }                                                                            \
  static RelayStatus relayHostDeviceLaunch(                                    \
      void *user, int32_t device, void *stream, void *kernel,                  \
      void *const *args, int32_t numArgs, const int64_t *dims,                 \
      const RelayKernelContext *context) {                                     \
    (void)user;                                                                \
    (void)device;                                                              \
    (void)stream;                                                              \
    return run(kernel, args, numArgs, dims, context);                          \
  }                                                                            \
  RELAY_HOST_DEVICE_EXPORT const RelayDeviceAPI *relayGetDeviceAPI(void) {     \
    static const RelayDeviceAPI api = {RELAY_DEVICE_API_VERSION,               \
                                       sizeof(RelayDeviceAPI),                 \
                                       kind,                                   \
                                       NULL,                                   \
                                       relayHostDeviceGetError,                \
                                       relayHostDeviceCount,                   \
                                       relayHostDeviceAllocate,                \
                                       relayHostDeviceRelease,                 \
                                       relayHostDeviceCreateStream,            \
                                       relayHostDeviceOnStream,                \
                                       relayHostDeviceOnStream,                \
                                       relayHostDeviceCopy,                    \
                                       relayHostDeviceCopy,                    \
                                       relayHostDeviceCopyAcross,              \
                                       relayHostDeviceLoad,                    \
                                       relayHostDeviceUnload,                  \
                                       relayHostDeviceFind,                    \
                                       relayHostDeviceLaunch,                  \
                                       NULL,                                   \
                                       NULL,                                   \
                                       NULL,                                   \
                                       NULL,                                   \
                                       check,                                  \
                                       NULL,                                   \
                                       NULL};                                  \
    return &api;                                                               \
  }

#define RELAY_DEFINE_HOST_DEVICE(kind, load, unload, find, run)                \
  RELAY_DEFINE_HOST_DEVICE_API(kind, load, unload, find, run, NULL)

#define RELAY_DEFINE_CHECKED_HOST_DEVICE(kind, load, unload, find, run, check) \
  static RelayStatus relayHostDeviceCheck(void *user, int32_t device,          \
                                          void *kernel, const uint64_t *bytes, \
                                          int32_t numArgs) {                   \
    (void)user;                                                                \
    (void)device;                                                              \
    return check(kernel, bytes, numArgs);                                      \
  }                                                                            \
  RELAY_DEFINE_HOST_DEVICE_API(kind, load, unload, find, run,                  \
                               relayHostDeviceCheck)

#endif // RELAY_MLIR_C_HOSTDEVICE_H
