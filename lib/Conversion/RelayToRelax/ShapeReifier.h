//===- ShapeReifier.h - Result shapes of kernels ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SHAPEREIFIER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SHAPEREIFIER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <functional>

namespace mlir::relay::detail {

using Dims = SmallVector<AffineExpr>;

/// Finds the shapes of the results of a function on tensors, as expressions
/// over the shapes of its arguments. What the operations know about their
/// shapes comes from upstream's interfaces; this class turns the index
/// arithmetic that they emit into expressions.
class ShapeReifier {
public:
  /// Gives the smallest (or largest) of sizes, none of which is known to be it,
  /// a symbol.
  using DefineExtremum =
      std::function<AffineExpr(ArrayRef<AffineExpr> sizes, bool isMax)>;

  ShapeReifier(func::FuncOp kernel, DefineExtremum defineExtremum);

  /// The shapes of the results for arguments of the given shapes. On failure
  /// emits an error at `call`.
  FailureOr<SmallVector<Dims>> getResultShapes(Operation *call,
                                               ArrayRef<Dims> argumentShapes);

  using Pairs = SmallVector<std::pair<AffineExpr, AffineExpr>>;

  /// What a kernel takes to hold for sizes, and is not known to.
  struct Assumptions {
    /// Equal sizes.
    Pairs equal;
    /// The first, which is of a slice's source, is at least the second.
    Pairs atLeast;
    /// The first is 1 or equal to the second.
    Pairs broadcast;
  };

  /// Adds the assumptions of the kernel for the arguments of the last call of
  /// getResultShapes. Fails if one can never hold.
  LogicalResult getAssumptions(Operation *call, Assumptions &assumptions);

  /// For each result the number of the argument that it is, up to its shape;
  /// none if a result is computed, or elements are checked.
  std::optional<SmallVector<unsigned>> getForwardedArguments();

private:
  /// Calls `callback` with the sizes that `op` takes as equal.
  void walkEqualSizes(Operation *op,
                      function_ref<void(AffineExpr, AffineExpr)> callback);

  void addSliceBounds(tensor::ExtractSliceOp slice, Pairs &atLeast);
  void addAssertedBound(cf::AssertOp assertion, Pairs &atLeast);
  void addBroadcasts(cf::AssertOp assertion, Pairs &broadcast);

  FailureOr<AffineExpr> getDim(Value tensor, int64_t dim);
  FailureOr<AffineExpr> computeDim(Value tensor, int64_t dim);
  FailureOr<AffineExpr> getIndex(OpFoldResult index);
  FailureOr<AffineExpr> computeIndex(Operation *op, OpResult result);
  AffineExpr getExtremum(ArrayRef<AffineExpr> candidates, bool max);
  /// `expr`; if it is long, a symbol, or the difference of two if it may be
  /// negative, so that what is computed from it stays short.
  AffineExpr bind(AffineExpr expr, bool isNonNegative);
  /// `condition` where it is the same for all sizes, else 0 or 1 as an
  /// expression.
  FailureOr<AffineExpr> getCondition(Value condition);
  FailureOr<AffineExpr> compare(arith::CmpIOp op);
  /// The quotient that is rounded to zero, or its remainder.
  AffineExpr divideToZero(AffineExpr lhs, AffineExpr rhs, bool wantsRemainder);
  /// 1 if `lhs` is at least `rhs`, else 0.
  AffineExpr isAtLeast(AffineExpr lhs, AffineExpr rhs);
  FailureOr<SmallVector<AffineExpr>> getIndices(ValueRange values);

  AffineExpr getConstant(int64_t value);
  FailureOr<AffineExpr> giveUp(Operation *op);

  /// The interfaces create index arithmetic beside the operations, so they work
  /// on a copy of the kernel.
  OwningOpRef<func::FuncOp> kernel;
  DefineExtremum defineExtremum;
  DenseMap<Operation *, ReifiedRankedShapedTypeDims> reified;

  // State of one call.
  ArrayRef<Dims> arguments;
  DenseMap<std::pair<Value, int64_t>, FailureOr<AffineExpr>> dims;
  DenseMap<Value, FailureOr<AffineExpr>> indices;
  Operation *unknown = nullptr;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SHAPEREIFIER_H
