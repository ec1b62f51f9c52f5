//===- SplitFloat.h - A float as a sum of bf16 ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A float has 24 significant bits, a bf16 has 8: x = high + middle + low, each
// the bf16 nearest to what is left. Products of floats become sums of products
// of pieces, which matrix units compute.
//
// What is not finite stays what it is: the first piece of an infinity is that
// infinity, the others are 0; the first piece of a NaN is a NaN. The first
// piece of a number that would round to infinity is the largest bf16 below it.
// Pieces below 2^-126 are denormal, which matrix units take for 0: the numbers
// for which n pieces hold 8n bits are those from 2^(8n - 134) up.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_SPLITFLOAT_H
#define RELAY_MLIR_SUPPORT_SPLITFLOAT_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mlir::relay {

/// Writes the bits of `count` pieces of `value`, the largest first.
inline void splitFloat(float value, uint16_t *pieces, size_t count) {
  auto toBits = [](float number) {
    uint32_t bits;
    std::memcpy(&bits, &number, sizeof(bits));
    return bits;
  };
  for (size_t i = 0; i != count; ++i) {
    uint32_t bits = toBits(value);
    uint32_t magnitude = bits & 0x7fffffff;
    uint32_t piece = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    // Nearer to 2^128 than to the largest bf16, or not finite.
    if (magnitude >= 0x7f7f8000)
      piece = bits >> 16;
    // A NaN may have nothing but the bits that are cut off.
    if (magnitude > 0x7f800000)
      piece |= 0x40;
    pieces[i] = piece;
    uint32_t rounded = piece << 16;
    float known;
    std::memcpy(&known, &rounded, sizeof(known));
    value = magnitude == 0x7f800000 ? 0.0f : value - known;
  }
}

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_SPLITFLOAT_H
