//===- AddedOperatorCalls.cpp - Operators of programs as objects ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddedOperatorCalls.h"

#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relay/IR/AddedOperators.h"

using namespace mlir;
using namespace mlir::relay;

FailureOr<Value> relay::detail::callAddedOperator(OpBuilder &builder,
                                                  ApplyOp op,
                                                  ValueRange operands) {
  if (!lookupAddedOperator(op.getName()))
    return op.emitOpError("expects an operator that was added, but got '")
           << op.getName() << "'";
  Location loc = op.getLoc();
  auto object = relax::ObjectType::get(op.getContext());
  std::string text;
  llvm::raw_string_ostream(text)
      << builder.getArrayAttr({op.getAttrs(), TypeAttr::get(op.getType())});
  SmallVector<uint8_t> bytes(text.begin(), text.end());
  auto type =
      RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                            builder.getIntegerType(8, /*isSigned=*/false));
  SmallVector<Value> args = {relax::LoadConstantOp::create(
      builder, loc, object, DenseElementsAttr::get(type, ArrayRef(bytes)))};
  llvm::append_range(args, operands);
  return relax::CallPackedOp::create(
             builder, loc, object,
             (kOperatorFunctionPrefix + op.getName()).str(), args)
      .getResult();
}
