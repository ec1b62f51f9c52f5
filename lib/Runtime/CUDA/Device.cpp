//===- Device.cpp - One NVIDIA device -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory comes from a pool of the library's own, which keeps some of what was
// released. The driver orders such memory by streams; here a stream that has
// nothing else to do allocates and releases, and nobody gets memory before that
// is over, so that any stream may use it.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "../Error.h"
#include "Stream.h"

#include <algorithm>
#include <cmath>

using namespace relay_cuda;
using relay_rt::Error;

Device &Device::get(int32_t index) {
  const Driver &driver = Driver::get();
  // Never destroyed: models that static objects hold may outlive them.
  static auto *mutex = new std::mutex;
  static auto *devices = new std::vector<std::unique_ptr<Device>>;
  std::lock_guard<std::mutex> lock(*mutex);
  if (index < 0 || index >= driver.getNumDevices())
    relay_rt::fail(RELAY_INVALID_ARGUMENT, "expects a device below ",
                   driver.getNumDevices(), ", but got ", index);
  devices->resize(static_cast<size_t>(driver.getNumDevices()));
  std::unique_ptr<Device> &device = (*devices)[static_cast<size_t>(index)];
  if (!device)
    device.reset(new Device(driver, index));
  return *device;
}

Device::Device(const Driver &driver, int32_t index)
    : driver(driver), index(index) {
  check(driver.deviceGet(&number, index), "find the device");
  char text[256] = "";
  check(driver.deviceGetName(text, sizeof(text), number), "tell its name");
  name = text;
  auto getAttribute = [&](DeviceAttribute attribute) {
    int value = 0;
    check(driver.deviceGetAttribute(&value, attribute, number),
          "tell its attributes");
    return value;
  };
  major = getAttribute(kMajor);
  minor = getAttribute(kMinor);
  maxSharedBytes = getAttribute(kMaxSharedBytes);
  hasClusters = getAttribute(kClusterLaunch) != 0;
  check(driver.devicePrimaryCtxRetain(&context, number), "make a context");
  ContextScope scope(*this);
  check(driver.streamCreate(&memoryStream, kNonBlocking), "make a stream");
  if (getAttribute(kMemoryPoolsSupported) == 0)
    return;
  PoolProperties properties;
  properties.location.device = number;
  check(driver.memPoolCreate(&pool, &properties), "make a memory pool");
  // What others may need at once is not kept for later.
  size_t total = 0;
  check(driver.deviceTotalMem(&total, number), "tell how much memory it has");
  uint64_t kept = total / 8;
  check(driver.memPoolSetAttribute(pool, kReleaseThreshold, &kept),
        "set up its memory pool");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Whether no call succeeds any more after an error.
static bool isFatal(Result result) {
  switch (result) {
  case kECCUncorrectable:
  case kNVLinkUncorrectable:
  case kContained:
  case kIllegalAddress:
  case kLaunchTimeout:
  case kContextIsDestroyed:
  case kAssert:
  case kHardwareStackError:
  case kIllegalInstruction:
  case kMisalignedAddress:
  case kInvalidAddressSpace:
  case kInvalidPC:
  case kLaunchFailed:
  case kTensorMemoryLeak:
    return true;
  default:
    return false;
  }
}

void Device::checkAlive() const {
  if (!isLost())
    return;
  std::lock_guard<std::mutex> lock(lostMutex);
  throw Error(RELAY_EXECUTION_FAILED, "the device is lost because of " +
                                          lostReason +
                                          "; start the program anew");
}

void Device::fail(Result result, const char *what,
                  const std::string &kernels) const {
  // What follows from an earlier error says nothing new.
  checkAlive();
  std::string reason = driver.describe(result);
  if (isFatal(result)) {
    std::lock_guard<std::mutex> lock(lostMutex);
    lostReason = reason;
    if (!kernels.empty())
      lostReason += " in one of the kernels launched last, " + kernels;
    lost.store(true, std::memory_order_release);
    throw Error(RELAY_EXECUTION_FAILED,
                lostReason + "; the device is lost for this process" +
                    (kernels.empty() ? ""
                                     : "; CUDA_LAUNCH_BLOCKING=1 in the "
                                       "environment tells which one it was"));
  }
  throw Error(result == kOutOfMemory ? RELAY_OUT_OF_MEMORY
                                     : RELAY_EXECUTION_FAILED,
              std::string("the driver cannot ") + what + ": " + reason);
}

//===----------------------------------------------------------------------===//
// Memory of the device
//===----------------------------------------------------------------------===//

Result Device::tryAllocate(uint64_t bytes, Address &address) {
  if (!pool)
    return driver.memAlloc(&address, bytes);
  Result result =
      driver.memAllocFromPoolAsync(&address, bytes, pool, memoryStream);
  return result == kSuccess ? driver.streamSynchronize(memoryStream) : result;
}

void Device::failFull(uint64_t bytes) {
  size_t free = 0, total = 0;
  check(driver.memGetInfo(&free, &total), "tell how much memory is free");
  uint64_t held = usedBytes;
  if (pool)
    check(driver.memPoolGetAttribute(pool, kReservedBytes, &held),
          "tell what its memory pool holds");
  relay_rt::fail(RELAY_OUT_OF_MEMORY, "out of memory: ", bytes,
                 " bytes were asked for; the memory pool holds ", held,
                 " bytes, of which ", usedBytes, " are in use; ", free, " of ",
                 total, " bytes of the device (", name, ") are free");
}

Address Device::allocate(uint64_t bytes) {
  checkAlive();
  ContextScope scope(*this);
  std::lock_guard<std::mutex> lock(memoryMutex);
  Address address = 0;
  Result result = tryAllocate(bytes, address);
  if (result == kOutOfMemory && pool) {
    // Pieces that are too small become one that is large enough.
    check(driver.streamSynchronize(memoryStream), "release memory");
    check(driver.memPoolTrimTo(pool, 0), "release memory");
    result = tryAllocate(bytes, address);
  }
  if (result == kOutOfMemory)
    failFull(bytes);
  check(result, "allocate memory");
  blocks[address] = bytes;
  usedBytes += bytes;
  return address;
}

void Device::release(Address address) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto it = blocks.find(address);
  if (it == blocks.end())
    relay_rt::fail(RELAY_INVALID_ARGUMENT,
                   "expects memory of the device to be released, but got an "
                   "address that is elsewhere");
  usedBytes -= it->second;
  blocks.erase(it);
  if (isLost())
    return;
  ContextScope scope(*this);
  check(pool ? driver.memFreeAsync(address, memoryStream)
             : driver.memFree(address),
        "release memory");
}

void Device::allowAccess(const Device &peer) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  if (std::find(peers.begin(), peers.end(), peer.index) != peers.end())
    return;
  peers.push_back(peer.index);
  int can = 0;
  if (!pool ||
      driver.deviceCanAccessPeer(&can, peer.number, number) != kSuccess || !can)
    return;
  AccessDescription access;
  access.location.device = peer.number;
  check(driver.memPoolSetAccess(pool, &access, 1),
        "let another device read its memory");
}

//===----------------------------------------------------------------------===//
// Memory of the host
//===----------------------------------------------------------------------===//

void *Device::allocatePinned(size_t bytes) {
  void *memory = nullptr;
  check(driver.memHostAlloc(&memory, bytes, 0),
        "allocate pinned memory of the host");
  return memory;
}

void Device::freePinned(void *memory) { (void)driver.memFreeHost(memory); }

char *Device::takeStaging() {
  {
    std::lock_guard<std::mutex> lock(stagingMutex);
    if (!freeStaging.empty()) {
      char *memory = freeStaging.back();
      freeStaging.pop_back();
      return memory;
    }
  }
  return static_cast<char *>(allocatePinned(kStagingBytes));
}

void Device::giveStaging(char *memory) {
  std::lock_guard<std::mutex> lock(stagingMutex);
  freeStaging.push_back(memory);
}

void Device::keepGate(std::unique_ptr<Gate> gate) {
  std::lock_guard<std::mutex> lock(stagingMutex);
  keptGates.push_back(std::move(gate));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Event Device::createEvent(bool hasTime) const {
  checkAlive();
  ContextScope scope(*this);
  Event event = nullptr;
  check(driver.eventCreate(&event, hasTime ? 0 : kDisableTiming),
        "make an event");
  return event;
}

void Device::destroyEvent(Event event) const {
  if (!isLost())
    (void)driver.eventDestroy(event);
}

int64_t Device::getElapsedTime(Event start, Event end) const {
  checkAlive();
  ContextScope scope(*this);
  float milliseconds = 0;
  check(driver.eventElapsedTime(&milliseconds, start, end), "tell the time");
  return std::llround(static_cast<double>(milliseconds) * 1e6);
}

Stream &Device::getOwnStream() {
  if (!ownStream)
    ownStream = std::make_unique<Stream>(*this);
  return *ownStream;
}
