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
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;

using Kind = SmallFloatKind;

static const SmallFloat kSmallFloats[] = {
    {Kind::Float8E4M3FN, "float8_e4m3fn", 10, 8, 3, 7, 0x7e, 0x7f, 0x7f},
    {Kind::Float8E4M3FNUZ, "float8_e4m3fnuz", 11, 8, 3, 8, 0x7f, 0x80, 0x80,
     true},
    {Kind::Float8E5M2, "float8_e5m2", 12, 8, 2, 15, 0x7b, 0x7c, 0x7e},
    {Kind::Float8E5M2FNUZ, "float8_e5m2fnuz", 13, 8, 2, 16, 0x7f, 0x80, 0x80,
     true},
    {Kind::Float8E8M0FNU, "float8_e8m0fnu", 14, 8, 0, 127, 0xfe, 0xff, 0xff},
    {Kind::Float4E2M1FN, "float4_e2m1fn", 17, 4, 1, 1, 0x7, 0x7, 0x8},
};

ArrayRef<SmallFloat> SmallFloat::getAll() { return kSmallFloats; }

const SmallFloat &SmallFloat::get(Kind kind) {
  return kSmallFloats[static_cast<unsigned>(kind)];
}

const SmallFloat *SmallFloat::get(Type type) {
  std::optional<Kind> kind =
      llvm::TypeSwitch<Type, std::optional<Kind>>(type)
          .Case([](Float8E4M3FNType) { return Kind::Float8E4M3FN; })
          .Case([](Float8E4M3FNUZType) { return Kind::Float8E4M3FNUZ; })
          .Case([](Float8E5M2Type) { return Kind::Float8E5M2; })
          .Case([](Float8E5M2FNUZType) { return Kind::Float8E5M2FNUZ; })
          .Case([](Float8E8M0FNUType) { return Kind::Float8E8M0FNU; })
          .Case([](Float4E2M1FNType) { return Kind::Float4E2M1FN; })
          .Default(std::nullopt);
  return kind ? &get(*kind) : nullptr;
}

Type SmallFloat::getType(MLIRContext *context) const {
  switch (kind) {
  case Kind::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case Kind::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case Kind::Float8E5M2:
    return Float8E5M2Type::get(context);
  case Kind::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case Kind::Float8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case Kind::Float4E2M1FN:
    return Float4E2M1FNType::get(context);
  }
  llvm_unreachable("unknown kind of floats");
}

bool relay::isSmallElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 2 || integer.getWidth() == 4;
  return SmallFloat::get(type);
}

Type relay::getDType(StringRef name, MLIRContext *context) {
  StringRef text = name;
  unsigned width;
  if (name == "bool" || name == "uint1")
    return IntegerType::get(context, 1);
  if (name == "bfloat16")
    return BFloat16Type::get(context);
  for (const SmallFloat &format : kSmallFloats)
    if (name == format.name)
      return format.getType(context);
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
      (width != 1 && width != 2 && width != 4 && width != 8 && width != 16 &&
       width != 32 && width != 64))
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
  if (const SmallFloat *format = SmallFloat::get(type))
    return format->name.str();
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
