//===- FakeDevices.cpp - Devices and contexts of the driver ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstring>

using namespace relay_cuda;

RELAY_CUDA_FUNCTIONS(FAKE_DECLARE)

Result cuInit(unsigned flags) {
  return static_cast<Result>(get().fake.initResult);
}

Result cuDriverGetVersion(int *version) {
  *version = get().fake.version;
  return kSuccess;
}

Result cuGetErrorName(Result result, const char **name) {
  *name = result == kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == kInvalidPTX     ? "CUDA_ERROR_INVALID_PTX"
          : result == kInvalidValue   ? "CUDA_ERROR_INVALID_VALUE"
                                      : nullptr;
  return *name ? kSuccess : kInvalidValue;
}

Result cuGetErrorString(Result result, const char **text) {
  *text = result == kOutOfMemory      ? "out of memory"
          : result == kIllegalAddress ? "an illegal memory access was "
                                        "encountered"
          : result == kInvalidPTX     ? "a PTX JIT compilation failed"
          : result == kInvalidValue   ? "invalid argument"
                                      : nullptr;
  return *text ? kSuccess : kInvalidValue;
}

Result cuDeviceGetCount(int *count) {
  *count = get().fake.numDevices;
  return kSuccess;
}

Result cuDeviceGet(DeviceNumber *device, int index) {
  if (index < 0 || index >= get().fake.numDevices)
    return kInvalidDevice;
  *device = index;
  return kSuccess;
}

Result cuDeviceGetName(char *name, int size, DeviceNumber device) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
  return kSuccess;
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                            DeviceNumber device) {
  const FakeCUDA &fake = get().fake;
  switch (attribute) {
  case kMajor:
    *value = fake.major;
    return kSuccess;
  case kMinor:
    *value = fake.minor;
    return kSuccess;
  case kMaxSharedBytes:
    *value = 227 << 10;
    return kSuccess;
  case kMemoryPoolsSupported:
    *value = fake.hasPools;
    return kSuccess;
  case kClusterLaunch:
    *value = fake.major >= 9;
    return kSuccess;
  default:
    return kInvalidValue;
  }
}

Result cuDeviceTotalMem_v2(size_t *bytes, DeviceNumber device) {
  *bytes = get().fake.memoryBytes;
  return kSuccess;
}

Result cuDeviceCanAccessPeer(int *can, DeviceNumber device, DeviceNumber peer) {
  *can = device != peer;
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(Context *context, DeviceNumber device) {
  return call([&](State &state) {
    state.contexts.resize(static_cast<size_t>(state.fake.numDevices));
    std::unique_ptr<ContextState> &place =
        state.contexts[static_cast<size_t>(device)];
    if (!place) {
      place = std::make_unique<ContextState>();
      place->device = device;
      ++state.fake.contexts;
    }
    *context = place.get();
  });
}

Result cuCtxGetCurrent(Context *context) {
  *context = getContexts().empty() ? nullptr : getContexts().back();
  return kSuccess;
}

Result cuCtxPushCurrent_v2(Context context) {
  getContexts().push_back(context);
  return kSuccess;
}

Result cuCtxPopCurrent_v2(Context *context) {
  if (getContexts().empty())
    return kInvalidContext;
  *context = getContexts().back();
  getContexts().pop_back();
  return kSuccess;
}
