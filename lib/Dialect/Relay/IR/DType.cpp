//===- DType.cpp - Names of data types ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/DType.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

Type relay::getDType(StringRef name, MLIRContext *context) {
  StringRef text = name;
  unsigned width;
  if (name == "bool" || name == "uint1")
    return IntegerType::get(context, 1);
  if (name == "bfloat16")
    return BFloat16Type::get(context);
  // Without a width it is 32.
  if (name == "int" || name == "uint" || name == "float")
    return getDType((name + "32").str(), context);
  if (text.consume_front("float")) {
    if (text == "16")
      return Float16Type::get(context);
    if (text == "32")
      return Float32Type::get(context);
    if (text == "64")
      return Float64Type::get(context);
    return {};
  }
  auto signedness = IntegerType::Signless;
  if (text.consume_front("uint"))
    signedness = IntegerType::Unsigned;
  else if (!text.consume_front("int"))
    return {};
  // Digits only: getAsInteger would take a sign and spaces.
  if (text.empty() || !llvm::all_of(text, llvm::isDigit) ||
      text.getAsInteger(10, width) ||
      (width != 1 && width != 4 && width != 8 && width != 16 && width != 32 &&
       width != 64))
    return {};
  return IntegerType::get(context, width, signedness);
}

std::string relay::getDTypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return "bool";
    return (integer.isUnsigned() ? "uint" : "int") +
           std::to_string(integer.getWidth());
  }
  if (type.isBF16())
    return "bfloat16";
  if (type.isF16() || type.isF32() || type.isF64())
    return "float" + std::to_string(type.getIntOrFloatBitWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::pair<int64_t, int64_t> relay::getIntegerRange(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger())
    return {0, (int64_t(1) << width) - 1};
  return {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1};
}
