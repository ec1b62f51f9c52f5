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
  bool isUpper() const { return autoPad == AutoPad::SameUpper; }
  /// Size of the window with its holes.
  int64_t getExtent(unsigned axis) const {
    return (kernel[axis] - 1) * dilations[axis] + 1;
  }

  /// Reads the attributes of a node whose window has the sizes `kernel`.
  static FailureOr<Window> get(NodeContext &node, ArrayRef<int64_t> kernel);

  /// Computes the pads of auto_pad from the sizes of `data` (batch, channel,
  /// spatial...). Returns `data`; where a size is open and the step is not 1,
  /// pads depend on it, and `data` gets them here, `number` in each. Null, and
  /// an error, if there is none.
  Value resolveAutoPad(NodeContext &node, Value data, double number = 0);

  /// For each axis whose pads are in the data, which part of each window is not
  /// padding, aligned with the result; null for others.
  SmallVector<Value> filledParts;
  /// For the same axes, where in the data before each position was; the nearest
  /// place for padding.
  SmallVector<Value> places;

  DenseI64ArrayAttr getStridesAttr(NodeContext &node) const;
  DenseI64ArrayAttr getDilationsAttr(NodeContext &node) const;
  DenseI64ArrayAttr getPaddingAttr(NodeContext &node) const;

private:
  Value padOpenAxis(NodeContext &node, Value data, int64_t axis, double number);
};

/// The convolution of (N, C, spatial...) `data` with (O, C / groups,
/// spatial...) `weight` that the attributes of `node` describe, as `create`
/// makes it of the data, which may be padded, and its window. Null, after an
/// error, for operands that do not fit.
Value createConvolution(
    NodeContext &node, Value data, Value weight,
    llvm::function_ref<Value(Value data, const Window &window)> create);

/// The properties of such a convolution.
template <typename OpT>
typename OpT::Properties getConvolutionProperties(NodeContext &node,
                                                  Value weight,
                                                  const Window &window) {
  OpBuilder &b = node.getBuilder();
  typename OpT::Properties properties;
  properties.strides = window.getStridesAttr(node);
  properties.padding = window.getPaddingAttr(node);
  properties.dilation = window.getDilationsAttr(node);
  properties.groups = b.getI64IntegerAttr(node.getInt("group", 1));
  if (int64_t channels = node.getType(weight).getDimSize(0);
      ShapedType::isStatic(channels))
    properties.channels = b.getI64IntegerAttr(channels);
  properties.kernel_size = b.getDenseI64ArrayAttr(window.kernel);
  return properties;
}

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_WINDOW_H
