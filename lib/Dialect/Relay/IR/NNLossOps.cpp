//===- NNLossOps.cpp - Loss functions -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayNNLossOps.h"

#include "OperatorFormat.h"
#include "ShapeUtils.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::shapes;

namespace mlir::relay::detail {

static LogicalResult inferCrossEntropy(std::optional<Location> location,
                                       Type xType, Type yType,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType x = getTensor(xType), y = getTensor(yType);
  if (failed(checkRank(location, "x", x, 2)) ||
      failed(checkRank(location, "y", y, 2)) ||
      failed(checkSize(location, "y", y, 0, x.getDimSize(0))) ||
      failed(checkSize(location, "y", y, 1, x.getDimSize(1))) ||
      failed(checkElement(location, "y", y, x.getElementType())))
    return failure();
  types.push_back(RankedTensorType::get({}, x.getElementType()));
  return success();
}

} // namespace mlir::relay::detail

LogicalResult NNNllLossOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType predictions = getTensor(adaptor.getPredictions().getType());
  RankedTensorType targets = getTensor(adaptor.getTargets().getType());
  RankedTensorType weights = getTensor(adaptor.getWeights().getType());
  Type elementType = predictions.getElementType();
  if (failed(relay::detail::checkMode(location, "reduction",
                                      adaptor.getReduction(),
                                      {"none", "sum", "mean"})))
    return failure();
  if (predictions.getRank() < 2)
    return emitOptionalError(location,
                             "expects predictions of rank 2 or more, but got ",
                             predictions);
  if (failed(
          checkRank(location, "targets", targets, predictions.getRank() - 1)) ||
      failed(checkElement(location, "weights", weights, elementType)) ||
      failed(checkSize(location, "weights", weights, 0,
                       predictions.getDimSize(1))))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < targets.getRank(); ++dim) {
    int64_t size = predictions.getDimSize(dim == 0 ? 0 : dim + 1);
    if (failed(checkSize(location, "targets", targets, dim, size)))
      return failure();
    shape.push_back(getKnown(targets.getDimSize(dim), size));
  }
  if (adaptor.getReduction() != "none")
    shape.clear();
  types.push_back(RankedTensorType::get(shape, elementType));
  return success();
}

void RelayDialect::registerNNLossOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayNNLossOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayNNLossOps.cpp.inc"
