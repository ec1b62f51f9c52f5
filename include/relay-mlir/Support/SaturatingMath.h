//===- SaturatingMath.h - Arithmetic that stops at the limits ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A size that does not fit 64 bits must not become a small one. As the largest
// number it is refused wherever sizes are checked, and until then compares as
// it should.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_SATURATINGMATH_H
#define RELAY_MLIR_SUPPORT_SATURATINGMATH_H

#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <initializer_list>

namespace mlir::relay {

/// The results lie in [-INT64_MAX, INT64_MAX], so that each has a negative.
inline int64_t saturate(int64_t value) {
  return value == INT64_MIN ? -INT64_MAX : value;
}

inline int64_t saturatingAdd(int64_t lhs, int64_t rhs) {
  int64_t sum;
  if (llvm::AddOverflow(lhs, rhs, sum))
    return lhs < 0 ? -INT64_MAX : INT64_MAX;
  return saturate(sum);
}

inline int64_t saturatingMultiply(int64_t lhs, int64_t rhs) {
  int64_t product;
  if (llvm::MulOverflow(lhs, rhs, product))
    return (lhs < 0) != (rhs < 0) ? -INT64_MAX : INT64_MAX;
  return saturate(product);
}

inline int64_t saturatingSum(std::initializer_list<int64_t> values) {
  int64_t sum = 0;
  for (int64_t value : values)
    sum = saturatingAdd(sum, value);
  return sum;
}

/// `value`, which is not negative, rounded up to a multiple of `alignment`;
/// down where there is none above.
inline int64_t saturatingAlignTo(int64_t value, int64_t alignment) {
  return saturatingAdd(value, alignment - 1) / alignment * alignment;
}

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_SATURATINGMATH_H
