//===- RandomOps.cpp - Random numbers -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayRandomOps.h"

#include "OperatorFormat.h"
#include "ShapeUtils.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static RankedTensorType getKeyType(MLIRContext *context) {
  return RankedTensorType::get(
      {10}, IntegerType::get(context, 64, IntegerType::Unsigned));
}

static LogicalResult checkKey(std::optional<Location> location, Value key) {
  auto type = cast<RankedTensorType>(key.getType());
  RankedTensorType expected = getKeyType(key.getContext());
  if (areTypesCompatible(type, expected))
    return success();
  return emitOptionalError(location, "expects a key of type ", expected,
                           ", but got ", type);
}

static LogicalResult checkShape(std::optional<Location> location,
                                ArrayRef<int64_t> shape) {
  for (int64_t size : shape)
    if (size < 0)
      return emitOptionalError(location,
                               "expects out_shape of sizes that are not "
                               "negative, but got [",
                               shape, "]");
  return success();
}

LogicalResult RandomThreefryGenerateOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkKey(location, adaptor.getKey())) ||
      failed(checkShape(location, adaptor.getOutShape())))
    return failure();
  RankedTensorType key = getKeyType(context);
  types.push_back(TupleType::get(
      context, {key, RankedTensorType::get(adaptor.getOutShape(),
                                           key.getElementType())}));
  return success();
}

LogicalResult RandomThreefrySplitOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkKey(location, adaptor.getKey())))
    return failure();
  RankedTensorType key = getKeyType(context);
  types.push_back(TupleType::get(context, {key, key}));
  return success();
}

namespace mlir::relay::detail {
template <typename AdaptorT>
static LogicalResult inferRandomFloats(std::optional<Location> location,
                                       AdaptorT adaptor, StringRef first,
                                       StringRef second,
                                       SmallVectorImpl<Type> &types) {
  std::optional<Type> elementType = adaptor.getOutDtype();
  if (failed(shapes::checkDType(location, "out_dtype", elementType,
                                {"float32", "float64"})) ||
      failed(checkKey(location, adaptor.getKey())) ||
      failed(checkShape(location, adaptor.getOutShape())))
    return failure();
  ValueRange operands = adaptor.getOperands();
  for (auto [name, value] :
       {std::pair(first, operands[1]), std::pair(second, operands[2])}) {
    Type type = RankedTensorType::get({}, *elementType);
    if (value.getType() != type)
      return emitOptionalError(location, "expects ", name, " of type ", type,
                               ", but got ", value.getType());
  }
  MLIRContext *context = elementType->getContext();
  types.push_back(TupleType::get(
      context, {getKeyType(context),
                RankedTensorType::get(adaptor.getOutShape(), *elementType)}));
  return success();
}
} // namespace mlir::relay::detail

LogicalResult RandomMultinomialOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkKey(location, adaptor.getKey())))
    return failure();
  auto probs = cast<RankedTensorType>(adaptor.getProbs().getType());
  if (probs.getRank() < 1)
    return emitOptionalError(
        location, "expects probs of rank 1 or more, but got ", probs);
  if (adaptor.getNumSamples() < 0)
    return emitOptionalError(location,
                             "expects num_samples not to be negative, but got ",
                             adaptor.getNumSamples());
  SmallVector<int64_t> shape(probs.getShape());
  shape.back() = adaptor.getNumSamples();
  types.push_back(TupleType::get(
      context, {getKeyType(context),
                RankedTensorType::get(shape, IntegerType::get(context, 32))}));
  return success();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayRandomOps.cpp.inc"

void RelayDialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayRandomOps.cpp.inc"
      >();
}
