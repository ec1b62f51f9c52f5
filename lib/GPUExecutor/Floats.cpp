//===- Floats.cpp - Floats of any width in registers ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

#include "llvm/ADT/APFloat.h"

#include <vector>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;
using llvm::APFloat;

static std::vector<float> makeValues(const llvm::fltSemantics &semantics) {
  unsigned bits = APFloat::semanticsSizeInBits(semantics);
  std::vector<float> values(size_t(1) << bits);
  for (size_t i = 0; i < values.size(); ++i) {
    APFloat value(semantics, llvm::APInt(bits, i));
    bool loses;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
    values[i] = value.convertToFloat();
  }
  return values;
}

static uint64_t roundTo(const llvm::fltSemantics &semantics, float number) {
  APFloat value(number);
  bool loses;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
  return value.bitcastToAPInt().getZExtValue();
}

const float *gpu_executor::getHalfValues() {
  static const std::vector<float> values = makeValues(APFloat::IEEEhalf());
  return values.data();
}

const float *gpu_executor::getFloat8E4M3FNValues() {
  static const std::vector<float> values = makeValues(APFloat::Float8E4M3FN());
  return values.data();
}

const float *gpu_executor::getFloat8E5M2Values() {
  static const std::vector<float> values = makeValues(APFloat::Float8E5M2());
  return values.data();
}

uint64_t gpu_executor::roundToHalf(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
  // What rounds to 2^16 or more is infinite.
  if (magnitude >= 0x477ff000)
    return sign | 0x7c00;
  if (magnitude >= 0x38800000) {
    uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return sign | (rounded - 0x38000000) >> 13;
  }
  // Adding 0.5 moves what is below the smallest normal number to the last bits
  // of the fraction, and rounds it.
  float moved = llvm::bit_cast<float>(magnitude) + 0.5f;
  return sign | (llvm::bit_cast<uint32_t>(moved) - 0x3f000000);
}

uint64_t gpu_executor::roundToFloat8E4M3FN(float value) {
  return roundTo(APFloat::Float8E4M3FN(), value);
}

uint64_t gpu_executor::roundToFloat8E5M2(float value) {
  return roundTo(APFloat::Float8E5M2(), value);
}

double gpu_executor::getFloat(Type type, uint64_t bits) {
  double result = 0;
  withFloat(type, [&](auto traits) -> void * {
    result = traits.get(bits);
    return nullptr;
  });
  return result;
}

uint64_t gpu_executor::putFloat(Type type, double value) {
  uint64_t result = 0;
  withFloat(type, [&](auto traits) -> void * {
    result = traits.put(value);
    return nullptr;
  });
  return result;
}
