//===- ConstantNumbers.cpp - The numbers in a constant --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

DenseElementsAttr relay::getContents(ElementsAttr constant) {
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense;
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || blob->getData().empty())
    return nullptr;
  ShapedType type = resource.getType();
  // Resources hold a byte per bool, attributes a bit.
  if (type.getElementType().isInteger(1))
    return DenseElementsAttr::get(
        type, llvm::map_to_vector(blob->getData(),
                                  [](char byte) { return byte != 0; }));
  bool isSplat;
  if (!DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isSplat))
    return nullptr;
  return DenseElementsAttr::getFromRawBuffer(type, blob->getData());
}

std::optional<SmallVector<int64_t>> relay::getIntegers(Value value) {
  ElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) ||
      !constant.getElementType().isSignlessInteger())
    return std::nullopt;
  DenseElementsAttr elements = getContents(constant);
  if (!elements)
    return std::nullopt;
  if (elements.isSplat())
    return SmallVector<int64_t>{elements.getSplatValue<APInt>().getSExtValue()};
  return llvm::map_to_vector(
      elements.getValues<APInt>(),
      [](const APInt &element) { return element.getSExtValue(); });
}

std::optional<SmallVector<float>> relay::getFloats(Value value) {
  ElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) ||
      !constant.getElementType().isF32())
    return std::nullopt;
  // Those of many channels are resources.
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

std::optional<SmallVector<double>> relay::getNumbers(Value value) {
  if (std::optional<SmallVector<float>> floats = getFloats(value))
    return SmallVector<double>(floats->begin(), floats->end());
  SmallVector<double> numbers;
  ElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto integers = dyn_cast<DenseI32ResourceElementsAttr>(constant)) {
    std::optional<ArrayRef<int32_t>> values = integers.tryGetAsArrayRef();
    if (!values)
      return std::nullopt;
    llvm::append_range(numbers, *values);
    return numbers;
  }
  auto elements = dyn_cast<DenseElementsAttr>(constant);
  if (!elements)
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType())) {
    for (APFloat element : elements.getValues<APFloat>()) {
      bool isLossy;
      element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                      &isLossy);
      numbers.push_back(element.convertToDouble());
    }
    return numbers;
  }
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  for (const APInt &element : elements.getValues<APInt>())
    numbers.push_back(isUnsigned ? static_cast<double>(element.getZExtValue())
                                 : static_cast<double>(element.getSExtValue()));
  return numbers;
}

bool relay::areSameNumbers(Value a, Value b, double tolerance) {
  if (a == b)
    return true;
  std::optional<SmallVector<double>> left = getNumbers(a),
                                     right = getNumbers(b);
  if (!left || !right || left->size() != right->size())
    return false;
  return llvm::all_of(llvm::zip_equal(*left, *right), [=](auto pair) {
    auto [x, y] = pair;
    return x == y || std::abs(x - y) <= tolerance * std::abs(y);
  });
}
