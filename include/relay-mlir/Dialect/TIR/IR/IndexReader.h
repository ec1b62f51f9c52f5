//===- IndexReader.h - Index values as expressions --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_IR_INDEXREADER_H
#define RELAY_MLIR_DIALECT_TIR_IR_INDEXREADER_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tir {

/// Reads values as affine expressions: follows what `affine.apply` computes up
/// to constants, and to leaves, of which the caller says what they are.
///
/// Each value is read once. Upstream's fullyComposeAffineMapAndOperands puts in
/// one producer after the other, and simplifies the whole map each time, so
/// that it walks over every occurrence of what several operands share;
/// ValueBoundsOpInterface has bounds, and here the expression is wanted.
class IndexReader {
public:
  /// The expression of a value that is no constant, and that no `affine.apply`
  /// computes; null if it is no index. It may read other values.
  using ReadLeaf = llvm::function_ref<AffineExpr(Value)>;

  /// Null if anything that the value is computed from is no index.
  AffineExpr read(Value value, ReadLeaf readLeaf);

  /// Forgets what has been read.
  void clear() { known.clear(); }

private:
  llvm::DenseMap<Value, AffineExpr> known;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_IR_INDEXREADER_H
