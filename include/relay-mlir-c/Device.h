//===- Device.h - What drives a device --------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run time reaches devices through a RelayDeviceAPI: one for each kind,
// such as "cpu". A program registers one, or the run time looks for a shared
// object `librelay_device_<kind>.so` when a model that needs the kind is
// loaded: in the folders of the environment variable RELAY_DEVICE_PATH,
// separated by colons, and then where the system looks for libraries. It
// exports RELAY_DEVICE_API_SYMBOL, a RelayGetDeviceAPI. Plain C.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_C_DEVICE_H
#define RELAY_MLIR_C_DEVICE_H

#include "relay-mlir-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Changes whenever RelayDeviceAPI does. Version 2 has added clocks at its end,
/// version 3 checks of kernels, version 4 drivers that have a name, and
/// counters; the run time knows all.
#define RELAY_DEVICE_API_VERSION 4

/// What a shared object for a kind of devices exports.
#define RELAY_DEVICE_API_SYMBOL "relayGetDeviceAPI"

/// Functions that drive the devices of a kind. Devices are numbered from 0.
/// Every function may be called by several threads at once, for different
/// streams; `user` is its first argument. Functions return RELAY_OK, or another
/// status, whose reason `get_error` then tells the same thread. No member may
/// be null but `user`, check_kernel, load_module_for, get_counters and, all
/// four together, those of clocks.
typedef struct RelayDeviceAPI {
  /// RELAY_DEVICE_API_VERSION and sizeof(RelayDeviceAPI).
  uint32_t version;
  uint32_t struct_size;
  /// Letters, digits and underscores.
  const char *kind;
  void *user;

  /// One line of text about the last error of the calling thread.
  const char *(*get_error)(void *user);

  /// Stores how many devices there are. RELAY_INCOMPATIBLE says that this
  /// machine lacks what they need, such as a driver: models are loaded then,
  /// and fail with the reason when they are run.
  RelayStatus (*get_num_devices)(void *user, int32_t *count);

  /// Allocates memory on a device, aligned to RELAY_BUFFER_ALIGNMENT; `bytes`
  /// is not 0. Programs compute addresses in it, and read it through `copy`.
  RelayStatus (*allocate)(void *user, int32_t device, uint64_t bytes,
                          void **memory);
  /// All that uses the memory is over.
  RelayStatus (*release)(void *user, int32_t device, void *memory);

  /// Makes a queue of a device; what is put into it runs in order.
  RelayStatus (*create_stream)(void *user, int32_t device, void **stream);
  RelayStatus (*destroy_stream)(void *user, int32_t device, void *stream);
  /// Waits until everything in a stream has run.
  RelayStatus (*synchronize)(void *user, int32_t device, void *stream);

  /// Copies to the device from the host, to the host, and between two devices
  /// of the kind, in a stream of the first device that is named; without one,
  /// null, when a model is loaded, before there are streams. Memory of the host
  /// may be changed, or is complete, when the function returns.
  RelayStatus (*copy_from_host)(void *user, int32_t device, void *stream,
                                void *to, const void *from, uint64_t bytes);
  RelayStatus (*copy_to_host)(void *user, int32_t device, void *stream,
                              void *to, const void *from, uint64_t bytes);
  RelayStatus (*copy_across)(void *user, int32_t to_device, void *stream,
                             void *to, int32_t from_device, const void *from,
                             uint64_t bytes);

  /// Loads code, which stays where it is for as long as it is loaded, at an
  /// address aligned to RELAY_BUFFER_ALIGNMENT and with a zero after it. It is
  /// unloaded after the last run of its kernels.
  RelayStatus (*load_module)(void *user, int32_t device, const char *format,
                             const void *data, uint64_t size, void **module);
  RelayStatus (*unload_module)(void *user, int32_t device, void *module);
  /// Finds a kernel of a module by its name.
  RelayStatus (*get_kernel)(void *user, int32_t device, void *module,
                            const char *name, void **kernel);

  /// Puts a call of a kernel into a stream. `args` has the addresses of its
  /// buffers and `dims` their dynamic sizes, as RelayKernel says; both may
  /// change when the function returns. `context` lets kernels use the threads
  /// of the host, and may be used until the function returns.
  RelayStatus (*launch)(void *user, int32_t device, void *stream, void *kernel,
                        void *const *args, int32_t num_args,
                        const int64_t *dims, const RelayKernelContext *context);

  /// Clocks, of devices that know when what is in a stream runs: an event is a
  /// point of a stream, and has a time once the stream was there. Without them
  /// profiles take the time of the host, which waits after each call.
  RelayStatus (*create_event)(void *user, int32_t device, void **event);
  RelayStatus (*destroy_event)(void *user, int32_t device, void *event);
  RelayStatus (*record_event)(void *user, int32_t device, void *stream,
                              void *event);
  /// Stores the nanoseconds between two events whose streams were synchronized.
  RelayStatus (*get_elapsed_time)(void *user, int32_t device, void *start,
                                  void *end, int64_t *nanoseconds);

  /// Refuses a kernel that would read or write outside of its buffers: of a
  /// format that says how large they are. Called for each call of a model when
  /// it is loaded, with the bytes of what `args` will point to; UINT64_MAX of
  /// those whose sizes are only known at run time.
  RelayStatus (*check_kernel)(void *user, int32_t device, void *kernel,
                              const uint64_t *bytes, int32_t num_args);

  /// Loads code as load_module does, for one of several things that can run it,
  /// such as a simulator: the one that a user names (relayModuleLoadFor).
  RelayStatus (*load_module_for)(void *user, int32_t device, const char *driver,
                                 const char *format, const void *data,
                                 uint64_t size, void **module);

  /// Stores what was counted between two events of a stream, as they are for
  /// get_elapsed_time. The counters are those of the event `end`, and live
  /// until it is recorded again or destroyed. Only devices with a clock have
  /// some.
  RelayStatus (*get_counters)(void *user, int32_t device, void *start,
                              void *end, const RelayDeviceCounter **counters,
                              int32_t *count);
} RelayDeviceAPI;

/// What RELAY_DEVICE_API_SYMBOL is: returns an API that lives as long as the
/// process, or null if there can be none.
typedef const RelayDeviceAPI *(*RelayGetDeviceAPI)(void);

/// Registers what drives a kind of devices; models that are loaded later use
/// it. `api` lives as long as the process. Fails if it is not complete or of
/// another version, or if the kind has one already.
RELAY_RT_EXPORT RelayStatus relayRegisterDeviceAPI(const RelayDeviceAPI *api);

/// What drives devices of kind "cpu". The API for devices that share the
/// processors and the memory of the host may be a copy of it with another kind.
RELAY_RT_EXPORT const RelayDeviceAPI *relayGetCPUDeviceAPI(void);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // RELAY_MLIR_C_DEVICE_H
