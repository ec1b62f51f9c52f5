//===- Resize.cpp - Resizing operators of ONNX ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Support/FormatNumber.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// What a resize does to each dimension.
struct Target {
  SmallVector<int64_t> sizes;
  /// True for a dimension that stays as it is.
  SmallVector<bool> isKept;
  /// The part that is looked at, of tf_crop_and_resize.
  SmallVector<double> begin, end;
  /// The scales, where the node has scales.
  SmallVector<double> scales;

  bool hasOpenSize() const {
    return llvm::any_of(llvm::zip_equal(sizes, isKept), [](auto dim) {
      auto [size, kept] = dim;
      return !kept && ShapedType::isDynamic(size);
    });
  }
};

/// A scale as a quotient of small integers.
struct Ratio {
  int64_t numerator, denominator;

  static std::optional<Ratio> get(double scale);
};

} // namespace

/// Sizes from scales, with one for each of `axes`. `isExact` says that
/// coordinates follow from the scale itself.
static LogicalResult applyScales(NodeContext &node, RankedTensorType type,
                                 ArrayRef<double> scales,
                                 ArrayRef<int64_t> axes, bool isExact,
                                 Target &target) {
  if (scales.size() != axes.size())
    return node.emitError()
           << "expects " << axes.size() << " scales, but got " << scales.size();
  target.scales.assign(type.getRank(), 1);
  for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
    if (scale == 1)
      continue;
    int64_t size = type.getDimSize(axis);
    if (!(scale > 0))
      return node.emitError()
             << "expects positive scales, but got " << formatNumber(scale)
             << " for axis " << axis << " of " << type;
    target.scales[axis] = scale;
    if (ShapedType::isDynamic(size)) {
      target.sizes[axis] = ShapedType::kDynamic;
      target.isKept[axis] = false;
      continue;
    }
    double scaled = std::floor(size * scale);
    if (!(scaled <= kMaxTensorBytes))
      return node.emitError()
             << "expects scales that give tensors of at most 2^47 bytes, but "
                "got "
             << formatNumber(scale) << " for axis " << axis << " of " << type;
    // For relay, coordinates follow from the sizes before and after; a scale
    // that gives no whole size would shift them.
    if (isExact && std::abs(scaled - size * scale) > 1e-4 * scaled)
      return node.emitError()
             << "scale " << formatNumber(scale) << " of axis " << axis
             << " does not give a whole size from " << size;
    target.sizes[axis] = static_cast<int64_t>(scaled);
    target.isKept[axis] = false;
  }
  return success();
}

static std::optional<StringRef> getMethod(NodeContext &node) {
  StringRef mode = node.getString("mode", "nearest");
  if (mode == "nearest")
    return "nearest_neighbor";
  // "bilinear" is an old name.
  if (mode == "linear" || mode == "bilinear")
    return "linear";
  if (mode == "cubic")
    return "cubic";
  node.emitError() << "expects mode nearest, linear or cubic, but got \""
                   << mode << "\"";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Open sizes
//===----------------------------------------------------------------------===//

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

/// A vector of zeros as long as `axis` of `data` becomes: floor(size * scale).
static Value createScaledLine(NodeContext &node, Value data, int64_t axis,
                              Ratio scale) {
  RepeatOp::Properties repeat;
  repeat.repeats = node.getBuilder().getI64IntegerAttr(scale.numerator);
  repeat.axis = node.getBuilder().getI64IntegerAttr(0);
  Value line = node.create<RepeatOp>(
      {node.createLine(data, axis, node.getBuilder().getF32Type())}, repeat);
  return node.dropFirst(line, 0, scale.denominator - 1, scale.denominator);
}

/// Where in `data` each element of `line` looks, along `axis`.
static Value createCoordinates(NodeContext &node, Value data, int64_t axis,
                               Value line, double scale,
                               StringRef transformation) {
  Type type = node.getBuilder().getF32Type();
  auto scalar = [&](double value) { return node.createScalar(value, type); };
  auto getSize = [&](Value value, int64_t dim) {
    return node.castTo(node.createSize(value, dim), type);
  };
  auto shift = [&](Value value, double by) -> Value {
    return node.create<AddOp>({value, scalar(by)});
  };
  Value positions = node.createPositions(line);
  if (!positions)
    return nullptr;
  if (transformation == "asymmetric")
    return node.create<DivideOp>({positions, scalar(scale)});
  Value one = scalar(1);
  if (transformation == "align_corners") {
    // Zero for a single element, which looks at the first one.
    Value steps = node.create<MaximumOp>({shift(getSize(line, 0), -1), one});
    return node.create<DivideOp>(
        {node.create<MultiplyOp>({positions, shift(getSize(data, axis), -1)}),
         steps});
  }
  Value center = node.create<DivideOp>({shift(positions, 0.5), scalar(scale)});
  if (transformation == "tf_half_pixel_for_nn")
    return center;
  Value halfPixel = shift(center, -0.5);
  if (transformation == "half_pixel")
    return halfPixel;
  // pytorch_half_pixel: a single element is the first one.
  return node.create<WhereOp>(
      {node.create<GreaterOp>({getSize(line, 0), one}), halfPixel, scalar(0)});
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

/// Resizes one axis after the other, by scales, at coordinates that are
/// computed when the model runs.
static LogicalResult
createOpenResize(NodeContext &node, Value data, const Target &target,
                 const ImageResize2dOp::Properties &properties) {
  StringRef method = properties.method.getValue();
  StringRef transformation =
      properties.coordinate_transformation_mode.getValue();
  if (method == "cubic" || transformation == "tf_crop_and_resize")
    return node.emitError() << "expects mode nearest or linear, and no "
                               "tf_crop_and_resize, where "
                               "sizes are only known at run time, but got "
                            << data.getType();
  Type type = node.getElementType(data);
  Type wideType = method == "linear" ? node.getBuilder().getF32Type() : type;
  if (method == "linear" && !isa<FloatType>(type))
    return node.emitError() << "expects floats for mode linear where sizes are "
                               "only known at run time, but got "
                            << data.getType();
  data = node.castTo(data, wideType);
  for (int64_t axis = 0, rank = node.getRank(data); axis < rank; ++axis) {
    if (target.isKept[axis])
      continue;
    double scale = target.scales.empty() ? 0 : target.scales[axis];
    std::optional<Ratio> ratio = Ratio::get(scale);
    if (!ratio)
      return node.emitError()
             << "expects scales that are quotients of small integers where "
                "sizes are only known at run time, but got "
             << formatNumber(scale) << " for axis " << axis;
    Value line = createScaledLine(node, data, axis, *ratio);
    Value coordinates =
        createCoordinates(node, data, axis, line, scale, transformation);
    data = method == "linear"
               ? takeLinear(node, data, axis, coordinates)
               : takeNearest(node, data, axis, coordinates,
                             properties.rounding_method.getValue());
    if (!data)
      return failure();
  }
  return node.setResult(node.castTo(data, type));
}

//===----------------------------------------------------------------------===//
// Sizes that are known
//===----------------------------------------------------------------------===//

/// Resizes the last two dimensions of `data`, of rank 4.
static LogicalResult createResize(NodeContext &node, Value data,
                                  const Target &target,
                                  ImageResize2dOp::Properties properties) {
  if (target.hasOpenSize())
    return createOpenResize(node, data, target, properties);
  int64_t rank = node.getRank(data);
  SmallVector<int64_t> resized;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!target.isKept[axis])
      resized.push_back(axis);
  if (resized.empty())
    return node.setResult(data);
  if (resized.size() > 2)
    return node.emitError() << "expects at most two dimensions to be resized, "
                               "but got "
                            << resized.size();
  // The dimensions to resize go last, all others first.
  if (resized.size() == 1)
    resized.insert(resized.begin(), resized[0] == rank - 1 && rank > 1
                                        ? rank - 2
                                        : (resized[0] + 1) % rank);
  if (rank == 1)
    return node.emitError()
           << "expects data of rank 2 or more, but got " << data.getType();
  llvm::sort(resized);
  SmallVector<int64_t> order, sizes;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(resized, axis))
      order.push_back(axis);
  llvm::append_range(order, resized);
  for (int64_t axis : resized) {
    if (ShapedType::isDynamic(target.sizes[axis]))
      return node.emitError()
             << "expects static spatial sizes, but got " << data.getType();
    sizes.push_back(target.sizes[axis]);
  }
  properties.size = node.getBuilder().getDenseI64ArrayAttr(sizes);
  if (!target.begin.empty())
    properties.roi = node.getBuilder().getDenseF64ArrayAttr(
        {target.begin[resized[0]], target.begin[resized[1]],
         target.end[resized[0]], target.end[resized[1]]});

  Value result = node.transpose(data, order);
  if (!result)
    return failure();
  SmallVector<ShapeScalar> dims = node.getDims(result);
  if (rank < 4) {
    result = node.expandDims(result, 0, 4 - rank);
  } else if (rank > 4) {
    SmallVector<ShapeScalar> flat = {ShapeScalar::get(1)};
    for (const ShapeScalar &dim : ArrayRef(dims).drop_back(3))
      flat[0] = multiplySizes(flat[0], dim);
    flat.append(dims.end() - 3, dims.end());
    result = node.reshape(result, flat);
  }
  result = node.create<ImageResize2dOp>({result}, properties);
  for (auto [i, size] : llvm::enumerate(sizes))
    dims[rank - 2 + i] = ShapeScalar::get(size);
  if (rank != 4)
    result = node.reshape(result, dims);
  SmallVector<int64_t> inverse(rank);
  for (auto [i, axis] : llvm::enumerate(order))
    inverse[axis] = i;
  return node.setResult(node.transpose(result, inverse));
}

static Target getUnchanged(RankedTensorType type) {
  return {llvm::to_vector(type.getShape()),
          SmallVector<bool>(type.getRank(), true),
          {},
          {},
          {}};
}

/// The numbers in an input of floats.
static FailureOr<SmallVector<double>> getConstantFloats(NodeContext &node,
                                                        unsigned index) {
  SmallVector<double> values;
  const ShapeTensor *contents = node.getContents(index);
  if (contents && contents->isFloat()) {
    for (const ShapeScalar &element : contents->elements)
      if (std::optional<double> value = element.getFloatConstant())
        values.push_back(*value);
    if (values.size() == contents->elements.size())
      return values;
  }
  node.emitError() << "expects input " << index << " (\""
                   << node.getNode().inputs[index]
                   << "\") to be constant, but it is computed at run time";
  return failure();
}

/// Reads the part of each of `axes` that tf_crop_and_resize looks at.
static LogicalResult applyRegion(NodeContext &node, ArrayRef<int64_t> axes,
                                 Target &target) {
  if (!node.hasInput(1))
    return node.emitError() << "expects input 1, which is left out";
  FailureOr<SmallVector<double>> region = getConstantFloats(node, 1);
  if (failed(region))
    return failure();
  if (region->size() != 2 * axes.size())
    return node.emitError() << "expects " << 2 * axes.size()
                            << " numbers in roi, but got " << region->size();
  // Further out, positions in pixels need not be integers that exist. Also
  // false where a number is NaN.
  constexpr double limit = 1 << 15;
  for (double number : *region)
    if (!(std::abs(number) <= limit))
      return node.emitError()
             << "expects numbers of roi in [" << formatNumber(-limit) << ", "
             << formatNumber(limit) << "], but got " << formatNumber(number);
  target.begin.assign(target.sizes.size(), 0);
  target.end.assign(target.sizes.size(), 1);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    target.begin[axis] = (*region)[i];
    target.end[axis] = (*region)[axes.size() + i];
    if (target.begin[axis] != 0 || target.end[axis] != 1)
      target.isKept[axis] = false;
  }
  return success();
}

static LogicalResult convertUpsample(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  RankedTensorType type = node.getType(data);
  SmallVector<double> scales;
  if (node.getOpset() < 9) {
    for (float scale : node.getFloats("scales").value_or(ArrayRef<float>()))
      scales.push_back(scale);
  } else {
    if (!node.hasInput(1))
      return node.emitError() << "expects input 1, which is left out";
    FailureOr<SmallVector<double>> values = getConstantFloats(node, 1);
    if (failed(values))
      return failure();
    scales = *values;
  }
  Target target = getUnchanged(type);
  std::optional<StringRef> method = getMethod(node);
  if (!method ||
      failed(applyScales(node, type, scales,
                         llvm::to_vector(llvm::seq<int64_t>(type.getRank())),
                         /*isExact=*/true, target)))
    return failure();
  ImageResize2dOp::Properties properties;
  properties.method = b.getStringAttr(*method);
  properties.coordinate_transformation_mode = b.getStringAttr("asymmetric");
  properties.rounding_method = b.getStringAttr("floor");
  return createResize(node, data, target, properties);
}

static LogicalResult convertResize(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  RankedTensorType type = node.getType(data);
  bool isOld = node.getOpset() < 11;
  unsigned scalesIndex = isOld ? 1 : 2;
  if (node.getBool("antialias", false))
    return node.emitError() << "antialias is not supported";

  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  if (std::optional<ArrayRef<int64_t>> values = node.getInts("axes")) {
    FailureOr<SmallVector<int64_t>> normalized =
        node.normalizeAxes(*values, type.getRank());
    if (failed(normalized))
      return failure();
    axes = *normalized;
  }
  std::optional<StringRef> method = getMethod(node);
  if (!method)
    return failure();
  StringRef transformation = node.getString(
      "coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel");
  if (!llvm::is_contained({"half_pixel", "align_corners", "asymmetric",
                           "pytorch_half_pixel", "tf_half_pixel_for_nn",
                           "tf_crop_and_resize"},
                          transformation))
    return node.emitError() << "coordinate_transformation_mode \""
                            << transformation << "\" is not supported";
  Target target = getUnchanged(type);
  const ShapeTensor *scales = node.getContents(scalesIndex);
  if (node.hasInput(3)) {
    StringRef policy = node.getString("keep_aspect_ratio_policy", "stretch");
    if (policy != "stretch")
      return node.emitError() << "keep_aspect_ratio_policy \"" << policy
                              << "\" is not supported";
    const ShapeTensor *sizes = node.getContents(3);
    if (!sizes || sizes->isFloat() || sizes->elements.size() != axes.size())
      return node.emitError() << "expects " << axes.size()
                              << " sizes that follow from the sizes of the "
                                 "inputs";
    SmallVector<ShapeScalar> dims = node.getDims(data);
    for (auto [axis, size] : llvm::zip_equal(axes, sizes->elements)) {
      if (size.isSame(dims[axis]))
        continue;
      target.isKept[axis] = false;
      std::optional<int64_t> constant = size.getConstant();
      if (!constant)
        return node.emitError() << "expects a static size for axis " << axis;
      if (*constant < 1)
        return node.emitError() << "expects a positive size for axis " << axis
                                << ", but got " << *constant;
      target.sizes[axis] = *constant;
    }
  } else if (!node.hasInput(scalesIndex) ||
             (scales && scales->elements.empty())) {
    return node.emitError() << "expects scales or sizes";
  } else {
    FailureOr<SmallVector<double>> values =
        getConstantFloats(node, scalesIndex);
    if (failed(values) ||
        failed(applyScales(node, type, *values, axes,
                           transformation != "align_corners", target)))
      return failure();
  }

  if (transformation == "tf_crop_and_resize" &&
      failed(applyRegion(node, axes, target)))
    return failure();
  StringRef rounding =
      node.getString("nearest_mode", isOld ? "floor" : "round_prefer_floor");
  if (!llvm::is_contained(
          {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"},
          rounding))
    return node.emitError() << "expects nearest_mode floor, ceil, "
                               "round_prefer_floor or round_prefer_ceil, but "
                               "got \""
                            << rounding << "\"";
  ImageResize2dOp::Properties properties;
  properties.method = b.getStringAttr(*method);
  properties.coordinate_transformation_mode = b.getStringAttr(transformation);
  properties.rounding_method = b.getStringAttr(rounding);
  properties.cubic_alpha =
      b.getF64FloatAttr(node.getFloat("cubic_coeff_a", -0.75));
  properties.cubic_exclude =
      b.getI64IntegerAttr(node.getBool("exclude_outside", false));
  properties.extrapolation_value =
      b.getF64FloatAttr(node.getFloat("extrapolation_value", 0));
  return createResize(node, data, target, properties);
}

void mlir::relay::onnx::addResizeOps(OpTable &table) {
  table.add({"Resize"}, {convertResize, 10, kNewestOpset, 1, 4,
                         /*contentInputs=*/0b1110});
  table.add({"Upsample"}, {convertUpsample, 7, 9, 1, 2,
                           /*contentInputs=*/0b10});
}
