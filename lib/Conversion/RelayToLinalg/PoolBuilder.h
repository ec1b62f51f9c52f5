//===- PoolBuilder.h - What all kinds of pooling share ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_POOLBUILDER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_POOLBUILDER_H

#include "LinalgBuilder.h"

namespace mlir::relay::detail {

enum class Pool { Max, Average };

/// The data of a pooling operator and where its axes are.
struct PoolingData {
  Value data;
  Type elementType;
  /// Batch and channels, in the parts that the layout has of them; and the
  /// others.
  SmallVector<int64_t> others, spatial;

  static FailureOr<PoolingData> get(Value original, Value data,
                                    StringRef layout);
  int64_t getRank() const { return others.size() + spatial.size(); }
};

/// How the loops (n, c, windows..., steps...) of pooling index its tensors.
struct PoolingMaps {
  AffineMap data, window, result;

  /// `getPosition(axis, output, step)` is where on a spatial axis a step of a
  /// window reads.
  static PoolingMaps
  get(LinalgBuilder &b, const PoolingData &pooling,
      llvm::function_ref<AffineExpr(int64_t, AffineExpr, AffineExpr)>
          getPosition);
};

/// The type that elements are folded in, and the element that changes nothing.
Type getPoolType(Pool pool, Type elementType);
TypedAttr getNeutralAttr(Pool pool, Type type);
/// The element that padding has: zero, or the smallest number of the type,
/// which is the result of a window that has nothing else.
TypedAttr getPaddingAttr(Pool pool, Type type);

/// acc + x or max(acc, x), `x` of the relay type `elementType`.
Value emitPool(ImplicitLocOpBuilder &b, Pool pool, Type elementType,
               Value element, Value accumulator);

/// The block that folds windows: sums are not averages yet.
StringRef getPoolBlockName(const LinalgBuilder &b, Pool pool);

/// Divides sums of windows by what `emitCount` says is in each.
Value buildPoolMean(
    LinalgBuilder &b, const PoolingData &pooling, Value sum,
    llvm::function_ref<OpFoldResult(ImplicitLocOpBuilder &)> emitCount);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_POOLBUILDER_H
