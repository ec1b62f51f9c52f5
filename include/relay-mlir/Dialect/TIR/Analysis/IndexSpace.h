//===- IndexSpace.h - Index values as expressions ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_ANALYSIS_INDEXSPACE_H
#define RELAY_MLIR_DIALECT_TIR_ANALYSIS_INDEXSPACE_H

#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "relay-mlir/Dialect/TIR/IR/IndexReader.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

/// Index values as affine expressions. Loop variables and iteration variables
/// are dimensions, constants are constants, and everything that is computed
/// some other way than by `affine.apply` is a symbol.
class IndexSpace {
public:
  /// Below tir, where passes write sums and multiples with arith, these are
  /// expressions as well if `readsArith`.
  explicit IndexSpace(MLIRContext *context, bool readsArith = false)
      : context(context), readsArith(readsArith) {}

  AffineExpr getExpr(Value value);
  AffineExpr getExpr(OpFoldResult value);
  /// The result of `map` at `operands`.
  AffineExpr getExpr(AffineExpr expr, unsigned numDims, ValueRange operands);

  /// What loop bounds and block extents say about the inputs so far.
  IndexBounds getBounds();

  /// `expr` as a value at the insertion point: a constant attribute, an input,
  /// or a new `affine.apply`.
  OpFoldResult materialize(OpBuilder &builder, Location loc, AffineExpr expr);
  /// Likewise, with an `arith.constant` for a constant.
  Value materializeValue(OpBuilder &builder, Location loc, AffineExpr expr);

  /// Turns constraints `expr >= 0` into a set over the inputs that it uses.
  IntegerSet getSet(ArrayRef<AffineExpr> constraints,
                    SmallVectorImpl<Value> &operands);

  ArrayRef<Value> getDims() const { return dims; }
  ArrayRef<Value> getSymbols() const { return symbols; }
  Value getDim(AffineExpr expr) const {
    return dims[cast<AffineDimExpr>(expr).getPosition()];
  }
  /// Whether `expr` depends on `value`, a dimension.
  bool dependsOn(AffineExpr expr, Value value) const;

private:
  AffineExpr getExpr(Value value, IndexReader &reader);
  /// Of a sum, a difference, or a product with a constant; else null, as where
  /// they are too deep.
  AffineExpr getArithExpr(Value value, IndexReader &reader);
  AffineExpr getInput(Value value, SmallVectorImpl<Value> &inputs, bool isDim);

  MLIRContext *context;
  bool readsArith;
  unsigned arithDepth = 0;
  SmallVector<Value> dims, symbols;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_ANALYSIS_INDEXSPACE_H
