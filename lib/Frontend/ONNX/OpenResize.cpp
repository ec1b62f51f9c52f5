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

#include "ComputedAxes.h"
#include "Products.h"
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
  /// The part that is looked at, in f32; null for all.
  Value begin, end;
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
  OpenAxis result{axis, {}, {}, {}, {}, {}};
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
  return {axis, size, count, scale, {}, {}};
}

/// Element `axis` of a vector, as a scalar.
static Value pickNumber(NodeContext &node, Value vector, int64_t axis) {
  return node.reshape(node.slice(vector, 0, axis, axis + 1),
                      ArrayRef<int64_t>());
}

/// From a scale that is computed, a scalar. With `isRounded`, the size is the
/// nearest one that is not 0.
static OpenAxis scaleAxisBy(NodeContext &node, Value data, int64_t axis,
                            Value scale, bool isRounded) {
  Type f32 = node.getBuilder().getF32Type();
  Value zero = node.createScalar(0, f32);
  // Also for a scale that is no number.
  Value isRight = node.create<GreaterOp>({scale, zero});
  Value scaled = node.create<MultiplyOp>(
      {node.castTo(node.createSize(data, axis), f32), scale});
  if (isRounded)
    scaled = node.create<AddOp>({scaled, node.createScalar(0.5, f32)});
  Value count = node.castTo(node.create<FloorOp>({scaled}),
                            node.getBuilder().getI64Type());
  count = node.assertThat(count, isRight, "expects scales above 0");
  return {axis, ShapeScalar(), count, scale, {}, {}};
}

/// The scale that all axes have where their ratio is kept.
static Value createCommonScale(NodeContext &node, Value data,
                               const ResizeTarget &target) {
  Value scale;
  for (int64_t axis : target.axes) {
    OpenAxis own = fitAxis(node, data, axis, ShapeScalar(),
                           pickNumber(node, target.sizeValues, axis));
    if (!scale)
      scale = own.scale;
    else if (target.ratioPolicy == "not_larger")
      scale = node.create<MinimumOp>({scale, own.scale});
    else
      scale = node.create<MaximumOp>({scale, own.scale});
  }
  return scale;
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
  if (open.begin) {
    // From the begin to the end of the part; a single element is its middle.
    Value last = shift(node.castTo(node.createSize(data, open.axis), type), -1);
    Value steps = node.create<MaximumOp>({shift(count, -1), one});
    Value length = node.create<SubtractOp>({open.end, open.begin});
    Value along = node.create<AddOp>(
        {node.create<MultiplyOp>({open.begin, last}),
         node.create<DivideOp>(
             {node.create<MultiplyOp>(
                  {positions, node.create<MultiplyOp>({length, last})}),
              steps})});
    Value middle = node.create<MultiplyOp>(
        {node.create<MultiplyOp>(
             {node.create<AddOp>({open.begin, open.end}), scalar(0.5)}),
         last});
    return node.create<WhereOp>(
        {node.create<GreaterOp>({count, one}), along, middle});
  }
  Value center = node.create<DivideOp>({shift(positions, 0.5), open.scale});
  if (transformation == "tf_half_pixel_for_nn")
    return center;
  Value halfPixel = shift(center, -0.5);
  if (transformation == "half_pixel")
    return halfPixel;
  if (transformation == "half_pixel_symmetric") {
    // The middle stays where it is.
    Value length = node.castTo(node.createSize(data, open.axis), type);
    Value ratio = node.create<DivideOp>(
        {count, node.create<MultiplyOp>({open.scale, length})});
    Value offset =
        node.create<MultiplyOp>({node.create<MultiplyOp>({length, scalar(0.5)}),
                                 node.create<SubtractOp>({one, ratio})});
    return node.create<AddOp>({offset, halfPixel});
  }
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
                       Value coordinates, double alpha, bool excludesOutside) {
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
  Value sum, total;
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
    if (excludesOutside) {
      Value isInside = node.create<LogicalAndOp>(
          {node.create<GreaterEqualOp>(
               {position, node.createScalar(0, indexType)}),
           node.create<LessOp>({position, node.createSize(data, axis)})});
      weight = node.create<WhereOp>({isInside, weight, scalar(0)});
      total = total ? add(total, weight) : weight;
    }
    if (!weight || !element)
      return nullptr;
    weight = node.expandDims(weight, 1, node.getRank(data) - axis - 1);
    Value product = multiply(element, weight);
    sum = sum ? add(sum, product) : product;
  }
  if (!total)
    return sum;
  return node.create<DivideOp>(
      {sum, node.expandDims(total, 1, node.getRank(data) - axis - 1)});
}

/// A filter that grows where the data shrinks, as a product with a matrix of
/// weights. Elements outside are those at the edge.
static Value takeFiltered(NodeContext &node, Value data, const OpenAxis &open,
                          Value coordinates, StringRef method, double alpha,
                          bool excludesOutside) {
  Type type = node.getBuilder().getF32Type();
  Type index = node.getBuilder().getI64Type();
  auto scalar = [&](double value) { return node.createScalar(value, type); };
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return node.create<MultiplyOp>({lhs, rhs});
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return node.create<AddOp>({lhs, rhs});
  };
  Value width = node.create<MaximumOp>(
      {scalar(1), node.create<DivideOp>({scalar(1), open.scale})});
  // At least as far as the filter reaches, by integers, as sizes are.
  Value size = node.createSize(data, open.axis);
  Value one = node.createScalar(1, index);
  Value steps = node.create<MaximumOp>({open.count, one});
  Value radius = multiply(add(node.create<FloorDivideOp>({size, steps}), one),
                          node.createScalar(method == "cubic" ? 2 : 1, index));
  Value count = add(size, multiply(radius, node.createScalar(2, index)));
  Value positions =
      node.create<SubtractOp>({node.createRange(count, index), radius});
  Value column = node.expandDims(positions, 1);
  Value distance = node.create<AbsOp>({node.create<DivideOp>(
      {node.create<SubtractOp>({node.castTo(column, type), coordinates}),
       width})});
  Value weight;
  if (method == "linear") {
    weight = node.create<MaximumOp>(
        {scalar(0), node.create<SubtractOp>({scalar(1), distance})});
  } else {
    Value square = multiply(distance, distance);
    Value near = add(multiply(add(multiply(scalar(alpha + 2), distance),
                                  scalar(-(alpha + 3))),
                              square),
                     scalar(1));
    Value far = add(multiply(scalar(alpha), distance), scalar(-5 * alpha));
    far = add(multiply(far, distance), scalar(8 * alpha));
    far = add(multiply(far, distance), scalar(-4 * alpha));
    far = node.create<WhereOp>(
        {node.create<LessOp>({distance, scalar(2)}), far, scalar(0)});
    weight = node.create<WhereOp>(
        {node.create<LessEqualOp>({distance, scalar(1)}), near, far});
  }
  if (excludesOutside) {
    Value isInside = node.create<LogicalAndOp>(
        {node.create<GreaterEqualOp>({column, node.createScalar(0, index)}),
         node.create<LessOp>({column, size})});
    weight = node.create<WhereOp>({isInside, weight, scalar(0)});
  }
  SumOp::Properties sum;
  sum.axis = node.getBuilder().getDenseI64ArrayAttr(0);
  weight = node.create<DivideOp>({weight, node.create<SumOp>({weight}, sum)});
  data = node.take(data, positions, open.axis);
  return multiplyAlong(node, data, open.axis, weight);
}

/// `value` where a coordinate is in the data, else `number`.
static Value fillOutside(NodeContext &node, Value value, Value data,
                         int64_t axis, Value coordinates, double number) {
  Type type = node.getBuilder().getF32Type();
  if (!value || !coordinates)
    return nullptr;
  Value last =
      node.create<SubtractOp>({node.castTo(node.createSize(data, axis), type),
                               node.createScalar(1, type)});
  Value isInside = node.create<LogicalAndOp>(
      {node.create<GreaterEqualOp>({coordinates, node.createScalar(0, type)}),
       node.create<LessEqualOp>({coordinates, last})});
  isInside = node.expandDims(isInside, 1, node.getRank(data) - axis - 1);
  return node.create<WhereOp>(
      {isInside, value, node.createScalar(number, node.getElementType(value))});
}

LogicalResult mlir::relay::onnx::createOpenResize(
    NodeContext &node, Value data, const ResizeTarget &target,
    const ImageResize2dOp::Properties &properties) {
  StringRef method = properties.method.getValue();
  StringRef transformation =
      properties.coordinate_transformation_mode.getValue();
  bool excludesOutside =
      properties.cubic_exclude && properties.cubic_exclude.getInt() != 0;
  Type type = node.getElementType(data);
  bool isNearest = method == "nearest_neighbor";
  Type wideType = isNearest ? type : node.getBuilder().getF32Type();
  if (!isNearest && !isa<FloatType>(type))
    return node.emitError() << "expects floats for mode " << method
                            << " where sizes are only known at run time, but "
                               "got "
                            << data.getType();
  data = node.castTo(data, wideType);
  Value commonScale;
  if (!target.ratioPolicy.empty() &&
      !(commonScale = createCommonScale(node, data, target)))
    return failure();
  double extrapolation = properties.extrapolation_value
                             ? properties.extrapolation_value.getValueAsDouble()
                             : 0;
  for (int64_t axis = 0, rank = node.getRank(data); axis < rank; ++axis) {
    if (target.isKept[axis])
      continue;
    std::optional<OpenAxis> open;
    if (commonScale && llvm::is_contained(target.axes, axis)) {
      open = scaleAxisBy(node, data, axis, commonScale, /*isRounded=*/true);
    } else if (target.scaleValues) {
      open = scaleAxisBy(node, data, axis,
                         pickNumber(node, target.scaleValues, axis),
                         /*isRounded=*/false);
    } else if (!target.scales.empty()) {
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
    Type f32 = node.getBuilder().getF32Type();
    if (target.beginValues) {
      open->begin = pickNumber(node, target.beginValues, axis);
      open->end = pickNumber(node, target.endValues, axis);
    } else if (!target.begin.empty()) {
      open->begin = node.createScalar(target.begin[axis], f32);
      open->end = node.createScalar(target.end[axis], f32);
    }
    Value source = data;
    Value coordinates = createCoordinates(node, data, *open, transformation);
    if (target.antialias)
      data = takeFiltered(node, data, *open, coordinates, method,
                          properties.cubic_alpha.getValueAsDouble(),
                          excludesOutside);
    else if (isNearest)
      data = takeNearest(node, data, axis, coordinates,
                         properties.rounding_method.getValue());
    else if (method == "linear")
      data = takeLinear(node, data, axis, coordinates);
    else
      data =
          takeCubic(node, data, axis, coordinates,
                    properties.cubic_alpha.getValueAsDouble(), excludesOutside);
    if (open->begin)
      data = fillOutside(node, data, source, axis, coordinates, extrapolation);
    if (!data)
      return failure();
  }
  return node.setResult(
      node.castTo(data, node.getInputType(0).getElementType()));
}
