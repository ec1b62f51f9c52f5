//===- ImageOps.cpp - Image operators -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

/// Returns the shape of `data` with other spatial sizes, for NCHW or NHWC.
static LogicalResult inferResize(std::optional<Location> location,
                                 RankedTensorType data, StringRef layout,
                                 int64_t height, int64_t width,
                                 Type elementType,
                                 SmallVectorImpl<Type> &types) {
  if (layout != "NCHW" && layout != "NHWC")
    return emitOptionalError(location,
                             "expects layout \"NCHW\" or \"NHWC\", but got \"",
                             layout, "\"");
  if (data.getRank() != 4)
    return emitOptionalError(location, "expects data of rank 4, but got ",
                             data);
  SmallVector<int64_t> shape(data.getShape());
  int64_t first = layout == "NCHW" ? 2 : 1;
  shape[first] = height;
  shape[first + 1] = width;
  types.push_back(RankedTensorType::get(shape, elementType));
  return success();
}

LogicalResult NNUpsamplingOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(adaptor.getData().getType());
  if (data.getRank() != 4)
    return emitOptionalError(location, "expects data of rank 4, but got ",
                             data);
  if (failed(relay::detail::checkMode(
          location, "method", adaptor.getMethod(),
          {"nearest_neighbor", "bilinear", "bicubic"})))
    return failure();
  int64_t first = adaptor.getLayout() == "NCHW" ? 2 : 1;
  auto scale = [&](int64_t dim, const APFloat &factor) {
    int64_t size = data.getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return size;
    double scaled = std::round(size * factor.convertToDouble());
    return scaled >= 0 && scaled < kMaxTensorBytes
               ? static_cast<int64_t>(scaled)
               : kMaxTensorBytes;
  };
  return inferResize(
      location, data, adaptor.getLayout(), scale(first, adaptor.getScaleH()),
      scale(first + 1, adaptor.getScaleW()), data.getElementType(), types);
}

LogicalResult ImageResize2dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(adaptor.getData().getType());
  ArrayRef<int64_t> size = adaptor.getSize();
  if (size.size() != 2 || size[0] < 1 || size[1] < 1)
    return emitOptionalError(
        location, "expects size to be height and width, but got [", size, "]");
  if (failed(relay::detail::checkResizeModes(
          location, adaptor.getMethod(),
          adaptor.getCoordinateTransformationMode(),
          adaptor.getRoundingMethod())))
    return failure();
  if (adaptor.getRoi() && adaptor.getRoi()->size() != 4)
    return emitOptionalError(location, "expects 4 values in roi, but got ",
                             adaptor.getRoi()->size());
  return inferResize(location, data, adaptor.getLayout(), size[0], size[1],
                     adaptor.getOutDtype() ? *adaptor.getOutDtype()
                                           : data.getElementType(),
                     types);
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayImageOps.cpp.inc"
