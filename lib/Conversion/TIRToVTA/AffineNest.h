//===- AffineNest.h - Loop nests as sums of steps ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_AFFINENEST_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_AFFINENEST_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::relay::detail {

/// A number that is a constant and, for each loop of a nest, a step.
struct LinearIndex {
  int64_t constant = 0;
  SmallVector<int64_t> steps;

  bool isConstant() const {
    return llvm::all_of(steps, [](int64_t step) { return step == 0; });
  }
  /// Counts elements of `numLanes` lanes in place of lanes, but for the loops
  /// `lanes`, which are within an element. False if others begin within one.
  bool toElements(ArrayRef<unsigned> lanes, int64_t numLanes);
};

/// Values of indices: loops around a nest have one, as programs of VTA are
/// written out for each iteration of these.
using IndexValues = DenseMap<Value, int64_t>;

/// One block, and the loops that are around it alone.
class AffineNest {
public:
  /// The nest of `loop`, at one iteration of the loops around it. What cannot
  /// be part of a program is an error.
  static FailureOr<AffineNest> get(tir::ForOp loop, const IndexValues &outer);

  tir::BlockOp block;
  SmallVector<int64_t> extents;

  unsigned getNumLoops() const { return extents.size(); }
  /// Where `op`, a load or store of the block, accesses its buffer, in elements
  /// of the buffer.
  FailureOr<LinearIndex> getAddress(Operation *op) const;
  /// The value of an index of the body.
  FailureOr<LinearIndex> getIndex(AffineExpr expr, unsigned numDims,
                                  ValueRange operands) const;
  /// Makes two loops of one: the inner one, a new last loop, of `size`
  /// iterations.
  void split(unsigned loop, int64_t size);
  /// Leaves `size` iterations of a loop, from `begin` on.
  void restrict(unsigned loop, int64_t begin, int64_t size);
  /// A loop of `size` iterations that `matches`, or else the inner part of one
  /// of a multiple of them; nullopt if there is none.
  std::optional<unsigned> takeLoop(int64_t size,
                                   function_ref<bool(unsigned)> matches);

  /// The loops within an element of `numLanes` lanes of what `access` is on;
  /// one that is longer is split. Nullopt if there are no whole elements.
  std::optional<SmallVector<unsigned>> takeLanes(Operation *access,
                                                 int64_t numLanes);

private:
  FailureOr<LinearIndex> evaluate(AffineExpr expr,
                                  ArrayRef<LinearIndex> operands,
                                  unsigned numDims) const;
  FailureOr<LinearIndex> lookup(Value value) const;

  DenseMap<Value, LinearIndex> values;
};

/// The blocks below `op`.
SmallVector<tir::BlockOp> getBlocksBelow(Operation *op);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_AFFINENEST_H
