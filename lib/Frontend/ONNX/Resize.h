//===- Resize.h - What a resize does -----------------------------*- C++
//-*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_RESIZE_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_RESIZE_H

#include "NodeContext.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay::onnx {

/// What a resize does to each dimension.
struct ResizeTarget {
  SmallVector<int64_t> sizes;
  /// True for a dimension that stays as it is.
  SmallVector<bool> isKept;
  /// The part that is looked at, of tf_crop_and_resize.
  SmallVector<double> begin, end;
  /// The scales, where the node has scales.
  SmallVector<double> scales;
  bool antialias = false;
  /// Nearest neighbours along an axis that shrinks are those above.
  bool ceilsShrinking = false;
  /// What relay.image.resize2d does not have.
  bool needsTables = false;
  /// The sizes, where the node has sizes and some are not known: as the
  /// importer knows them, and as values, which are at the same positions.
  SmallVector<ShapeScalar> openSizes;
  Value sizeValues;
  /// Scales, and the begin and the end of the part that is looked at, a number
  /// of f32 for each dimension, where they are computed when the model runs.
  Value scaleValues, beginValues, endValues;
  /// Sizes are those of the scale that they say: the smallest or the largest
  /// one of all axes, which all have then; empty for each its own.
  StringRef ratioPolicy;
  /// The axes of the node.
  SmallVector<int64_t> axes;

  /// Whether a size that changes is not known, before or after.
  bool isOpen(RankedTensorType data) const {
    if (scaleValues || beginValues || !ratioPolicy.empty())
      return true;
    for (auto [axis, kept] : llvm::enumerate(isKept))
      if (!kept &&
          (ShapedType::isDynamic(sizes[axis]) || data.isDynamicDim(axis)))
        return true;
    return false;
  }
};

/// Resizes `data` where sizes are known when the model runs: one axis after the
/// other, at coordinates that are computed then.
LogicalResult createOpenResize(NodeContext &node, Value data,
                               const ResizeTarget &target,
                               const ImageResize2dOp::Properties &properties);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_RESIZE_H
