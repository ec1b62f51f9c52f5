//===- Checksum.cpp - Hashes of memory ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checksum.h"

// All of the library is in its header: nobody who runs a model needs it.
#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace relay_rt;

uint64_t relay_rt::hashBytes(const void *data, uint64_t size) {
  return XXH3_64bits(data, size);
}

uint64_t relay_rt::hashWithZeros(const void *data, uint64_t size,
                                 uint64_t place, uint64_t count) {
  const auto *bytes = static_cast<const char *>(data);
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, bytes, place);
  for (uint64_t i = 0; i < count; ++i)
    XXH3_64bits_update(&state, "", 1);
  XXH3_64bits_update(&state, bytes + place + count, size - place - count);
  return XXH3_64bits_digest(&state);
}
