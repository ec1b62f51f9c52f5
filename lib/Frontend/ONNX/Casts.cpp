//===- Casts.cpp - Conversions between element types of ONNX --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Casts.h"

#include "Formula.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "StringMaps.h"
#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// The largest number of a format.
static double getLargest(const SmallFloat &format, MLIRContext *context) {
  auto type = cast<FloatType>(format.getType(context));
  return llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
}

static Value reinterpret(NodeContext &node, Value data, Type type) {
  ReinterpretOp::Properties properties;
  properties.dtype = TypeAttr::get(type);
  return node.create<ReinterpretOp>({data}, properties);
}

/// To E8M0: the exponent of an f32, one more where `round_mode` says so. Of
/// negative numbers, whose result is not specified, that of their magnitude.
static Value castToExponent(NodeContext &node, Value data, Type to) {
  bool saturates = node.getBool("saturate", true);
  StringRef mode = node.getString("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest") {
    node.emitError() << "expects round_mode up, down or nearest, but got \""
                     << mode << "\"";
    return nullptr;
  }
  constexpr uint32_t kOne = 1u << 23, kHalf = kOne >> 1, kInfinity = 0x7f800000;
  OpBuilder &b = node.getBuilder();
  Type u32 = b.getIntegerType(32, /*isSigned=*/false);
  Value bits = reinterpret(node, node.castTo(data, b.getF32Type()), u32);
  Formula f(node, bits);
  auto bitAnd = [&](Value lhs, uint32_t mask) {
    return node.create<BitwiseAndOp>({lhs, f.number(mask)});
  };
  bits = bitAnd(bits, 0x7fffffff);
  Value code = node.create<RightShiftOp>({bits, f.number(23)});
  if (mode != "down") {
    // Of numbers below 2^-126 the fraction has no leading one before it.
    bool isUp = mode == "up";
    Value fraction = bitAnd(bits, kOne - 1);
    Value isSmall = f.less(bits, f.number(kOne));
    Value least =
        f.select(isSmall, f.number(isUp ? kHalf : kHalf + kHalf / 2 - 1),
                 f.number(isUp ? 0 : kHalf - 1));
    code = f.add(code, node.castTo(f.greater(fraction, least), u32));
  }
  // Infinity comes out as the code of NaN.
  if (saturates) {
    code = f.min(code, f.number(0xfe));
  } else {
    code = f.select(f.less(bits, f.number(kHalf)), f.number(0xff), code);
  }
  code = f.select(f.greater(bits, f.number(kInfinity)), f.number(0xff), code);
  Type byte = b.getIntegerType(8, /*isSigned=*/false);
  return reinterpret(node, node.castTo(code, byte), to);
}

Value mlir::relay::onnx::createCast(NodeContext &node, Value data, Type to) {
  if (!data || node.getElementType(data) == to || !isSmallElement(to))
    return node.castTo(data, to);
  OpBuilder &b = node.getBuilder();
  Type from = node.getElementType(data);
  const SmallFloat *format = SmallFloat::get(to);
  if (!format) {
    // What is beyond the range is not specified; of integers the low bits stay.
    if (isa<FloatType>(from))
      data = node.castTo(data, b.getI32Type());
    return node.castTo(data, to);
  }
  if (format->isExponentOnly())
    return castToExponent(node, data, to);
  if (isa<IntegerType>(from) || isSmallElement(from))
    data = node.castTo(data, b.getF32Type());
  if (node.getBool("saturate", true) && format->overflow != format->largest) {
    double largest = getLargest(*format, node.getContext());
    data = Formula(node, data).clip(data, -largest, largest);
  }
  return node.castTo(data, to);
}

/// The numbers that strings say.
static Value parse(NodeContext &node, Value strings, Type to) {
  OpBuilder &b = node.getBuilder();
  if (auto integer = dyn_cast<IntegerType>(to)) {
    bool hasSign = !integer.isUnsigned() && !integer.isInteger(1);
    return createCast(
        node,
        createStringMap(node, hasSign ? "parse_int" : "parse_uint", strings),
        to);
  }
  Value bits = createStringMap(node, "parse_float", strings, 64);
  return createCast(node, reinterpret(node, bits, b.getF64Type()), to);
}

/// Numbers as strings: floats with as many digits as ONNX Runtime writes.
static Value format(NodeContext &node, Value data) {
  constexpr int64_t kNumDigits = 8;
  OpBuilder &b = node.getBuilder();
  Type from = node.getElementType(data), i64 = b.getI64Type();
  if (auto integer = dyn_cast<IntegerType>(from)) {
    bool hasSign = !integer.isUnsigned() && !integer.isInteger(1);
    return createStringMap(node, hasSign ? "format_int" : "format_uint",
                           node.castTo(data, i64));
  }
  if (isSmallElement(from))
    data = node.castTo(data, b.getF32Type());
  Value bits = reinterpret(node, node.castTo(data, b.getF64Type()), i64);
  return createStringMap(node, "format_float", bits, kNumDigits);
}

static LogicalResult castInput(NodeContext &node, Type type) {
  Value data = node.getInput(0);
  if (!data)
    return failure();
  bool isString = isStringType(node.getElementType(data));
  if (isString == isStringType(type))
    return node.setResult(isString ? data : createCast(node, data, type));
  return node.setResult(isString ? parse(node, data, type)
                                 : createStringsOf(node, format(node, data)));
}

static LogicalResult convertCast(NodeContext &node) {
  DataType dtype = node.getDataType("to", DataType::Undefined);
  Type type = getTensorElementType(node.getContext(), dtype);
  if (!type)
    return node.emitError()
           << "a cast to " << getDataTypeName(dtype) << " is not supported";
  return castInput(node, type);
}

static LogicalResult convertCastLike(NodeContext &node) {
  return castInput(node, node.getInputType(1).getElementType());
}

static LogicalResult convertBitCast(NodeContext &node) {
  Value data = node.getInput(0);
  Type from = node.getElementType(data);
  DataType dtype = node.getDataType("to", DataType::Undefined);
  Type to = getElementType(node.getContext(), dtype);
  if (!to)
    return node.emitError() << "a cast of bits to " << getDataTypeName(dtype)
                            << " is not supported";
  // A boolean is a byte.
  auto getBits = [](Type type) {
    return type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth();
  };
  if (getBits(from) != getBits(to))
    return node.emitError() << "expects elements of as many bits as " << from
                            << ", but got " << to;
  if (from == to)
    return node.setResult(data);
  Type byte = IntegerType::get(node.getContext(), 8, IntegerType::Unsigned);
  if (from.isInteger(1))
    data = node.castTo(data, byte);
  ReinterpretOp::Properties properties;
  properties.dtype = TypeAttr::get(to.isInteger(1) ? byte : to);
  if (data && node.getElementType(data) != properties.dtype.getValue())
    data = node.create<ReinterpretOp>({data}, properties);
  return node.setResult(node.castTo(data, to));
}

void mlir::relay::onnx::addCastOps(OpTable &table) {
  table.add({"BitCast"}, {convertBitCast, 26});
  table.add({"Cast"}, {convertCast});
  table.add({"CastLike"}, {convertCastLike, 15, kNewestOpset, 2, 2});
}
