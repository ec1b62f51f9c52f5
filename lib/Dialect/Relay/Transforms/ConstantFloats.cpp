//===- ConstantFloats.cpp - Elements of constants -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantFloats.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

std::optional<SmallVector<float>> relay::getFloats(Value value) {
  ElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) ||
      !constant.getElementType().isF32())
    return std::nullopt;
  if (auto resource = dyn_cast<DenseF32ResourceElementsAttr>(constant)) {
    std::optional<ArrayRef<float>> values = resource.tryGetAsArrayRef();
    if (!values)
      return std::nullopt;
    return llvm::to_vector(*values);
  }
  auto elements = dyn_cast<DenseElementsAttr>(constant);
  if (!elements)
    return std::nullopt;
  return llvm::to_vector(elements.getValues<float>());
}
