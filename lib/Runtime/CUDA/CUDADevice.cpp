//===- CUDADevice.cpp - NVIDIA GPUs as devices ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// librelay_device_cuda.so: drives NVIDIA GPUs through their driver, which it
// loads when a model asks for devices. It needs nothing else of CUDA.
//
//===----------------------------------------------------------------------===//

#include "../Error.h"
#include "Stream.h"

using namespace relay_cuda;
using relay_rt::guard;

static thread_local std::string lastError;

/// Where `guard` leaves messages: each library has its own.
void relay_rt::setLastError(const std::string &message) { lastError = message; }

static Address toAddress(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

/// Calls `body` with a stream, or with the device's own.
template <typename Body>
static void withStream(int32_t device, void *stream, Body body) {
  if (stream)
    return body(*static_cast<Stream *>(stream));
  Device::get(device).withOwnStream([&](Stream &own) {
    body(own);
    own.synchronize();
  });
}

static RelayDeviceAPI makeAPI() {
  RelayDeviceAPI api = {};
  api.version = RELAY_DEVICE_API_VERSION;
  api.struct_size = sizeof(RelayDeviceAPI);
  api.kind = "cuda";
  api.get_error = [](void *) { return lastError.c_str(); };
  api.get_num_devices = [](void *, int32_t *count) {
    return guard([&] { *count = Driver::get().getNumDevices(); });
  };
  api.allocate = [](void *, int32_t device, uint64_t bytes, void **memory) {
    return guard([&] {
      *memory = reinterpret_cast<void *>(Device::get(device).allocate(bytes));
    });
  };
  api.release = [](void *, int32_t device, void *memory) {
    return guard([&] { Device::get(device).release(toAddress(memory)); });
  };
  api.create_stream = [](void *, int32_t device, void **stream) {
    return guard([&] { *stream = new Stream(Device::get(device)); });
  };
  api.destroy_stream = [](void *, int32_t, void *stream) {
    return guard([&] { delete static_cast<Stream *>(stream); });
  };
  api.synchronize = [](void *, int32_t device, void *stream) {
    return guard([&] {
      withStream(device, stream, [](Stream &s) { s.synchronize(); });
    });
  };
  api.copy_from_host = [](void *, int32_t device, void *stream, void *to,
                          const void *from, uint64_t bytes) {
    return guard([&] {
      withStream(device, stream, [&](Stream &s) {
        s.copyFromHost(toAddress(to), from, bytes);
      });
    });
  };
  api.copy_to_host = [](void *, int32_t device, void *stream, void *to,
                        const void *from, uint64_t bytes) {
    return guard([&] {
      withStream(device, stream,
                 [&](Stream &s) { s.copyToHost(to, toAddress(from), bytes); });
    });
  };
  api.copy_across = [](void *, int32_t toDevice, void *stream, void *to,
                       int32_t fromDevice, const void *from, uint64_t bytes) {
    return guard([&] {
      withStream(toDevice, stream, [&](Stream &s) {
        s.copyAcross(toAddress(to), Device::get(fromDevice), toAddress(from),
                     bytes);
      });
    });
  };
  api.load_module = [](void *, int32_t device, const char *format,
                       const void *data, uint64_t size, void **module) {
    return guard([&] {
      if (std::strcmp(format, kCodeFormat) != 0)
        relay_rt::fail(RELAY_INVALID_ARTIFACT, "expects code in the format '",
                       kCodeFormat, "', but got '", format, "'");
      *module = new Module(Device::get(device), data, size);
    });
  };
  api.unload_module = [](void *, int32_t, void *module) {
    return guard([&] { delete static_cast<Module *>(module); });
  };
  api.get_kernel = [](void *, int32_t, void *module, const char *name,
                      void **kernel) {
    return guard([&] {
      *kernel = const_cast<LoadedKernel *>(
          &static_cast<const Module *>(module)->find(name));
    });
  };
  api.launch = [](void *, int32_t device, void *stream, void *kernel,
                  void *const *args, int32_t numArgs, const int64_t *dims,
                  const RelayKernelContext *) {
    return guard([&] {
      static_cast<Stream *>(stream)->launch(
          *static_cast<const LoadedKernel *>(kernel), args, numArgs, dims);
    });
  };
  api.create_event = [](void *, int32_t device, void **event) {
    return guard(
        [&] { *event = Device::get(device).createEvent(/*hasTime=*/true); });
  };
  api.destroy_event = [](void *, int32_t device, void *event) {
    return guard(
        [&] { Device::get(device).destroyEvent(static_cast<Event>(event)); });
  };
  api.record_event = [](void *, int32_t, void *stream, void *event) {
    return guard([&] {
      static_cast<Stream *>(stream)->record(static_cast<Event>(event));
    });
  };
  api.get_elapsed_time = [](void *, int32_t device, void *start, void *end,
                            int64_t *nanoseconds) {
    return guard([&] {
      *nanoseconds = Device::get(device).getElapsedTime(
          static_cast<Event>(start), static_cast<Event>(end));
    });
  };
  return api;
}

extern "C" __attribute__((visibility("default"))) const RelayDeviceAPI *
relayGetDeviceAPI() {
  static const RelayDeviceAPI api = makeAPI();
  return &api;
}
