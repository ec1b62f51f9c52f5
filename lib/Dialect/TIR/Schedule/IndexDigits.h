//===- IndexDigits.h - Digits of indices ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index maps of layouts put digits of indices in places of their own: in
// (i, j) -> (j floordiv 4, i * 4 + j mod 4), j has two digits, and the second
// result two places.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_INDEXDIGITS_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_INDEXDIGITS_H

#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

/// Digits of the value of a dimension: `(value floordiv stride) mod base`.
struct IndexDigit {
  unsigned dim = 0;
  int64_t stride = 1;
  /// 0: all that are left.
  int64_t base = 0;
};

/// Matches `dim`, `dim floordiv a`, `dim mod b` or `(dim floordiv a) mod b`.
std::optional<IndexDigit> matchIndexDigit(AffineExpr expr);

/// The terms of `expr` over dimensions of `shape` (dynamic ones included), if
/// its value tells the values of all terms: each term steps over all that the
/// terms before it can sum up to. Innermost term first, with its coefficient.
FailureOr<SmallVector<std::pair<AffineExpr, int64_t>>>
splitPlaces(AffineExpr expr, ArrayRef<int64_t> shape);

/// Checks that `map` is one to one from the domain of `shape` onto a domain
/// from 0, whose extents are `newShape`, and computes the inverse: the old
/// indices over the new ones. A dynamic dimension is one result by itself. The
/// error says what is in the way.
LogicalResult invertIndexMap(AffineMap map, ArrayRef<int64_t> shape,
                             SmallVectorImpl<int64_t> &newShape,
                             AffineMap &inverse, std::string &error);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_INDEXDIGITS_H
