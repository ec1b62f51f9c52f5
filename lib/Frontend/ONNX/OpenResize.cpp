//===- OpenResize.cpp - Resizing to sizes that are not known --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// relay.image.resize2d has sizes for attributes. Where they are known when a
// model runs, each axis is taken by itself: how many elements it gets, where in
// the data each of them looks, and what it makes of the elements there.
//
//===----------------------------------------------------------------------===//

#include "Resize.h"

#include "relay-mlir/Support/FormatNumber.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// A scale as a quotient of small integers.
struct Ratio {
  int64_t numerator, denominator;

  static std::optional<Ratio> get(double scale);
};

} // namespace

std::optional<Ratio> Ratio::get(double scale) {
  // Scales of models are floats.
  for (int64_t denominator = 1; denominator <= 64; ++denominator) {
    double numerator = std::round(scale * static_cast<double>(denominator));
    if (numerator >= 1 && numerator <= 4096 &&
        static_cast<float>(numerator / static_cast<double>(denominator)) ==
            static_cast<float>(scale))
      return Ratio{static_cast<int64_t>(numerator), denominator};
  }
  return std::nullopt;
}

namespace {

/// An axis that is resized when the model runs.
struct OpenAxis {
  int64_t axis;
  /// How many elements there are after it: as the importer knows it, and as a
  /// number of 64 bits.
  ShapeScalar size;
  Value count;
  /// By how much it grows, in f32.
  Value scale;
};

} // namespace

/// From the scale of the node.
static std::optional<OpenAxis> scaleAxis(NodeContext &node, Value data,
                                         int64_t axis, double scale) {
  std::optional<Ratio> ratio = Ratio::get(scale);
  if (!ratio) {
    node.emitError() << "expects scales that are quotients of small integers "
                        "where sizes are only known at run time, but got "
                     << formatNumber(scale) << " for axis " << axis;
    return std::nullopt;
  }
  Type type = node.getBuilder().getI64Type();
  auto scalar = [&](int64_t value) {
    return node.createScalar(static_cast<double>(value), type);
  };
  OpenAxis result{axis, {}, {}, {}};
  ShapeScalar dim = node.getDims(data)[axis];
  for (unsigned i = 0; i < kNumCases; ++i)
    if (int64_t product; dim.isPossible(i) &&
                         !llvm::MulOverflow(dim[i], ratio->numerator, product))
      result.size.set(i, product / ratio->denominator);
  result.count = node.create<FloorDivideOp>(
      {node.create<MultiplyOp>(
           {node.createSize(data, axis), scalar(ratio->numerator)}),
       scalar(ratio->denominator)});
  result.scale = node.createScalar(scale, node.getBuilder().getF32Type());
  return result;
}

/// To a size.
static OpenAxis fitAxis(NodeContext &node, Value data, int64_t axis,
                        const ShapeScalar &size, Value count) {
  Type type = node.getBuilder().getF32Type();
  Value scale =
      node.create<DivideOp>({node.castTo(count, type),
                             node.castTo(node.createSize(data, axis), type)});
  return {axis, size, count, scale};
}

/// Where in `data` each element of the result looks, along the axis.
static Value createCoordinates(NodeContext &node, Value data,
                               const OpenAxis &open, StringRef transformation) {
  Type type = node.getBuilder().getF32Type();
  auto scalar = [&](double value) { return node.createScalar(value, type); };
  auto shift = [&](Value value, double by) -> Value {
    return node.create<AddOp>({value, scalar(by)});
  };
  Value positions =
      node.refineDims(node.createRange(open.count, type), open.size);
  if (!positions)
    return nullptr;
  if (transformation == "asymmetric")
    return node.create<DivideOp>({positions, open.scale});
  Value one = scalar(1), count = node.castTo(open.count, type);
  if (transformation == "align_corners") {
    // Zero for a single element, which looks at the first one.
    Value steps = node.create<MaximumOp>({shift(count, -1), one});
    Value last = shift(node.castTo(node.createSize(data, open.axis), type), -1);
    return node.create<DivideOp>(
        {node.create<MultiplyOp>({positions, last}), steps});
  }
  Value center = node.create<DivideOp>({shift(positions, 0.5), open.scale});
  if (transformation == "tf_half_pixel_for_nn")
    return center;
  Value halfPixel = shift(center, -0.5);
  if (transformation == "half_pixel")
    return halfPixel;
  // pytorch_half_pixel: a single element is the first one.
  return node.create<WhereOp>(
      {node.create<GreaterOp>({count, one}), halfPixel, scalar(0)});
}

/// The nearest elements to `coordinates`.
static Value takeNearest(NodeContext &node, Value data, int64_t axis,
                         Value coordinates, StringRef rounding) {
  auto shift = [&](double by) -> Value {
    return node.create<AddOp>(
        {coordinates, node.createScalar(by, node.getBuilder().getF32Type())});
  };
  Value nearest;
  if (rounding == "floor")
    nearest = node.create<FloorOp>({coordinates});
  else if (rounding == "ceil")
    nearest = node.create<CeilOp>({coordinates});
  else if (rounding == "round_prefer_floor")
    nearest = node.create<CeilOp>({shift(-0.5)});
  else
    nearest = node.create<FloorOp>({shift(0.5)});
  return node.take(data, node.castTo(nearest, node.getBuilder().getI64Type()),
                   axis);
}

/// Between the elements before and behind `coordinates`.
static Value takeLinear(NodeContext &node, Value data, int64_t axis,
                        Value coordinates) {
  // Before the first element everything is the first one; behind the last, both
  // neighbours are the last.
  coordinates = node.create<MaximumOp>(
      {coordinates, node.createScalar(0, node.getBuilder().getF32Type())});
  Value floor = node.create<FloorOp>({coordinates});
  Value before = node.castTo(floor, node.getBuilder().getI64Type());
  Value behind = node.create<AddOp>(
      {before, node.createScalar(1, node.getBuilder().getI64Type())});
  Value fraction = node.create<SubtractOp>({coordinates, floor});
  if (!fraction || !behind)
    return nullptr;
  fraction = node.expandDims(fraction, 1, node.getRank(data) - axis - 1);
  Value low = node.take(data, before, axis),
        high = node.take(data, behind, axis);
  return node.create<AddOp>(
      {low, node.create<MultiplyOp>(
                {node.create<SubtractOp>({high, low}), fraction})});
}

/// The cubic through the four elements around `coordinates`; `alpha` is its
/// slope parameter.
static Value takeCubic(NodeContext &node, Value data, int64_t axis,
                       Value coordinates, double alpha) {
  Type type = node.getBuilder().getF32Type();
  Type indexType = node.getBuilder().getI64Type();
  auto scalar = [&](double value) { return node.createScalar(value, type); };
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return node.create<MultiplyOp>({lhs, rhs});
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return node.create<AddOp>({lhs, rhs});
  };
  Value floor = node.create<FloorOp>({coordinates});
  Value fraction = node.create<SubtractOp>({coordinates, floor});
  Value first = node.castTo(floor, indexType);
  Value sum;
  for (int64_t tap = -1; tap <= 2; ++tap) {
    // The distance of the element, as the kernel of cubic convolution has it.
    Value offset =
        node.create<SubtractOp>({scalar(static_cast<double>(tap)), fraction});
    Value x = node.create<AbsOp>({offset});
    Value weight;
    if (tap == 0 || tap == 1) {
      // ((a + 2) x - (a + 3)) x^2 + 1
      weight = add(
          multiply(add(multiply(scalar(alpha + 2), x), scalar(-(alpha + 3))),
                   multiply(x, x)),
          scalar(1));
    } else {
      // ((a x - 5 a) x + 8 a) x - 4 a
      weight = add(multiply(scalar(alpha), x), scalar(-5 * alpha));
      weight = add(multiply(weight, x), scalar(8 * alpha));
      weight = add(multiply(weight, x), scalar(-4 * alpha));
    }
    Value position = node.create<AddOp>(
        {first, node.createScalar(static_cast<double>(tap), indexType)});
    Value element = node.take(data, position, axis);
    if (!weight || !element)
      return nullptr;
    weight = node.expandDims(weight, 1, node.getRank(data) - axis - 1);
    Value product = multiply(element, weight);
    sum = sum ? add(sum, product) : product;
  }
  return sum;
}

LogicalResult mlir::relay::onnx::createOpenResize(
    NodeContext &node, Value data, const ResizeTarget &target,
    const ImageResize2dOp::Properties &properties) {
  StringRef method = properties.method.getValue();
  StringRef transformation =
      properties.coordinate_transformation_mode.getValue();
  bool excludesOutside =
      properties.cubic_exclude && properties.cubic_exclude.getInt() != 0;
  if ((method == "cubic" && excludesOutside) ||
      transformation == "tf_crop_and_resize")
    return node.emitError() << "expects no exclude_outside and no "
                               "tf_crop_and_resize where sizes are only known "
                               "at run time, but got "
                            << data.getType();
  if (target.needsTables)
    return node.emitError() << "expects known sizes for antialias, "
                               "keep_aspect_ratio_policy and "
                               "half_pixel_symmetric, but got "
                            << data.getType();
  Type type = node.getElementType(data);
  bool isNearest = method == "nearest_neighbor";
  Type wideType = isNearest ? type : node.getBuilder().getF32Type();
  if (!isNearest && !isa<FloatType>(type))
    return node.emitError() << "expects floats for mode " << method
                            << " where sizes are only known at run time, but "
                               "got "
                            << data.getType();
  data = node.castTo(data, wideType);
  for (int64_t axis = 0, rank = node.getRank(data); axis < rank; ++axis) {
    if (target.isKept[axis])
      continue;
    std::optional<OpenAxis> open;
    if (!target.scales.empty()) {
      open = scaleAxis(node, data, axis, target.scales[axis]);
    } else {
      Type i64 = node.getBuilder().getI64Type();
      bool isKnown = !ShapedType::isDynamic(target.sizes[axis]);
      open = fitAxis(
          node, data, axis,
          isKnown ? ShapeScalar::get(target.sizes[axis])
                  : target.openSizes[axis],
          isKnown
              ? node.createScalar(double(target.sizes[axis]), i64)
              : node.reshape(node.slice(target.sizeValues, 0, axis, axis + 1),
                             ArrayRef<int64_t>()));
    }
    if (!open)
      return failure();
    Value coordinates = createCoordinates(node, data, *open, transformation);
    if (isNearest)
      data = takeNearest(node, data, axis, coordinates,
                         properties.rounding_method.getValue());
    else if (method == "linear")
      data = takeLinear(node, data, axis, coordinates);
    else
      data = takeCubic(node, data, axis, coordinates,
                       properties.cubic_alpha.getValueAsDouble());
    if (!data)
      return failure();
  }
  return node.setResult(node.castTo(data, type));
}
