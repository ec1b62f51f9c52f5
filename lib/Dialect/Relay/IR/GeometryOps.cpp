//===- GeometryOps.cpp - Resampling of images -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"

#include "OperatorFormat.h"
#include "ShapeUtils.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::shapes;

static LogicalResult checkLayout(std::optional<Location> location,
                                 StringRef layout,
                                 ArrayRef<StringRef> layouts) {
  return relay::detail::checkMode(location, "layout", layout, layouts);
}

/// Position of the first spatial dimension of a layout such as NCHW or NHWC.
static int64_t getFirstSpatial(StringRef layout) {
  return layout[1] == 'C' ? 2 : 1;
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

template <typename Adaptor>
static LogicalResult inferResize(std::optional<Location> location,
                                 Adaptor adaptor, ArrayRef<StringRef> layouts,
                                 SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  StringRef layout = adaptor.getLayout();
  int64_t spatial = layouts.front().size() - 2;
  if (failed(checkLayout(location, layout, layouts)) ||
      failed(checkRank(location, "data", data, spatial + 2)) ||
      failed(checkPositive(location, "size", adaptor.getSize(), spatial)) ||
      failed(relay::detail::checkResizeModes(
          location, adaptor.getMethod(),
          adaptor.getCoordinateTransformationMode(),
          adaptor.getRoundingMethod())))
    return failure();
  if (adaptor.getRoi() &&
      static_cast<int64_t>(adaptor.getRoi()->size()) != 2 * spatial)
    return emitOptionalError(location, "expects ", 2 * spatial,
                             " values in roi, but got ",
                             adaptor.getRoi()->size());
  SmallVector<int64_t> shape(data.getShape());
  llvm::copy(adaptor.getSize(), shape.begin() + getFirstSpatial(layout));
  types.push_back(RankedTensorType::get(
      shape, adaptor.getOutDtype().value_or(data.getElementType())));
  return success();
}

LogicalResult ImageResize1dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferResize(location, adaptor, {"NCW", "NWC"}, types);
}

LogicalResult ImageResize3dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferResize(location, adaptor, {"NCDHW", "NDHWC"}, types);
}

LogicalResult ImageCropAndResizeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  RankedTensorType boxes = getTensor(adaptor.getBoxes().getType());
  RankedTensorType indices = getTensor(adaptor.getBoxIndices().getType());
  ArrayRef<int64_t> size = adaptor.getCropSize();
  if (failed(checkLayout(location, adaptor.getLayout(), {"NCHW", "NHWC"})) ||
      failed(relay::detail::checkMode(location, "method", adaptor.getMethod(),
                                      {"bilinear", "nearest_neighbor"})) ||
      failed(checkRank(location, "data", data, 4)) ||
      failed(checkRank(location, "boxes", boxes, 2)) ||
      failed(checkSize(location, "boxes", boxes, 1, 4)) ||
      failed(checkRank(location, "box_indices", indices, 1)) ||
      failed(checkSize(location, "box_indices", indices, 0,
                       boxes.getDimSize(0))) ||
      failed(checkPositive(location, "crop_size", size, 2)))
    return failure();
  SmallVector<int64_t> shape(data.getShape());
  shape[0] = getKnown(boxes.getDimSize(0), indices.getDimSize(0));
  llvm::copy(size, shape.begin() + getFirstSpatial(adaptor.getLayout()));
  types.push_back(RankedTensorType::get(
      shape, adaptor.getOutDtype().value_or(data.getElementType())));
  return success();
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

LogicalResult ImageAffineGridOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  ArrayRef<int64_t> target = adaptor.getTargetShape();
  if (failed(checkRank(location, "data", data, 3)) ||
      failed(checkSize(location, "data", data, 1, 2)) ||
      failed(checkSize(location, "data", data, 2, 3)))
    return failure();
  if (target.size() != 2 || target[0] < 2 || target[1] < 2)
    return emitOptionalError(location,
                             "expects target_shape of 2 values above 1, but "
                             "got [",
                             target, "]");
  types.push_back(data.clone({data.getDimSize(0), 2, target[0], target[1]}));
  return success();
}

LogicalResult ImageGridSampleOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  RankedTensorType grid = getTensor(adaptor.getGrid().getType());
  StringRef layout = adaptor.getLayout(), method = adaptor.getMethod();
  if (failed(checkLayout(location, layout, {"NCHW", "NCDHW"})) ||
      failed(relay::detail::checkMode(location, "padding_mode",
                                      adaptor.getPaddingMode(),
                                      {"zeros", "border", "reflection"})))
    return failure();
  int64_t rank = layout.size();
  LogicalResult isMethod =
      rank == 4 ? relay::detail::checkMode(location, "method", method,
                                           {"bilinear", "nearest", "bicubic"})
                : relay::detail::checkMode(location, "method of volumes",
                                           method, {"bilinear", "nearest"});
  if (failed(isMethod) || failed(checkRank(location, "data", data, rank)) ||
      failed(checkRank(location, "grid", grid, rank)) ||
      failed(checkSize(location, "grid", grid, 0, data.getDimSize(0))) ||
      failed(checkSize(location, "grid", grid, 1, rank - 2)))
    return failure();
  SmallVector<int64_t> shape(grid.getShape());
  shape[0] = getKnown(data.getDimSize(0), grid.getDimSize(0));
  shape[1] = data.getDimSize(1);
  types.push_back(data.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Dilation
//===----------------------------------------------------------------------===//

LogicalResult ImageDilation2dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType dataType = getTensor(adaptor.getData().getType());
  RankedTensorType weightType = getTensor(adaptor.getWeight().getType());
  StringRef layout = adaptor.getDataLayout();
  if (failed(relay::detail::checkMode(location, "data_layout", layout,
                                      {"NCHW", "NHWC"})) ||
      failed(relay::detail::checkMode(location, "kernel_layout",
                                      adaptor.getKernelLayout(),
                                      {layout == "NCHW" ? "IHW" : "HWI"})) ||
      failed(checkElement(location, "weight", weightType,
                          dataType.getElementType())))
    return failure();
  auto data =
      mapShape(location, "data_layout", dataType.getShape(), layout, "NCHW");
  auto weight = mapShape(location, "kernel_layout", weightType.getShape(),
                         adaptor.getKernelLayout(), "IHW");
  if (failed(data) || failed(weight))
    return failure();
  if (!mayEqual((*data)[1], (*weight)[0]))
    return emitOptionalError(location, "expects a weight of ", (*data)[1],
                             " channels as of data, but got ", weightType);
  ArrayRef<int64_t> kernel = ArrayRef(*weight).drop_front();
  // An unknown kernel has unknown results; the attributes are checked anyway.
  SmallVector<int64_t> known(kernel);
  for (int64_t &size : known)
    size = isDynamic(size) ? 1 : size;
  // Four values are those of the rows and columns, and 1 twice.
  auto takeTwo = [](ArrayRef<int64_t> values) {
    bool isLong = values.size() == 4 && values[2] == 1 && values[3] == 1;
    return isLong ? values.take_front(2) : values;
  };
  FailureOr<SmallVector<int64_t>> shape =
      getConvShape(location, *data,
                   {takeTwo(adaptor.getStrides()), adaptor.getPadding(),
                    takeTwo(adaptor.getDilations()), known, /*channels=*/1});
  if (failed(shape))
    return failure();
  (*shape)[1] = getKnown((*data)[1], (*weight)[0]);
  for (int64_t i = 0; i < 2; ++i)
    if (isDynamic(kernel[i]))
      (*shape)[2 + i] = ShapedType::kDynamic;
  auto result = mapShape(location, "data_layout", *shape, "NCHW", layout);
  if (failed(result))
    return failure();
  types.push_back(RankedTensorType::get(
      *result, adaptor.getOutDtype().value_or(dataType.getElementType())));
  return success();
}

void RelayDialect::registerGeometryOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.cpp.inc"
