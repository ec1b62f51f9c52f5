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

/// G, (tile + kernel - 1) x kernel: transforms the filter.
WinogradMatrix getWinogradFilterTransform(int64_t tile, int64_t kernel);

/// B^T, count x count with count = tile + kernel - 1: transforms the data.
WinogradMatrix getWinogradDataTransform(int64_t count);

/// A^T, tile x (tile + kernel - 1): transforms the products to results.
WinogradMatrix getWinogradResultTransform(int64_t tile, int64_t kernel);

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_WINOGRAD_H
