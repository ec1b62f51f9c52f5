//===- ElementwiseOps.cpp - Elementwise and broadcast operators -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

#include "mlir/IR/TypeUtilities.h"
#include "relay-mlir-c/Strings.h"

using namespace mlir;
using namespace mlir::relay;

FailureOr<SmallVector<int64_t>>
relay::detail::broadcastShapes(std::optional<Location> location,
                               ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  size_t rank = std::max(lhs.size(), rhs.size());
  SmallVector<int64_t> result(rank);
  for (size_t i = 0; i < rank; ++i) {
    // Counted from the last dimension; what is missing has size 1.
    int64_t a = i < lhs.size() ? lhs[lhs.size() - 1 - i] : 1;
    int64_t b = i < rhs.size() ? rhs[rhs.size() - 1 - i] : 1;
    int64_t &size = result[rank - 1 - i];
    if (a == 1 || a == b)
      size = b;
    else if (b == 1)
      size = a;
    // A dynamic size beside one that is not 1 must turn out equal to it.
    else if (ShapedType::isDynamic(a))
      size = b;
    else if (ShapedType::isDynamic(b))
      size = a;
    else
      return emitOptionalError(location,
                               "expects shapes that broadcast, but got ",
                               formatShape(lhs), " and ", formatShape(rhs));
  }
  return result;
}

static LogicalResult checkSameElementType(std::optional<Location> location,
                                          Type lhs, Type rhs) {
  Type a = getElementTypeOrSelf(lhs), b = getElementTypeOrSelf(rhs);
  if (a != b)
    return emitOptionalError(
        location, "expects operands of the same element type, but got ", a,
        " and ", b);
  return success();
}

LogicalResult relay::detail::inferBroadcast(std::optional<Location> location,
                                            Type lhs, Type rhs,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkSameElementType(location, lhs, rhs)))
    return failure();
  auto lhsType = cast<RankedTensorType>(lhs);
  FailureOr<SmallVector<int64_t>> shape = broadcastShapes(
      location, lhsType.getShape(), cast<RankedTensorType>(rhs).getShape());
  if (failed(shape))
    return failure();
  types.push_back(RankedTensorType::get(*shape, lhsType.getElementType()));
  return success();
}

LogicalResult relay::detail::inferComparison(std::optional<Location> location,
                                             Type lhs, Type rhs,
                                             SmallVectorImpl<Type> &types) {
  if (failed(inferBroadcast(location, lhs, rhs, types)))
    return failure();
  types[0] = cast<RankedTensorType>(types[0]).clone(
      IntegerType::get(lhs.getContext(), 1));
  return success();
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

LogicalResult CastOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(cast<RankedTensorType>(adaptor.getData().getType())
                      .clone(adaptor.getDtype()));
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getType() == getData().getType() ? OpFoldResult(getData()) : nullptr;
}

//===----------------------------------------------------------------------===//
// FixedPointMultiplyOp
//===----------------------------------------------------------------------===//

LogicalResult relay::detail::checkShift(std::optional<Location> location,
                                        int64_t shift) {
  if (shift < -31 || shift > 31)
    return emitOptionalError(location, "expects a shift in [-31, 31], but got ",
                             shift);
  return success();
}

//===----------------------------------------------------------------------===//
// StringMapOp
//===----------------------------------------------------------------------===//

LogicalResult relay::detail::checkStringMap(std::optional<Location> location,
                                            ValueRange operands,
                                            StringRef function,
                                            ArrayRef<int64_t> params) {
  const RelayStringFunctionInfo *info =
      relayFindStringFunction(function.data(), function.size());
  if (!info)
    return emitOptionalError(
        location, "expects a function of strings, but got \"", function, "\"");
  if (int64_t(operands.size()) != info->num_operands)
    return emitOptionalError(location, "expects ", info->num_operands,
                             " operands for \"", function, "\", but got ",
                             operands.size());
  if (int64_t(params.size()) < info->num_params ||
      (int64_t(params.size()) > info->num_params && !info->has_more_params))
    return emitOptionalError(location, "expects ", info->num_params,
                             info->has_more_params ? " or more" : "",
                             " params for \"", function, "\", but got ",
                             params.size());
  for (Value other : operands.drop_front())
    if (failed(
            verifyCompatibleShape(operands.front().getType(), other.getType())))
      return emitOptionalError(location,
                               "expects operands of one shape, but "
                               "got ",
                               operands.front().getType(), " and ",
                               other.getType());
  return success();
}

//===----------------------------------------------------------------------===//
// WhereOp
//===----------------------------------------------------------------------===//

LogicalResult WhereOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  if (failed(relay::detail::inferBroadcast(location, adaptor.getX().getType(),
                                           adaptor.getY().getType(), types)))
    return failure();
  auto type = cast<RankedTensorType>(types[0]);
  FailureOr<SmallVector<int64_t>> shape = relay::detail::broadcastShapes(
      location, type.getShape(),
      cast<RankedTensorType>(adaptor.getCondition().getType()).getShape());
  if (failed(shape))
    return failure();
  types[0] = RankedTensorType::get(*shape, type.getElementType());
  return success();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.cpp.inc"
