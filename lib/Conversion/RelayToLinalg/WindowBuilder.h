//===- WindowBuilder.h - Windows that slide over spatial axes ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What convolutions and pooling have in common: where the spatial axes are, how
// windows step over them, and the sizes that follow.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_WINDOWBUILDER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_WINDOWBUILDER_H

#include "LinalgBuilder.h"

namespace mlir::relay::detail {

/// Steps of a window, one entry per spatial axis.
struct Window {
  SmallVector<int64_t> strides, dilation;
  SmallVector<int64_t> padBefore, padAfter;

  /// `padding` holds one value, one per axis, or all before and all after.
  static Window get(ArrayRef<int64_t> strides, ArrayRef<int64_t> dilation,
                    ArrayRef<int64_t> padding);
  int64_t getRank() const { return strides.size(); }
};

/// The letters of a data layout with that many spatial axes: NCW, NCHW, NCDHW.
StringRef getDataLetters(int64_t spatialRank);

/// Elements under a window of `kernel` elements: (kernel - 1) * dilation + 1.
OpFoldResult getWindowExtent(LinalgBuilder &b, OpFoldResult kernel,
                             int64_t dilation);

/// How many windows fit: (size + pads - extent) / stride + 1, the quotient
/// rounded down, or up in `ceilMode`. The first one has to fit.
OpFoldResult getWindowCount(LinalgBuilder &b, const Window &window,
                            int64_t axis, OpFoldResult size,
                            OpFoldResult kernel, bool ceilMode = false);

/// Pads the dimensions `axes` of `data`.
Value padAxes(LinalgBuilder &b, Value data, ArrayRef<int64_t> axes,
              ArrayRef<OpFoldResult> before, ArrayRef<OpFoldResult> after,
              TypedAttr value);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_WINDOWBUILDER_H
