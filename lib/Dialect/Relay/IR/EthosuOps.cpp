//===- EthosuOps.cpp - Operators of the Ethos-U processor -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayEthosuOps.h"

#include "OperatorFormat.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Feature maps
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a feature map in any layout.
struct MapSizes {
  int64_t batch, height, width, channels;
};
} // namespace

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

static bool mayEqual(int64_t a, int64_t b) {
  return a == b || isDynamic(a) || isDynamic(b);
}

static LogicalResult checkLayout(std::optional<Location> location,
                                 StringRef name, StringRef layout) {
  return checkMode(location, name, layout, {"NHWC", "NHCWB16"});
}

/// Reads the sizes of `map`. In bricks of 16 the channels are those that the
/// bricks hold, some of which may be unused.
static FailureOr<MapSizes> getSizes(std::optional<Location> location, Value map,
                                    StringRef name, StringRef layout) {
  if (failed(checkLayout(location, (name + "_layout").str(), layout)))
    return failure();
  auto type = cast<RankedTensorType>(map.getType());
  bool isBrick = layout == "NHCWB16";
  if (type.getRank() != (isBrick ? 5 : 4) ||
      (isBrick && !mayEqual(type.getDimSize(4), 16)))
    return emitOptionalError(location, "expects ", name, " of ",
                             isBrick ? "rank 5 with bricks of 16" : "rank 4",
                             " for the layout ", layout, ", but got ", type);
  ArrayRef<int64_t> shape = type.getShape();
  if (!isBrick)
    return MapSizes{shape[0], shape[1], shape[2], shape[3]};
  int64_t channels = isDynamic(shape[2]) ? shape[2] : shape[2] * 16;
  return MapSizes{shape[0], shape[1], shape[3], channels};
}

static Type getMapType(const MapSizes &sizes, StringRef layout,
                       Type elementType) {
  SmallVector<int64_t> shape = {sizes.batch, sizes.height, sizes.width,
                                sizes.channels};
  if (layout == "NHCWB16") {
    int64_t bricks =
        isDynamic(sizes.channels) ? sizes.channels : (sizes.channels + 15) / 16;
    shape = {sizes.batch, sizes.height, bricks, sizes.width, 16};
  }
  return RankedTensorType::get(shape, elementType);
}

/// Reads the name of an element type.
static FailureOr<Type> getDtype(std::optional<Location> location,
                                MLIRContext *context, StringRef name) {
  if (failed(checkMode(location, "ofm_dtype", name,
                       {"int8", "uint8", "int16", "int32"})))
    return failure();
  if (name == "uint8")
    return Type(IntegerType::get(context, 8, IntegerType::Unsigned));
  return Type(IntegerType::get(context, name == "int8"    ? 8
                                        : name == "int16" ? 16
                                                          : 32));
}

/// Checks the attributes that all operators have.
template <typename AdaptorT>
static LogicalResult checkCommon(std::optional<Location> location,
                                 AdaptorT adaptor) {
  if (failed(checkMode(location, "activation", adaptor.getActivation(),
                       {"NONE", "CLIP", "TANH", "SIGMOID", "LUT"})) ||
      failed(checkMode(location, "rounding_mode", adaptor.getRoundingMode(),
                       {"TFL", "TRUNCATE", "NATURAL"})))
    return failure();
  if (adaptor.getOfmScale().isZero())
    return emitOptionalError(location, "expects ofm_scale other than 0");
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Sets height and width to the number of windows of `kernel`.
template <typename AdaptorT>
static LogicalResult slide(std::optional<Location> location, AdaptorT adaptor,
                           ArrayRef<int64_t> kernel, ArrayRef<int64_t> dilation,
                           MapSizes &sizes) {
  if (failed(checkMode(location, "upscale", adaptor.getUpscale(),
                       {"NONE", "NEAREST", "ZEROS"})))
    return failure();
  ArrayRef<int64_t> strides = adaptor.getStrides();
  ArrayRef<int64_t> padding = adaptor.getPadding();
  auto isPositive = [](ArrayRef<int64_t> list) {
    return list.size() == 2 &&
           llvm::all_of(list, [](int64_t value) { return value > 0; });
  };
  if (!isPositive(kernel) || !isPositive(strides) || !isPositive(dilation))
    return emitOptionalError(
        location,
        "expects kernel, strides and dilation of 2 positive values, but got [",
        kernel, "], [", strides, "] and [", dilation, "]");
  if (padding.size() != 4 ||
      llvm::any_of(padding, [](int64_t value) { return value < 0; }))
    return emitOptionalError(
        location, "expects 4 padding values that are not negative, but got [",
        padding, "]");
  int64_t *spatial[] = {&sizes.height, &sizes.width};
  for (int64_t dim = 0; dim < 2; ++dim) {
    int64_t &size = *spatial[dim];
    if (isDynamic(size))
      continue;
    if (adaptor.getUpscale() != "NONE")
      size *= 2;
    int64_t padded = size + padding[dim] + padding[dim + 2];
    int64_t window = (kernel[dim] - 1) * dilation[dim] + 1;
    if (padded < window)
      return emitOptionalError(location, "expects padded data of at least ",
                               window, " along spatial dimension ", dim,
                               ", but got ", padded);
    size = (padded - window) / strides[dim] + 1;
  }
  return success();
}

/// Checks the operands of a convolution, whose weight is [channels, height,
/// width, inner], and returns the sizes of its result.
template <typename AdaptorT>
static FailureOr<MapSizes> inferConvolution(std::optional<Location> location,
                                            AdaptorT adaptor,
                                            bool isDepthwise) {
  FailureOr<MapSizes> sizes =
      getSizes(location, adaptor.getIfm(), "ifm", adaptor.getIfmLayout());
  if (failed(sizes) || failed(checkCommon(location, adaptor)) ||
      failed(checkLayout(location, "ofm_layout", adaptor.getOfmLayout())))
    return failure();
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  if (weight.getRank() != 4 || !weight.hasStaticShape())
    return emitOptionalError(location,
                             "expects weight of rank 4 and known sizes, but "
                             "got ",
                             weight);
  int64_t channels = weight.getDimSize(0), inner = weight.getDimSize(3);
  ArrayRef<int64_t> kernel = weight.getShape().slice(1, 2);
  if (adaptor.getOfmChannels() && *adaptor.getOfmChannels() != channels)
    return emitOptionalError(location, "expects ofm_channels ", channels,
                             " as of weight, but got ",
                             *adaptor.getOfmChannels());
  if (adaptor.getKernelShape() && *adaptor.getKernelShape() != kernel)
    return emitOptionalError(location, "expects kernel_shape [", kernel,
                             "] as of weight, but got [",
                             *adaptor.getKernelShape(), "]");
  // Bricks may hold more channels than are used.
  bool isBrick = adaptor.getIfmLayout() == "NHCWB16";
  int64_t wanted = isDepthwise ? channels : inner;
  int64_t held = isBrick ? (wanted + 15) / 16 * 16 : wanted;
  if (isDepthwise && inner != 1)
    return emitOptionalError(
        location, "expects weight with a last size of 1, but got ", weight);
  if (!mayEqual(sizes->channels, held))
    return emitOptionalError(location, "expects ifm of ", held,
                             " channels (weight is ", weight, "), but got ",
                             sizes->channels);
  auto scaleBias = cast<RankedTensorType>(adaptor.getScaleBias().getType());
  auto expected = scaleBias.clone({channels, 10});
  if (!areTypesCompatible(scaleBias, expected))
    return emitOptionalError(location, "expects scale_bias of type ", expected,
                             ", but got ", scaleBias);
  if (failed(slide(location, adaptor, kernel, adaptor.getDilation(), *sizes)))
    return failure();
  sizes->channels = channels;
  return sizes;
}

LogicalResult ContribEthosuConv2dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<MapSizes> sizes =
      inferConvolution(location, adaptor, /*isDepthwise=*/false);
  if (failed(sizes))
    return failure();
  types.push_back(getMapType(
      *sizes, adaptor.getOfmLayout(),
      cast<RankedTensorType>(adaptor.getIfm().getType()).getElementType()));
  return success();
}

LogicalResult ContribEthosuDepthwiseConv2dOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<MapSizes> sizes =
      inferConvolution(location, adaptor, /*isDepthwise=*/true);
  FailureOr<Type> dtype = getDtype(location, context, adaptor.getOfmDtype());
  if (failed(sizes) || failed(dtype))
    return failure();
  types.push_back(getMapType(*sizes, adaptor.getOfmLayout(), *dtype));
  return success();
}

LogicalResult ContribEthosuPoolingOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<MapSizes> sizes =
      getSizes(location, adaptor.getIfm(), "ifm", adaptor.getIfmLayout());
  FailureOr<Type> dtype = getDtype(location, context, adaptor.getOfmDtype());
  if (failed(sizes) || failed(dtype) ||
      failed(checkCommon(location, adaptor)) ||
      failed(checkLayout(location, "ofm_layout", adaptor.getOfmLayout())) ||
      failed(checkMode(location, "pooling_type", adaptor.getPoolingType(),
                       {"AVG", "MAX", "SUM"})))
    return failure();
  Type ifm =
      cast<RankedTensorType>(adaptor.getIfm().getType()).getElementType();
  bool isSum = adaptor.getPoolingType() == "SUM";
  if (!isSum && (*dtype != ifm || ifm.isInteger(32)))
    return emitOptionalError(location,
                             "expects ifm and ofm_dtype of one type "
                             "of at most 16 bits, but got ",
                             ifm, " and ", *dtype);
  if (isSum && !dtype->isInteger(32))
    return emitOptionalError(location,
                             "expects ofm_dtype int32 for SUM, but got ",
                             adaptor.getOfmDtype());
  if (!adaptor.getPoolShape())
    return emitOptionalError(location, "expects pool_shape, but got none");
  if (failed(slide(location, adaptor, *adaptor.getPoolShape(), {1, 1}, *sizes)))
    return failure();
  int64_t channels = isSum ? 1 : sizes->channels;
  bool isBrick = adaptor.getIfmLayout() == "NHCWB16";
  if (std::optional<int64_t> wanted = adaptor.getOfmChannels()) {
    int64_t held = isBrick && !isSum ? (*wanted + 15) / 16 * 16 : *wanted;
    if (*wanted < 1)
      return emitOptionalError(
          location, "expects positive ofm_channels, but got ", *wanted);
    if (!mayEqual(held, channels))
      return emitOptionalError(location, "expects ofm_channels ", channels,
                               ", but got ", *wanted);
    channels = *wanted;
  }
  sizes->channels = channels;
  types.push_back(getMapType(*sizes, adaptor.getOfmLayout(), *dtype));
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise operators
//===----------------------------------------------------------------------===//

LogicalResult ContribEthosuIdentityOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getIfm().getType());
  if (failed(checkCommon(location, adaptor)))
    return failure();
  if (adaptor.getActivation() == "CLIP")
    return emitOptionalError(
        location, "expects activation to be one of NONE, TANH, SIGMOID, LUT, "
                  "but got CLIP");
  if (type.getRank() > 4)
    return emitOptionalError(
        location, "expects ifm of at most 4 dimensions, but got ", type);
  types.push_back(type);
  return success();
}

/// The type of an elementwise result with `channels` of `map`.
static FailureOr<Type> inferElementwise(std::optional<Location> location,
                                        Value map, StringRef layout,
                                        int64_t channels, StringRef ofmLayout,
                                        Type elementType) {
  FailureOr<MapSizes> sizes = getSizes(location, map, "ifm", layout);
  if (failed(sizes) || failed(checkLayout(location, "ofm_layout", ofmLayout)))
    return failure();
  int64_t held = layout == "NHCWB16" ? (channels + 15) / 16 * 16 : channels;
  if (channels < 1 || !mayEqual(held, sizes->channels))
    return emitOptionalError(location, "expects ", sizes->channels,
                             " channels as of ifm, but got ", channels);
  sizes->channels = channels;
  return getMapType(*sizes, ofmLayout, elementType);
}

LogicalResult ContribEthosuUnaryElementwiseOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type element =
      cast<RankedTensorType>(adaptor.getIfm().getType()).getElementType();
  if (failed(checkCommon(location, adaptor)) ||
      failed(checkMode(location, "operator_type", adaptor.getOperatorType(),
                       {"ABS", "CLZ"})))
    return failure();
  bool isClz = adaptor.getOperatorType() == "CLZ";
  if (element.getIntOrFloatBitWidth() != (isClz ? 32 : 8))
    return emitOptionalError(location, "expects ifm of ", isClz ? 32 : 8,
                             " bits for ", adaptor.getOperatorType(),
                             ", but got ", element);
  FailureOr<Type> type = inferElementwise(
      location, adaptor.getIfm(), adaptor.getIfmLayout(),
      adaptor.getOfmChannels(), adaptor.getOfmLayout(), element);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult ContribEthosuBinaryElementwiseOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  StringRef kind = adaptor.getOperatorType();
  FailureOr<Type> dtype = getDtype(location, context, adaptor.getOfmDtype());
  if (failed(dtype) || failed(checkCommon(location, adaptor)) ||
      failed(checkMode(location, "operator_type", kind,
                       {"ADD", "SUB", "MUL", "MIN", "MAX", "SHR", "SHL"})))
    return failure();
  Type ifm =
      cast<RankedTensorType>(adaptor.getIfm().getType()).getElementType();
  Type ifm2 =
      cast<RankedTensorType>(adaptor.getIfm2().getType()).getElementType();
  if (ifm != ifm2)
    return emitOptionalError(location,
                             "expects ifm and ifm2 of one element type, but "
                             "got ",
                             ifm, " and ", ifm2);
  bool isExtremum = kind == "MIN" || kind == "MAX";
  bool isShift = kind == "SHR" || kind == "SHL";
  if (isExtremum && (ifm.getIntOrFloatBitWidth() != 8 || *dtype != ifm))
    return emitOptionalError(location,
                             "expects ifm and ofm_dtype of one type "
                             "of 8 bits for ",
                             kind, ", but got ", ifm, " and ", *dtype);
  if (isShift &&
      (!ifm.isInteger(32) ||
       (kind == "SHL" ? !dtype->isInteger(32) : dtype->isSignlessInteger(16))))
    return emitOptionalError(location, "expects ifm and ofm_dtype of int32 ",
                             kind == "SHR" ? "or of 8 bits " : "", "for ", kind,
                             ", but got ", ifm, " and ", *dtype);
  FailureOr<MapSizes> second =
      getSizes(location, adaptor.getIfm2(), "ifm2", adaptor.getIfm2Layout());
  FailureOr<MapSizes> first =
      getSizes(location, adaptor.getIfm(), "ifm", adaptor.getIfmLayout());
  if (failed(first) || failed(second))
    return failure();
  std::pair<int64_t, int64_t> pairs[] = {
      {first->batch, second->batch},
      {first->height, second->height},
      {first->width, second->width},
      {adaptor.getIfmChannels(), adaptor.getIfm2Channels()}};
  for (auto [a, b] : pairs)
    if (!mayEqual(a, b) && b != 1)
      return emitOptionalError(location,
                               "expects sizes of ifm2 that are 1 or those of "
                               "ifm, but got ",
                               adaptor.getIfm2().getType(), " and ",
                               adaptor.getIfm().getType());
  if (failed(inferElementwise(location, adaptor.getIfm2(),
                              adaptor.getIfm2Layout(),
                              adaptor.getIfm2Channels(), "NHWC", ifm)))
    return failure();
  FailureOr<Type> type = inferElementwise(
      location, adaptor.getIfm(), adaptor.getIfmLayout(),
      adaptor.getIfmChannels(), adaptor.getOfmLayout(), *dtype);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayEthosuOps.cpp.inc"

void RelayDialect::registerEthosuOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayEthosuOps.cpp.inc"
      >();
}
