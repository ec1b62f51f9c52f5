//===- StringNumbers.cpp - Strings in and out of tensors ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/StringNumbers.h"

#include "relay-mlir/Dialect/Relay/IR/Strings.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relay;

StringNumbers::StringNumbers(ModuleOp module) {
  if (auto strings = module->getAttrOfType<ArrayAttr>(kStringsAttrName))
    for (Attribute text : strings)
      if (auto attr = dyn_cast<StringAttr>(text))
        getNumber(attr);
}

int64_t StringNumbers::getNumber(StringRef text) {
  auto [it, isNew] = numbers.try_emplace(text, size());
  if (isNew)
    texts.push_back(it->getKey());
  return it->second;
}

std::optional<StringRef> StringNumbers::getText(int64_t number) const {
  if (number < 0 || number >= size())
    return std::nullopt;
  return texts[number];
}

Tensor StringNumbers::encode(const NpyStrings &strings, MLIRContext *context) {
  Tensor tensor =
      Tensor::allocate(strings.shape, IntegerType::get(context, 64));
  for (auto [position, text] : llvm::enumerate(strings.texts)) {
    int64_t number = getNumber(text);
    tensor.store(position, /*count=*/1, &number);
  }
  return tensor;
}

llvm::Expected<NpyStrings> StringNumbers::decode(const Tensor &tensor) const {
  NpyStrings strings;
  strings.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  for (int64_t number : tensor.loadAll<int64_t>()) {
    std::optional<StringRef> text = getText(number);
    if (!text)
      return llvm::createStringError("expects the number of a string, below " +
                                     Twine(size()) + ", but got " +
                                     Twine(number));
    strings.texts.push_back(text->str());
  }
  return strings;
}
