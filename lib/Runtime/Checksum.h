//===- Checksum.h - Hashes of memory ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CHECKSUM_H
#define RELAY_MLIR_LIB_RUNTIME_CHECKSUM_H

#include <cstdint>

namespace relay_rt {

/// XXH3 with 64 bits, the default secret and no seed.
uint64_t hashBytes(const void *data, uint64_t size);

/// The same of a copy of these bytes in which those of [place, place + count)
/// are zero.
uint64_t hashWithZeros(const void *data, uint64_t size, uint64_t place,
                       uint64_t count);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_CHECKSUM_H
