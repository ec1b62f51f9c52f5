//===- ShapeReifier.h - Result shapes of kernels ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SHAPEREIFIER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SHAPEREIFIER_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace mlir::relay::detail {

using Dims = SmallVector<AffineExpr>;

/// Finds the shapes of the results of a function on tensors, as expressions
/// over the shapes of its arguments. What the operations know about their
/// shapes comes from upstream's interfaces; this class turns the index
/// arithmetic that they emit into expressions.
class ShapeReifier {
public:
  explicit ShapeReifier(func::FuncOp kernel);

  /// The shapes of the results for arguments of the given shapes. On failure
  /// emits an error at `call`.
  FailureOr<SmallVector<Dims>> getResultShapes(Operation *call,
                                               ArrayRef<Dims> argumentShapes);

  using Pairs = SmallVector<std::pair<AffineExpr, AffineExpr>>;

  /// Adds the sizes that the kernel takes as equal, for the arguments of the
  /// last call of getResultShapes, and that are not known to be so. Fails if
  /// two can never be equal. Adds the sizes of slices to the lower bounds.
  LogicalResult getEqualSizes(Operation *call, Pairs &equal);

  /// Pairs of which the first is taken to be at least the second, in the result
  /// of the last calls of getResultShapes and getEqualSizes: a size that is the
  /// smaller or larger of a constant and another size, or what a slice is of.
  ArrayRef<std::pair<AffineExpr, AffineExpr>> getLowerBounds() const {
    return lowerBounds;
  }

  /// For each result the number of the argument that it is, up to its shape;
  /// none if a result is computed.
  std::optional<SmallVector<unsigned>> getForwardedArguments();

private:
  /// Calls `callback` with the sizes that `op` takes as equal.
  void walkEqualSizes(Operation *op,
                      function_ref<void(AffineExpr, AffineExpr)> callback);

  void addSliceBounds(tensor::ExtractSliceOp slice);
  void addAssertedBound(cf::AssertOp assertion);

  FailureOr<AffineExpr> getDim(Value tensor, int64_t dim);
  FailureOr<AffineExpr> computeDim(Value tensor, int64_t dim);
  FailureOr<AffineExpr> getIndex(OpFoldResult index);
  FailureOr<AffineExpr> computeIndex(Operation *op, OpResult result);
  FailureOr<AffineExpr> getExtremum(ArrayRef<AffineExpr> candidates, bool max);
  FailureOr<bool> getCondition(Value condition);
  FailureOr<SmallVector<AffineExpr>> getIndices(ValueRange values);

  AffineExpr getConstant(int64_t value);
  FailureOr<AffineExpr> giveUp(Operation *op);

  /// The interfaces create index arithmetic beside the operations, so they work
  /// on a copy of the kernel.
  OwningOpRef<func::FuncOp> kernel;
  DenseMap<Operation *, ReifiedRankedShapedTypeDims> reified;

  // State of one call.
  ArrayRef<Dims> arguments;
  DenseMap<std::pair<Value, int64_t>, FailureOr<AffineExpr>> dims;
  DenseMap<Value, FailureOr<AffineExpr>> indices;
  Pairs lowerBounds;
  Operation *unknown = nullptr;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SHAPEREIFIER_H
