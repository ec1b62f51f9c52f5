//===- TensorLimits.cpp - Tensors that can exist --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;

/// The first tensor in `type` that cannot be; null if there is none.
static RankedTensorType findExcess(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type field : tuple.getTypes())
      if (RankedTensorType excess = findExcess(field))
        return excess;
    return nullptr;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return nullptr;
  if (tensor.getRank() > kMaxTensorRank)
    return tensor;
  Type element = tensor.getElementType();
  int64_t bytes = element.isIntOrFloat()
                      ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                      : 1;
  for (int64_t size : tensor.getShape())
    if (size > 0 &&
        (llvm::MulOverflow(bytes, size, bytes) || bytes > kMaxTensorBytes))
      return tensor;
  return nullptr;
}

LogicalResult
mlir::relay::checkTensorLimits(function_ref<InFlightDiagnostic()> emitError,
                               Type type) {
  RankedTensorType excess = findExcess(type);
  if (!excess)
    return success();
  if (excess.getRank() > kMaxTensorRank)
    return emitError() << "expects tensors of at most " << kMaxTensorRank
                       << " dimensions, but got " << excess.getRank();
  return emitError() << "expects tensors of at most " << kMaxTensorBytes
                     << " bytes, but got " << excess;
}

LogicalResult mlir::relay::checkTensorLimits(Operation *root) {
  auto check = [](Location location, Type type) {
    return checkTensorLimits([&] { return emitError(location); }, type);
  };
  WalkResult walk = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(check(op->getLoc(), type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (failed(check(argument.getLoc(), argument.getType())))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return success(!walk.wasInterrupted());
}

/// A number in `attribute`, a list or a single one, that no tensor can need.
static std::optional<int64_t> findLarge(Attribute attribute) {
  auto isLarge = [](int64_t value) {
    return value > kMaxTensorBytes || value < -kMaxTensorBytes;
  };
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    if (number.getType().isSignlessInteger(64) && isLarge(number.getInt()))
      return number.getInt();
  } else if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    const int64_t *found = llvm::find_if(numbers.asArrayRef(), isLarge);
    if (found != numbers.asArrayRef().end())
      return *found;
  }
  return std::nullopt;
}

LogicalResult mlir::relay::checkAttributeLimits(Operation *op) {
  if (isa<StridedSliceOp>(op))
    return success();
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (std::optional<int64_t> number = findLarge(attribute.getValue()))
      return op->emitOpError()
             << "expects numbers of at most " << kMaxTensorBytes << " in "
             << attribute.getName() << ", but got " << *number;
  return success();
}

bool mlir::relay::isWithinTensorLimits(Type type) { return !findExcess(type); }
