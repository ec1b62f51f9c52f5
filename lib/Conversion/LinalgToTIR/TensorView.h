//===- TensorView.h - Tensors seen as buffers -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_LINALGTOTIR_TENSORVIEW_H
#define RELAY_MLIR_LIB_CONVERSION_LINALGTOTIR_TENSORVIEW_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::tir {

/// Where the elements of a tensor are. Reshapes and slices only change `map`.
struct TensorView {
  /// Null if the tensor has no elements yet (tensor.empty), or is uniform.
  Value buffer;
  /// The value of every element of a uniform tensor.
  Value scalar;
  /// From an index of the tensor (dimensions) to one of the buffer.
  AffineMap map;
  SmallVector<Value> symbols;
  SmallVector<OpFoldResult> sizes;

  bool hasElements() const { return buffer || scalar; }

  static TensorView ofBuffer(Value buffer, ArrayRef<OpFoldResult> sizes);
  static TensorView ofScalar(Value scalar, ArrayRef<OpFoldResult> sizes,
                             MLIRContext *context);
  static TensorView ofNothing(ArrayRef<OpFoldResult> sizes,
                              MLIRContext *context) {
    return ofScalar(Value(), sizes, context);
  }

  /// The tensor of `sizes` whose element at `i` is this tensor's at `map(i)`.
  TensorView compose(AffineMap map, ValueRange symbols,
                     ArrayRef<OpFoldResult> sizes) const;
};

/// An index map whose symbols stand for sizes.
struct SizedMap {
  AffineMap map;
  SmallVector<Value> symbols;
};

/// Row-major reshape between a tensor of `expandedSizes` and its collapsed
/// form: the map from an expanded index to the collapsed one, and its inverse.
/// Sizes other than the first of each group enter the maps.
SizedMap getCollapsedIndex(ArrayRef<SmallVector<int64_t, 2>> groups,
                           ArrayRef<OpFoldResult> expandedSizes,
                           MLIRContext *context);
SizedMap getExpandedIndex(ArrayRef<SmallVector<int64_t, 2>> groups,
                          ArrayRef<OpFoldResult> expandedSizes,
                          MLIRContext *context);

/// The iteration domain in which a map is used, for its simplification.
struct Domain {
  ValueRange iterVars;
  ArrayRef<OpFoldResult> extents;
};

/// Loads (stores) the element of `view` at `index(iterVars)`.
Value loadElement(OpBuilder &builder, Location loc, const TensorView &view,
                  AffineMap index, Domain domain);
void storeElement(OpBuilder &builder, Location loc, Value value,
                  const TensorView &view, AffineMap index, Domain domain);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_CONVERSION_LINALGTOTIR_TENSORVIEW_H
