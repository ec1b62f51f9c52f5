//===- Resize.h - Build nests that resize images ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_RESIZE_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_RESIZE_H

#include "ImageSampling.h"
#include "LinalgBuilder.h"

namespace mlir::relay::detail {

/// A resize of spatial axes.
struct Resize {
  ResizeMode mode;
  SmallVector<int64_t> axes;
  /// Sizes of the result.
  SmallVector<OpFoldResult> sizes;
  /// The part that is resized with the coordinates of tf_crop_and_resize: where
  /// it begins on each of `axes`, then where it ends. None is all of the data.
  SmallVector<double> roi;
  /// The same in a tensor, of that relay element type, or null.
  Value roiTensor;
  Type roiType;
  /// Relay element types of the data and the result.
  Type from, to;
};

Value buildResize(LinalgBuilder &b, Value data, const Resize &resize);

/// Each element repeated by one of the factors along each axis.
Value buildRepetition(LinalgBuilder &b, Value data, const Resize &resize,
                      ArrayRef<int64_t> factors);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_RESIZE_H
