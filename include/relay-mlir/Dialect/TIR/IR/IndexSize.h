//===- IndexSize.h - Sizes of index expressions -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_IR_INDEXSIZE_H
#define RELAY_MLIR_DIALECT_TIR_IR_INDEXSIZE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tir {

/// Sizes of index expressions: the number of their operands and operations when
/// written out, with everything that `affine.apply` computes put in its place.
///
/// An expression shares equal parts, as do values, but whoever prints,
/// simplifies or emits it walks over each occurrence. A quotient and a
/// remainder of the same index double its size; a chain of reshapes and
/// transpositions does that again and again.
class IndexSizes {
public:
  /// The largest size in a kernel. Real indices have a few dozen parts; what
  /// walks over this many is still done at once.
  static constexpr int64_t kMax = 4096;

  /// Where sizes end.
  static constexpr int64_t kUnbounded = int64_t(1) << 40;

  /// Takes the size of `value` to be `size`.
  void set(Value value, int64_t size) { known[value] = size; }

  int64_t get(Value value);

  /// The size of a result or constraint at `operands`, of which the first
  /// `numDims` are its dimensions.
  int64_t get(AffineExpr expr, unsigned numDims, ValueRange operands);

  /// Likewise, for operands of the given sizes.
  static int64_t get(AffineExpr expr, unsigned numDims,
                     ArrayRef<int64_t> operandSizes);

private:
  llvm::DenseMap<Value, int64_t> known;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_IR_INDEXSIZE_H
