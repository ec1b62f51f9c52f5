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

/// What is too large about `type`, if anything is.
static std::optional<std::string> findExcess(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type field : tuple.getTypes())
      if (std::optional<std::string> excess = findExcess(field))
        return excess;
    return std::nullopt;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (tensor.getRank() > kMaxTensorRank) {
    os << "expects tensors of at most " << kMaxTensorRank
       << " dimensions, but got " << tensor.getRank();
    return text;
  }
  Type element = tensor.getElementType();
  int64_t bytes = element.isIntOrFloat()
                      ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                      : 1;
  for (int64_t size : tensor.getShape()) {
    if (size <= 0 ||
        (!llvm::MulOverflow(bytes, size, bytes) && bytes <= kMaxTensorBytes))
      continue;
    os << "expects tensors of at most " << kMaxTensorBytes << " bytes, but got "
       << type;
    return text;
  }
  return std::nullopt;
}

LogicalResult
mlir::relay::checkTensorLimits(function_ref<InFlightDiagnostic()> emitError,
                               Type type) {
  if (std::optional<std::string> excess = findExcess(type))
    return emitError() << *excess;
  return success();
}

/// The number in `attribute` that is too large, if there is one.
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
