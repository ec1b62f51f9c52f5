//===- Window.h - Sliding windows of ONNX operators -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_WINDOW_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_WINDOW_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

/// The attributes that convolutions and pools share. Each list has an entry for
/// each spatial dimension, `padding` first all begins and then all ends.
struct Window {
  SmallVector<int64_t> kernel;
  SmallVector<int64_t> strides;
  SmallVector<int64_t> dilations;
  SmallVector<int64_t> padding;
  /// Pads of auto_pad = SAME_*, which depend on the data.
  enum class AutoPad { None, SameUpper, SameLower } autoPad = AutoPad::None;

  int64_t getRank() const { return kernel.size(); }
  /// Size of the window with its holes.
  int64_t getExtent(unsigned axis) const {
    return (kernel[axis] - 1) * dilations[axis] + 1;
  }

  /// Reads the attributes of a node whose window has the sizes `kernel`.
  static FailureOr<Window> get(NodeContext &node, ArrayRef<int64_t> kernel);

  /// Computes the pads of auto_pad from the sizes of `data` (batch, channel,
  /// spatial...).
  LogicalResult resolveAutoPad(NodeContext &node, Value data);

  DenseI64ArrayAttr getStridesAttr(NodeContext &node) const;
  DenseI64ArrayAttr getDilationsAttr(NodeContext &node) const;
  DenseI64ArrayAttr getPaddingAttr(NodeContext &node) const;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_WINDOW_H
