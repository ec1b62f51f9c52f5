//===- WindowBuilder.cpp - Windows that slide over spatial axes -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowBuilder.h"

using namespace mlir;
using namespace mlir::relay::detail;

Window Window::get(ArrayRef<int64_t> strides, ArrayRef<int64_t> dilation,
                   ArrayRef<int64_t> padding) {
  Window window;
  window.strides.assign(strides.begin(), strides.end());
  window.dilation.assign(dilation.begin(), dilation.end());
  size_t rank = strides.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    bool isUniform = padding.size() == 1;
    bool isSymmetric = padding.size() == rank;
    window.padBefore.push_back(padding[isUniform ? 0 : axis]);
    window.padAfter.push_back(padding[isUniform     ? 0
                                      : isSymmetric ? axis
                                                    : rank + axis]);
  }
  return window;
}

StringRef mlir::relay::detail::getDataLetters(int64_t spatialRank) {
  static constexpr StringLiteral letters[] = {"NCW", "NCHW", "NCDHW"};
  return letters[spatialRank - 1];
}

OpFoldResult mlir::relay::detail::getWindowExtent(LinalgBuilder &b,
                                                  OpFoldResult kernel,
                                                  int64_t dilation) {
  return b.apply((b.dim(0) - 1) * dilation + 1, kernel);
}

OpFoldResult
mlir::relay::detail::getWindowCount(LinalgBuilder &b, const Window &window,
                                    int64_t axis, OpFoldResult size,
                                    OpFoldResult kernel, bool ceilMode) {
  int64_t stride = window.strides[axis];
  int64_t pads = window.padBefore[axis] + window.padAfter[axis];
  OpFoldResult extent = getWindowExtent(b, kernel, window.dilation[axis]);
  b.assertAtLeast(b.apply(b.dim(0) + pads, size), extent,
                  "expects padded data as large as the window");
  AffineExpr last = b.dim(0) - b.dim(1) + pads + (ceilMode ? stride - 1 : 0);
  return b.apply(last.floorDiv(stride) + 1, {size, extent});
}

Value mlir::relay::detail::padAxes(LinalgBuilder &b, Value data,
                                   ArrayRef<int64_t> axes,
                                   ArrayRef<OpFoldResult> before,
                                   ArrayRef<OpFoldResult> after,
                                   TypedAttr value) {
  int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0));
  SmallVector<OpFoldResult> high(rank, b.getIndexAttr(0));
  for (auto [axis, lowSize, highSize] : llvm::zip_equal(axes, before, after)) {
    low[axis] = lowSize;
    high[axis] = highSize;
  }
  return b.pad(data, low, high, value);
}
