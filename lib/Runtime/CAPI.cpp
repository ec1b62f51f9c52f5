//===- CAPI.cpp - The C functions of the run time -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUDevice.h"
#include "Devices.h"
#include "Error.h"
#include "Module.h"
#include "ThreadPool.h"

#include <cstring>

using namespace relay_rt;

static thread_local std::string lastError;

void relay_rt::setLastError(const std::string &message) { lastError = message; }

const char *relayRuntimeVersion(void) { return RELAY_MLIR_VERSION; }

const char *relayGetLastError(void) { return lastError.c_str(); }

RelayStatus relaySetNumThreads(int32_t numThreads) {
  return guard([&] { ThreadPool::setNumThreads(numThreads); });
}

RelayStatus relayGetNumThreads(int32_t *numThreads) {
  return guard([&] { *numThreads = ThreadPool::get()->getNumThreads(); });
}

RelayStatus relayRegisterDeviceAPI(const RelayDeviceAPI *api) {
  return guard([&] { registerDeviceAPI(api); });
}

const RelayDeviceAPI *relayGetCPUDeviceAPI(void) { return &getCPUDeviceAPI(); }

RelayStatus relayModuleLoad(const char *path, RelayModule **module) {
  return relayModuleLoadWithFlags(path, 0, module);
}

RelayStatus relayModuleLoadWithFlags(const char *path, int32_t flags,
                                     RelayModule **module) {
  return relayModuleLoadFor(path, flags, nullptr, module);
}

RelayStatus relayModuleLoadFor(const char *path, int32_t flags,
                               const char *device, RelayModule **module) {
  return guard([&] {
    if (!path)
      fail(RELAY_INVALID_ARGUMENT, "expects a path, but got a null pointer");
    if (flags & ~RELAY_LOAD_MAP_WEIGHTS)
      fail(RELAY_INVALID_ARGUMENT, "expects flags of RelayLoadFlags, but got ",
           flags);
    *module = new RelayModule(path, flags, device);
  });
}

RelayStatus relayModuleVerify(const RelayModule *module) {
  return guard([&] { module->verify(); });
}

void relayModuleFree(RelayModule *module) { delete module; }

int32_t relayModuleGetNumInputs(const RelayModule *module) {
  return module->hasProgram()
             ? 0
             : static_cast<int32_t>(module->getMain().getInputs().size());
}

int32_t relayModuleGetNumOutputs(const RelayModule *module) {
  return module->hasProgram()
             ? 0
             : static_cast<int32_t>(module->getMain().getOutputs().size());
}

static void getInfo(const std::vector<RelayTensorInfo> &infos, const char *what,
                    int32_t index, RelayTensorInfo *info) {
  if (index < 0 || index >= static_cast<int32_t>(infos.size()))
    fail(RELAY_INVALID_ARGUMENT, "expects the number of an ", what, " below ",
         infos.size(), ", but got ", index);
  *info = infos[index];
}

RelayStatus relayModuleGetInputInfo(const RelayModule *module, int32_t index,
                                    RelayTensorInfo *info) {
  return guard(
      [&] { getInfo(module->getMain().getInputs(), "input", index, info); });
}

RelayStatus relayModuleGetOutputInfo(const RelayModule *module, int32_t index,
                                     RelayTensorInfo *info) {
  return guard(
      [&] { getInfo(module->getMain().getOutputs(), "output", index, info); });
}

int64_t relayModuleGetNumStrings(const RelayModule *module) {
  return module->getArtifact().num_strings;
}

const char *relayModuleGetString(const RelayModule *module, int64_t number) {
  const RelayArtifact &artifact = module->getArtifact();
  return number < 0 || number >= artifact.num_strings
             ? nullptr
             : artifact.strings[number];
}

int32_t relayModuleGetMetadata(const RelayModule *module, int64_t index,
                               const char **key, const char **text) {
  const RelayArtifact &artifact = module->getArtifact();
  if (index < 0 || index >= artifact.num_metadata / 2)
    return 0;
  *key = artifact.metadata[2 * index];
  *text = artifact.metadata[2 * index + 1];
  return 1;
}

RelayStatus relayModuleFindInput(const RelayModule *module, const char *name,
                                 int32_t *index) {
  return guard([&] {
    std::string known;
    const std::vector<RelayTensorInfo> &inputs = module->getMain().getInputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (std::strcmp(inputs[i].name, name) == 0) {
        *index = static_cast<int32_t>(i);
        return;
      }
      known += (i ? ", '" : "'") + std::string(inputs[i].name) + "'";
    }
    fail(RELAY_INVALID_ARGUMENT, "expects one of the inputs ", known,
         ", but got '", name, "'");
  });
}

RelayStatus relayModuleRun(RelayModule *module, const DLTensor *const *inputs,
                           int32_t numInputs, DLManagedTensor **outputs,
                           int32_t numOutputs) {
  return guard([&] { module->run(inputs, numInputs, outputs, numOutputs); });
}

RelayStatus relayModuleGetWork(const RelayModule *module,
                               const DLTensor *const *inputs, int32_t numInputs,
                               int64_t *flops, int64_t *bytes) {
  return guard([&] { module->getWork(inputs, numInputs, flops, bytes); });
}

void relayModuleSetObserver(RelayModule *module, RelayObserver observer,
                            void *user) {
  module->observer = observer;
  module->observerData = user;
}

void relayModuleSetThreadObserver(RelayModule *module,
                                  RelayThreadObserver observer, void *user) {
  module->threadObserver = observer;
  module->threadObserverData = user;
}

void relayModuleSetDeviceObserver(RelayModule *module,
                                  RelayDeviceObserver observer, void *user) {
  module->deviceObserver = observer;
  module->deviceObserverData = user;
}

void relayModuleSetCounterObserver(RelayModule *module,
                                   RelayCounterObserver observer, void *user) {
  module->counterObserver = observer;
  module->counterObserverData = user;
}

const RelayArtifact *relayModuleGetArtifact(const RelayModule *module) {
  return &module->getArtifact();
}
