//===- Devices.h - The devices that a model uses ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_DEVICES_H
#define RELAY_MLIR_LIB_RUNTIME_DEVICES_H

#include "relay-mlir-c/Device.h"

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace relay_rt {

/// Registers what drives a kind of devices. Throws if it cannot be used.
void registerDeviceAPI(const RelayDeviceAPI *api);

/// This machine lacks what the devices of a kind need.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A device that is not the host. Functions throw an Error that names it.
class Device {
public:
  /// Throws if there is no such device; Unavailable if there can be none.
  Device(const char *kind, int32_t index);

  const std::string &getName() const { return name; }
  const RelayDeviceAPI &getAPI() const { return api; }
  int32_t getIndex() const { return index; }
  void *getUser() const { return api.user; }

  /// Whether the device knows when it runs something.
  bool hasClock() const {
    return api.version >= 2 && api.create_event != nullptr;
  }

  /// Throws if `status`, of a function of the API, is an error, which happened
  /// while it did `what`.
  void check(RelayStatus status, const std::string &what) const;

private:
  const RelayDeviceAPI &api;
  int32_t index;
  std::string name;
};

/// Memory of a device.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  /// Nothing for 0 bytes.
  DeviceBuffer(const Device &device, uint64_t bytes, const std::string &what);
  DeviceBuffer(DeviceBuffer &&other) noexcept { swap(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBuffer();

  void *get() const { return memory; }
  uint64_t getSize() const { return size; }

private:
  void swap(DeviceBuffer &other) noexcept {
    std::swap(device, other.device);
    std::swap(memory, other.memory);
    std::swap(size, other.size);
  }
  const Device *device = nullptr;
  void *memory = nullptr;
  uint64_t size = 0;
};

/// A point of a stream, whose time the device notes.
class DeviceEvent {
public:
  explicit DeviceEvent(const Device &device);
  DeviceEvent(DeviceEvent &&other) noexcept
      : device(other.device), event(std::exchange(other.event, nullptr)) {}
  ~DeviceEvent();

  void record(void *stream) const;
  /// Nanoseconds from an earlier one.
  int64_t getTimeSince(const DeviceEvent &start) const;
  /// Calls `observer` with what the device has counted since an earlier one.
  void reportCounters(const DeviceEvent &start, int64_t call,
                      RelayCounterObserver observer, void *user) const;

private:
  const Device *device;
  void *event = nullptr;
};

class DeviceRun;

/// The devices of an artefact but the host, with its code and weights on them.
/// Several runs may use them at once.
class ModuleDevices {
public:
  /// Loads code and weights. Throws if a device is not there. But on a machine
  /// that can have none of the kind, a model can be loaded and looked at; runs
  /// throw. `choice` is a kind of devices and the name of what runs code of it,
  /// or null.
  ModuleDevices(const RelayArtifact &artifact, const char *choice);
  ~ModuleDevices();

  bool empty() const { return devices.empty(); }
  size_t size() const { return devices.size(); }

private:
  friend class DeviceRun;
  struct LoadedDevice {
    std::unique_ptr<Device> device;
    DeviceBuffer weights;
    std::vector<void *> modules;
  };
  /// What a run has of a device.
  struct Lane {
    void *stream = nullptr;
    DeviceBuffer arena;
    /// As many as a run was observed with.
    std::vector<DeviceEvent> events;
  };

  void parseChoice(const std::string &text);
  void load(LoadedDevice &loaded, const RelayArtifactDevice &description);
  void loadModule(const Device &device, const RelayArtifactModule &module,
                  void **handle) const;
  /// Throws if the device knows that the kernel needs other buffers.
  static void checkKernel(const Device &device, const RelayArtifactCall &call,
                          void *kernel);
  void unload() noexcept;
  /// Throws if this machine lacks what a device needs.
  void checkAvailable() const;
  const Device &getDevice(int32_t number) const {
    return *devices[number - 1].device;
  }

  const RelayArtifact &artifact;
  /// The device with number i + 1 is at i.
  std::vector<LoadedDevice> devices;
  /// The kind of devices whose code another one than usual runs, and its name;
  /// empty if there is none.
  std::string chosenKind, chosenDriver;
  /// What is missing; empty if nothing is.
  std::string unavailable;
  /// By call; null for those that are no kernel of a device.
  std::vector<void *> kernels;
  std::mutex mutex;
  /// Lanes that no run uses, for all devices.
  std::vector<std::vector<Lane>> freeLanes;
};

/// What one run has of the devices of its module.
class DeviceRun {
public:
  /// Takes memory for arenas of so many bytes, by device. `isObserved` says
  /// that the times of calls are looked at, so that each has to be over when
  /// the next one begins; but `usesClocks` has devices with a clock note them.
  DeviceRun(ModuleDevices &module, const int64_t *arenaBytes, bool isObserved,
            bool usesClocks);
  ~DeviceRun();

  /// Lets a run use the devices.
  void attach(RelayKernelContext &context);

  /// What RelayKernelContext::call_device does.
  void call(const RelayKernelContext *context, int64_t call, void *const *args,
            const int64_t *dims, uint64_t bytes);
  /// Waits for all devices.
  void synchronize();
  /// Tells when calls ran since the last time, on devices with a clock.
  void reportTimes(RelayDeviceObserver observer, void *user,
                   RelayCounterObserver counterObserver, void *counterUser);

  /// Why a call failed.
  RelayStatus status = RELAY_OK;
  std::string error;

private:
  void copy(const RelayArtifactCall &call, void *const *args, uint64_t bytes);

  /// A call on a device with a clock: its number, that of the device, and the
  /// first of its two events there.
  struct TimedCall {
    int64_t call;
    int32_t device;
    size_t event;
  };
  /// Puts an event into the stream of a device; returns its number there.
  size_t recordEvent(int32_t device);

  ModuleDevices &module;
  bool isObserved, usesClocks;
  std::vector<TimedCall> timedCalls;
  /// How many events of each device were used, and the host's time at the
  /// first.
  std::vector<size_t> numEvents;
  std::vector<int64_t> firstTimes;
  std::vector<ModuleDevices::Lane> lanes;
  std::vector<RelayDeviceMemory> memory;
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_DEVICES_H
