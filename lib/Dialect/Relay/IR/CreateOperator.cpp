//===- CreateOperator.cpp - Operators by name -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/CreateOperator.h"

#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

using namespace mlir;
using namespace mlir::relay;

FailureOr<Operation *> relay::createOperator(OpBuilder &builder,
                                             ApplyOp apply) {
  OperationName name(("relay." + apply.getName()).str(), apply.getContext());
  const OperatorSchema *schema = getOperatorSchema(apply.getName());
  if (!schema || !name.hasInterface<InferTypeOpInterface>())
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
      llvm::interleaveComma(
          name.getAttributeNames(), diag,
          [&](StringAttr known) { diag << known.getValue(); });
      return diag << "), but got '" << attribute.getName().getValue() << "'";
    }
    state.addAttribute(attribute.getName(),
                       detail::toDenseArray(attribute.getValue()));
  }
  for (const AttributeSchema &attribute : schema->attributes)
    if (attribute.presence == AttrPresence::Required &&
        !state.attributes.get(attribute.name))
      return apply.emitOpError("expects attribute '")
             << attribute.name << "' of '" << name << "'";
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
