//===- CPUDevice.cpp - Processors as devices ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All memory of a process is within reach of its processors, so nothing here
// needs to be copied. But every address is looked up, and one that belongs to
// another device or to the host is refused: a program that would not run on a
// device of another kind does not run here.
//
//===----------------------------------------------------------------------===//

#include "CPUDevice.h"

#include "ArtifactFile.h"
#include "Error.h"
#include "Library.h"
#include "Tensors.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace relay_rt;

namespace {

/// What is allocated on all devices, by where it begins.
class Memory {
public:
  void *allocate(int32_t device, uint64_t bytes) {
    AlignedBuffer buffer = allocateAligned(bytes);
    void *begin = buffer.get();
    std::lock_guard<std::mutex> lock(mutex);
    blocks[begin] = {device, bytes, std::move(buffer)};
    return begin;
  }

  void release(int32_t device, void *begin) {
    AlignedBuffer buffer;
    std::lock_guard<std::mutex> lock(mutex);
    auto it = blocks.find(begin);
    if (it == blocks.end() || it->second.device != device)
      failForeign(device, "to be released");
    buffer = std::move(it->second.buffer);
    blocks.erase(it);
  }

  /// Throws unless `bytes` bytes at `address` are those of a device.
  void check(int32_t device, const void *address, uint64_t bytes,
             const char *purpose) {
    auto place = reinterpret_cast<uintptr_t>(address);
    std::lock_guard<std::mutex> lock(mutex);
    auto it = blocks.upper_bound(const_cast<void *>(address));
    if (it == blocks.begin())
      failForeign(device, purpose);
    --it;
    uint64_t offset = place - reinterpret_cast<uintptr_t>(it->first);
    if (it->second.device != device || offset > it->second.bytes ||
        bytes > it->second.bytes - offset)
      failForeign(device, purpose);
  }

private:
  [[noreturn]] static void failForeign(int32_t device, const char *purpose) {
    fail(RELAY_INVALID_ARGUMENT, "expects memory of cpu:", device, " ", purpose,
         ", but got an address that is elsewhere");
  }

  struct Block {
    int32_t device;
    uint64_t bytes;
    AlignedBuffer buffer;
  };
  std::mutex mutex;
  std::map<void *, Block> blocks;
};

/// Kernels by name.
class Module {
public:
  Module(const RelayHostKernel *kernels, uint64_t count) {
    for (uint64_t i = 0; i != count; ++i)
      this->kernels[kernels[i].name] = kernels[i].kernel;
  }
  explicit Module(void *library) : library(library) {}
  ~Module() {
    if (library)
      dlclose(library);
  }
  Module(const Module &) = delete;

  RelayKernel find(const char *name) const {
    auto it = kernels.find(name);
    RelayKernel kernel = it == kernels.end() ? nullptr : it->second;
    if (library)
      kernel = reinterpret_cast<RelayKernel>(dlsym(library, name));
    if (!kernel)
      fail(RELAY_INVALID_ARTIFACT, "expects a kernel '", name,
           "', but the module has none of that name");
    return kernel;
  }

private:
  std::map<std::string, RelayKernel> kernels;
  void *library = nullptr;
};

} // namespace

static void *loadLibrary(const void *data, uint64_t size) {
  Descriptor file(memfd_create("kernels", MFD_CLOEXEC));
  const char *rest = static_cast<const char *>(data);
  while (size != 0) {
    ssize_t count = write(file.get(), rest, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      fail(RELAY_OUT_OF_MEMORY,
           "cannot write a file in memory: ", std::strerror(errno));
    rest += count;
    size -= static_cast<uint64_t>(count);
  }
  return openLibrary(file.get(), "kernels");
}

/// Outlives every model, also one that a static object holds.
static Memory &getMemory() {
  static auto *memory = new Memory;
  return *memory;
}

const RelayDeviceAPI &relay_rt::getCPUDeviceAPI() {
  static const RelayDeviceAPI api = [] {
    RelayDeviceAPI api = {};
    api.version = RELAY_DEVICE_API_VERSION;
    api.struct_size = sizeof(RelayDeviceAPI);
    api.kind = "cpu";
    api.get_error = [](void *) { return relayGetLastError(); };
    api.get_num_devices = [](void *, int32_t *count) {
      *count = INT32_MAX;
      return RELAY_OK;
    };
    api.allocate = [](void *, int32_t device, uint64_t bytes, void **memory) {
      return guard([&] { *memory = getMemory().allocate(device, bytes); });
    };
    api.release = [](void *, int32_t device, void *memory) {
      return guard([&] { getMemory().release(device, memory); });
    };
    api.create_stream = [](void *, int32_t, void **stream) {
      *stream = nullptr;
      return RELAY_OK;
    };
    api.destroy_stream = [](void *, int32_t, void *) { return RELAY_OK; };
    api.synchronize = [](void *, int32_t, void *) { return RELAY_OK; };
    api.copy_from_host = [](void *, int32_t device, void *, void *to,
                            const void *from, uint64_t bytes) {
      return guard([&] {
        getMemory().check(device, to, bytes, "to copy to");
        std::memcpy(to, from, bytes);
      });
    };
    api.copy_to_host = [](void *, int32_t device, void *, void *to,
                          const void *from, uint64_t bytes) {
      return guard([&] {
        getMemory().check(device, from, bytes, "to copy from");
        std::memcpy(to, from, bytes);
      });
    };
    api.copy_across = [](void *, int32_t toDevice, void *, void *to,
                         int32_t fromDevice, const void *from, uint64_t bytes) {
      return guard([&] {
        getMemory().check(fromDevice, from, bytes, "to copy from");
        getMemory().check(toDevice, to, bytes, "to copy to");
        std::memcpy(to, from, bytes);
      });
    };
    api.load_module = [](void *, int32_t, const char *format, const void *data,
                         uint64_t size, void **module) {
      return guard([&] {
        if (std::strcmp(format, RELAY_MODULE_FORMAT_LIBRARY) == 0)
          *module = new Module(loadLibrary(data, size));
        else if (std::strcmp(format, RELAY_MODULE_FORMAT_HOST) == 0)
          *module = new Module(static_cast<const RelayHostKernel *>(data),
                               size / sizeof(RelayHostKernel));
        else
          fail(RELAY_INVALID_ARTIFACT,
               "expects code in the format '" RELAY_MODULE_FORMAT_HOST
               "' or '" RELAY_MODULE_FORMAT_LIBRARY "', but got '",
               format, "'");
      });
    };
    api.unload_module = [](void *, int32_t, void *module) {
      delete static_cast<Module *>(module);
      return RELAY_OK;
    };
    api.get_kernel = [](void *, int32_t, void *module, const char *name,
                        void **kernel) {
      return guard([&] {
        *kernel = reinterpret_cast<void *>(
            static_cast<const Module *>(module)->find(name));
      });
    };
    api.launch = [](void *, int32_t device, void *, void *kernel,
                    void *const *args, int32_t numArgs, const int64_t *dims,
                    const RelayKernelContext *context) {
      return guard([&] {
        for (int32_t i = 0; i != numArgs; ++i)
          getMemory().check(device, args[i], 0, "for a kernel");
        int32_t status =
            reinterpret_cast<RelayKernel>(kernel)(args, dims, context);
        if (status == RELAY_KERNEL_CHECK_FAILED && *context->expectation)
          fail(RELAY_INVALID_ARGUMENT, *context->expectation,
               ", but got something else");
        if (status != 0)
          fail(RELAY_EXECUTION_FAILED, "the kernel failed with code ", status);
      });
    };
    return api;
  }();
  return api;
}
