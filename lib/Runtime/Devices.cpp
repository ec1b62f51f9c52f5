//===- Devices.cpp - The devices that a model uses ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds what drives a kind of devices, loads the code and the weights of a
// module, and runs its calls. A run has a stream and an arena of each device to
// itself, which later runs use again. Copies from one device to another order
// the two streams: all that the first one was asked for is over before.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"

#include "CPUDevice.h"
#include "Error.h"
#include "Tensors.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>

using namespace relay_rt;

//===----------------------------------------------------------------------===//
// Kinds of devices
//===----------------------------------------------------------------------===//

namespace {

class Registry {
public:
  /// Outlives every model, also one that a static object holds.
  static Registry &get() {
    static auto *registry = new Registry;
    return *registry;
  }

  void add(const RelayDeviceAPI *api) {
    check(api, "the device API");
    std::lock_guard<std::mutex> lock(mutex);
    if (!apis.insert({api->kind, api}).second)
      fail(RELAY_INVALID_ARGUMENT, "expects a device API for a new kind, but '",
           api->kind, "' has one already");
  }

  const RelayDeviceAPI &find(const std::string &kind) {
    std::lock_guard<std::mutex> lock(mutex);
    const RelayDeviceAPI *&api = apis[kind];
    if (!api)
      api = load(kind);
    return *api;
  }

private:
  Registry() { apis["cpu"] = &getCPUDeviceAPI(); }

  static void check(const RelayDeviceAPI *api, const std::string &what) {
    if (!api)
      fail(RELAY_INCOMPATIBLE, what, " is null: there is no such device");
    uint32_t size =
        api->version == RELAY_DEVICE_API_VERSION ? sizeof(RelayDeviceAPI)
        : api->version == 3 ? offsetof(RelayDeviceAPI, load_module_for)
        : api->version == 2 ? offsetof(RelayDeviceAPI, check_kernel)
        : api->version == 1 ? offsetof(RelayDeviceAPI, create_event)
                            : 0;
    if (size == 0 || api->struct_size != size)
      fail(RELAY_INCOMPATIBLE, "expects ", what, " to have version 1 to ",
           RELAY_DEVICE_API_VERSION, ", but got ", api->version);
    bool isName = api->kind && *api->kind;
    for (const char *c = api->kind; isName && *c; ++c)
      isName = std::isalnum(static_cast<unsigned char>(*c)) || *c == '_';
    if (!isName)
      fail(RELAY_INVALID_ARGUMENT, "expects ", what,
           " to name a kind, of letters, digits and underscores");
    if (!api->get_error || !api->get_num_devices || !api->allocate ||
        !api->release || !api->create_stream || !api->destroy_stream ||
        !api->synchronize || !api->copy_from_host || !api->copy_to_host ||
        !api->copy_across || !api->load_module || !api->unload_module ||
        !api->get_kernel || !api->launch)
      fail(RELAY_INVALID_ARGUMENT, "expects ", what,
           " to have all functions, but one is null");
    if (api->version == 1)
      return;
    bool hasClock = api->create_event;
    for (bool has :
         {api->destroy_event != nullptr, api->record_event != nullptr,
          api->get_elapsed_time != nullptr})
      if (has != hasClock)
        fail(RELAY_INVALID_ARGUMENT, "expects ", what,
             " to have all functions of clocks or none");
  }

  /// Loads the shared object for a kind of devices. It stays loaded.
  static const RelayDeviceAPI *load(const std::string &kind) {
    std::string name = "librelay_device_" + kind + ".so", reasons;
    std::vector<std::string> paths;
    const char *folders = std::getenv("RELAY_DEVICE_PATH");
    for (std::string rest = folders ? folders : ""; !rest.empty();) {
      size_t end = std::min(rest.find(':'), rest.size());
      if (end != 0)
        paths.push_back(rest.substr(0, end) + "/" + name);
      rest.erase(0, end + 1);
    }
    paths.push_back(name);
    for (const std::string &path : paths) {
      void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!handle) {
        reasons += std::string("; ") + dlerror();
        continue;
      }
      auto getAPI = reinterpret_cast<RelayGetDeviceAPI>(
          dlsym(handle, RELAY_DEVICE_API_SYMBOL));
      if (!getAPI)
        fail(RELAY_INCOMPATIBLE, "expects '", path,
             "' to export '" RELAY_DEVICE_API_SYMBOL
             "', but it has no such function");
      const RelayDeviceAPI *api = getAPI();
      check(api, "the device API of '" + path + "'");
      if (kind != api->kind)
        fail(RELAY_INCOMPATIBLE, "expects '", path, "' to drive '", kind,
             "', but it drives '", api->kind, "'");
      return api;
    }
    fail(RELAY_INCOMPATIBLE, "expects something to drive devices of kind '",
         kind, "', but found none; register it, or put ", name,
         " into a folder of RELAY_DEVICE_PATH", reasons);
  }

  std::mutex mutex;
  std::map<std::string, const RelayDeviceAPI *> apis;
};

} // namespace

void relay_rt::registerDeviceAPI(const RelayDeviceAPI *api) {
  Registry::get().add(api);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

Device::Device(const char *kind, int32_t index)
    : api(Registry::get().find(kind)), index(index),
      name(std::string(kind) + ":" + std::to_string(index)) {
  int32_t count = 0;
  RelayStatus status = api.get_num_devices(api.user, &count);
  if (status == RELAY_INCOMPATIBLE)
    throw Unavailable("expects a device " + name +
                      ", but there is none: " + api.get_error(api.user));
  check(status, "count devices");
  if (index < 0 || index >= count)
    fail(RELAY_INCOMPATIBLE, "expects a device ", name, ", but there are ",
         count, " of the kind");
}

void Device::check(RelayStatus status, const std::string &what) const {
  if (status == RELAY_OK)
    return;
  const char *reason = api.get_error(api.user);
  fail(status, name, " cannot ", what, ": ",
       reason && *reason ? reason : "it does not say why");
}

DeviceBuffer::DeviceBuffer(const Device &device, uint64_t bytes,
                           const std::string &what) {
  if (bytes == 0)
    return;
  device.check(device.getAPI().allocate(device.getUser(), device.getIndex(),
                                        bytes, &memory),
               "allocate " + std::to_string(bytes) + " bytes for " + what);
  this->device = &device;
  size = bytes;
}

DeviceBuffer::~DeviceBuffer() {
  // Nobody is left to tell of an error.
  if (device)
    (void)device->getAPI().release(device->getUser(), device->getIndex(),
                                   memory);
}

DeviceEvent::DeviceEvent(const Device &device) : device(&device) {
  device.check(
      device.getAPI().create_event(device.getUser(), device.getIndex(), &event),
      "make an event");
}

DeviceEvent::~DeviceEvent() {
  if (event)
    (void)device->getAPI().destroy_event(device->getUser(), device->getIndex(),
                                         event);
}

void DeviceEvent::record(void *stream) const {
  device->check(device->getAPI().record_event(
                    device->getUser(), device->getIndex(), stream, event),
                "note the time");
}

int64_t DeviceEvent::getTimeSince(const DeviceEvent &start) const {
  int64_t time = 0;
  device->check(device->getAPI().get_elapsed_time(device->getUser(),
                                                  device->getIndex(),
                                                  start.event, event, &time),
                "tell the time");
  return time;
}

void DeviceEvent::reportCounters(const DeviceEvent &start, int64_t call,
                                 RelayCounterObserver observer,
                                 void *user) const {
  const RelayDeviceAPI &api = device->getAPI();
  if (!observer || api.version < 4 || !api.get_counters)
    return;
  const RelayDeviceCounter *counters = nullptr;
  int32_t count = 0;
  device->check(api.get_counters(api.user, device->getIndex(), start.event,
                                 event, &counters, &count),
                "tell what it has counted");
  if (count != 0)
    observer(user, call, counters, count);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

void ModuleDevices::parseChoice(const std::string &text) {
  size_t colon = text.find(':');
  if (colon == 0 || colon >= text.size() - 1)
    fail(
        RELAY_INVALID_ARGUMENT,
        "expects a kind of devices and the name of what runs its kernels, such "
        "as 'vta:tsim', but got '",
        text, "'");
  chosenKind = text.substr(0, colon);
  chosenDriver = text.substr(colon + 1);
  std::string kinds;
  for (int32_t i = 1; i < artifact.num_devices; ++i) {
    if (artifact.devices[i].kind == chosenKind)
      return;
    kinds +=
        (i > 1 ? ", '" : "'") + std::string(artifact.devices[i].kind) + "'";
  }
  if (kinds.empty())
    kinds = "the host alone";
  fail(RELAY_INVALID_ARGUMENT,
       "expects a model with kernels for devices of kind '", chosenKind,
       "', which '", text, "' would run, but got one for ", kinds);
}

ModuleDevices::ModuleDevices(const RelayArtifact &artifact, const char *choice)
    : artifact(artifact), kernels(artifact.num_calls, nullptr) {
  if (choice)
    parseChoice(choice);
  try {
    for (int32_t i = 1; i < artifact.num_devices; ++i) {
      devices.emplace_back();
      try {
        load(devices.back(), artifact.devices[i]);
      } catch (const Unavailable &error) {
        unavailable = error.what();
        return;
      }
    }
    for (int32_t i = 0; i < artifact.num_calls; ++i) {
      const RelayArtifactCall &call = artifact.calls[i];
      if (call.device == 0 || call.source_device >= 0)
        continue;
      const LoadedDevice &loaded = devices[call.device - 1];
      const Device &device = *loaded.device;
      if (loaded.modules.empty())
        fail(RELAY_INVALID_ARTIFACT, "expects code for ", device.getName(),
             ", but the model has none");
      // There is one module for each kind.
      device.check(device.getAPI().get_kernel(
                       device.getUser(), device.getIndex(),
                       loaded.modules.front(), call.kernel, &kernels[i]),
                   std::string("find kernel '") + call.function + "'");
      checkKernel(device, call, kernels[i]);
    }
  } catch (...) {
    unload();
    throw;
  }
}

void ModuleDevices::checkKernel(const Device &device,
                                const RelayArtifactCall &call, void *kernel) {
  const RelayDeviceAPI &api = device.getAPI();
  if (api.version < 3 || !api.check_kernel)
    return;
  std::vector<uint64_t> bytes;
  for (int32_t i = 0; i < call.num_args; ++i) {
    const RelayArtifactTensor &tensor = call.args[i];
    DLDataType type = {tensor.dtype.code, tensor.dtype.bits,
                       tensor.dtype.lanes};
    // Sizes that are only known at run time are negative.
    bool isStatic = std::all_of(tensor.dims, tensor.dims + tensor.rank,
                                [](int64_t size) { return size >= 0; });
    std::optional<size_t> size;
    if (isStatic)
      size = getNumBytes(type, tensor.dims, tensor.rank);
    bytes.push_back(size.value_or(UINT64_MAX));
  }
  device.check(api.check_kernel(api.user, device.getIndex(), kernel,
                                bytes.data(), call.num_args),
               std::string("run kernel '") + call.function + "'");
}

void ModuleDevices::load(LoadedDevice &loaded,
                         const RelayArtifactDevice &description) {
  loaded.device = std::make_unique<Device>(description.kind, description.index);
  const Device &device = *loaded.device;
  const RelayDeviceAPI &api = device.getAPI();
  loaded.weights =
      DeviceBuffer(device, description.weights_size, "the weights");
  if (loaded.weights.get()) {
    const char *from = static_cast<const char *>(artifact.weights) +
                       description.weights_offset;
    device.check(api.copy_from_host(api.user, device.getIndex(),
                                    /*stream=*/nullptr, loaded.weights.get(),
                                    from, description.weights_size),
                 "receive the weights");
  }
  for (int32_t i = 0; i < artifact.num_modules; ++i) {
    const RelayArtifactModule &module = artifact.modules[i];
    if (std::strcmp(module.kind, description.kind) != 0)
      continue;
    void *handle = nullptr;
    loadModule(device, module, &handle);
    loaded.modules.push_back(handle);
  }
}

void ModuleDevices::loadModule(const Device &device,
                               const RelayArtifactModule &module,
                               void **handle) const {
  const RelayDeviceAPI &api = device.getAPI();
  const char *const what = "load the code of the model";
  if (chosenKind != module.kind)
    return device.check(api.load_module(api.user, device.getIndex(),
                                        module.format, module.data, module.size,
                                        handle),
                        what);
  if (api.version < 4 || !api.load_module_for)
    fail(RELAY_INVALID_ARGUMENT, "expects devices of kind '", chosenKind,
         "' to have a choice of what runs their kernels for '", chosenKind, ":",
         chosenDriver, "', but there is none");
  device.check(api.load_module_for(api.user, device.getIndex(),
                                   chosenDriver.c_str(), module.format,
                                   module.data, module.size, handle),
               what);
}

void ModuleDevices::unload() noexcept {
  for (std::vector<Lane> &lanes : freeLanes)
    for (size_t i = 0; i != lanes.size(); ++i) {
      const Device &device = *devices[i].device;
      lanes[i].events.clear();
      (void)device.getAPI().destroy_stream(device.getUser(), device.getIndex(),
                                           lanes[i].stream);
    }
  freeLanes.clear();
  for (LoadedDevice &loaded : devices)
    for (void *module : loaded.modules)
      (void)loaded.device->getAPI().unload_module(
          loaded.device->getUser(), loaded.device->getIndex(), module);
}

ModuleDevices::~ModuleDevices() { unload(); }

void ModuleDevices::checkAvailable() const {
  if (!unavailable.empty())
    fail(RELAY_INCOMPATIBLE, unavailable);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

DeviceRun::DeviceRun(ModuleDevices &module, const int64_t *arenaBytes,
                     bool isObserved, bool usesClocks)
    : module(module), isObserved(isObserved), usesClocks(usesClocks),
      numEvents(module.devices.size()), firstTimes(module.devices.size()) {
  module.checkAvailable();
  {
    std::lock_guard<std::mutex> lock(module.mutex);
    if (!module.freeLanes.empty()) {
      lanes = std::move(module.freeLanes.back());
      module.freeLanes.pop_back();
    }
  }
  try {
    memory.push_back({}); // the host's
    for (size_t i = 0; i != module.devices.size(); ++i) {
      const Device &device = *module.devices[i].device;
      if (i == lanes.size()) {
        void *stream = nullptr;
        device.check(device.getAPI().create_stream(device.getUser(),
                                                   device.getIndex(), &stream),
                     "make a stream");
        lanes.emplace_back().stream = stream;
      }
      uint64_t bytes = arenaBytes[i + 1];
      if (lanes[i].arena.getSize() < bytes) {
        lanes[i].arena = DeviceBuffer(); // Never hold both at once.
        lanes[i].arena = DeviceBuffer(device, bytes, "intermediate tensors");
      }
      memory.push_back({lanes[i].arena.get(), module.devices[i].weights.get()});
    }
  } catch (...) {
    std::lock_guard<std::mutex> lock(module.mutex);
    module.freeLanes.push_back(std::move(lanes));
    throw;
  }
}

DeviceRun::~DeviceRun() {
  // What a failed run has left must not write to the arenas of the next one.
  for (size_t i = 0; i != lanes.size(); ++i) {
    const Device &device = *module.devices[i].device;
    (void)device.getAPI().synchronize(device.getUser(), device.getIndex(),
                                      lanes[i].stream);
  }
  std::lock_guard<std::mutex> lock(module.mutex);
  module.freeLanes.push_back(std::move(lanes));
}

void DeviceRun::attach(RelayKernelContext &context) {
  context.devices = memory.data();
  context.device_run = this;
  context.call_device = [](const RelayKernelContext *context, int64_t call,
                           void *const *args, const int64_t *dims,
                           int64_t bytes) -> int32_t {
    auto *run = static_cast<DeviceRun *>(context->device_run);
    try {
      run->call(context, call, args, dims, bytes);
      return 0;
    } catch (const Error &error) {
      run->status = error.status;
      run->error = error.what();
    } catch (const std::bad_alloc &) {
      run->status = RELAY_OUT_OF_MEMORY;
      run->error = "out of memory";
    }
    return RELAY_KERNEL_DEVICE_FAILED;
  };
}

void DeviceRun::copy(const RelayArtifactCall &call, void *const *args,
                     uint64_t bytes) {
  auto copyToHost = [&](int32_t number, void *to) {
    const Device &device = module.getDevice(number);
    device.check(device.getAPI().copy_to_host(
                     device.getUser(), device.getIndex(),
                     lanes[number - 1].stream, to, args[0], bytes),
                 "copy to the host");
  };
  auto copyFromHost = [&](int32_t number, const void *from) {
    const Device &device = module.getDevice(number);
    device.check(device.getAPI().copy_from_host(
                     device.getUser(), device.getIndex(),
                     lanes[number - 1].stream, args[1], from, bytes),
                 "copy from the host");
  };
  if (call.device == 0)
    return copyToHost(call.source_device, args[1]);
  // An input of which only the sizes are used has no data (RELAY_SIZES_PREFIX).
  if (call.source_device == 0 && !args[0])
    return;
  if (call.source_device == 0)
    return copyFromHost(call.device, args[0]);
  const Device &from = module.getDevice(call.source_device);
  const Device &to = module.getDevice(call.device);
  if (&from.getAPI() != &to.getAPI()) {
    AlignedBuffer staging = allocateAligned(bytes);
    copyToHost(call.source_device, staging.get());
    return copyFromHost(call.device, staging.get());
  }
  from.check(from.getAPI().synchronize(from.getUser(), from.getIndex(),
                                       lanes[call.source_device - 1].stream),
             "finish its work");
  to.check(to.getAPI().copy_across(to.getUser(), to.getIndex(),
                                   lanes[call.device - 1].stream, args[1],
                                   from.getIndex(), args[0], bytes),
           "copy from " + from.getName());
  // The source may be overwritten next.
  to.check(to.getAPI().synchronize(to.getUser(), to.getIndex(),
                                   lanes[call.device - 1].stream),
           "finish its work");
}

void DeviceRun::call(const RelayKernelContext *context, int64_t number,
                     void *const *args, const int64_t *dims, uint64_t bytes) {
  const RelayArtifactCall &call = module.artifact.calls[number];
  // In whose stream it is.
  int32_t place = call.device ? call.device : call.source_device;
  const Device &device = module.getDevice(place);
  auto run = [&] {
    if (call.source_device >= 0)
      return copy(call, args, bytes);
    RelayStatus status = device.getAPI().launch(
        device.getUser(), device.getIndex(), lanes[place - 1].stream,
        module.kernels[number], args, call.num_args, dims, context);
    // There are many: only those that fail are described.
    if (status != RELAY_OK)
      device.check(status, std::string("run kernel '") + call.function + "'");
  };
  if (usesClocks && device.hasClock()) {
    size_t start = recordEvent(place);
    run();
    recordEvent(place);
    timedCalls.push_back({number, place, start});
    return;
  }
  run();
  if (isObserved)
    synchronize();
}

size_t DeviceRun::recordEvent(int32_t number) {
  const Device &device = module.getDevice(number);
  ModuleDevices::Lane &lane = lanes[number - 1];
  size_t &count = numEvents[number - 1];
  auto record = [&] {
    if (count == lane.events.size())
      lane.events.emplace_back(device);
    lane.events[count].record(lane.stream);
    return count++;
  };
  // The first one tells how the clock of the device goes.
  if (count == 0) {
    record();
    device.check(device.getAPI().synchronize(device.getUser(),
                                             device.getIndex(), lane.stream),
                 "finish its work");
    firstTimes[number - 1] =
        std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::steady_clock::now().time_since_epoch())
            .count();
  }
  return record();
}

void DeviceRun::reportTimes(RelayDeviceObserver observer, void *user,
                            RelayCounterObserver counterObserver,
                            void *counterUser) {
  if (timedCalls.empty())
    return;
  synchronize();
  for (const TimedCall &timed : timedCalls) {
    const std::vector<DeviceEvent> &events = lanes[timed.device - 1].events;
    const DeviceEvent &start = events[timed.event];
    int64_t begin =
        firstTimes[timed.device - 1] + start.getTimeSince(events.front());
    const DeviceEvent &end = events[timed.event + 1];
    observer(user, timed.call, begin, begin + end.getTimeSince(start));
    end.reportCounters(start, timed.call, counterObserver, counterUser);
  }
  timedCalls.clear();
  std::fill(numEvents.begin(), numEvents.end(), 0);
}

void DeviceRun::synchronize() {
  for (size_t i = 0; i != lanes.size(); ++i) {
    const Device &device = *module.devices[i].device;
    device.check(device.getAPI().synchronize(
                     device.getUser(), device.getIndex(), lanes[i].stream),
                 "finish its work");
  }
}
