//===- Operators.cpp - Operators by name ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Operators.h"

#include "OperatorFormat.h"

using namespace mlir;
using namespace mlir::relay;

bool relay::isOperator(OperationName name) {
  return name.isRegistered() &&
         name.getDialectNamespace() == RelayDialect::getDialectNamespace() &&
         name.hasInterface<InferTypeOpInterface>() &&
         name.getTypeID() != TypeID::get<ConstantOp>() &&
         name.getTypeID() != TypeID::get<TupleOp>() &&
         name.getTypeID() != TypeID::get<TupleGetItemOp>();
}

bool relay::isOperator(Operation *op) { return isOperator(op->getName()); }

FailureOr<Operation *> relay::createOperator(OpBuilder &builder,
                                             ApplyOp apply) {
  OperationName name(("relay." + apply.getName()).str(), apply.getContext());
  if (!isOperator(name))
    return apply.emitOpError("expects the name of an operator, but got \"")
           << apply.getName() << "\"";
  OperationState state(apply.getLoc(), name);
  state.addOperands(apply.getArgs());
  state.addTypes(apply.getResult().getType());
  for (NamedAttribute attribute : apply.getAttrs()) {
    if (!attribute.getName().getValue().contains('.') &&
        !llvm::is_contained(name.getAttributeNames(), attribute.getName())) {
      InFlightDiagnostic diag = apply.emitOpError("expects attributes of '")
                                << name << "' (";
      llvm::interleaveComma(name.getAttributeNames(), diag,
                            [&](StringAttr known) { diag << known.getValue(); });
      return diag << "), but got '" << attribute.getName().getValue() << "'";
    }
    state.addAttribute(attribute.getName(),
                       detail::toDenseArray(attribute.getValue()));
  }
  for (NamedAttribute attribute : apply->getDiscardableAttrs())
    state.attributes.push_back(attribute);
  // An attribute of another kind would be lost when it becomes a property.
  if (failed(name.verifyInherentAttrs(state.attributes, [&]() {
        return apply.emitError() << "'" << name << "' op ";
      })))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(apply);
  return builder.create(state);
}
