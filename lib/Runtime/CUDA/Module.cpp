//===- Module.cpp - Code on a device --------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "../Error.h"

using namespace relay_cuda;

/// Dynamic shared memory that a block may have without asking for it.
constexpr int64_t kUsualSharedBytes = 48 << 10;
/// The largest cluster that every device with clusters has.
constexpr uint32_t kPortableCluster = 8;

static std::string getArchName(const Device &device) {
  return "sm_" + std::to_string(10 * device.major + device.minor);
}

Module::Module(Device &device, const void *data, uint64_t size)
    : device(device) {
  std::string reason;
  if (!parseCode(data, size, code, reason))
    relay_rt::fail(RELAY_INVALID_ARTIFACT, "the code is damaged: ", reason);
  const Image *image = chooseImage(code, device.major, device.minor);
  if (!image)
    relay_rt::fail(RELAY_INCOMPATIBLE, "expects code for ", getArchName(device),
                   " (", device.name, "), but the model has code for ",
                   describeImages(code),
                   "; compile it for this device, with --target=\"cuda -arch=",
                   getArchName(device), "\"");
  device.checkAlive();
  ContextScope scope(device);
  loadImage(*image);
  try {
    static std::atomic<uint64_t> lastId{0};
    for (const Kernel &kernel : code.kernels) {
      kernels.push_back({++lastId, this, &kernel, {}});
      for (const Launch &launch : kernel.launches)
        kernels.back().functions.push_back(findEntry(kernel, launch, *image));
    }
  } catch (...) {
    (void)device.driver.moduleUnload(handle);
    throw;
  }
}

Module::~Module() {
  // Nobody is left to tell of an error.
  if (device.isLost())
    return;
  try {
    ContextScope scope(device);
    (void)device.driver.moduleUnload(handle);
  } catch (const std::exception &) {
  }
}

void Module::loadImage(const Image &image) {
  // Aligned, and with a zero after it.
  std::string bytes(image.data, image.size);
  char log[4096] = "";
  JITOption options[] = {kErrorLog, kErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  Result result =
      device.driver.moduleLoadDataEx(&handle, bytes.data(), 2, options, values);
  if (result == kSuccess)
    return;
  std::string reason = device.driver.describe(result);
  log[sizeof(log) - 1] = 0;
  // Messages are one line.
  std::string text = log;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  for (char &c : text)
    c = c == '\n' ? ' ' : c;
  if (!text.empty())
    reason += "; it says: " + text;
  bool isOld = result == kUnsupportedPTXVersion;
  if (result != kInvalidImage && result != kInvalidPTX &&
      result != kNoBinaryForGPU && !isOld)
    device.fail(result, "load code");
  relay_rt::fail(isOld ? RELAY_INCOMPATIBLE : RELAY_INVALID_ARTIFACT,
                 "the driver refuses the ",
                 image.kind == Image::Kind::PTX ? "PTX" : "machine code",
                 " for ", image.archName, ": ", reason,
                 isOld ? "; install a newer driver" : "");
}

Function Module::findEntry(const Kernel &kernel, const Launch &launch,
                           const Image &image) const {
  const Driver &driver = device.driver;
  Function function = nullptr;
  Result result =
      driver.moduleGetFunction(&function, handle, launch.entry.c_str());
  if (result == kNotFound)
    relay_rt::fail(RELAY_INVALID_ARTIFACT, "expects a function '", launch.entry,
                   "' for kernel '", kernel.name, "', but the code for ",
                   image.archName, " has none of that name");
  device.check(result, "find a function");

  int maxThreads = 0, staticBytes = 0;
  device.check(driver.funcGetAttribute(&maxThreads, kMaxThreads, function),
               "tell about a function");
  device.check(
      driver.funcGetAttribute(&staticBytes, kStaticSharedBytes, function),
      "tell about a function");
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (threads > static_cast<uint32_t>(maxThreads))
    relay_rt::fail(RELAY_INCOMPATIBLE, "expects ", threads,
                   " threads in a block of kernel '", kernel.name,
                   "', but the device has registers for ", maxThreads);

  // Others than the usual size have to be asked for. What depends on dims may
  // be as much as there is.
  int64_t most = device.maxSharedBytes - staticBytes, wanted = most;
  if (launch.sharedBytes.isConstant() &&
      !launch.sharedBytes.evaluate(nullptr, wanted))
    wanted = INT64_MAX;
  if (wanted < 0 || wanted > most)
    relay_rt::fail(RELAY_INCOMPATIBLE, "expects ", wanted,
                   " bytes of shared memory for a block of kernel '",
                   kernel.name, "', but the device has ", most);
  if (wanted > kUsualSharedBytes)
    device.check(driver.funcSetAttribute(function, kMaxDynamicSharedBytes,
                                         static_cast<int>(wanted)),
                 "give a function more shared memory");
  if (launch.cluster && !device.hasClusters)
    relay_rt::fail(RELAY_INCOMPATIBLE,
                   "expects clusters of blocks for kernel '", kernel.name,
                   "', but ", device.name, " has none");
  if (launch.cluster > kPortableCluster)
    device.check(driver.funcSetAttribute(function, kNonPortableClusters, 1),
                 "make large clusters");
  return function;
}

const LoadedKernel &Module::find(const char *name) const {
  for (const LoadedKernel &kernel : kernels)
    if (kernel.description->name == name)
      return kernel;
  relay_rt::fail(RELAY_INVALID_ARTIFACT, "expects a kernel '", name,
                 "', but the code has none of that name");
}

std::string Module::getName(uint32_t number) const {
  return number >= 1 && number <= code.kernels.size()
             ? code.kernels[number - 1].name
             : "number " + std::to_string(number);
}
