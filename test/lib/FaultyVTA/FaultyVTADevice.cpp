//===- FaultyVTADevice.cpp - An accelerator that is wrong -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes everything on to the library of which RELAY_FAULTY_VTA has the path,
// and then adds 1 to element 37 of what a kernel has computed, and more to 41.
// Tests see that this is found.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir-c/Device.h"

#include <cstdlib>
#include <dlfcn.h>

using GetDeviceAPIFn = const RelayDeviceAPI *(*)();

static const RelayDeviceAPI *getOther() {
  const char *path = getenv("RELAY_FAULTY_VTA");
  void *library = path ? dlopen(path, RTLD_NOW) : nullptr;
  void *symbol = library ? dlsym(library, "relayGetDeviceAPI") : nullptr;
  return symbol ? reinterpret_cast<GetDeviceAPIFn>(symbol)() : nullptr;
}

static const RelayDeviceAPI *other = getOther();

static RelayStatus launch(void *user, int32_t device, void *stream,
                          void *kernel, void *const *args, int32_t numArgs,
                          const int64_t *dims,
                          const RelayKernelContext *context) {
  RelayStatus status =
      other->launch(user, device, stream, kernel, args, numArgs, dims, context);
  if (status == RELAY_OK) {
    auto *result = static_cast<int8_t *>(args[numArgs - 1]);
    ++result[37];
    result[41] = static_cast<int8_t>(result[41] ^ 64);
  }
  return status;
}

extern "C" __attribute__((visibility("default"))) const RelayDeviceAPI *
relayGetDeviceAPI(void) {
  if (!other)
    return nullptr;
  static RelayDeviceAPI api = *other;
  api.launch = launch;
  return &api;
}
