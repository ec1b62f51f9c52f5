//===- ReduceOps.cpp - Reductions -----------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

using namespace mlir;
using namespace mlir::relay;

LogicalResult relay::detail::inferReduce(std::optional<Location> location,
                                         Type data,
                                         std::optional<ArrayRef<int64_t>> axis,
                                         bool keepdims, bool exclude,
                                         Type elementType,
                                         SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(data);
  int64_t rank = type.getRank();
  bool all = !axis || axis->empty();
  SmallVector<bool> reduced(rank, all != exclude || all);
  if (!all) {
    SmallVector<bool> listed(rank, false);
    for (int64_t number : *axis) {
      FailureOr<int64_t> normalized = normalizeAxis(location, number, rank);
      if (failed(normalized))
        return failure();
      if (listed[*normalized])
        return emitOptionalError(location, "expects distinct axes, but got [",
                                 *axis, "]");
      listed[*normalized] = true;
    }
    for (int64_t i = 0; i < rank; ++i)
      reduced[i] = listed[i] != exclude;
  }
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    if (!reduced[i])
      shape.push_back(type.getDimSize(i));
    else if (keepdims)
      shape.push_back(1);
  }
  types.push_back(RankedTensorType::get(
      shape, elementType ? elementType : type.getElementType()));
  return success();
}

LogicalResult VarianceOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(adaptor.getData().getType());
  auto mean = cast<RankedTensorType>(adaptor.getMean().getType());
  if (data.getRank() != mean.getRank())
    return emitOptionalError(location, "expects mean of rank ", data.getRank(),
                             ", but got ", mean);
  return relay::detail::inferReduce(location, data, adaptor.getAxis(),
                                    adaptor.getKeepdims(), adaptor.getExclude(),
                                    Type(), types);
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayReduceOps.cpp.inc"
