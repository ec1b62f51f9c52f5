//===- Winograd.cpp - Matrices of Winograd's algorithm --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/Winograd.h"

#include <numeric>

using namespace mlir::relay;

/// Points of evaluation besides infinity. Small ones lose few digits.
static double getPoint(int64_t index, WinogradNumbers numbers) {
  constexpr double kFloats[] = {0,  1,       -1, 0.5,  -2, -0.5,  2, 1. / 3,
                                -3, -1. / 3, 3,  0.25, -4, -0.25, 4};
  constexpr double kIntegers[] = {0, 1, -1, 2, -2};
  return numbers == WinogradNumbers::Floats ? kFloats[index] : kIntegers[index];
}

/// Coefficients of the product of (x - point j) for j below `count`, j != i.
static std::vector<double> getCoefficients(int64_t count, int64_t i,
                                           WinogradNumbers numbers) {
  std::vector<double> coefficients = {1};
  for (int64_t j = 0; j < count; ++j) {
    if (j == i)
      continue;
    coefficients.push_back(0);
    double point = getPoint(j, numbers);
    for (std::size_t k = coefficients.size() - 1; k > 0; --k)
      coefficients[k] = coefficients[k - 1] - point * coefficients[k];
    coefficients[0] *= -point;
  }
  return coefficients;
}

/// Values at `count` points (the last one infinity) of the polynomial whose
/// coefficients are multiplied with this matrix.
static WinogradMatrix getEvaluation(int64_t count, int64_t coefficients,
                                    WinogradNumbers numbers) {
  WinogradMatrix matrix(count, coefficients);
  for (int64_t i = 0; i + 1 < count; ++i) {
    double power = 1;
    for (int64_t k = 0; k < coefficients; ++k, power *= getPoint(i, numbers))
      matrix(i, k) = power;
  }
  matrix(count - 1, coefficients - 1) = 1;
  return matrix;
}

/// What the value at point `i` of `count`, infinity included, is divided by.
static double getDivisor(int64_t count, int64_t i, WinogradNumbers numbers) {
  double divisor = 1;
  for (int64_t j = 0; i + 1 < count && j + 1 < count; ++j)
    if (j != i)
      divisor *= getPoint(i, numbers) - getPoint(j, numbers);
  return divisor;
}

/// The smallest multiple of the divisors of all points.
static int64_t getCommonDivisor(int64_t count) {
  int64_t common = 1;
  for (int64_t i = 0; i < count; ++i)
    common = std::lcm(common, static_cast<int64_t>(getDivisor(
                                  count, i, WinogradNumbers::Integers)));
  return common;
}

WinogradMatrix
mlir::relay::getWinogradFilterTransform(int64_t tile, int64_t kernel,
                                        WinogradNumbers numbers) {
  int64_t count = tile + kernel - 1;
  WinogradMatrix matrix = getEvaluation(count, kernel, numbers);
  if (numbers == WinogradNumbers::Integers)
    return matrix;
  for (int64_t i = 0; i + 1 < count; ++i) {
    double divisor = getDivisor(count, i, numbers);
    for (int64_t k = 0; k < kernel; ++k)
      matrix(i, k) /= divisor;
  }
  return matrix;
}

WinogradMatrix mlir::relay::getWinogradDataTransform(int64_t count,
                                                     WinogradNumbers numbers) {
  WinogradMatrix matrix(count, count);
  for (int64_t i = 0; i < count; ++i) {
    // That of infinity divides by no point.
    int64_t excluded = i + 1 < count ? i : -1;
    std::vector<double> coefficients =
        getCoefficients(count - 1, excluded, numbers);
    for (std::size_t k = 0; k < coefficients.size(); ++k)
      matrix(i, k) = coefficients[k];
  }
  return matrix;
}

WinogradMatrix
mlir::relay::getWinogradResultTransform(int64_t tile, int64_t kernel,
                                        WinogradNumbers numbers) {
  int64_t count = tile + kernel - 1;
  WinogradMatrix evaluation = getEvaluation(count, tile, numbers);
  WinogradMatrix matrix(tile, count);
  double common = numbers == WinogradNumbers::Integers
                      ? static_cast<double>(getCommonDivisor(count))
                      : 1;
  for (int64_t k = 0; k < count; ++k) {
    double factor = numbers == WinogradNumbers::Integers
                        ? common / getDivisor(count, k, numbers)
                        : 1;
    for (int64_t i = 0; i < tile; ++i)
      matrix(i, k) = evaluation(k, i) * factor;
  }
  return matrix;
}

WinogradDivision mlir::relay::getWinogradDivision(int64_t count) {
  int64_t divisor = getCommonDivisor(count);
  divisor *= divisor;
  WinogradDivision result{1, 0};
  for (; divisor % 2 == 0; divisor /= 2)
    ++result.shift;
  // Each step of Newton's doubles the bits that are right; three are at first.
  uint32_t odd = static_cast<uint32_t>(divisor);
  result.inverse = odd;
  for (int step = 0; step != 4; ++step)
    result.inverse *= 2 - odd * result.inverse;
  return result;
}
