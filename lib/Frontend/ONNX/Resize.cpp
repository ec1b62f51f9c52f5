//===- Resize.cpp - Resizing operators of ONNX ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resize.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "ResizeTables.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Support/FormatNumber.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// Sizes from scales, with one for each of `axes`. `isExact` says that
/// coordinates follow from the scale itself.
static LogicalResult applyScales(NodeContext &node, RankedTensorType type,
                                 ArrayRef<double> scales,
                                 ArrayRef<int64_t> axes, bool isExact,
                                 ResizeTarget &target) {
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
    // As ONNX Runtime does, in the precision of scales.
    double scaled =
        std::floor(static_cast<float>(size) * static_cast<float>(scale));
    if (!(scaled <= kMaxTensorBytes))
      return node.emitError()
             << "expects scales that give tensors of at most 2^47 bytes, but "
                "got "
             << formatNumber(scale) << " for axis " << axis << " of " << type;
    // For relay, coordinates follow from the sizes before and after; a scale
    // that gives no whole size would shift them.
    if (isExact && std::abs(scaled - size * scale) > 1e-4 * scaled)
      target.needsTables = true;
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
// Sizes that are known
//===----------------------------------------------------------------------===//

/// The result in the type of the data, which cuts the fractions of integers.
static LogicalResult setResized(NodeContext &node, Value result) {
  return node.setResult(
      node.castTo(result, node.getInputType(0).getElementType()));
}

/// Resizes one axis after the other, those that shrink first.
static LogicalResult
createTableResizes(NodeContext &node, Value data, const ResizeTarget &target,
                   const ImageResize2dOp::Properties &properties) {
  RankedTensorType type = node.getType(data);
  SmallVector<AxisResize> resizes;
  for (int64_t axis = 0, rank = type.getRank(); axis < rank; ++axis) {
    if (target.isKept[axis])
      continue;
    int64_t size = target.sizes[axis], count = type.getDimSize(axis);
    if (ShapedType::isDynamic(count))
      return node.emitError()
             << "expects a known size of axis " << axis << ", but got " << type;
    double scale = static_cast<double>(size) / static_cast<double>(count);
    if (!target.scales.empty())
      scale = target.scales[axis];
    resizes.push_back({axis, size, scale, properties.method.getValue(),
                       properties.coordinate_transformation_mode.getValue(),
                       target.ceilsShrinking && scale < 1
                           ? StringRef("ceil")
                           : properties.rounding_method.getValue(),
                       properties.cubic_alpha.getValueAsDouble(),
                       properties.cubic_exclude.getInt() != 0,
                       target.antialias});
  }
  llvm::sort(resizes, [](const AxisResize &a, const AxisResize &b) {
    return std::pair(a.scale, a.axis) < std::pair(b.scale, b.axis);
  });
  for (const AxisResize &resize : resizes) {
    data = createTableResize(node, data, resize);
    if (!data)
      return failure();
  }
  return setResized(node, data);
}

/// Resizes the last two dimensions of `data`, of rank 4.
static LogicalResult createResize(NodeContext &node, Value data,
                                  const ResizeTarget &target,
                                  ImageResize2dOp::Properties properties) {
  // Between integers ONNX Runtime computes in floats.
  if (properties.method.getValue() == "linear" && !target.antialias &&
      !isa<FloatType>(node.getElementType(data)))
    data = node.castTo(data, node.getBuilder().getF32Type());
  if (target.isOpen(node.getType(data)))
    return createOpenResize(node, data, target, properties);
  int64_t rank = node.getRank(data);
  SmallVector<int64_t> resized;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!target.isKept[axis])
      resized.push_back(axis);
  if (resized.empty())
    return setResized(node, data);
  if (target.needsTables || resized.size() > 2 || rank == 1)
    return createTableResizes(node, data, target, properties);
  // The dimensions to resize go last, all others first.
  if (resized.size() == 1)
    resized.insert(resized.begin(), resized[0] == rank - 1 && rank > 1
                                        ? rank - 2
                                        : (resized[0] + 1) % rank);
  // A size that is open has no number to be resized to.
  if (llvm::any_of(resized, [&](int64_t axis) {
        return ShapedType::isDynamic(target.sizes[axis]);
      }))
    return createTableResizes(node, data, target, properties);
  llvm::sort(resized);
  SmallVector<int64_t> order, sizes;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(resized, axis))
      order.push_back(axis);
  llvm::append_range(order, resized);
  for (int64_t axis : resized)
    sizes.push_back(target.sizes[axis]);
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
  return setResized(node, node.transpose(result, inverse));
}

static ResizeTarget getUnchanged(RankedTensorType type) {
  ResizeTarget target;
  target.sizes = llvm::to_vector(type.getShape());
  target.isKept.assign(type.getRank(), true);
  return target;
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

/// `count` floats in an input, which are computed when the model runs.
static Value getFloatsValue(NodeContext &node, unsigned index, size_t count) {
  Value value = node.materializeInput(index);
  if (!value)
    return nullptr;
  RankedTensorType type = node.getType(value);
  if (type.getRank() != 1 ||
      type.getDimSize(0) != static_cast<int64_t>(count) ||
      !isa<FloatType>(type.getElementType())) {
    node.emitError() << "expects " << count << " floats in input " << index
                     << " (\"" << node.getNode().inputs[index]
                     << "\"), but got " << type;
    return nullptr;
  }
  return node.castTo(value, node.getBuilder().getF32Type());
}

/// A number for each dimension from one for each of `axes`, and `other`.
static Value spread(NodeContext &node, Value values, ArrayRef<int64_t> axes,
                    const ResizeTarget &target, double other) {
  if (!values)
    return nullptr;
  auto count = static_cast<int64_t>(axes.size());
  SmallVector<int64_t> positions(target.sizes.size(), count);
  for (auto [number, axis] : llvm::enumerate(axes))
    positions[axis] = static_cast<int64_t>(number);
  return node.take(node.pad(values, 0, 0, 1, other), node.createInts(positions),
                   0);
}

/// Scales that are computed when the model runs, for each of `axes`.
static LogicalResult readOpenScales(NodeContext &node, unsigned index,
                                    ArrayRef<int64_t> axes,
                                    ResizeTarget &target) {
  Value scales = getFloatsValue(node, index, axes.size());
  target.scaleValues = spread(node, scales, axes, target, 1);
  for (int64_t axis : axes) {
    target.isKept[axis] = false;
    target.sizes[axis] = ShapedType::kDynamic;
  }
  return success(target.scaleValues != nullptr);
}

/// Reads the part of each of `axes` that tf_crop_and_resize looks at.
static LogicalResult applyRegion(NodeContext &node, ArrayRef<int64_t> axes,
                                 ResizeTarget &target) {
  if (!node.hasInput(1))
    return node.emitError() << "expects input 1, which is left out";
  if (!node.getContents(1)) {
    Value numbers = getFloatsValue(node, 1, 2 * axes.size());
    if (!numbers)
      return failure();
    auto count = static_cast<int64_t>(axes.size());
    target.beginValues =
        spread(node, node.slice(numbers, 0, 0, count), axes, target, 0);
    target.endValues =
        spread(node, node.slice(numbers, 0, count, 2 * count), axes, target, 1);
    for (int64_t axis : axes)
      target.isKept[axis] = false;
    return success(!node.hasFailed());
  }
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

/// The sizes of the node, one number for each dimension; the first one stands
/// for those without.
static Value getSizeValues(NodeContext &node, ArrayRef<int64_t> axes,
                           int64_t rank) {
  SmallVector<int64_t> numbers(rank, 0);
  for (auto [number, axis] : llvm::enumerate(axes))
    numbers[axis] = static_cast<int64_t>(number);
  return node.take(node.getIntsValue(3), node.createInts(numbers), 0);
}

/// Where the node says so, one scale for all of `axes`: the smallest or the
/// largest of those that the sizes stand for.
static LogicalResult keepAspectRatio(NodeContext &node, ArrayRef<int64_t> axes,
                                     ResizeTarget &target) {
  StringRef policy = node.getString("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch")
    return success();
  if (policy != "not_larger" && policy != "not_smaller")
    return node.emitError() << "expects keep_aspect_ratio_policy stretch, "
                               "not_larger or not_smaller, but got \""
                            << policy << "\"";
  RankedTensorType type = node.getType(node.getInput(0));
  bool isOpen = llvm::any_of(axes, [&](int64_t axis) {
    return type.isDynamicDim(axis) || ShapedType::isDynamic(target.sizes[axis]);
  });
  if (isOpen) {
    target.ratioPolicy = policy;
    for (int64_t axis : axes)
      target.isKept[axis] = false;
    if (!target.sizeValues)
      target.sizeValues = getSizeValues(node, axes, type.getRank());
    return success(target.sizeValues != nullptr);
  }
  std::optional<float> scale;
  for (int64_t axis : axes) {
    int64_t count = type.getDimSize(axis);
    if (count == 0)
      return node.emitError() << "expects positive sizes for "
                                 "keep_aspect_ratio_policy, but got "
                              << type;
    float own =
        static_cast<float>(target.sizes[axis]) / static_cast<float>(count);
    if (!scale)
      scale = own;
    scale =
        policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  target.scales.assign(type.getRank(), 1);
  for (int64_t axis : axes) {
    auto count = static_cast<float>(type.getDimSize(axis));
    float size = std::floor(*scale * count + 0.5F);
    if (!(size <= kMaxTensorBytes))
      return node.emitError() << "expects sizes that give tensors of at most "
                                 "2^47 bytes, but got "
                              << formatNumber(size) << " for axis " << axis;
    target.sizes[axis] = static_cast<int64_t>(size);
    target.scales[axis] = *scale;
    target.isKept[axis] = false;
    target.needsTables = true;
  }
  return success();
}

static LogicalResult convertUpsample(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  RankedTensorType type = node.getType(data);
  SmallVector<double> scales;
  bool isOpen = false;
  if (node.getOpset() < 9) {
    for (float scale : node.getFloats("scales").value_or(ArrayRef<float>()))
      scales.push_back(scale);
  } else {
    if (!node.hasInput(1))
      return node.emitError() << "expects input 1, which is left out";
    isOpen = !node.getContents(1);
    if (!isOpen) {
      FailureOr<SmallVector<double>> values = getConstantFloats(node, 1);
      if (failed(values))
        return failure();
      scales = *values;
    }
  }
  ResizeTarget target = getUnchanged(type);
  std::optional<StringRef> method = getMethod(node);
  target.axes = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  if (!method || failed(isOpen ? readOpenScales(node, 1, target.axes, target)
                               : applyScales(node, type, scales, target.axes,
                                             /*isExact=*/true, target)))
    return failure();
  ImageResize2dOp::Properties properties;
  ImageResize2dOp::populateDefaultProperties(
      OperationName(ImageResize2dOp::getOperationName(), b.getContext()),
      properties);
  properties.method = b.getStringAttr(*method);
  properties.coordinate_transformation_mode = b.getStringAttr("asymmetric");
  properties.rounding_method = b.getStringAttr("floor");
  return createResize(node, data, target, properties);
}

/// Reads the sizes, with one for each of `axes`.
static LogicalResult applySizes(NodeContext &node, Value data,
                                ArrayRef<int64_t> axes, ResizeTarget &target) {
  RankedTensorType type = node.getInputType(3);
  if (!type.getElementType().isInteger() ||
      type.getShape() != ArrayRef(int64_t(axes.size())))
    return node.emitError()
           << "expects " << axes.size() << " integers in input 3 (\""
           << node.getNode().inputs[3] << "\"), but got " << type;
  const ShapeTensor *sizes = node.getContents(3);
  SmallVector<ShapeScalar> dims = node.getDims(data);
  target.openSizes = dims;
  bool isOpen = false;
  for (auto [number, axis] : llvm::enumerate(axes)) {
    ShapeScalar size = sizes ? sizes->elements[number] : ShapeScalar();
    if (size.isSame(dims[axis]))
      continue;
    target.isKept[axis] = false;
    target.openSizes[axis] = size;
    std::optional<int64_t> constant = size.getConstant();
    isOpen |= !constant;
    if (constant && *constant < 1)
      return node.emitError() << "expects a positive size for axis " << axis
                              << ", but got " << *constant;
    target.sizes[axis] = constant.value_or(ShapedType::kDynamic);
  }
  if (!isOpen)
    return success();
  target.sizeValues =
      getSizeValues(node, axes, static_cast<int64_t>(dims.size()));
  return success(target.sizeValues != nullptr);
}

/// Opset 10 takes the nearest neighbour above where an axis shrinks, and else
/// that below.
static LogicalResult roundAsOpset10(NodeContext &node, ResizeTarget &target,
                                    ImageResize2dOp::Properties &properties) {
  if (target.scaleValues)
    return node.emitError() << "expects constant scales in opset 10";
  unsigned numShrinking = 0, numGrowing = 0;
  for (auto [scale, kept] : llvm::zip_equal(target.scales, target.isKept))
    if (!kept)
      ++(scale < 1 ? numShrinking : numGrowing);
  if (numShrinking == 0)
    return success();
  if (numGrowing == 0) {
    properties.rounding_method = node.getBuilder().getStringAttr("ceil");
    return success();
  }
  if (target.isOpen(node.getType(node.getInput(0))))
    return node.emitError() << "expects known sizes in opset 10 where one axis "
                               "shrinks and another one grows";
  target.ceilsShrinking = true;
  target.needsTables = true;
  return success();
}

static LogicalResult convertResize(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  RankedTensorType type = node.getType(data);
  bool isOld = node.getOpset() < 11;
  unsigned scalesIndex = isOld ? 1 : 2;
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
                           "tf_crop_and_resize", "half_pixel_symmetric"},
                          transformation))
    return node.emitError() << "coordinate_transformation_mode \""
                            << transformation << "\" is not supported";
  ResizeTarget target = getUnchanged(type);
  target.axes = axes;
  // Nearest neighbours have no filter.
  target.antialias =
      node.getBool("antialias", false) && *method != "nearest_neighbor";
  target.needsTables =
      target.antialias || transformation == "half_pixel_symmetric";
  const ShapeTensor *scales = node.getContents(scalesIndex);
  if (node.hasInput(3)) {
    if (failed(applySizes(node, data, axes, target)) ||
        failed(keepAspectRatio(node, axes, target)))
      return failure();
  } else if (!node.hasInput(scalesIndex) ||
             (scales && scales->elements.empty())) {
    return node.emitError() << "expects scales or sizes";
  } else if (!scales) {
    if (failed(readOpenScales(node, scalesIndex, axes, target)))
      return failure();
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
  if (isOld && *method == "nearest_neighbor" &&
      failed(roundAsOpset10(node, target, properties)))
    return failure();
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
  table.add({"Upsample"}, {convertUpsample, kOldestOpset, 9, 1, 2,
                           /*contentInputs=*/0b10});
}
