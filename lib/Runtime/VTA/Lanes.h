//===- Lanes.h - Arithmetic on elements -------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What GEMM and ALU do to one element. Lanes are little endian, those narrower
// than a byte from the lowest bit on; sums wrap around at the width of a lane.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_VTA_LANES_H
#define RELAY_MLIR_LIB_RUNTIME_VTA_LANES_H

#include "relay-mlir/Runtime/VTA/Instruction.h"

namespace relay_vta {

/// A lane of 2^`logBits` bits with its sign; the low bits of `value` into one.
int32_t readLane(const uint8_t *element, uint64_t lane, unsigned logBits);
void writeLane(uint8_t *element, uint64_t lane, unsigned logBits,
               uint32_t value);

/// acc += inp * wgt, of one element each.
using GemmFn = void (*)(const Config &config, uint8_t *acc, const uint8_t *inp,
                        const uint8_t *wgt);
GemmFn selectGemm(const Config &config);

/// dst = dst op src; without `src`, dst = dst op imm.
void operateElement(const Config &config, AluOpcode opcode, uint8_t *dst,
                    const uint8_t *src, int32_t imm);

/// The low bits of the lanes of an accumulator, as lanes of a result.
void truncate(const Config &config, uint8_t *out, const uint8_t *acc);

} // namespace relay_vta

#endif // RELAY_MLIR_LIB_RUNTIME_VTA_LANES_H
