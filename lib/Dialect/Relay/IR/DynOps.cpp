//===- DynOps.cpp - Types of dyn operators --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DynOps.h"

#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Support/SaturatingMath.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Returns the number of values in `vector`, which has rank `rank` at most.
static FailureOr<int64_t> getLength(std::optional<Location> location,
                                    Value vector, StringRef name) {
  RankedTensorType type = tensorType(vector);
  if (type.getRank() > 1 || !type.hasStaticShape())
    return emitOptionalError(location, "expects ", name,
                             " to be a vector of static size, but got ", type);
  return type.getNumElements();
}

static LogicalResult checkSingle(std::optional<Location> location, Value value,
                                 StringRef name) {
  RankedTensorType type = tensorType(value);
  if (type.getRank() > 1 ||
      (type.getRank() == 1 && type.getDimSize(0) != 1 && !type.isDynamicDim(0)))
    return emitOptionalError(location, "expects ", name,
                             " to be a single value, but got ", type);
  return success();
}

/// Adds the type of a tensor of as many dimensions as a vector or an attribute
/// says, which may be any number.
static LogicalResult inferOfRank(std::optional<Location> location, int64_t rank,
                                 Type elementType,
                                 SmallVectorImpl<Type> &types) {
  if (rank > kMaxTensorRank)
    return emitOptionalError(location, "expects tensors of at most ",
                             kMaxTensorRank, " dimensions, but got ", rank);
  types.push_back(RankedTensorType::get(
      SmallVector<int64_t>(rank, ShapedType::kDynamic), elementType));
  return success();
}

/// Returns the type of `data` with dynamic sizes at `dims`.
static RankedTensorType withDynamicSizes(RankedTensorType data,
                                         ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape(data.getShape());
  for (int64_t dim : dims)
    shape[dim] = ShapedType::kDynamic;
  return data.clone(shape);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

LogicalResult DynReshapeOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  FailureOr<int64_t> rank =
      getLength(location, adaptor.getNewshapeValue(), "newshape");
  if (failed(rank))
    return failure();
  return inferOfRank(location, *rank,
                     tensorType(adaptor.getData()).getElementType(), types);
}

LogicalResult DynExpandDimsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  if (failed(checkSingle(location, adaptor.getAxis(), "axis")))
    return failure();
  int64_t count = adaptor.getNumNewaxis();
  if (count < 0)
    return emitOptionalError(
        location, "expects num_newaxis not to be negative, but got ", count);
  return inferOfRank(location, saturatingSum({data.getRank(), count}),
                     data.getElementType(), types);
}

LogicalResult DynSqueezeOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  FailureOr<int64_t> count = getLength(location, adaptor.getAxes(), "axes");
  if (failed(count))
    return failure();
  if (*count > data.getRank())
    return emitOptionalError(location, "expects up to ", data.getRank(),
                             " axes, but got ", *count);
  return inferOfRank(location, data.getRank() - *count, data.getElementType(),
                     types);
}

LogicalResult DynBroadcastToOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  FailureOr<int64_t> rank =
      getLength(location, adaptor.getShapeValue(), "shape");
  if (failed(rank))
    return failure();
  if (*rank < data.getRank())
    return emitOptionalError(location, "expects a shape of rank ",
                             data.getRank(), " or more, but got rank ", *rank);
  return inferOfRank(location, *rank, data.getElementType(), types);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

LogicalResult relay::detail::inferDynCreate(std::optional<Location> location,
                                            Value shape, Type dtype,
                                            SmallVectorImpl<Type> &types) {
  FailureOr<int64_t> rank = getLength(location, shape, "shape");
  if (failed(rank))
    return failure();
  return inferOfRank(location, *rank, dtype, types);
}

LogicalResult DynFullOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferDynCreate(
      location, adaptor.getShapeValue(),
      adaptor.getDtype() ? *adaptor.getDtype()
                         : tensorType(adaptor.getFillValue()).getElementType(),
      types);
}

LogicalResult DynOneHotOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType indices = tensorType(adaptor.getIndices());
  FailureOr<int64_t> axis =
      normalizeAxis(location, adaptor.getAxis(), indices.getRank() + 1);
  if (failed(axis) ||
      failed(checkSingle(location, adaptor.getDepthValue(), "depth")))
    return failure();
  if (adaptor.getOnValue().getType() != adaptor.getOffValue().getType())
    return emitOptionalError(
        location, "expects on_value and off_value of the same type, but got ",
        adaptor.getOnValue().getType(), " and ",
        adaptor.getOffValue().getType());
  SmallVector<int64_t> shape(indices.getShape());
  shape.insert(shape.begin() + *axis, ShapedType::kDynamic);
  types.push_back(RankedTensorType::get(
      shape, adaptor.getDtype()
                 ? *adaptor.getDtype()
                 : tensorType(adaptor.getOnValue()).getElementType()));
  return success();
}

LogicalResult DynSparseToDenseOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<int64_t> rank =
      getLength(location, adaptor.getOutputShape(), "output_shape");
  if (failed(rank) ||
      failed(checkElementType(location, adaptor.getSparseValues(),
                              adaptor.getDefaultValue(), "default_value")))
    return failure();
  return inferOfRank(location, *rank,
                     tensorType(adaptor.getSparseValues()).getElementType(),
                     types);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

LogicalResult DynTileOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  FailureOr<int64_t> count =
      getLength(location, adaptor.getRepsValue(), "reps");
  if (failed(count))
    return failure();
  return inferOfRank(location, std::max(*count, data.getRank()),
                     data.getElementType(), types);
}

LogicalResult DynStridedSliceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  if (failed(checkMode(location, "slice_mode", adaptor.getSliceMode(),
                       {"end", "size"})))
    return failure();
  FailureOr<int64_t> count =
      getLength(location, adaptor.getBeginValue(), "begin");
  if (failed(count))
    return failure();
  for (Value vector : {adaptor.getEndValue(), adaptor.getStridesValue()}) {
    FailureOr<int64_t> length = getLength(location, vector, "end and strides");
    if (failed(length))
      return failure();
    if (*length != *count)
      return emitOptionalError(location,
                               "expects begin, end and strides of one size, "
                               "but got ",
                               *count, " and ", *length);
  }
  SmallVector<int64_t> dims;
  if (std::optional<ArrayRef<int64_t>> axes = adaptor.getAxes()) {
    if (static_cast<int64_t>(axes->size()) != *count)
      return emitOptionalError(location, "expects ", *count,
                               " values in axes, but got [", *axes, "]");
    if (failed(checkAxes(location, adaptor.getData(), *axes)))
      return failure();
    for (int64_t axis : *axes)
      dims.push_back(axis < 0 ? axis + data.getRank() : axis);
  } else if (*count > data.getRank()) {
    return emitOptionalError(location, "expects at most ", data.getRank(),
                             " values in begin, but got ", *count);
  } else {
    dims = llvm::to_vector(llvm::seq<int64_t>(*count));
  }
  types.push_back(withDynamicSizes(data, dims));
  return success();
}

LogicalResult DynNNPadOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  RankedTensorType widths = tensorType(adaptor.getPadWidthValue());
  if (failed(verifyCompatibleShape(ArrayRef<int64_t>{data.getRank(), 2},
                                   widths.getShape())))
    return emitOptionalError(location, "expects pad_width of shape ",
                             formatShape({data.getRank(), 2}), ", but got ",
                             widths);
  if (failed(checkMode(location, "pad_mode", adaptor.getPadMode(),
                       {"constant", "edge", "reflect"})))
    return failure();
  return inferOfRank(location, data.getRank(), data.getElementType(), types);
}

LogicalResult DynTopkOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  FailureOr<int64_t> axis =
      normalizeAxis(location, adaptor.getAxis(), data.getRank());
  if (failed(axis) || failed(checkSingle(location, adaptor.getKValue(), "k")) ||
      failed(checkMode(location, "ret_type", adaptor.getRetType(),
                       {"both", "values", "indices"})))
    return failure();
  Type indexType = adaptor.getDtype().value_or(IntegerType::get(context, 32));
  if (!isa<IntegerType, FloatType>(indexType))
    return emitOptionalError(location, "expects a dtype of numbers, but got ",
                             indexType);
  Type values = withDynamicSizes(data, *axis);
  Type indices = withDynamicSizes(data, *axis).clone(indexType);
  if (adaptor.getRetType() == "both")
    types.push_back(TupleType::get(context, {values, indices}));
  else
    types.push_back(adaptor.getRetType() == "values" ? values : indices);
  return success();
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// Makes the sizes of `data` dynamic at the letters D, H and W of a layout for
/// its rank.
static FailureOr<RankedTensorType> inferImages(std::optional<Location> location,
                                               RankedTensorType data,
                                               StringRef layout,
                                               ArrayRef<StringRef> layouts) {
  if (failed(checkMode(location, "layout", layout, layouts)))
    return failure();
  if (data.getRank() != static_cast<int64_t>(layout.size()))
    return emitOptionalError(location, "expects data of rank ", layout.size(),
                             ", but got ", data);
  SmallVector<int64_t> dims;
  for (auto [dim, letter] : llvm::enumerate(layout))
    if (letter != 'N' && letter != 'C')
      dims.push_back(dim);
  return withDynamicSizes(data, dims);
}

LogicalResult DynNNUpsamplingOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      inferImages(location, tensorType(adaptor.getData()), adaptor.getLayout(),
                  {"NCHW", "NHWC"});
  if (failed(type) ||
      failed(checkMode(location, "method", adaptor.getMethod(),
                       {"nearest_neighbor", "bilinear", "bicubic"})))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult DynNNUpsampling3dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      inferImages(location, tensorType(adaptor.getData()), adaptor.getLayout(),
                  {"NCDHW", "NDHWC"});
  if (failed(type) || failed(checkMode(location, "method", adaptor.getMethod(),
                                       {"nearest_neighbor", "trilinear"})))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult DynImageResize2dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  for (auto [operand, name, count] :
       {std::tuple(adaptor.getSizeValue(), "size", int64_t(2)),
        std::tuple(adaptor.getRoiValue(), "roi", int64_t(4))})
    if (failed(verifyCompatibleShape(ArrayRef<int64_t>(count),
                                     tensorType(operand).getShape())))
      return emitOptionalError(location, "expects ", name, " of shape ", count,
                               ", but got ", operand.getType());
  FailureOr<RankedTensorType> type =
      inferImages(location, data, adaptor.getLayout(), {"NCHW", "NHWC"});
  if (failed(type) ||
      failed(checkMode(location, "method", adaptor.getMethod(),
                       {"nearest_neighbor", "linear", "cubic"})))
    return failure();
  types.push_back(RankedTensorType::get(
      type->getShape(), adaptor.getOutDtype().value_or(data.getElementType())));
  return success();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.cpp.inc"

void RelayDialect::registerDynOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.cpp.inc"
      >();
  detail::registerStaticForms(getContext());
}
