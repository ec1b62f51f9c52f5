//===- DataTypes.cpp - Names of data types --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

Type text::parseDataType(StringRef name, MLIRContext *context) {
  if (Type type = getDType(name, context))
    return type;
  auto [scalar, lanes] = name.rsplit('x');
  int64_t count;
  if (lanes.starts_with("0") || lanes.getAsInteger(10, count) || count < 1)
    return {};
  Type type = getDType(scalar, context);
  if (!type)
    return {};
  return VectorType::get(count, type);
}

std::string text::getDataTypeName(Type elementType) {
  auto vector = dyn_cast<VectorType>(elementType);
  if (!vector || vector.getRank() != 1)
    return getDTypeName(elementType);
  return getDTypeName(vector.getElementType()) + "x" +
         std::to_string(vector.getDimSize(0));
}
