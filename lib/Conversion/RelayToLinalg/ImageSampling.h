//===- ImageSampling.h - Where a resized image reads its source -*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_IMAGESAMPLING_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_IMAGESAMPLING_H

#include "ElementMath.h"
#include "LinalgBuilder.h"

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::relay::detail {

/// The attributes of a resize.
struct ResizeMode {
  StringRef method = "linear";
  StringRef coordinates = "half_pixel";
  StringRef rounding = "round";
  double cubicAlpha = -0.5;
  bool cubicExclude = false;
  double extrapolation = 0;

  /// True if the operator's documentation knows all of the names.
  bool isValid() const;
  /// How `nearest_neighbor` rounds; the empty string stands for a default.
  StringRef getRounding() const;
};

/// Fails with a reason, or asserts when the model runs, where `data` has no
/// elements along one of the spatial `axes`: images have pixels to read.
LogicalResult expectPixels(ConversionPatternRewriter &rewriter,
                           LinalgBuilder &b, Operation *op, Value data,
                           ArrayRef<int64_t> axes);

/// One sample of the source along an axis: a position and its weight, null for
/// one. What is not inside of the source, if that is given, counts as zero.
struct Tap {
  Value index, weight, isInside;
};

/// The weights of the four neighbours of a point `fraction` behind the second
/// one. Keys' kernel: a polynomial up to distance one, another up to two.
SmallVector<Value> emitCubicWeights(const ElementMath &math, Value fraction,
                                    double cubicAlpha);

/// The weighted sum of the samples of all `axes`, in the type of `math`. `read`
/// gives an element of that type; `position` says where the other axes are
/// read.
Value emitSamples(const ElementMath &math,
                  llvm::function_ref<Value(ValueRange)> read,
                  SmallVector<Value> &position, ArrayRef<int64_t> axes,
                  ArrayRef<SmallVector<Tap>> taps);
/// The same for a tensor, whose relay element type is `from`.
Value emitSamples(const ElementMath &math, Value data, Type from,
                  SmallVector<Value> &position, ArrayRef<int64_t> axes,
                  ArrayRef<SmallVector<Tap>> taps);

/// A sum of weighted samples, of type `from`, as an element. Integers get the
/// nearest value: a truncated one would be off where a sum is nearly whole.
Value emitElement(const ElementMath &result, Type from, Value sum);

/// Samples one axis of the source for one position of the result.
class AxisSampler {
public:
  /// Computes in the float type `type`. `roi` is the part of the axis that is
  /// resized, null but for the coordinates of tf_crop_and_resize.
  AxisSampler(ImplicitLocOpBuilder &builder, const ResizeMode &mode, Type type,
              OpFoldResult sourceSize, OpFoldResult resultSize,
              std::pair<Value, Value> roi)
      : b(builder), mode(mode), math(builder, type), sourceSize(sourceSize),
        resultSize(resultSize), roi(roi) {}

  /// The samples for position `index`, all within the source.
  SmallVector<Tap> sample(Value index);
  /// True if the last position lay outside of the source, or null if that does
  /// not matter.
  Value getIsOutside() const { return isOutside; }

private:
  Value toFloat(OpFoldResult size);
  Value getCoordinate(Value index);
  Value toIndex(Value position);
  SmallVector<Tap> sampleNearest(Value coordinate);
  SmallVector<Tap> sampleLinear(Value coordinate);
  SmallVector<Tap> sampleCubic(Value coordinate);

  ImplicitLocOpBuilder &b;
  const ResizeMode &mode;
  ElementMath math;
  OpFoldResult sourceSize, resultSize;
  std::pair<Value, Value> roi;
  Value isOutside;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_IMAGESAMPLING_H
