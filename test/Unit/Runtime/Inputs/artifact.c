/* An artefact written by hand: y[n, 3] = w * x[n, 3], z[n] = sum of a row of y.
   Its weights are one float, w, which the test puts behind the image.
   Compiled several times, each time with one thing wrong or different. */
#include "note.h"

#ifndef FEATURES
#define FEATURES ""
#endif
#ifndef STATUS
#define STATUS 0
#endif

static const char *const symbols[] = {"n"};
static const int64_t xDims[] = {-1, 3};
static const int64_t zDims[] = {-1};
static const char *const xNames[] = {"n", 0};
static const RelayArtifactTensor inputs[] = {
    {"x", {2, 32, 1}, 2, xDims, xNames}};
static const RelayArtifactTensor outputs[] = {
    {"y", {2, 32, 1}, 2, xDims, xNames}, {"z", {2, 32, 1}, 1, zDims, xNames}};
static const int64_t wDims[] = {1};
static const char *const wNames[] = {0};
static const RelayArtifactTensor arguments[] = {
    {"x", {2, 32, 1}, 2, xDims, xNames},
    {"y", {2, 32, 1}, 2, xDims, xNames},
    {"w", {2, 32, 1}, 1, wDims, wNames}};
static const RelayArtifactCall calls[] = {
    {"scale", "fused_scale", "'row'", 0, -1, 3, 1, 1, arguments}};
static const RelayArtifactDevice devices[] = {{"cpu", 0, 0, sizeof(float)}};

static void scaleRows(void *const *args, const int64_t *dims, int64_t begin,
                      int64_t end) {
  const float *x = args[0];
  float *y = args[1];
  const float *w = args[2];
  for (int64_t i = begin * 3; i < end * 3; ++i)
    y[i] = w[0] * x[i];
}

static void sumRows(void *const *args, const int64_t *dims, int64_t begin,
                    int64_t end) {
  const float *y = args[0];
  float *z = args[1];
  for (int64_t i = begin; i < end; ++i)
    z[i] = y[3 * i] + y[3 * i + 1] + y[3 * i + 2];
}

/* Batches that are multiples of 1013, which is as good as any reason. */
static const char *const checkTexts[] = {"n mod 1013", "1"};
static const int64_t checkSymbols[] = {0};
static const RelayArtifactCheck checks[] = {
    {RELAY_CHECK_AT_LEAST, 2, checkTexts, 1, checkSymbols, 0}};

static int32_t shapes(const int64_t *s, int64_t *dims, int64_t *arena,
                      int64_t *values) {
  if (s[0] != 0 && s[0] % 1013 == 0) {
    values[0] = 0;
    values[1] = 1;
    return 1;
  }
  dims[0] = s[0];
  dims[1] = 3;
  dims[2] = s[0];
  *arena = s[0] * 12;
  return 0;
}

static int32_t work(const int64_t *s, int64_t *flops, int64_t *bytes) {
  flops[0] = 3 * s[0];
  bytes[0] = -1;
  return 0;
}

static int32_t run(void *const *in, void *const *out, const void *weights,
                   void *arena, const int64_t *s,
                   const RelayKernelContext *ctx) {
  void *first[] = {in[0], arena, (void *)weights};
  if (ctx->parallel_for(ctx, scaleRows, first, s, s[0]))
    return 1;
  if (ctx->observer)
    ctx->observer(ctx, 0, first, s);
  for (int64_t i = 0; i < 3 * s[0]; ++i)
    ((float *)out[0])[i] = ((float *)arena)[i];
  void *second[] = {arena, out[1]};
  if (ctx->parallel_for(ctx, sumRows, second, s, s[0]))
    return 1;
  return STATUS;
}

static const RelayArtifactFunction functions[] = {
    {"main", 1, 1, 2, 0, 1, 1, 2, symbols, inputs, outputs, checks, shapes,
     work, run}};

const RelayArtifact relay_artifact = {
    MAGIC, VERSION,       sizeof(RelayArtifact),
    "test", "test",       FEATURES,
    "high", 0,            sizeof(float),
    1,      1,            functions,
    calls,  0,            1,
    0,      devices,      0};
