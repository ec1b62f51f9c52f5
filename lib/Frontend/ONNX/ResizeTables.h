//===- ResizeTables.h - Resizing by tables of weights -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_RESIZETABLES_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_RESIZETABLES_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

/// How an axis of a known size is resized. Names are those of
/// relay.image.resize2d, and "half_pixel_symmetric".
struct AxisResize {
  int64_t axis;
  int64_t size;
  /// What coordinates follow from; not always the quotient of the sizes.
  double scale;
  StringRef method;
  StringRef transformation;
  StringRef rounding;
  double cubicAlpha;
  bool excludesOutside;
  /// Whether a filter is as wide as the elements that it stands for.
  bool antialias;
};

/// Resizes one axis, with weights that are computed now. Null, and an error, if
/// the transformation depends on more than the sizes.
Value createTableResize(NodeContext &node, Value data,
                        const AxisResize &resize);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_RESIZETABLES_H
