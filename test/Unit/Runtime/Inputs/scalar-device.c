/* Drives devices of kind "scalar", as a project of somebody else would: four of
   them, whose memory no processor can read, because addresses are off by
   BIAS. Their code is text: the name of the one kernel that they know. */
#include "relay-mlir-c/Device.h"

#include <stdlib.h>
#include <string.h>

#define BIAS ((uintptr_t)1 << 62)

#ifndef VERSION
#define VERSION RELAY_DEVICE_API_VERSION
#endif
#ifndef KIND
#define KIND "scalar"
#endif

static __thread const char *error = "";

static char *toHost(const void *address) {
  return (char *)((uintptr_t)address - BIAS);
}

static const char *getError(void *user) { return error; }

static RelayStatus getNumDevices(void *user, int32_t *count) {
  *count = 4;
  return RELAY_OK;
}

static RelayStatus allocate(void *user, int32_t device, uint64_t bytes,
                            void **memory) {
  void *block = bytes > (1 << 20) ? 0 : aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!block) {
    error = "it has one MiB of memory";
    return RELAY_OUT_OF_MEMORY;
  }
  *memory = (void *)((uintptr_t)block + BIAS);
  return RELAY_OK;
}

static RelayStatus release(void *user, int32_t device, void *memory) {
  free(toHost(memory));
  return RELAY_OK;
}

static RelayStatus createStream(void *user, int32_t device, void **stream) {
  *stream = malloc(1);
  return RELAY_OK;
}

static RelayStatus destroyStream(void *user, int32_t device, void *stream) {
  free(stream);
  return RELAY_OK;
}

static RelayStatus synchronize(void *user, int32_t device, void *stream) {
  return RELAY_OK;
}

static RelayStatus copyFromHost(void *user, int32_t device, void *stream,
                                void *to, const void *from, uint64_t bytes) {
  memcpy(toHost(to), from, bytes);
  return RELAY_OK;
}

static RelayStatus copyToHost(void *user, int32_t device, void *stream,
                              void *to, const void *from, uint64_t bytes) {
  memcpy(to, toHost(from), bytes);
  return RELAY_OK;
}

static RelayStatus copyAcross(void *user, int32_t to_device, void *stream,
                              void *to, int32_t from_device, const void *from,
                              uint64_t bytes) {
  memcpy(toHost(to), toHost(from), bytes);
  return RELAY_OK;
}

static RelayStatus loadModule(void *user, int32_t device, const char *format,
                              const void *data, uint64_t size, void **module) {
  if (strcmp(format, "scalar-text") != 0) {
    error = "expects code in the format scalar-text";
    return RELAY_INVALID_ARTIFACT;
  }
  *module = strdup(data);
  return RELAY_OK;
}

static RelayStatus unloadModule(void *user, int32_t device, void *module) {
  free(module);
  return RELAY_OK;
}

static RelayStatus getKernel(void *user, int32_t device, void *module,
                             const char *name, void **kernel) {
  if (strcmp(module, name) != 0) {
    error = "there is no such kernel";
    return RELAY_INVALID_ARTIFACT;
  }
  *kernel = module;
  return RELAY_OK;
}

static RelayStatus launch(void *user, int32_t device, void *stream,
                          void *kernel, void *const *args, int32_t num_args,
                          const int64_t *dims,
                          const RelayKernelContext *context) {
  const float *x = (const float *)toHost(args[0]);
  const float *w = (const float *)toHost(args[1]);
  float *y = (float *)toHost(args[2]);
  for (int64_t i = 0; i < 3 * dims[0]; ++i)
    y[i] = *w * x[i];
  return RELAY_OK;
}

static const RelayDeviceAPI api = {
    VERSION,       sizeof(RelayDeviceAPI),
    KIND,          0,
    getError,      getNumDevices,
    allocate,      release,
    createStream,  destroyStream,
    synchronize,   copyFromHost,
    copyToHost,    copyAcross,
    loadModule,    unloadModule,
    getKernel,     launch};

__attribute__((visibility("default"))) const RelayDeviceAPI *
relayGetDeviceAPI(void) {
  return &api;
}
