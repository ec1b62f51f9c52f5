/* Functions that compiled models call, as another project would add them: they
   are registered when this shared object is loaded,
     relay-run --load-library=%relay_lib/SampleFunctions%shlibext */

#include "relay-mlir-c/Functions.h"

#include <stdio.h>

/* Of relax.call_dps_packed "sample.reverse"(%x): a vector of float32 backwards.
 */
static int32_t reverse(void *user, RelayValue *const *args, int32_t num_args,
                       int32_t num_outputs, RelayValue **result) {
  DLTensor from, to;
  int64_t i, size;
  (void)user, (void)result;
  if (num_args != 2 || num_outputs != 1 ||
      relayValueGetTensor(args[0], &from) != RELAY_OK ||
      relayValueGetTensor(args[1], &to) != RELAY_OK)
    return RELAY_INVALID_ARGUMENT;
  if (from.ndim != 1 || to.ndim != 1 || from.shape[0] != to.shape[0] ||
      from.dtype.code != kDLFloat || from.dtype.bits != 32) {
    relaySetLastError("expects a vector of float32");
    return RELAY_INVALID_ARGUMENT;
  }
  size = from.shape[0];
  for (i = 0; i < size; ++i)
    ((float *)to.data)[i] = ((const float *)from.data)[size - 1 - i];
  return RELAY_OK;
}

/* Of relax.call_packed "sample.show"(%x): its argument. */
static int32_t show(void *user, RelayValue *const *args, int32_t num_args,
                    int32_t num_outputs, RelayValue **result) {
  DLTensor tensor;
  (void)user, (void)num_args, (void)num_outputs;
  if (relayValueGetTensor(args[0], &tensor) != RELAY_OK)
    return RELAY_INVALID_ARGUMENT;
  printf("a tensor of rank %d\n", (int)tensor.ndim);
  fflush(stdout);
  relayValueRetain(args[0]);
  *result = args[0];
  return RELAY_OK;
}

__attribute__((constructor)) static void registerAll(void) {
  relayRegisterFunction("sample.reverse", reverse, NULL);
  relayRegisterFunction("sample.show", show, NULL);
}
