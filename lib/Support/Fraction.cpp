//===- Fraction.cpp - Floats as fractions of integers ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/Fraction.h"

#include <cmath>

using namespace mlir::relay;

std::optional<Fraction> Fraction::get(double number) {
  for (int64_t denominator = 1; denominator <= 1 << 20; denominator *= 2) {
    double scaled = number * static_cast<double>(denominator);
    // Also false for NaN.
    if (!(std::abs(scaled) <= static_cast<double>(kMaxNumber)))
      return std::nullopt;
    if (scaled == std::trunc(scaled))
      return Fraction{static_cast<int64_t>(scaled), denominator};
  }
  return std::nullopt;
}
