//===- Winograd.cpp - Matrices of Winograd's algorithm --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/Winograd.h"

using namespace mlir::relay;

/// Points of evaluation besides infinity. Small ones lose few digits.
static constexpr double points[] = {0,  1,       -1, 0.5,  -2, -0.5,  2, 1. / 3,
                                    -3, -1. / 3, 3,  0.25, -4, -0.25, 4};

/// Coefficients of the product of (x - points[j]) for j below `count`, j != i.
static std::vector<double> getCoefficients(int64_t count, int64_t i) {
  std::vector<double> coefficients = {1};
  for (int64_t j = 0; j < count; ++j) {
    if (j == i)
      continue;
    coefficients.push_back(0);
    for (std::size_t k = coefficients.size() - 1; k > 0; --k)
      coefficients[k] = coefficients[k - 1] - points[j] * coefficients[k];
    coefficients[0] *= -points[j];
  }
  return coefficients;
}

/// Values at `count` points (the last one infinity) of the polynomial whose
/// coefficients are multiplied with this matrix.
static WinogradMatrix getEvaluation(int64_t count, int64_t coefficients) {
  WinogradMatrix matrix(count, coefficients);
  for (int64_t i = 0; i + 1 < count; ++i) {
    double power = 1;
    for (int64_t k = 0; k < coefficients; ++k, power *= points[i])
      matrix(i, k) = power;
  }
  matrix(count - 1, coefficients - 1) = 1;
  return matrix;
}

WinogradMatrix mlir::relay::getWinogradFilterTransform(int64_t tile,
                                                       int64_t kernel) {
  int64_t count = tile + kernel - 1;
  WinogradMatrix matrix = getEvaluation(count, kernel);
  for (int64_t i = 0; i + 1 < count; ++i) {
    double scale = 1;
    for (int64_t j = 0; j + 1 < count; ++j)
      if (j != i)
        scale *= points[i] - points[j];
    for (int64_t k = 0; k < kernel; ++k)
      matrix(i, k) /= scale;
  }
  return matrix;
}

WinogradMatrix mlir::relay::getWinogradDataTransform(int64_t count) {
  WinogradMatrix matrix(count, count);
  for (int64_t i = 0; i < count; ++i) {
    // That of infinity divides by no point.
    int64_t excluded = i + 1 < count ? i : -1;
    std::vector<double> coefficients = getCoefficients(count - 1, excluded);
    for (std::size_t k = 0; k < coefficients.size(); ++k)
      matrix(i, k) = coefficients[k];
  }
  return matrix;
}

WinogradMatrix mlir::relay::getWinogradResultTransform(int64_t tile,
                                                       int64_t kernel) {
  WinogradMatrix evaluation = getEvaluation(tile + kernel - 1, tile);
  WinogradMatrix matrix(tile, evaluation.rows);
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t k = 0; k < matrix.columns; ++k)
      matrix(i, k) = evaluation(k, i);
  return matrix;
}
