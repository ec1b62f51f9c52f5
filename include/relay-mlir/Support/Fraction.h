//===- Fraction.h - Floats as fractions of integers -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes that programs compute in floats are computed in integers where all
// that takes part are fractions with constant denominators.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_FRACTION_H
#define RELAY_MLIR_SUPPORT_FRACTION_H

#include <cstdint>
#include <optional>

namespace mlir::relay {

struct Fraction {
  int64_t numerator, denominator;

  /// Larger numerators of constants, and denominators, would leave the range
  /// of 64 bits in products.
  static constexpr int64_t kMaxNumber = int64_t(1) << 31;

  /// The fraction that a float is; none for one whose parts are too large.
  static std::optional<Fraction> get(double number);
};

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_FRACTION_H
