//===- ReductionBuilder.h - Builds reductions over tensor axes --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nests that reductions, softmax and the normalisations share.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_REDUCTIONBUILDER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_REDUCTIONBUILDER_H

#include "ElementMath.h"
#include "LinalgBuilder.h"

#include "llvm/ADT/SmallBitVector.h"

namespace mlir::relay::detail {

/// Reduces some axes of one tensor. Loops run over the kept axes, then over the
/// reduced ones. A result has either the kept axes only or, with `keepDims`,
/// the reduced ones too, of size one.
class AxisReduction {
public:
  AxisReduction(LinalgBuilder &builder, Value data,
                const llvm::SmallBitVector &reduced, bool keepDims);

  /// Maps from the loops: to the data, to the result, and to a tensor shaped
  /// like the result with `keepDims`.
  AffineMap getDataMap() const { return dataMap; }
  AffineMap getResultMap() const { return resultMap; }
  AffineMap getKeptMap() const { return keptMap; }
  Iterators getIterators() const;

  ArrayRef<OpFoldResult> getResultSizes() const { return resultSizes; }
  /// How many elements are reduced to one.
  OpFoldResult getCount() const;
  ArrayRef<int64_t> getReducedAxes() const { return reducedAxes; }

  /// Folds all elements with `combine(builder, {element, accumulator})`;
  /// `others` are read at the loops of the reduction and come after `element`.
  Value reduce(StringRef name, TypedAttr initial, ElementBody combine,
               ArrayRef<Access> others = {});

  /// From the axes of the data, where an element of the result lies.
  AffineMap getBroadcastMap() const { return broadcastMap; }

private:
  LinalgBuilder &b;
  Value data;
  int64_t rank;
  SmallVector<int64_t> keptAxes, reducedAxes;
  AffineMap dataMap, resultMap, keptMap, broadcastMap;
  SmallVector<OpFoldResult> resultSizes;
};

/// Divides by the number of reduced elements less `correction`.
Value emitMean(const ElementMath &math, Value sum, OpFoldResult count,
               int64_t correction = 0);

/// The sum of `data` over axes, accumulated in at least f32.
Value buildSum(AxisReduction &reduction, StringRef name, Type elementType);

/// A nest over a tensor of `like`'s shape that rounds `data` to `type`.
Value buildNarrow(LinalgBuilder &b, StringRef name, Value data, Type type);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_REDUCTIONBUILDER_H
