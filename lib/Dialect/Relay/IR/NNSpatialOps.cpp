//===- NNSpatialOps.cpp - Less common spatial operators -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

#include "OperatorFormat.h"
#include "ShapeUtils.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Support/SaturatingMath.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::shapes;

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

namespace mlir::relay::detail {

/// Checks that `resultGrad` has the type of the pool of `data`.
static LogicalResult
checkPoolGrad(std::optional<Location> location, Type resultGrad, Type data,
              ArrayRef<int64_t> poolSize, ArrayRef<int64_t> strides,
              ArrayRef<int64_t> dilation, ArrayRef<int64_t> padding,
              PoolLayouts layouts, bool ceilMode) {
  SmallVector<Type> pooled;
  if (failed(inferPool(location, data, poolSize, strides, dilation, padding,
                       layouts, ceilMode, pooled)))
    return failure();
  if (!areTypesCompatible(pooled, resultGrad))
    return emitOptionalError(location, "expects a gradient of type ",
                             pooled.front(),
                             " as of the pool's result, but got ", resultGrad);
  return success();
}

} // namespace mlir::relay::detail

//===----------------------------------------------------------------------===//
// Blocks, padding and shifting
//===----------------------------------------------------------------------===//

/// Checks `widths`, two per value of `blocks`, and the rank of `data`.
static LogicalResult checkBlocks(std::optional<Location> location,
                                 RankedTensorType data,
                                 ArrayRef<int64_t> blocks, StringRef name,
                                 ArrayRef<int64_t> widths) {
  int64_t count = blocks.size();
  if (failed(checkPositive(location, "block_shape", blocks, count)))
    return failure();
  if (data.getRank() <= count)
    return emitOptionalError(location, "expects data of rank ", count + 1,
                             " or more, but got ", data);
  if (static_cast<int64_t>(widths.size()) != 2 * count ||
      llvm::any_of(widths, [](int64_t width) { return width < 0; }))
    return emitOptionalError(location, "expects ", 2 * count, " ", name,
                             " that are not negative, but got [", widths, "]");
  return success();
}

LogicalResult NNSpaceToBatchNdOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  ArrayRef<int64_t> blocks = adaptor.getBlockShape();
  ArrayRef<int64_t> paddings = adaptor.getPaddings();
  if (failed(checkBlocks(location, data, blocks, "paddings", paddings)))
    return failure();
  SmallVector<int64_t> shape(data.getShape());
  for (auto [i, block] : llvm::enumerate(blocks)) {
    shape[0] = multiply(shape[0], block);
    int64_t &size = shape[i + 1];
    if (isDynamic(size))
      continue;
    size = saturatingSum({size, paddings[2 * i], paddings[2 * i + 1]});
    if (size % block != 0)
      return emitOptionalError(location, "expects a padded size divisible by ",
                               block, " along dimension ", i + 1, ", but got ",
                               size);
    size /= block;
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult NNBatchToSpaceNdOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  ArrayRef<int64_t> blocks = adaptor.getBlockShape();
  ArrayRef<int64_t> crops = adaptor.getCrops();
  if (failed(checkBlocks(location, data, blocks, "crops", crops)))
    return failure();
  SmallVector<int64_t> shape(data.getShape());
  int64_t product = 1;
  for (auto [i, block] : llvm::enumerate(blocks)) {
    product = saturatingMultiply(product, block);
    int64_t &size = shape[i + 1];
    if (isDynamic(size))
      continue;
    int64_t whole = saturatingMultiply(size, block);
    size = whole - crops[2 * i] - crops[2 * i + 1];
    if (size < 0)
      return emitOptionalError(location, "expects crops of at most ", whole,
                               " along dimension ", i + 1, ", but got ",
                               crops[2 * i], " and ", crops[2 * i + 1]);
  }
  if (!isDynamic(shape[0])) {
    if (shape[0] % product != 0)
      return emitOptionalError(location, "expects a batch divisible by ",
                               product, ", but got ", data);
    shape[0] /= product;
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult NNMirrorPadOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  ArrayRef<int64_t> widths = adaptor.getPadWidth();
  if (failed(relay::detail::checkMode(location, "mode", adaptor.getMode(),
                                      {"SYMMETRIC", "REFLECT"})))
    return failure();
  if (static_cast<int64_t>(widths.size()) != 2 * data.getRank() ||
      llvm::any_of(widths, [](int64_t width) { return width < 0; }))
    return emitOptionalError(location, "expects ", 2 * data.getRank(),
                             " pad_width that are not negative, but got [",
                             widths, "]");
  SmallVector<int64_t> shape(data.getShape());
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (isDynamic(size))
      continue;
    int64_t before = widths[2 * i], after = widths[2 * i + 1];
    int64_t most =
        adaptor.getMode() == "REFLECT" ? std::max<int64_t>(0, size - 1) : size;
    if (before > most || after > most)
      return emitOptionalError(location, "expects pad_width of at most ", most,
                               " along dimension ", i, ", but got ", before,
                               " and ", after);
    size = saturatingSum({size, before, after});
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult NNDilateOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getX().getType());
  ArrayRef<int64_t> strides = adaptor.getStrides();
  if (failed(checkPositive(location, "strides", strides, data.getRank())))
    return failure();
  SmallVector<int64_t> shape(data.getShape());
  for (auto [size, stride] : llvm::zip_equal(shape, strides))
    if (!isDynamic(size) && size > 0)
      size = saturatingAdd(saturatingMultiply(size - 1, stride), 1);
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult NNFifoBufferOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  RankedTensorType buffer = getTensor(adaptor.getBuffer().getType());
  if (failed(checkRank(location, "data", data, buffer.getRank())) ||
      failed(checkElement(location, "data", data, buffer.getElementType())))
    return failure();
  FailureOr<int64_t> axis = relay::detail::normalizeAxis(
      location, adaptor.getAxis(), buffer.getRank());
  if (failed(axis))
    return failure();
  for (int64_t dim = 0; dim < buffer.getRank(); ++dim)
    if (dim != *axis &&
        failed(checkSize(location, "data", data, dim, buffer.getDimSize(dim))))
      return failure();
  types.push_back(buffer);
  return success();
}

LogicalResult NNUpsampling3dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  if (failed(relay::detail::checkMode(location, "layout", adaptor.getLayout(),
                                      {"NCDHW", "NDHWC"})) ||
      failed(relay::detail::checkMode(location, "method", adaptor.getMethod(),
                                      {"nearest_neighbor", "trilinear"})) ||
      failed(relay::detail::checkMode(
          location, "coordinate_transformation_mode",
          adaptor.getCoordinateTransformationMode(),
          {"half_pixel", "align_corners", "asymmetric"})) ||
      failed(checkRank(location, "data", data, 5)))
    return failure();
  SmallVector<int64_t> shape(data.getShape());
  int64_t first = adaptor.getLayout() == "NCDHW" ? 2 : 1;
  double scales[] = {adaptor.getScaleD().convertToDouble(),
                     adaptor.getScaleH().convertToDouble(),
                     adaptor.getScaleW().convertToDouble()};
  for (auto [i, scale] : llvm::enumerate(scales)) {
    // Beyond 2^31 a size would not be one.
    if (!(scale >= 0) || scale > 2147483648.0)
      return emitOptionalError(
          location, "expects scales that are not negative, but got ", scale);
    int64_t &size = shape[first + i];
    if (isDynamic(size))
      continue;
    double scaled = std::round(size * scale);
    if (scaled > kMaxTensorBytes)
      return emitOptionalError(location,
                               "expects scales that give tensors of "
                               "at most 2^47 bytes, but got ",
                               scale, " for ", size, " elements");
    size = static_cast<int64_t>(scaled);
  }
  types.push_back(data.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

LogicalResult NNCorrelationOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData1().getType());
  RankedTensorType other = getTensor(adaptor.getData2().getType());
  if (failed(relay::detail::checkMode(location, "layout", adaptor.getLayout(),
                                      {"NCHW"})) ||
      failed(checkRank(location, "data1", data, 4)) ||
      failed(checkRank(location, "data2", other, 4)) ||
      failed(checkElement(location, "data2", other, data.getElementType())) ||
      failed(checkPositive(location, "kernel_size", adaptor.getKernelSize())) ||
      failed(checkPositive(location, "stride1", adaptor.getStride1())) ||
      failed(checkPositive(location, "stride2", adaptor.getStride2())))
    return failure();
  for (int64_t dim = 0; dim < 4; ++dim)
    if (failed(checkSize(location, "data2", other, dim, data.getDimSize(dim))))
      return failure();
  // The border has a kernel's centre in mind.
  if (adaptor.getKernelSize() % 2 == 0)
    return emitOptionalError(location, "expects odd kernel_size, but got ",
                             adaptor.getKernelSize());
  if (adaptor.getMaxDisplacement() < 0)
    return emitOptionalError(
        location, "expects max_displacement not to be negative, but got ",
        adaptor.getMaxDisplacement());
  FailureOr<Padding> padding = expandPadding(adaptor.getPadding(), 2);
  if (failed(padding) ||
      llvm::any_of(adaptor.getPadding(), [](int64_t v) { return v < 0; }))
    return emitOptionalError(location,
                             "expects 1, 2 or 4 padding values that are not "
                             "negative, but got [",
                             adaptor.getPadding(), "]");
  int64_t border =
      adaptor.getMaxDisplacement() + (adaptor.getKernelSize() - 1) / 2;
  int64_t displacements =
      2 * (adaptor.getMaxDisplacement() / adaptor.getStride2()) + 1;
  SmallVector<int64_t> shape = {
      getKnown(data.getDimSize(0), other.getDimSize(0)),
      displacements * displacements};
  for (int64_t i = 0; i < 2; ++i) {
    int64_t size = getKnown(data.getDimSize(2 + i), other.getDimSize(2 + i));
    if (!isDynamic(size)) {
      int64_t padded = size + padding->before[i] + padding->after[i];
      if (padded <= 2 * border)
        return emitOptionalError(location, "expects padded data of at least ",
                                 2 * border + 1, " along dimension ", 2 + i,
                                 ", but got ", padded);
      size = (padded - 2 * border + adaptor.getStride1() - 1) /
             adaptor.getStride1();
    }
    shape.push_back(size);
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult NNDeformableConv2dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType dataType = getTensor(adaptor.getData().getType());
  RankedTensorType weightType = getTensor(adaptor.getWeight().getType());
  RankedTensorType offsetType = getTensor(adaptor.getOffset().getType());
  StringRef layout = adaptor.getDataLayout();
  auto data =
      mapShape(location, "data_layout", dataType.getShape(), layout, "NCHW");
  auto weight = mapShape(location, "kernel_layout", weightType.getShape(),
                         adaptor.getKernelLayout(), "OIHW");
  auto offset =
      mapShape(location, "data_layout", offsetType.getShape(), layout, "NCHW");
  if (failed(data) || failed(weight) || failed(offset) ||
      failed(checkElement(location, "weight", weightType,
                          dataType.getElementType())) ||
      failed(checkPositive(location, "groups", adaptor.getGroups())) ||
      failed(checkPositive(location, "deformable_groups",
                           adaptor.getDeformableGroups())))
    return failure();
  SmallVector<int64_t> kernel(ArrayRef(*weight).drop_front(2));
  if (adaptor.getKernelSize()) {
    if (failed(checkPositive(location, "kernel_size", *adaptor.getKernelSize(),
                             2)))
      return failure();
    for (auto [size, given] : llvm::zip_equal(kernel, *adaptor.getKernelSize()))
      if (!mayEqual(size, given))
        return emitOptionalError(location, "expects kernel_size ", size,
                                 " as of weight, but got ", given);
      else
        size = given;
  }
  if (adaptor.getChannels() && !mayEqual(*adaptor.getChannels(), (*weight)[0]))
    return emitOptionalError(location, "expects channels ", (*weight)[0],
                             " as of weight, but got ", *adaptor.getChannels());
  int64_t channels = adaptor.getChannels().value_or((*weight)[0]);
  int64_t inChannels = multiply((*weight)[1], adaptor.getGroups());
  if (!mayEqual(inChannels, (*data)[1]))
    return emitOptionalError(
        location, "expects ", inChannels,
        " input channels as of weight and groups, but got ", (*data)[1]);
  int64_t divisor = adaptor.getDeformableGroups();
  if (!isDynamic((*data)[1]) && (*data)[1] % divisor != 0)
    return emitOptionalError(
        location, "expects input channels divisible by deformable_groups ",
        divisor, ", but got ", (*data)[1]);

  // A size that is not known is one that the offset may know.
  ConvShape conv = {adaptor.getStrides(), adaptor.getPadding(),
                    adaptor.getDilation(), kernel, channels};
  SmallVector<int64_t> shape = {(*data)[0], channels, ShapedType::kDynamic,
                                ShapedType::kDynamic};
  if (llvm::none_of(kernel, isDynamic) && !isDynamic(channels)) {
    FailureOr<SmallVector<int64_t>> known = getConvShape(location, *data, conv);
    if (failed(known))
      return failure();
    shape = *known;
  }
  int64_t expected[] = {shape[0],
                        multiply(2 * divisor, multiply(kernel[0], kernel[1])),
                        shape[2], shape[3]};
  for (auto [dim, size] : llvm::enumerate(expected))
    if (!mayEqual(size, (*offset)[dim]))
      return emitOptionalError(location, "expects an offset of shape ",
                               relay::detail::formatShape(expected),
                               " in NCHW, but got ",
                               relay::detail::formatShape(*offset));
  for (int64_t dim : {0, 2, 3})
    shape[dim] = getKnown(shape[dim], (*offset)[dim]);
  StringRef outLayout =
      adaptor.getOutLayout().empty() ? layout : adaptor.getOutLayout();
  // Checks out_layout where it is known to be one of the same dimensions.
  auto result = mapShape(location, "out_layout", shape, "NCHW", outLayout);
  if (failed(result))
    return failure();
  types.push_back(RankedTensorType::get(
      *result, adaptor.getOutDtype().value_or(dataType.getElementType())));
  return success();
}

LogicalResult NNConv2dBackwardWeightOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType gradType = getTensor(adaptor.getGrad().getType());
  RankedTensorType dataType = getTensor(adaptor.getData().getType());
  auto grad = mapShape(location, "data_layout (of grad)", gradType.getShape(),
                       adaptor.getDataLayout(), "NCHW");
  auto data = mapShape(location, "kernel_layout (of data)", dataType.getShape(),
                       adaptor.getKernelLayout(), "NCHW");
  if (failed(grad) || failed(data) ||
      failed(checkElement(location, "data", dataType,
                          gradType.getElementType())) ||
      failed(checkPositive(location, "groups", adaptor.getGroups())))
    return failure();
  if (!adaptor.getKernelSize())
    return emitOptionalError(location, "expects kernel_size, but got none");
  ArrayRef<int64_t> kernel = *adaptor.getKernelSize();
  int64_t groups = adaptor.getGroups(), out = (*grad)[1], in = (*data)[1];
  if (adaptor.getChannels() && !mayEqual(out, *adaptor.getChannels()))
    return emitOptionalError(location, "expects channels ", out,
                             " as of grad, but got ", *adaptor.getChannels());
  out = adaptor.getChannels().value_or(out);
  for (int64_t channels : {out, in})
    if (!isDynamic(channels) && channels % groups != 0)
      return emitOptionalError(location,
                               "expects channels divisible by groups ", groups,
                               ", but got ", channels);
  ConvShape conv = {adaptor.getStrides(), adaptor.getPadding(),
                    adaptor.getDilation(), kernel, /*channels=*/1};
  FailureOr<SmallVector<int64_t>> result = getConvShape(location, *data, conv);
  if (failed(result))
    return failure();
  (*result)[1] = out;
  for (auto [expected, actual] : llvm::zip_equal(*result, *grad))
    if (!mayEqual(expected, actual))
      return emitOptionalError(location, "expects a gradient of shape ",
                               relay::detail::formatShape(*result),
                               " in NCHW, but got ",
                               relay::detail::formatShape(*grad));
  StringRef layout =
      adaptor.getOutLayout().empty() ? "OIHW" : adaptor.getOutLayout();
  int64_t perGroup = isDynamic(in) ? in : in / groups;
  auto shape = mapShape(location, "out_layout (of the weight)",
                        {out, perGroup, kernel[0], kernel[1]}, "OIHW", layout);
  if (failed(shape))
    return failure();
  types.push_back(RankedTensorType::get(
      *shape, adaptor.getOutDtype().value_or(gradType.getElementType())));
  return success();
}

void RelayDialect::registerNNSpatialOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.cpp.inc"
