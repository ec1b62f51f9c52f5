/* Runs what the code generators "bytes" write, of ExampleCodegen.cpp and of
   test_relay_codegen.py: for each function a line with its name, its number of
   inputs, how many elements each input and the output have, and what is
   computed of each element, in postfix notation. "3 1" of elements is 3 times
   the first one of the open sizes, "3 0" is 3:

     f 2 12 0 0 1 add relu

   is relu(input 0 + input 1) of 12 elements of float32. */
#include "relay-mlir-c/HostDevice.h"

#include <math.h>

#ifndef KIND
#define KIND "bytes"
#endif

static RelayStatus load(const char *format, const void *data, uint64_t size,
                        void **module) {
  (void)size;
  if (strcmp(format, "postfix") != 0)
    return relayHostDeviceFail(RELAY_INCOMPATIBLE,
                               "expects code in the format postfix, but got %s",
                               format);
  *module = (void *)data;
  return RELAY_OK;
}

static RelayStatus unload(void *module) {
  (void)module;
  return RELAY_OK;
}

/* A kernel is the rest of its line. */
static RelayStatus find(void *module, const char *name, void **kernel) {
  size_t length = strlen(name);
  for (char *line = module; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, length) == 0 && line[length] == ' ') {
      *kernel = line + length;
      return RELAY_OK;
    }
  }
  return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                             "there is no function %s in its code", name);
}

static RelayStatus run(void *kernel, void *const *args, int32_t numArgs,
                       const int64_t *dims, const RelayKernelContext *context) {
  (void)context;
  char *line = kernel;
  long numInputs = strtol(line, &line, 10);
  long count = strtol(line, &line, 10);
  if (strtol(line, &line, 10))
    count *= dims[0];
  if (numArgs != numInputs + 1)
    return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                               "expects %ld buffers, but got %d", numInputs + 1,
                               (int)numArgs);
  for (long i = 0; i < count; ++i) {
    float stack[64], *top = stack;
    for (const char *word = line; *word == ' ' && top < stack + 63;) {
      ++word;
      size_t length = strcspn(word, " \n");
      if (*word >= '0' && *word <= '9') {
        *top++ = ((const float *)args[atol(word)])[i];
      } else if (strncmp(word, "relu", length) == 0) {
        top[-1] = top[-1] > 0 ? top[-1] : 0;
      } else if (strncmp(word, "tanh", length) == 0) {
        top[-1] = tanhf(top[-1]);
      } else if (strncmp(word, "add", length) == 0) {
        --top;
        top[-1] += top[0];
      } else {
        return relayHostDeviceFail(RELAY_INVALID_ARGUMENT,
                                   "expects an operation, but got %.*s",
                                   (int)length, word);
      }
      word += length;
    }
    ((float *)args[numInputs])[i] = top[-1];
  }
  return RELAY_OK;
}

RELAY_DEFINE_HOST_DEVICE(KIND, load, unload, find, run)
