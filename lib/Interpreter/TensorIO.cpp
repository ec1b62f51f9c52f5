//===- TensorIO.cpp - Tensors in files ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/TensorIO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relay;

static Type getElementType(const NpyArray &array, MLIRContext *context,
                           Type expected) {
  Builder builder(context);
  unsigned width = array.elementSize * 8;
  switch (array.kind) {
  case NpyArray::Kind::Bool:
    return builder.getI1Type();
  case NpyArray::Kind::Int:
    return builder.getIntegerType(width);
  case NpyArray::Kind::UInt:
    return builder.getIntegerType(width, /*isSigned=*/false);
  case NpyArray::Kind::BFloat:
    return builder.getBF16Type();
  case NpyArray::Kind::Byte:
    return expected && isSmallElement(expected)
               ? expected
               : Type(builder.getIntegerType(8, /*isSigned=*/false));
  case NpyArray::Kind::Float:
    return width == 16   ? Type(builder.getF16Type())
           : width == 32 ? Type(builder.getF32Type())
                         : Type(builder.getF64Type());
  }
  llvm_unreachable("unknown kind of element");
}

Tensor mlir::relay::getTensor(const NpyArray &array, MLIRContext *context,
                              Type expected) {
  auto type = RankedTensorType::get(array.shape,
                                    getElementType(array, context, expected));
  return Tensor::view(type, array.data.data(), array.owner);
}

NpyArray mlir::relay::getNpyArray(const Tensor &tensor) {
  Type type = tensor.getElementType();
  NpyArray array;
  array.kind = type.isBF16()              ? NpyArray::Kind::BFloat
               : isSmallElement(type)     ? NpyArray::Kind::Byte
               : isa<FloatType>(type)     ? NpyArray::Kind::Float
               : type.isInteger(1)        ? NpyArray::Kind::Bool
               : type.isUnsignedInteger() ? NpyArray::Kind::UInt
                                          : NpyArray::Kind::Int;
  array.elementSize = getElementSize(type);
  array.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  array.data = ArrayRef<char>(tensor.getRawData(), tensor.getSizeInBytes());
  return array;
}

Tensor mlir::relay::getTensor(const NpyStrings &strings, StringTable &table,
                              MLIRContext *context) {
  Tensor tensor =
      Tensor::allocate(strings.shape, IntegerType::get(context, 64));
  SmallVector<int64_t> numbers = table.getNumbers(strings.texts);
  tensor.store(0, static_cast<int64_t>(numbers.size()), numbers.data());
  return tensor;
}

llvm::Expected<NpyStrings>
mlir::relay::getNpyStrings(const Tensor &tensor, const StringTable &table) {
  NpyStrings strings;
  strings.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  for (int64_t number : tensor.loadAll<int64_t>()) {
    std::optional<StringRef> text = table.getText(number);
    if (!text)
      return llvm::createStringError("expects the number of a string, below " +
                                     Twine(table.size()) + ", but got " +
                                     Twine(number));
    strings.texts.push_back(text->str());
  }
  return strings;
}
