//===- Driver.cpp - NVIDIA's driver ---------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "../Error.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace relay_cuda;
using relay_rt::fail;

/// The oldest driver that has all functions: of CUDA 12.0.
constexpr int kOldestVersion = 12000;
constexpr const char *kOldestDriver = "525";

const Driver &Driver::get() {
  // Tried again after a failure, and never destroyed: models that static
  // objects hold may outlive it.
  static const Driver *driver = new Driver;
  return *driver;
}

void Driver::load(void *library, const std::string &path) {
  std::string missing;
  auto find = [&](const char *symbol) {
    void *function = dlsym(library, symbol);
    if (!function)
      missing += std::string(missing.empty() ? "" : ", ") + symbol;
    return function;
  };
#define RELAY_CUDA_FUNCTION(NAME, SYMBOL, PARAMETERS)                          \
  NAME = reinterpret_cast<decltype(NAME)>(find(#SYMBOL));
  RELAY_CUDA_FUNCTIONS(RELAY_CUDA_FUNCTION)
#undef RELAY_CUDA_FUNCTION
  // The version says more than which functions it lacks.
  int version = 0;
  if (driverGetVersion && driverGetVersion(&version) == kSuccess &&
      version < kOldestVersion)
    fail(RELAY_INCOMPATIBLE, "expects an NVIDIA driver for CUDA ",
         kOldestVersion / 1000, ".", kOldestVersion % 1000 / 10,
         " or newer, but '", path, "' is for CUDA ", version / 1000, ".",
         version % 1000 / 10, "; install driver ", kOldestDriver, " or newer");
  if (!missing.empty())
    fail(RELAY_INCOMPATIBLE, "expects '", path,
         "' to be NVIDIA's driver, but it has no ", missing,
         "; install driver ", kOldestDriver, " or newer");
}

Driver::Driver() {
  const char *chosen = std::getenv("RELAY_CUDA_LIBRARY");
  std::string path = chosen && *chosen ? chosen : "libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    fail(RELAY_INCOMPATIBLE, "expects NVIDIA's driver as '", path,
         "', but cannot load it (", reason ? reason : "it does not say why",
         "); install the driver, or set RELAY_CUDA_LIBRARY to where it is");
  }
  load(library, path);
  Result result = init(0);
  if (result == kSuccess)
    result = deviceGetCount(&numDevices);
  if (result == kNoDevice || (result == kSuccess && numDevices == 0))
    fail(RELAY_INCOMPATIBLE,
         "expects an NVIDIA device, but the driver finds none; there may be no "
         "such device on this machine, or CUDA_VISIBLE_DEVICES hides it");
  if (result != kSuccess)
    fail(RELAY_INCOMPATIBLE, "the driver '", path,
         "' does not start: ", describe(result), "; nvidia-smi may say more");
}

std::string Driver::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  bool isKnown = getErrorName(result, &name) == kSuccess && name;
  if (getErrorString(result, &text) == kSuccess && text)
    return std::string(text) + " (" +
           (isKnown ? name : std::to_string(result).c_str()) + ")";
  return "error " + std::to_string(result);
}
