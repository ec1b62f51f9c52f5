//===- Reduction.h - What a block computes ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_REDUCTION_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_REDUCTION_H

#include "NestedBlock.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tir {

/// A block that stores one value: `C = value`, or `C = combine(C, value)` from
/// the start value `init`.
struct Computation {
  Operation *store = nullptr;
  Value value;
  /// Null if the block does not reduce.
  Operation *combiner = nullptr;
  /// Null if the block has no init: it adds to what is there.
  Value init;
  vector::CombiningKind kind = vector::CombiningKind::ADD;
  /// Where one of these is negative, `value` is of no consequence: updates may
  /// be left out there, and loads must be.
  SmallVector<AffineExpr> guards;

  bool isReduction() const { return combiner; }
  Type getElementType() const { return value.getType(); }
  Value getBuffer() const { return store->getOperand(1); }

  /// The start value that changes nothing.
  TypedAttr getNeutral() const;

  /// Whether starting several partial results from `init` is the same as
  /// starting one of them.
  bool isInitNeutral() const;

  /// combine(a, b), on scalars or vectors.
  Value combine(OpBuilder &builder, Value a, Value b) const;

  /// combine(acc, value) where value = lhs * rhs and the combiner is a sum of
  /// floats: then the operands, so that both fuse into one instruction.
  std::optional<std::pair<Value, Value>> getProduct() const;
};

/// Takes the body of the block apart; fails with the reason if it has another
/// form. Only callers that set `allowGuards` get a result with guards.
FailureOr<Computation> matchComputation(NestedBlock &nest, std::string &reason,
                                        bool allowGuards = false);

/// An empty block in the place of the nest, with one iteration variable for
/// each outer loop that the nest depends on. `symbolValues` are the symbols of
/// the nest inside of it.
FailureOr<BlockOp> createTensorizedBlock(RewriterBase &rewriter,
                                         NestedBlock &nest,
                                         SmallVectorImpl<Value> &symbolValues,
                                         std::string &reason);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_REDUCTION_H
