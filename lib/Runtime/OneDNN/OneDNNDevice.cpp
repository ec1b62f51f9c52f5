//===- OneDNNDevice.cpp - oneDNN as a device ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// librelay_device_dnnl.so: runs what relay.op.contrib.dnnl hands to oneDNN. It
// uses the threads of oneDNN's own run time, OpenMP (OMP_NUM_THREADS).
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "relay-mlir-c/HostDevice.h"

using namespace relay_dnnl;

/// Calls a function; what it throws is an error of the device.
template <typename F>
static RelayStatus guard(RelayStatus status, F function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return relayHostDeviceFail(RELAY_OUT_OF_MEMORY, "out of memory");
  } catch (const dnnl::error &error) {
    return relayHostDeviceFail(status, "oneDNN: %s", error.what());
  } catch (const std::exception &error) {
    return relayHostDeviceFail(status, "%s", error.what());
  }
}

static RelayStatus load(const char *format, const void *data, uint64_t size,
                        void **module) {
  if (strcmp(format, "dnnl 1") != 0)
    return relayHostDeviceFail(RELAY_INCOMPATIBLE,
                               "expects code in the format 'dnnl 1', but got "
                               "'%s'",
                               format);
  return guard(RELAY_INVALID_ARGUMENT, [&] {
    *module = new Module(static_cast<const char *>(data), size);
    return RELAY_OK;
  });
}

static RelayStatus unload(void *module) {
  delete static_cast<Module *>(module);
  return RELAY_OK;
}

static RelayStatus find(void *module, const char *name, void **kernel) {
  *kernel = static_cast<Module *>(module)->find(name);
  if (!*kernel)
    return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                               "there is no function %s in its code", name);
  return RELAY_OK;
}

static RelayStatus run(void *kernel, void *const *args, int32_t numArgs,
                       const int64_t * /*dims*/,
                       const RelayKernelContext * /*context*/) {
  auto *graph = static_cast<Graph *>(kernel);
  if (graph->getNumBuffers() != static_cast<size_t>(numArgs))
    return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                               "expects %zu buffers, but got %d",
                               graph->getNumBuffers(), numArgs);
  return guard(RELAY_EXECUTION_FAILED, [&] {
    graph->run(args);
    return RELAY_OK;
  });
}

RELAY_DEFINE_HOST_DEVICE("dnnl", load, unload, find, run)
