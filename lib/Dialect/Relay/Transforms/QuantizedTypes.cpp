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
