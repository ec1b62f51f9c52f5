//===- Winograd.h - Matrices of Winograd's algorithm ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// For n points of evaluation, the product of polynomials with m and r
// coefficients (m + r = n + 1) is interpolated from the products of their
// values (Toom and Cook); transposed, that computes m results of a filter with
// r taps from n values: A^T [(G filter) * (B^T values)]. Dimensions are
// transformed one after the other.
//
// Of integers all is exact, modulo 2^32: points are integers, filters are not
// divided, and results are a multiple of what they should be, which the
// division at the end takes back. (Its odd factor has an inverse modulo 2^32;
// the rest is a shift, and that many bits are lost at the top.)
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_WINOGRAD_H
#define RELAY_MLIR_SUPPORT_WINOGRAD_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::relay {

/// A small dense matrix, row by row.
struct WinogradMatrix {
  WinogradMatrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}
  double &operator()(int64_t row, int64_t column) {
    return values[row * columns + column];
  }
  double operator()(int64_t row, int64_t column) const {
    return values[row * columns + column];
  }

  int64_t rows, columns;
  std::vector<double> values;
};

enum class WinogradNumbers { Floats, Integers };

/// G, (tile + kernel - 1) x kernel: transforms the filter.
WinogradMatrix
getWinogradFilterTransform(int64_t tile, int64_t kernel,
                           WinogradNumbers numbers = WinogradNumbers::Floats);

/// B^T, count x count with count = tile + kernel - 1: transforms the data.
WinogradMatrix
getWinogradDataTransform(int64_t count,
                         WinogradNumbers numbers = WinogradNumbers::Floats);

/// A^T, tile x (tile + kernel - 1): transforms the products to results.
WinogradMatrix
getWinogradResultTransform(int64_t tile, int64_t kernel,
                           WinogradNumbers numbers = WinogradNumbers::Floats);

/// Elements that a tile may depend on, of integers; their windows are of 3.
inline constexpr int64_t kMaxIntegerReach = 6;
inline constexpr int64_t kIntegerWindow = 3;

/// What divides results of integers: multiply by `inverse` modulo 2^32, then
/// shift to the right by `shift`.
struct WinogradDivision {
  uint32_t inverse;
  int64_t shift;
  /// Results that do not wrap have so many bits, that of the sign included.
  int64_t getBits() const { return 32 - shift; }
};
/// For a window of two dimensions.
WinogradDivision getWinogradDivision(int64_t count);

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_WINOGRAD_H
