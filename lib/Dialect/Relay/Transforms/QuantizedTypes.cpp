//===- QuantizedTypes.cpp - Types and numbers of quantization -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizedTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

FailureOr<IntegerType> relay::parseQuantizedType(StringRef text,
                                                 MLIRContext *context) {
  unsigned bits = llvm::StringSwitch<unsigned>(text)
                      .Cases({"i8", "ui8"}, 8)
                      .Case("i16", 16)
                      .Case("i32", 32)
                      .Default(0);
  if (bits == 0)
    return emitError(UnknownLoc::get(context))
           << "expects a quantized type, i8, ui8, i16 or i32, but got '" << text
           << "'";
  return IntegerType::get(context, bits,
                          text.starts_with("u") ? IntegerType::Unsigned
                                                : IntegerType::Signless);
}

bool relay::isUsableScale(Value scale) {
  std::optional<SmallVector<float>> values = getFloats(scale);
  return !values || llvm::all_of(*values, [](float value) {
    return value > 0 && std::isfinite(value);
  });
}

func::FuncOp relay::getMainFunction(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (main && !main.isExternal())
    return main;
  module.emitError("expects a function @main");
  return {};
}

void relay::returnTuple(func::FuncOp function, ValueRange values) {
  Operation *end = function.getBody().front().getTerminator();
  OpBuilder builder(end);
  Value tuple = TupleOp::create(builder, end->getLoc(), values);
  end->setOperands(tuple);
  function.setType(
      builder.getFunctionType(function.getArgumentTypes(), tuple.getType()));
}

Value relay::createVector(OpBuilder &builder, Location loc, int64_t rank,
                          ArrayRef<double> numbers) {
  SmallVector<int64_t> shape(rank, 1);
  shape.front() = static_cast<int64_t>(numbers.size());
  SmallVector<float> floats(numbers.begin(), numbers.end());
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  return ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<float>(floats)));
}
