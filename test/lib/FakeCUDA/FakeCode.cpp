//===- FakeCode.cpp - Code and kernels of the driver ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <algorithm>
#include <cstring>

using namespace relay_cuda;

RELAY_CUDA_FUNCTIONS(FAKE_DECLARE)

namespace {

/// A launch, as a kernel sees it.
struct Call {
  Context context;
  unsigned grid[3], block[3];
  std::vector<uint64_t> params;

  uint64_t getThreads() const {
    uint64_t threads = 1;
    for (int i = 0; i != 3; ++i)
      threads *= uint64_t(grid[i]) * block[i];
    return threads;
  }
  float *floats(size_t i, uint64_t count) const {
    return reinterpret_cast<float *>(
        context->find(params[i], count * sizeof(float)));
  }
  uint32_t *status() const {
    return reinterpret_cast<uint32_t *>(
        context->find(params.back(), sizeof(uint32_t)));
  }
};

} // namespace

struct relay_cuda::KernelEntry {
  const char *name;
  size_t numParams;
  int maxThreads;
  void (*run)(const Call &);
};

static void complain(const Call &call) {
  if (*call.status() == 0)
    *call.status() = 2;
}

/// Each thread has one element, as in a kernel of the compiler.
static const KernelEntry kKernels[] = {
    // x[n, 3], w, y[n, 3]; n, n
    {"scale", 3 + 2 + 1, 1024,
     [](const Call &call) {
       uint64_t count = 3 * call.params[3];
       const float *x = call.floats(0, count), *w = call.floats(1, 1);
       float *y = call.floats(2, count);
       for (uint64_t i = 0; i < std::min(count, call.getThreads()); ++i)
         y[i] = *w * x[i];
     }},
    // x[n]; n: adds 1
    {"increment", 1 + 1 + 1, 1024,
     [](const Call &call) {
       float *x = call.floats(0, call.params[1]);
       for (uint64_t i = 0; i < std::min(call.params[1], call.getThreads());
            ++i)
         x[i] += 1;
     }},
    // x[n]; n: doubles
    {"double", 1 + 1 + 1, 1024,
     [](const Call &call) {
       float *x = call.floats(0, call.params[1]);
       for (uint64_t i = 0; i < call.params[1]; ++i)
         x[i] *= 2;
     }},
    // Reads where nothing is.
    {"fault", 1 + 1 + 1, 1024,
     [](const Call &call) { call.floats(0, uint64_t(1) << 40); }},
    // The second kernel of its module finds an index out of range; with the
    // parameters of increment, and of scale.
    {"complain", 1 + 1 + 1, 1024, complain},
    {"complain-scale", 3 + 2 + 1, 1024, complain},
    // Uses so many registers that few threads have some.
    {"hungry", 1 + 1 + 1, 128, [](const Call &) {}},
};

Result cuModuleLoadDataEx(DriverModule *module, const void *image,
                          unsigned numOptions, JITOption *options,
                          void **values) {
  return call([&](State &state) {
    std::string text = static_cast<const char *>(image);
    if (text.find("mistake") != std::string::npos) {
      char *log = nullptr;
      size_t size = 0;
      for (unsigned i = 0; i != numOptions; ++i) {
        if (options[i] == kErrorLog)
          log = static_cast<char *>(values[i]);
        if (options[i] == kErrorLogBytes)
          size = reinterpret_cast<size_t>(values[i]);
      }
      if (size)
        std::strncpy(log, "line 1: there is a mistake\nfatal error\n", size);
      throw Failure{kInvalidPTX};
    }
    if (text.find("newer") != std::string::npos)
      throw Failure{kUnsupportedPTXVersion};
    auto made = std::make_unique<ModuleState>();
    made->context = &getContext();
    for (const KernelEntry &entry : kKernels)
      if (text.find(std::string(".entry ") + entry.name + "\n") !=
          std::string::npos)
        made->functions[entry.name].entry = &entry;
    *module = own(made.release());
    ++state.fake.modules;
  });
}

Result cuModuleUnload(DriverModule module) {
  return call([&](State &state) {
    destroy(module);
    --state.fake.modules;
  });
}

Result cuModuleGetFunction(Function *function, DriverModule module,
                           const char *name) {
  return call([&](State &) {
    auto it = module->functions.find(name);
    if (it == module->functions.end())
      throw Failure{kNotFound};
    *function = &it->second;
  });
}

Result cuFuncGetAttribute(int *value, FunctionAttribute attribute,
                          Function function) {
  if (attribute != kMaxThreads && attribute != kStaticSharedBytes)
    return kInvalidValue;
  *value = attribute == kMaxThreads ? function->entry->maxThreads : 1 << 10;
  return kSuccess;
}

Result cuFuncSetAttribute(Function function, FunctionAttribute attribute,
                          int value) {
  if (attribute == kMaxDynamicSharedBytes && value <= 226 << 10)
    function->dynamicSharedBytes = value;
  else if (attribute == kNonPortableClusters)
    function->hasLargeClusters = value != 0;
  else
    return kInvalidValue;
  return kSuccess;
}

Result cuLaunchKernelEx(const LaunchConfig *config, Function function,
                        void **params, void **extra) {
  return call([&](State &state) {
    FakeCUDA &fake = state.fake;
    unsigned cluster = 0;
    if (config->numAttributes == 1 && config->attributes->kind == 4)
      cluster = config->attributes->value.cluster.x;
    else if (config->numAttributes != 0)
      throw Failure{kInvalidValue};
    if (int result = std::exchange(fake.nextLaunch, 0))
      throw Failure{static_cast<Result>(result)};
    Call launch;
    launch.context = config->stream->context;
    unsigned grid[] = {config->gridX, config->gridY, config->gridZ};
    unsigned block[] = {config->blockX, config->blockY, config->blockZ};
    std::copy_n(grid, 3, launch.grid);
    std::copy_n(block, 3, launch.block);
    bool isRight = config->sharedBytes <=
                       static_cast<unsigned>(function->dynamicSharedBytes) &&
                   cluster <= (function->hasLargeClusters ? 16 : 8) &&
                   (cluster == 0 || grid[0] % cluster == 0) &&
                   block[0] * block[1] * block[2] <=
                       static_cast<unsigned>(function->entry->maxThreads);
    for (int i = 0; i != 3; ++i)
      isRight &= grid[i] != 0 && block[i] != 0;
    if (!isRight)
      throw Failure{kInvalidValue};
    for (size_t i = 0; i != function->entry->numParams; ++i)
      launch.params.push_back(*static_cast<uint64_t *>(params[i]));
    bool isCaptured = config->stream->capture;
    // A microsecond for each block.
    uint64_t blocks = uint64_t(grid[0]) * grid[1] * grid[2];
    const KernelEntry *entry = function->entry;
    enqueue(config->stream, 1000 * blocks, [launch, entry] {
      ++get().fake.kernelsRun;
      entry->run(launch);
    });
    if (isCaptured)
      return;
    ++fake.launches;
    fake.clusterLaunches += cluster != 0;
    std::copy_n(grid, 3, fake.grid);
    std::copy_n(block, 3, fake.block);
    fake.sharedBytes = config->sharedBytes;
    fake.cluster = cluster;
  });
}

Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned sharedBytes,
                      StreamHandle stream, void **params, void **extra) {
  LaunchConfig config = {gridX,  gridY,       gridZ,  blockX,  blockY,
                         blockZ, sharedBytes, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, params, extra);
}
