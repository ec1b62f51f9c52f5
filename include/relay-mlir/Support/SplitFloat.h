//===- SplitFloat.h - A float as a sum of bf16 ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A float has 24 significant bits, a bf16 has 8: x = high + middle + low, each
// the bf16 nearest to what is left. Products of floats become sums of products
// of pieces, which matrix units compute: of n pieces each, the n(n + 1)/2 terms
// that are not smaller than what n pieces leave out.
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

/// How far a sum of products is from the exact one, as root mean square over
/// that of such sums: with the 3 terms of two pieces each, of which what is
/// left out is random and averages no better than the sums themselves; and in
/// f32, of `depth` products, kSumError * sqrt(depth). Measured for normal,
/// uniform and one-sided data and depths of 1 to 2304: 3.5e-6 to 4.8e-6,
/// and 1.2e-8 (data behind ReLU, half of which is zero) to 1.8e-8. Six terms
/// err less than f32.
inline constexpr double kSplitError = 4.4e-6, kSumError = 1.5e-8;

/// Sums of fewer products have 6 terms at precision "high": with 3 they would
/// err 18 times as much as f32 and more.
inline constexpr int64_t kMinSplitDepth = 256;

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
