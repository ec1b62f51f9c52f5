//===- Floats.h - Floats of any width in registers --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each class reads a type of floats from a register and writes it, rounded to
// the nearest, ties to even. Floats narrower than 32 bits are computed in 32.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_GPUEXECUTOR_FLOATS_H
#define RELAY_MLIR_LIB_GPUEXECUTOR_FLOATS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"

namespace mlir::relay::gpu_executor {

/// Of types of up to 16 bits: the values of all bit patterns.
const float *getHalfValues();
const float *getFloat8E4M3FNValues();
const float *getFloat8E5M2Values();

/// Rounds to a type through LLVM's software floats.
uint64_t roundToHalf(float value);
uint64_t roundToFloat8E4M3FN(float value);
uint64_t roundToFloat8E5M2(float value);

struct F64 {
  using Value = double;
  static double get(uint64_t bits) { return llvm::bit_cast<double>(bits); }
  static uint64_t put(double value) { return llvm::bit_cast<uint64_t>(value); }
};

struct F32 {
  using Value = float;
  static float get(uint64_t bits) {
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  }
  static uint64_t put(float value) { return llvm::bit_cast<uint32_t>(value); }
};

struct F16 {
  using Value = float;
  static float get(uint64_t bits) {
    static const float *const values = getHalfValues();
    return values[bits & 0xffff];
  }
  static uint64_t put(float value) { return roundToHalf(value); }
};

struct BF16 {
  using Value = float;
  static float get(uint64_t bits) {
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits << 16));
  }
  static uint64_t put(float value) {
    uint32_t bits = llvm::bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
      return (bits >> 16 | 0x40) & 0xffff;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
};

struct F8E4M3FN {
  using Value = float;
  static float get(uint64_t bits) {
    static const float *const values = getFloat8E4M3FNValues();
    return values[bits & 0xff];
  }
  static uint64_t put(float value) { return roundToFloat8E4M3FN(value); }
};

struct F8E5M2 {
  using Value = float;
  static float get(uint64_t bits) {
    static const float *const values = getFloat8E5M2Values();
    return values[bits & 0xff];
  }
  static uint64_t put(float value) { return roundToFloat8E5M2(value); }
};

/// Calls `fn` with an object of the class for a type; returns what it returns,
/// or null for types that no register holds.
template <typename Fn>
auto withFloat(Type type, Fn fn) -> decltype(fn(F32())) {
  if (type.isF32())
    return fn(F32());
  if (type.isF64())
    return fn(F64());
  if (type.isF16())
    return fn(F16());
  if (type.isBF16())
    return fn(BF16());
  if (isa<Float8E4M3FNType>(type))
    return fn(F8E4M3FN());
  if (isa<Float8E5M2Type>(type))
    return fn(F8E5M2());
  return nullptr;
}

/// The value of a float of any type in a register.
double getFloat(Type type, uint64_t bits);
uint64_t putFloat(Type type, double value);

} // namespace mlir::relay::gpu_executor

#endif // RELAY_MLIR_LIB_GPUEXECUTOR_FLOATS_H
