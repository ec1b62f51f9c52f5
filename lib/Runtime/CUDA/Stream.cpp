//===- Stream.cpp - A queue of a device -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "../Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace relay_cuda;

/// Bytes of a line of the processor's cache: pieces in staging memory begin at
/// one.
constexpr size_t kLineBytes = 64;
/// Graphs of fewer launches save nothing; of more, take long to make.
constexpr size_t kMinGraph = 3, kMaxGraph = 8192;

Stream::Stream(Device &device)
    : device(device), driver(device.driver), replays(device.driver) {
  device.checkAlive();
  const char *graphs = std::getenv("RELAY_CUDA_GRAPHS");
  useGraphs = !graphs || std::strcmp(graphs, "0") != 0;
  status = device.allocate(sizeof(uint32_t));
  try {
    ContextScope scope(device);
    pinnedStatus =
        static_cast<uint32_t *>(device.allocatePinned(sizeof(uint32_t)));
    check(driver.streamCreate(&stream, kNonBlocking), "make a stream");
    check(driver.memsetD32Async(status, 0, 1, stream), "set memory");
    check(driver.streamSynchronize(stream), "set memory");
  } catch (...) {
    if (stream)
      (void)driver.streamDestroy(stream);
    if (pinnedStatus)
      device.freePinned(pinnedStatus);
    device.release(status);
    throw;
  }
}

Stream::~Stream() {
  // Nobody is left to tell of an error.
  openGate();
  if (device.isLost()) {
    device.keepGate(std::move(gate));
    return;
  }
  try {
    ContextScope scope(device);
    (void)driver.streamSynchronize(stream);
    gate.reset();
    for (Staging &part : staging) {
      if (part.event)
        device.destroyEvent(part.event);
      if (part.memory)
        device.giveStaging(part.memory);
    }
    (void)driver.streamDestroy(stream);
    device.freePinned(pinnedStatus);
    device.release(status);
  } catch (const std::exception &) {
    device.keepGate(std::move(gate));
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string Stream::describeLaunched() const {
  std::string names;
  uint64_t count = std::min<uint64_t>(numLaunched, lastLaunched.size());
  for (uint64_t i = numLaunched - count; i != numLaunched; ++i)
    names += (names.empty() ? "'" : ", '") +
             lastLaunched[i % lastLaunched.size()]->description->name + "'";
  if (count < numLaunched)
    names += " and " + std::to_string(numLaunched - count) + " before";
  return names;
}

void Stream::check(Result result, const char *what) const {
  if (result != kSuccess)
    device.fail(result, what, describeLaunched());
}

/// Has the status copied, if a kernel may have set it.
void Stream::readStatus() {
  if (mayHaveStatus)
    check(
        driver.memcpyDtoHAsync(pinnedStatus, status, sizeof(uint32_t), stream),
        "read the status");
}

/// All work is over: looks at what it left.
void Stream::finish() {
  isIdle = true;
  usedBytes = 0;
  for (Staging &part : staging)
    part.isBusy = false;
  numLaunched = 0;
  if (!mayHaveStatus)
    return;
  mayHaveStatus = false;
  uint32_t number = *pinnedStatus;
  if (number == 0)
    return;
  std::string name = launchedModule->getName(number);
  check(driver.memsetD32Async(status, 0, 1, stream), "reset the status");
  check(driver.streamSynchronize(stream), "reset the status");
  relay_rt::fail(RELAY_INVALID_ARGUMENT,
                 "expects indices within the data, but kernel '", name,
                 "' got something else");
}

void Stream::synchronize() {
  device.checkAlive();
  flush();
  openGate();
  if (isIdle)
    return;
  ContextScope scope(device);
  readStatus();
  check(driver.streamSynchronize(stream), "finish its work");
  finish();
}

/// Streams hold about a thousand launches; then the host waits for the device.
constexpr size_t kMaxGated = 500;

void Stream::closeGate() {
  gate->close();
  Result result = driver.launchHostFunc(stream, Gate::wait, gate.get());
  isGateClosed = result == kSuccess;
  numGated = 0;
  if (!isGateClosed)
    gate->open();
  check(result, "hold the stream back");
}

void Stream::openGate() {
  if (isGateClosed)
    gate->open();
  isGateClosed = false;
}

void Stream::record(Event event) {
  device.checkAlive();
  flush();
  ContextScope scope(device);
  if (isIdle && !isGateClosed && !hasCopiedToHost)
    closeGate();
  else if (++numGated == kMaxGated)
    openGate();
  hasCopiedToHost = false;
  isIdle = false;
  check(driver.eventRecord(event, stream), "note the time");
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void Stream::prepareStaging() {
  for (Staging &part : staging) {
    if (!part.memory)
      part.memory = device.takeStaging();
    if (!part.event)
      part.event = device.createEvent(/*hasTime=*/false);
  }
}

void Stream::copyFromHost(Address to, const void *from, uint64_t bytes) {
  device.checkAlive();
  flush();
  ContextScope scope(device);
  prepareStaging();
  hasCopiedToHost = false;
  const char *rest = static_cast<const char *>(from);
  while (bytes != 0) {
    if (usedBytes >= Device::kStagingBytes) {
      Staging &full = staging[current];
      check(driver.eventRecord(full.event, stream), "note the time");
      full.isBusy = true;
      current ^= 1;
      usedBytes = 0;
      Staging &next = staging[current];
      openGate();
      if (next.isBusy)
        check(driver.eventSynchronize(next.event), "copy from the host");
      next.isBusy = false;
    }
    size_t count = static_cast<size_t>(
        std::min<uint64_t>(bytes, Device::kStagingBytes - usedBytes));
    char *part = staging[current].memory + usedBytes;
    std::memcpy(part, rest, count);
    isIdle = false;
    check(driver.memcpyHtoDAsync(to, part, count, stream),
          "copy from the host");
    to += count;
    rest += count;
    bytes -= count;
    usedBytes += (count + kLineBytes - 1) / kLineBytes * kLineBytes;
  }
}

void Stream::copyToHost(void *to, Address from, uint64_t bytes) {
  device.checkAlive();
  flush();
  ContextScope scope(device);
  prepareStaging();
  // What was copied to the device from the same memory is copied before.
  isIdle = false;
  readStatus();
  auto getPart = [&](uint64_t begin) -> Staging & {
    return staging[begin / Device::kStagingBytes % 2];
  };
  auto getCount = [&](uint64_t begin) {
    return static_cast<size_t>(
        std::min<uint64_t>(bytes - begin, Device::kStagingBytes));
  };
  auto start = [&](uint64_t begin) {
    if (begin >= bytes)
      return;
    Staging &part = getPart(begin);
    check(driver.memcpyDtoHAsync(part.memory, from + begin, getCount(begin),
                                 stream),
          "copy to the host");
    check(driver.eventRecord(part.event, stream), "note the time");
  };
  start(0);
  start(Device::kStagingBytes);
  openGate();
  for (uint64_t begin = 0; begin < bytes; begin += Device::kStagingBytes) {
    Staging &part = getPart(begin);
    check(driver.eventSynchronize(part.event), "copy to the host");
    std::memcpy(static_cast<char *>(to) + begin, part.memory, getCount(begin));
    start(begin + 2 * Device::kStagingBytes);
  }
  if (bytes == 0)
    check(driver.streamSynchronize(stream), "finish its work");
  hasCopiedToHost = true;
  finish();
}

void Stream::copyAcross(Address to, Device &fromDevice, Address from,
                        uint64_t bytes) {
  device.checkAlive();
  fromDevice.checkAlive();
  flush();
  if (&fromDevice != &device) {
    ContextScope scope(fromDevice);
    fromDevice.allowAccess(device);
  }
  ContextScope scope(device);
  isIdle = false;
  check(&fromDevice == &device
            ? driver.memcpyDtoDAsync(to, from, bytes, stream)
            : driver.memcpyPeerAsync(to, device.context, from,
                                     fromDevice.context, bytes, stream),
        "copy between devices");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void Stream::noteLaunch(const LoadedKernel &kernel) {
  lastLaunched[numLaunched++ % lastLaunched.size()] = &kernel;
  launchedModule = kernel.module;
  mayHaveStatus = true;
  isIdle = false;
}

void Stream::launchGrid(const LoadedKernel &kernel, const Launch &launch,
                        Function function, const int64_t *dims) {
  // What the driver can count; what a device has along x is more.
  static constexpr int64_t limits[] = {INT32_MAX, 65535, 65535};
  const std::string &name = kernel.description->name;
  uint32_t grid[3];
  for (int i = 0; i != 3; ++i) {
    int64_t size = 0;
    if (!launch.grid[i].evaluate(dims, size) || size < 0 || size > limits[i])
      relay_rt::fail(RELAY_INVALID_ARGUMENT, "expects at most ", limits[i],
                     " blocks along dimension ", i, " of a grid for kernel '",
                     name, "', but its sizes ask for ", size);
    if (size == 0)
      return;
    grid[i] = static_cast<uint32_t>(size);
  }
  int64_t shared = 0;
  if (!launch.sharedBytes.evaluate(dims, shared) || shared < 0 ||
      shared > device.maxSharedBytes)
    relay_rt::fail(RELAY_INVALID_ARGUMENT, "expects at most ",
                   device.maxSharedBytes,
                   " bytes of shared memory for kernel '", name,
                   "', but its sizes ask for ", shared);
  auto sharedBytes = static_cast<uint32_t>(shared);
  Result result;
  if (launch.cluster) {
    LaunchAttribute attribute;
    attribute.value.cluster = {launch.cluster, 1, 1};
    LaunchConfig config = {
        grid[0],         grid[1],     grid[2], launch.block[0], launch.block[1],
        launch.block[2], sharedBytes, stream,  &attribute,      1};
    result =
        driver.launchKernelEx(&config, function, parameters.data(), nullptr);
  } else {
    result = driver.launchKernel(
        function, grid[0], grid[1], grid[2], launch.block[0], launch.block[1],
        launch.block[2], sharedBytes, stream, parameters.data(), nullptr);
  }
  check(result, "launch a kernel");
}

void Stream::launchNow(const LoadedKernel &kernel, void *const *args,
                       const int64_t *dims) {
  const Kernel &description = *kernel.description;
  for (size_t i = 0; i != kernel.functions.size(); ++i) {
    const Launch &launch = description.launches[i];
    parameters.clear();
    launch.forEachBuffer(description.numBuffers, [&](int32_t number) {
      parameters.push_back(const_cast<void **>(&args[number]));
    });
    for (int32_t dim = 0; dim != description.numDims; ++dim)
      parameters.push_back(const_cast<int64_t *>(&dims[dim]));
    parameters.push_back(&status);
    launchGrid(kernel, launch, kernel.functions[i], dims);
  }
}

void Stream::launch(const LoadedKernel &kernel, void *const *args,
                    int32_t numArgs, const int64_t *dims) {
  device.checkAlive();
  if (numArgs != kernel.description->numBuffers)
    relay_rt::fail(RELAY_INVALID_ARGUMENT, "expects ",
                   kernel.description->numBuffers, " buffers, but got ",
                   numArgs);
  // The status names a kernel of one module.
  if (mayHaveStatus && launchedModule != kernel.module)
    synchronize();
  noteLaunch(kernel);
  if (useGraphs && recording.empty()) {
    if (replays.match(kernel, args, dims))
      return;
    submitMatched();
    // After a whole graph another one may begin.
    if (recording.empty() && replays.match(kernel, args, dims))
      return;
  }
  ContextScope scope(device);
  launchNow(kernel, args, dims);
  if (useGraphs && recording.size() <= kMaxGraph)
    recording.add(kernel, args, dims);
}

void Stream::submitMatched() {
  size_t count = replays.getNumMatched();
  if (count == 0)
    return;
  const Recording &calls = replays.getMatched();
  GraphExec graph = replays.getGraph();
  replays.reset();
  ContextScope scope(device);
  if (graph) {
    check(driver.graphLaunch(graph, stream), "launch a graph");
    return;
  }
  for (size_t i = 0; i != count; ++i) {
    const Recording::Call &call = calls[i];
    launchNow(*call.kernel, calls.getArgs(call), calls.getDims(call));
    recording.add(*call.kernel, calls.getArgs(call), calls.getDims(call));
  }
}

void Stream::flush() {
  submitMatched();
  if (recording.empty())
    return;
  if (recording.size() >= kMinGraph && recording.size() <= kMaxGraph &&
      replays.note(recording))
    makeGraph();
  recording.clear();
}

void Stream::makeGraph() {
  // All of it has been launched: without a graph it goes on one by one.
  ContextScope scope(device);
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  if (driver.streamBeginCapture(stream, kCaptureThreadLocal) != kSuccess) {
    useGraphs = false;
    return;
  }
  bool isLaunched = true;
  try {
    for (size_t i = 0; i != recording.size(); ++i)
      launchNow(*recording[i].kernel, recording.getArgs(recording[i]),
                recording.getDims(recording[i]));
  } catch (const relay_rt::Error &) {
    isLaunched = false;
  }
  useGraphs = driver.streamEndCapture(stream, &graph) == kSuccess &&
              isLaunched &&
              driver.graphInstantiate(&exec, graph, 0) == kSuccess;
  if (graph)
    (void)driver.graphDestroy(graph);
  if (useGraphs)
    replays.add(exec);
}
