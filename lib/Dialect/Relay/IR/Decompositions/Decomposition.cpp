//===- Decomposition.cpp - How operators are written in others ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"

#include "relay-mlir/Dialect/Relay/IR/DecomposableOpInterface.cpp.inc"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::decompositions;

Type Decomposition::getWideType(Type elementType) {
  if (!isa<FloatType>(elementType))
    return getF64Type();
  return elementType.getIntOrFloatBitWidth() < 32 ? getF32Type() : elementType;
}

Term Decomposition::fold(Value value) {
  Value constant = evaluate(value.getDefiningOp());
  return term(constant ? constant : value);
}
