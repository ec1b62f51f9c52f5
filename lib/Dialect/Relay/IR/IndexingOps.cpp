//===- IndexingOps.cpp - Operators that index and order elements ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cumulative.h"
#include "OperatorFormat.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

LogicalResult TakeOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  RankedTensorType indices = tensorType(adaptor.getIndices());
  if (failed(checkMode(location, "mode", adaptor.getMode(),
                       {"clip", "wrap", "fast"})))
    return failure();
  if (!adaptor.getAxis()) {
    types.push_back(data.clone(indices.getShape()));
    return success();
  }
  FailureOr<int64_t> axis =
      normalizeAxis(location, *adaptor.getAxis(), data.getRank());
  if (failed(axis))
    return failure();
  int64_t batch = adaptor.getBatchDims();
  if (batch < 0)
    batch += indices.getRank();
  if (batch < 0 || batch > *axis || batch > indices.getRank())
    return emitOptionalError(location, "expects batch_dims up to axis ", *axis,
                             " and the rank of indices, but got ",
                             adaptor.getBatchDims());
  SmallVector<int64_t> shape(data.getShape().take_front(*axis));
  llvm::append_range(shape, indices.getShape().drop_front(batch));
  llvm::append_range(shape, data.getShape().drop_front(*axis + 1));
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  RankedTensorType indices = tensorType(adaptor.getIndices());
  if (failed(normalizeAxis(location, adaptor.getAxis(), data.getRank())))
    return failure();
  if (data.getRank() != indices.getRank())
    return emitOptionalError(location, "expects indices of rank ",
                             data.getRank(), ", but got ", indices);
  types.push_back(data.clone(indices.getShape()));
  return success();
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  RankedTensorType indices = tensorType(adaptor.getIndices());
  int64_t batch = adaptor.getBatchDims();
  if (indices.getRank() < 1 || isDynamic(indices.getDimSize(0)))
    return emitOptionalError(location,
                             "expects indices whose first size is "
                             "static, but got ",
                             indices);
  int64_t indexed = indices.getDimSize(0);
  if (batch < 0 || batch >= indices.getRank() ||
      batch + indexed > data.getRank())
    return emitOptionalError(location, "expects indices of at most ",
                             data.getRank() - batch,
                             " dimensions of data, but got ", indices);
  SmallVector<int64_t> shape(indices.getShape().drop_front());
  llvm::append_range(shape, data.getShape().drop_front(batch + indexed));
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult
relay::detail::checkScatterElements(std::optional<Location> location,
                                    Value data, Value indices, Value updates,
                                    int64_t axis, StringRef reduction) {
  RankedTensorType dataType = tensorType(data);
  RankedTensorType indicesType = tensorType(indices);
  RankedTensorType updatesType = tensorType(updates);
  if (failed(checkMode(location, "reduction", reduction,
                       {"update", "add", "mul", "mean", "min", "max"})) ||
      failed(checkAxes(location, data, axis)) ||
      failed(checkElementType(location, data, updates, "updates")))
    return failure();
  if (indicesType.getRank() != dataType.getRank())
    return emitOptionalError(location, "expects indices of rank ",
                             dataType.getRank(), ", but got ", indicesType);
  if (failed(verifyCompatibleShape(indicesType, updatesType)))
    return emitOptionalError(location, "expects updates of shape ",
                             formatShape(indicesType.getShape()),
                             " as of indices, but got ", updatesType);
  return success();
}

LogicalResult relay::detail::checkScatterNd(std::optional<Location> location,
                                            Value data, Value indices,
                                            Value updates, StringRef mode) {
  RankedTensorType dataType = tensorType(data);
  RankedTensorType indicesType = tensorType(indices);
  RankedTensorType updatesType = tensorType(updates);
  if (failed(checkMode(location, "mode", mode,
                       {"update", "add", "mul", "min", "max"})) ||
      failed(checkElementType(location, data, updates, "updates")))
    return failure();
  if (indicesType.getRank() < 1 || isDynamic(indicesType.getDimSize(0)) ||
      indicesType.getDimSize(0) > dataType.getRank())
    return emitOptionalError(location,
                             "expects indices whose first size is at most ",
                             dataType.getRank(), ", but got ", indicesType);
  SmallVector<int64_t> expected(indicesType.getShape().drop_front());
  llvm::append_range(expected,
                     dataType.getShape().drop_front(indicesType.getDimSize(0)));
  if (failed(verifyCompatibleShape(expected, updatesType.getShape())))
    return emitOptionalError(location, "expects updates of shape ",
                             formatShape(expected), ", but got ", updatesType);
  return success();
}

LogicalResult relay::detail::inferCumulative(std::optional<Location> location,
                                             Type type,
                                             std::optional<int64_t> axis,
                                             std::optional<Type> dtype,
                                             SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(type);
  Type element = dtype.value_or(data.getElementType());
  if (axis) {
    if (failed(normalizeAxis(location, *axis, data.getRank())))
      return failure();
    types.push_back(data.clone(element));
    return success();
  }
  int64_t count =
      data.hasStaticShape() ? data.getNumElements() : ShapedType::kDynamic;
  types.push_back(RankedTensorType::get({count}, element));
  return success();
}

LogicalResult CumsumOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferCumulative(location, adaptor.getData().getType(),
                         adaptor.getAxis(), adaptor.getDtype(), types);
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

static LogicalResult checkIndexType(std::optional<Location> location,
                                    std::optional<Type> dtype) {
  if (!dtype || isa<IntegerType, FloatType>(*dtype))
    return success();
  return emitOptionalError(location, "expects a dtype of numbers, but got ",
                           *dtype);
}

static Type getIndexType(MLIRContext *context, std::optional<Type> dtype) {
  return dtype ? *dtype : IntegerType::get(context, 32);
}

LogicalResult ArgsortOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  if (failed(normalizeAxis(location, adaptor.getAxis(), data.getRank())) ||
      failed(checkIndexType(location, adaptor.getDtype())))
    return failure();
  types.push_back(data.clone(getIndexType(context, adaptor.getDtype())));
  return success();
}

LogicalResult TopkOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  FailureOr<int64_t> axis =
      normalizeAxis(location, adaptor.getAxis(), data.getRank());
  if (failed(axis) || failed(checkIndexType(location, adaptor.getDtype())) ||
      failed(checkMode(location, "ret_type", adaptor.getRetType(),
                       {"both", "values", "indices"})))
    return failure();
  SmallVector<int64_t> shape(data.getShape());
  if (adaptor.getK() >= 1) {
    if (!isDynamic(shape[*axis]) && adaptor.getK() > shape[*axis])
      return emitOptionalError(location, "expects k up to ", shape[*axis],
                               ", but got ", adaptor.getK());
    shape[*axis] = adaptor.getK();
  }
  Type values = data.clone(shape);
  Type indices =
      RankedTensorType::get(shape, getIndexType(context, adaptor.getDtype()));
  if (adaptor.getRetType() == "both")
    types.push_back(TupleType::get(context, {values, indices}));
  else
    types.push_back(adaptor.getRetType() == "values" ? values : indices);
  return success();
}
