/* An artefact written by hand that runs on a device of kind KIND, which loads
   what it finds in a module of format FORMAT: y[n, 3] = w * x[n, 3], with w, one
   float, in the weights of the device. FROM is a device that x goes through
   first. Compiled for several kinds. */
#include "note.h"

#ifndef INDEX
#define INDEX 1
#endif

static const char *const symbols[] = {"n"};
static const int64_t dims[] = {-1, 3};
static const char *const names[] = {"n", 0};
static const RelayArtifactTensor tensor[] = {{"x", {2, 32, 1}, 2, dims, names}};
static const RelayArtifactTensor args[] = {{"", {2, 32, 1}, 2, dims, names},
                                           {"", {2, 32, 1}, 0, 0, 0},
                                           {"", {2, 32, 1}, 2, dims, names}};
static const RelayArtifactTensor pair[] = {{"", {2, 32, 1}, 2, dims, names},
                                           {"", {2, 32, 1}, 2, dims, names}};
static const RelayArtifactCall calls[] = {
    {"in", "in", "", 2, 0, 2, 1, 1, pair},
    {"across", "across", "", 1, 2, 2, 1, 1, pair},
    {"scale", "fused_scale", "'row'", 1, -1, 3, 2, 1, args},
    {"out", "out", "", 0, 1, 2, 1, 1, pair}};

#ifdef HOST_KERNELS
static int32_t scale(void *const *data, const int64_t *sizes,
                     const RelayKernelContext *context) {
  const float *x = data[0], *w = data[1];
  float *y = data[2];
  for (int64_t i = 0; i < 3 * sizes[0]; ++i)
    y[i] = *w * x[i];
  return 0;
}

static const RelayHostKernel code[] = {{"scale", scale}};
#define CODE_SIZE sizeof(code)
#elif defined(CUDA_KERNEL)
/* What relay-mlir/Runtime/CUDACode.h says, with an image that
   test/lib/FakeCUDA knows. The last kernel is called. */
#define IMAGE ".entry scale\n.entry fault\n.entry complain-scale\n"
static const char code[] = "relay-cuda 1\n"
                           "image ptx " ARCH " 48\n"
                           "kernel other 0 0\n"
                           "kernel scale " CUDA_KERNEL "\n"
                           "end\n" IMAGE;
_Static_assert(sizeof(IMAGE) - 1 == 48, "the header has the size");
#define CODE_SIZE (sizeof(code) - 1)
#else
#ifndef NAME
#define NAME "scale"
#endif

/* What test/lib/ScalarTarget/ScalarCode.cpp says. */
static const char code[] = "kernel " NAME " 3 1\n"
                           "size %0 0\n"
                           "int %1 3\n"
                           "muli %2 %0 %1 64\n"
                           "int %3 0\n"
                           "int %4 1\n"
                           "load %5 b1 %3 32\n"
                           "for %6 %3 %2 %4\n"
                           "load %7 b0 %6 32\n"
                           "mulf %8 %7 %5\n"
                           "store %8 b2 %6 32\n"
                           "end\n";
#define CODE_SIZE sizeof(code)
#endif

static int32_t shapes(const int64_t *s, int64_t *sizes, int64_t *arenas,
                      int64_t *values) {
  sizes[0] = s[0];
  sizes[1] = 3;
  arenas[0] = 0;
  arenas[1] = 2 * 12 * s[0];
  arenas[2] = 12 * s[0];
  return 0;
}

static int32_t work(const int64_t *s, int64_t *flops, int64_t *bytes) {
  for (int i = 0; i < 4; ++i)
    flops[i] = bytes[i] = -1;
  return 0;
}

static int32_t run(void *const *in, void *const *out, const void *weights,
                   void *arena, const int64_t *s,
                   const RelayKernelContext *context) {
  int64_t bytes = 12 * s[0], sizes[] = {s[0], s[0]};
  char *x = context->devices[1].arena, *first = context->devices[2].arena;
  void *toFirst[] = {in[0], first}, *across[] = {first, x};
  void *kernel[] = {x, (void *)context->devices[1].weights, x + bytes};
  void *fromDevice[] = {x + bytes, out[0]};
#ifdef FOREIGN_POINTER
  kernel[0] = in[0];
#endif
  int32_t status = context->call_device(context, 0, toFirst, s, bytes);
  if (!status)
    status = context->call_device(context, 1, across, s, bytes);
  if (!status)
    status = context->call_device(context, 2, kernel, sizes, 0);
  if (!status)
    status = context->call_device(context, 3, fromDevice, s, bytes);
  return status;
}

static const RelayArtifactDevice devices[] = {{"cpu", 0, 0, 0},
                                              {KIND, INDEX, 0, sizeof(float)},
                                              {FROM, 2, sizeof(float), 0}};
static const RelayArtifactModule modules[] = {
    {KIND, FORMAT, code, CODE_SIZE}};

static const RelayArtifactFunction functions[] = {{"main", 1, 1, 1, 0, 4, 0, 0,
                                                   symbols, tensor, tensor, 0,
                                                   shapes, work, run}};

const RelayArtifact relay_artifact = {RELAY_ARTIFACT_MAGIC,
                                      RELAY_ARTIFACT_VERSION,
                                      sizeof(RelayArtifact),
                                      "test",
                                      "test",
                                      "",
                                      "high",
                                      0,
                                      sizeof(float),
                                      1,
                                      4,
                                      functions,
                                      calls,
                                      0,
                                      3,
                                      1,
                                      devices,
                                      modules};
