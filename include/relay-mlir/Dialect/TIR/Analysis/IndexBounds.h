//===- IndexBounds.h - Bounds of index expressions --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_ANALYSIS_INDEXBOUNDS_H
#define RELAY_MLIR_DIALECT_TIR_ANALYSIS_INDEXBOUNDS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"

#include <optional>

namespace mlir::tir {

/// The values that an index expression can take; an absent end is unknown.
struct IndexRange {
  std::optional<int64_t> min;
  /// Inclusive.
  std::optional<int64_t> max;

  static IndexRange constant(int64_t value) { return {value, value}; }
  static IndexRange unknown() { return {}; }
  /// [0, extent).
  static IndexRange fromExtent(int64_t extent) { return {0, extent - 1}; }
  static IndexRange nonNegative() { return {0, std::nullopt}; }
};

/// What is known of the inputs of an index expression.
struct IndexBounds {
  SmallVector<IndexRange> dims;
  SmallVector<IndexRange> symbols;
  /// For a dimension in [0, extent) whose extent is not constant: the extent as
  /// an expression of the symbols; null if unknown.
  SmallVector<AffineExpr> dimExtents;

  /// The range of `expr` by interval arithmetic.
  IndexRange getRange(AffineExpr expr) const;

  /// Whether `expr >= 0` always holds.
  bool isNonNegative(AffineExpr expr) const;

  /// An equal expression with divisions and remainders resolved where the
  /// ranges allow.
  AffineExpr simplify(AffineExpr expr) const;
  AffineMap simplify(AffineMap map) const;
};

/// The divisions and remainders in the indices of a map.
SmallVector<AffineBinaryOpExpr> getDivisions(AffineMap map);

/// A sum of expressions with constant coefficients. Terms are dimensions,
/// symbols, products of symbols, divisions and remainders.
struct LinearSum {
  SmallVector<std::pair<AffineExpr, int64_t>> terms;
  int64_t constant = 0;

  static LinearSum get(AffineExpr expr);
  void add(AffineExpr expr, int64_t coefficient);
  AffineExpr toExpr(MLIRContext *context) const;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_ANALYSIS_INDEXBOUNDS_H
