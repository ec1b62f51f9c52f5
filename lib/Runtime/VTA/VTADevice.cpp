//===- VTADevice.cpp - VTA as a device ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// librelay_device_vta.so: runs kernels of VTA on a simulator. Buffers are
// copied to and from the memory of the accelerator, as they would be with a
// board. The clock of the device goes on by what kernels take: the cycles of
// the cycle simulator, or else the time of the host.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir-c/HostDevice.h"
#include "relay-mlir/Runtime/VTA/Driver.h"
#include "relay-mlir/Runtime/VTA/KernelFile.h"

#include <chrono>
#include <new>
#include <optional>

using namespace relay_vta;

namespace {

/// A kernel, and what runs it how.
struct LoadedKernel {
  Kernel kernel;
  SimulatorKind simulator;
  RunOptions options;
};

using Module = std::vector<LoadedKernel>;

/// What a queue of the device has done: kernels run at once, so that there is
/// nothing in it.
struct DeviceStream {
  int64_t nanoseconds = 0;
  /// Of the cycle simulator. Its kernels alone are in it.
  int64_t cycles = 0, gemmCycles = 0, aluCycles = 0, bytesRead = 0,
          bytesWritten = 0;
};

/// A point of a queue.
struct DeviceEvent {
  DeviceStream at;
  std::array<RelayDeviceCounter, 5> counters;
};

/// The clock of the boards that the cycle simulator is compared with: 100 MHz.
constexpr int64_t kCycleNanoseconds = 10;

/// What a simulated board may have.
constexpr uint64_t kCapacity = uint64_t(1) << 32;

/// Memory of a driver, which is released at the end.
class Allocation {
public:
  Allocation(Driver &driver, uint64_t bytes)
      : driver(driver), address(driver.allocate(bytes)) {}
  ~Allocation() {
    if (address)
      driver.release(address);
  }
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  Driver &driver;
  const uint64_t address;
};

} // namespace

/// Calls a function; what it throws is an error of the device.
template <typename F>
static RelayStatus guard(F function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return relayHostDeviceFail(RELAY_OUT_OF_MEMORY, "out of memory");
  }
}

/// The simulator that RELAY_VTA_SIMULATOR names.
static std::optional<SimulatorKind> getSimulator() {
  const char *name = getenv("RELAY_VTA_SIMULATOR");
  if (!name || strcmp(name, "functional") == 0)
    return SimulatorKind::Functional;
  if (strcmp(name, "cycle") == 0)
    return SimulatorKind::Cycle;
  return std::nullopt;
}

/// With RELAY_VTA_STRICT=1, what is not portable, and races, are errors. None
/// if it is neither this nor 0, or empty.
static std::optional<RunOptions> getOptions() {
  const char *strict = getenv("RELAY_VTA_STRICT");
  std::string value = strict ? strict : "";
  if (!value.empty() && value != "0" && value != "1")
    return std::nullopt;
  RunOptions options;
  options.strict = value == "1";
  return options;
}

static RelayStatus load(SimulatorKind simulator, const char *format,
                        const void *data, uint64_t size, void **module) {
  if (strcmp(format, kKernelFormat) != 0)
    return relayHostDeviceFail(RELAY_INCOMPATIBLE,
                               "expects code in the format '%s', but got '%s'",
                               kKernelFormat, format);
  std::optional<RunOptions> options = getOptions();
  if (!options)
    return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                               "expects 0 or 1 in RELAY_VTA_STRICT, but got "
                               "'%s'",
                               getenv("RELAY_VTA_STRICT"));
  return guard([&] {
    std::vector<Kernel> kernels;
    std::string message =
        readKernels(static_cast<const uint8_t *>(data), size, kernels);
    if (!message.empty())
      return relayHostDeviceFail(RELAY_INVALID_ARGUMENT, "%s", message.c_str());
    // What the board is that code must be for, where a user says it.
    if (const char *board = getenv("RELAY_VTA_CONFIG"); board && *board) {
      Config config;
      if (std::string error = parseConfigName(board, config); !error.empty())
        return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                                   "RELAY_VTA_CONFIG: %s", error.c_str());
      for (const Kernel &kernel : kernels)
        if (getConfigName(kernel.program.config) != board)
          return relayHostDeviceFail(
              RELAY_INCOMPATIBLE,
              "expects kernels for the configuration %s, which "
              "RELAY_VTA_CONFIG says, but got %s",
              board, getConfigName(kernel.program.config).c_str());
    }
    auto loaded = std::make_unique<Module>();
    for (Kernel &kernel : kernels)
      loaded->push_back({std::move(kernel), simulator, *options});
    *module = loaded.release();
    return RELAY_OK;
  });
}

static RelayStatus loadModule(void * /*user*/, int32_t /*device*/,
                              const char *format, const void *data,
                              uint64_t size, void **module) {
  std::optional<SimulatorKind> simulator = getSimulator();
  if (!simulator)
    return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                               "expects functional or cycle in "
                               "RELAY_VTA_SIMULATOR, but got '%s'",
                               getenv("RELAY_VTA_SIMULATOR"));
  return load(*simulator, format, data, size, module);
}

static RelayStatus loadModuleFor(void * /*user*/, int32_t /*device*/,
                                 const char *driver, const char *format,
                                 const void *data, uint64_t size,
                                 void **module) {
  if (strcmp(driver, "fsim") == 0)
    return load(SimulatorKind::Functional, format, data, size, module);
  if (strcmp(driver, "tsim") == 0)
    return load(SimulatorKind::Cycle, format, data, size, module);
  return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                             "expects vta:fsim, which computes, or vta:tsim, "
                             "which counts cycles, but got 'vta:%s'",
                             driver);
}

static RelayStatus unloadModule(void * /*user*/, int32_t /*device*/,
                                void *module) {
  delete static_cast<Module *>(module);
  return RELAY_OK;
}

static RelayStatus getKernel(void * /*user*/, int32_t /*device*/, void *module,
                             const char *name, void **kernel) {
  for (LoadedKernel &candidate : *static_cast<Module *>(module))
    if (candidate.kernel.name == name) {
      *kernel = &candidate;
      return RELAY_OK;
    }
  return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                             "there is no function %s in its code", name);
}

static RelayStatus failMemory(const Kernel &kernel) {
  return relayHostDeviceFail(RELAY_OUT_OF_MEMORY,
                             "there is no memory on the accelerator for %s",
                             kernel.name.c_str());
}

/// What a kernel copies is what its caller has.
static RelayStatus checkKernel(void * /*user*/, int32_t /*device*/,
                               void *handle, const uint64_t *bytes,
                               int32_t numArgs) {
  const Kernel &kernel = static_cast<LoadedKernel *>(handle)->kernel;
  if (kernel.buffers.size() != static_cast<size_t>(numArgs))
    return relayHostDeviceFail(RELAY_INVALID_ARTIFACT,
                               "expects %d buffers, but got %zu", numArgs,
                               kernel.buffers.size());
  for (int32_t i = 0; i < numArgs; ++i)
    if (kernel.buffers[i].bytes != bytes[i])
      return relayHostDeviceFail(
          RELAY_INVALID_ARTIFACT,
          "expects buffer %d to have %llu bytes, but got %llu", i,
          static_cast<unsigned long long>(bytes[i]),
          static_cast<unsigned long long>(kernel.buffers[i].bytes));
  return RELAY_OK;
}

/// Runs a kernel on what drives an accelerator.
static RelayStatus runOn(Driver &driver, const Kernel &kernel,
                         void *const *args) {
  Program program = kernel.program;
  uint64_t base = program.dramBase;
  if (program.config != driver.getConfig())
    return relayHostDeviceFail(
        RELAY_INCOMPATIBLE,
        "expects kernels for the configuration %s, but got "
        "%s",
        getConfigName(driver.getConfig()).c_str(),
        getConfigName(program.config).c_str());
  uint64_t count = program.instructions.size();
  Allocation stream(driver, count * kInstructionBytes + 1);
  Allocation memory(driver, program.image.size() + 1);
  if (!stream.address || !memory.address)
    return failMemory(kernel);
  std::string message = relocate(program, memory.address);
  if (!message.empty())
    return relayHostDeviceFail(RELAY_EXECUTION_FAILED, "%s: %s",
                               kernel.name.c_str(), message.c_str());
  std::vector<uint8_t> words(count * kInstructionBytes);
  for (uint64_t i = 0; i < count; ++i)
    writeWords(program.instructions[i], words.data() + i * kInstructionBytes);
  bool isCopied =
      driver.write(stream.address, words.data(), words.size()) &&
      driver.write(memory.address, program.image.data(), program.image.size());
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Kernel::Buffer &buffer = kernel.buffers[i];
    if (buffer.isInput)
      isCopied &= driver.write(buffer.address - base + memory.address, args[i],
                               buffer.bytes);
  }
  if (!isCopied)
    return failMemory(kernel);
  RunStatus status = driver.run(stream.address, count);
  if (!status.isOk())
    return relayHostDeviceFail(
        RELAY_EXECUTION_FAILED, "%s, %s: %s", kernel.name.c_str(),
        getErrorKindName(status.kind), status.message.c_str());
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Kernel::Buffer &buffer = kernel.buffers[i];
    if (buffer.isOutput && !driver.read(buffer.address - base + memory.address,
                                        args[i], buffer.bytes))
      return failMemory(kernel);
  }
  return RELAY_OK;
}

/// Nanoseconds of the host.
static int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static RelayStatus launch(void * /*user*/, int32_t /*device*/, void *stream,
                          void *handle, void *const *args, int32_t /*numArgs*/,
                          const int64_t * /*dims*/,
                          const RelayKernelContext * /*context*/) {
  const LoadedKernel &loaded = *static_cast<LoadedKernel *>(handle);
  const Kernel &kernel = loaded.kernel;
  auto &queue = *static_cast<DeviceStream *>(stream);
  // Each call has an accelerator of its own, so that threads need not wait.
  return guard([&] {
    const Config &config = kernel.program.config;
    std::unique_ptr<Driver> driver = makeSimulatorDriver(
        config, loaded.simulator, kCapacity, loaded.options);
    int64_t start = now();
    RelayStatus status = runOn(*driver, kernel, args);
    const Timing *timing = driver->getTiming();
    if (!timing) {
      queue.nanoseconds += now() - start;
      return status;
    }
    auto busBytes = static_cast<int64_t>(config.getBusBytes());
    queue.nanoseconds +=
        static_cast<int64_t>(timing->cycles) * kCycleNanoseconds;
    queue.cycles += static_cast<int64_t>(timing->cycles);
    queue.gemmCycles += static_cast<int64_t>(timing->gemmIssue);
    queue.aluCycles += static_cast<int64_t>(timing->aluIssue);
    queue.bytesRead += static_cast<int64_t>(timing->readBeats) * busBytes;
    queue.bytesWritten += static_cast<int64_t>(timing->writeBeats) * busBytes;
    return status;
  });
}

//===----------------------------------------------------------------------===//
// Streams and their clock
//===----------------------------------------------------------------------===//

static RelayStatus createStream(void * /*user*/, int32_t /*device*/,
                                void **stream) {
  return guard([&] {
    *stream = new DeviceStream;
    return RELAY_OK;
  });
}

static RelayStatus destroyStream(void * /*user*/, int32_t /*device*/,
                                 void *stream) {
  delete static_cast<DeviceStream *>(stream);
  return RELAY_OK;
}

/// Weights are copied before there is a stream.
static RelayStatus copy(void * /*user*/, int32_t /*device*/, void *stream,
                        void *to, const void *from, uint64_t bytes) {
  int64_t start = now();
  memcpy(to, from, bytes);
  if (stream)
    static_cast<DeviceStream *>(stream)->nanoseconds += now() - start;
  return RELAY_OK;
}

static RelayStatus copyAcross(void *user, int32_t device, void *stream,
                              void *to, int32_t /*fromDevice*/,
                              const void *from, uint64_t bytes) {
  return copy(user, device, stream, to, from, bytes);
}

static RelayStatus createEvent(void * /*user*/, int32_t /*device*/,
                               void **event) {
  return guard([&] {
    *event = new DeviceEvent;
    return RELAY_OK;
  });
}

static RelayStatus destroyEvent(void * /*user*/, int32_t /*device*/,
                                void *event) {
  delete static_cast<DeviceEvent *>(event);
  return RELAY_OK;
}

static RelayStatus recordEvent(void * /*user*/, int32_t /*device*/,
                               void *stream, void *event) {
  static_cast<DeviceEvent *>(event)->at = *static_cast<DeviceStream *>(stream);
  return RELAY_OK;
}

static RelayStatus getElapsedTime(void * /*user*/, int32_t /*device*/,
                                  void *start, void *end,
                                  int64_t *nanoseconds) {
  *nanoseconds = static_cast<DeviceEvent *>(end)->at.nanoseconds -
                 static_cast<DeviceEvent *>(start)->at.nanoseconds;
  return RELAY_OK;
}

/// Nothing is counted where no cycles are: of copies, and without the cycle
/// simulator.
static RelayStatus getCounters(void * /*user*/, int32_t /*device*/, void *start,
                               void *end, const RelayDeviceCounter **counters,
                               int32_t *count) {
  const DeviceStream &from = static_cast<DeviceEvent *>(start)->at;
  auto &event = *static_cast<DeviceEvent *>(end);
  const DeviceStream &to = event.at;
  event.counters = {{{"cycles", to.cycles - from.cycles},
                     {"GEMM cycles", to.gemmCycles - from.gemmCycles},
                     {"ALU cycles", to.aluCycles - from.aluCycles},
                     {"bytes read", to.bytesRead - from.bytesRead},
                     {"bytes written", to.bytesWritten - from.bytesWritten}}};
  *counters = event.counters.data();
  *count = to.cycles == from.cycles
               ? 0
               : static_cast<int32_t>(event.counters.size());
  return RELAY_OK;
}

RELAY_HOST_DEVICE_EXPORT const RelayDeviceAPI *relayGetDeviceAPI(void) {
  static const RelayDeviceAPI api = {RELAY_DEVICE_API_VERSION,
                                     sizeof(RelayDeviceAPI),
                                     "vta",
                                     nullptr,
                                     relayHostDeviceGetError,
                                     relayHostDeviceCount,
                                     relayHostDeviceAllocate,
                                     relayHostDeviceRelease,
                                     createStream,
                                     destroyStream,
                                     relayHostDeviceOnStream,
                                     copy,
                                     copy,
                                     copyAcross,
                                     loadModule,
                                     unloadModule,
                                     getKernel,
                                     launch,
                                     createEvent,
                                     destroyEvent,
                                     recordEvent,
                                     getElapsedTime,
                                     checkKernel,
                                     loadModuleFor,
                                     getCounters};
  return &api;
}
