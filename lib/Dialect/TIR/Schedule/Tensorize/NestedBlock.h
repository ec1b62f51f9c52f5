//===- NestedBlock.h - A block as a function of its loops -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The view that an intrinsic has of the nest it may replace: which element each
// access of the block touches as a function of the loops of the nest, and what
// is known of these loops. No IR changes here.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_NESTEDBLOCK_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_NESTEDBLOCK_H

#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

/// How many of the iterations of a loop of the nest exist: those below
/// `limit`, which is over symbols only.
struct LoopGuard {
  unsigned loop;
  AffineExpr limit;
};

/// A block and the perfect nest of loops down to it. In all expressions, a
/// dimension is a loop of the nest, outermost first, and a symbol is a value
/// from outside the nest.
class NestedBlock {
public:
  /// Fails with the reason in `reason`.
  static FailureOr<NestedBlock> get(ForOp outermost, std::string &reason);

  BlockOp block;
  SmallVector<ForOp> loops;
  SmallVector<Value> symbols;
  IndexBounds bounds;
  /// The iteration variables of the block.
  SmallVector<AffineExpr> iterExprs;
  /// The guard of the block, taken apart.
  SmallVector<LoopGuard> guards;
  /// Constraints over symbols only, each `expr >= 0`.
  SmallVector<AffineExpr> outerGuards;

  /// The value as an index expression; null if it depends on data.
  AffineExpr getExpr(Value value);

  /// The position in row-major order of the element that a load or store in the
  /// block touches; null if `op` is no such access or depends on data.
  AffineExpr getLinearIndex(Operation *op);

  /// The symbol that a loop around the nest is in expressions; null if it is in
  /// none.
  AffineExpr findSymbol(ForOp loop) const;

  /// Whether some reduce variable of the block depends on loop `index`.
  bool isReduceLoop(unsigned index) const;

  /// Whether a value may differ between iterations of loop `index`.
  static bool dependsOn(AffineExpr expr, unsigned index) {
    return expr.isFunctionOfDim(index);
  }

  /// By how much `expr` grows with loop `index`, if that is a constant.
  static std::optional<int64_t> getStride(AffineExpr expr, unsigned index);

  /// Whether an access at `linear` is inside `buffer` in all iterations, those
  /// that the guard switches off included.
  bool staysInside(Value buffer, AffineExpr linear) const;

private:
  /// Of a value that no `affine.apply` computes.
  AffineExpr getLeaf(Value value);
  LogicalResult splitGuard(std::string &reason);
  AffineExpr getSymbol(Value value);
  Value getSize(Value buffer, int64_t axis);
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_NESTEDBLOCK_H
