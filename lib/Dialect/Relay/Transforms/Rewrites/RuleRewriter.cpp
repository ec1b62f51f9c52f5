//===- RuleRewriter.cpp - What rules do to a program ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleRewriter.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

void RuleRewriter::begin(Operation *matched) {
  root = matched;
  error.clear();
  created.clear();
  erased.clear();
  replacements.clear();
}

/// Says why an operator does not take operands of these types; empty if it
/// does. Inference relies on that.
static std::string findWrongOperand(const OperatorSchema &schema,
                                    ValueRange operands) {
  std::string error;
  llvm::raw_string_ostream os(error);
  auto hasKind = [](OperandKind kind) {
    return [=](const OperandSchema &operand) { return operand.kind == kind; };
  };
  // One of these takes any number, and is the only one.
  const OperandSchema *open =
      llvm::find_if(schema.operands, hasKind(OperandKind::Tuple));
  if (open == schema.operands.end())
    open = llvm::find_if(schema.operands, hasKind(OperandKind::Variadic));
  bool isOpen = open != schema.operands.end();
  size_t required =
      llvm::count_if(schema.operands, hasKind(OperandKind::Single));
  size_t number = operands.size();
  if (number < required || (!isOpen && number > schema.operands.size())) {
    os << "expects " << required << " operands, but got " << number;
    return error;
  }
  size_t before = isOpen ? open - schema.operands.begin() : number;
  for (auto [index, value] : llvm::enumerate(operands)) {
    const OperandSchema &operand =
        index < before ? schema.operands[index] : *open;
    if (operand.accepts(value.getType()))
      continue;
    os << "expects " << operand.name << " to be " << operand.description
       << ", but got " << value.getType();
    return error;
  }
  return error;
}

/// An attribute that the operation must have. Operations without a schema have
/// no defaults.
static std::optional<StringRef>
findMissingAttribute(const OperatorSchema *schema,
                     const OperationState &state) {
  auto isMissing = [&](StringRef name) { return !state.attributes.get(name); };
  if (schema) {
    for (const AttributeSchema &attribute : schema->attributes)
      if (attribute.presence == AttrPresence::Required &&
          isMissing(attribute.name))
        return attribute.name;
  } else if (state.name.hasInterface<InferTypeOpInterface>()) {
    for (StringAttr name : state.name.getAttributeNames())
      if (isMissing(name))
        return name.getValue();
  }
  return std::nullopt;
}

FailureOr<Operation *>
RuleRewriter::tryCreate(StringRef name, ValueRange operands,
                        ArrayRef<NamedAttribute> attributes,
                        std::optional<TypeRange> types) {
  OperationState state(root->getLoc(), name);
  state.addOperands(operands);
  state.addAttributes(attributes);
  auto emitError = [&] { return mlir::emitError(root->getLoc()); };
  const OperatorSchema *schema = nullptr;
  if (state.name.getDialectNamespace() == RelayDialect::getDialectNamespace())
    schema = getOperatorSchema(state.name.stripDialect());
  if (schema) {
    std::string wrong = findWrongOperand(*schema, operands);
    if (!wrong.empty())
      return emitError() << wrong;
  }
  // Types are inferred from attributes, which nobody has verified by then.
  if (std::optional<StringRef> missing = findMissingAttribute(schema, state))
    return emitError() << "requires attribute '" << *missing << "'";
  if (failed(state.name.verifyInherentAttrs(state.attributes, emitError)))
    return failure();
  if (types) {
    state.addTypes(*types);
  } else if (auto *inference =
                 state.name.getInterface<InferTypeOpInterface>()) {
    // The types follow from the properties, which creation makes.
    Operation *probe = Operation::create(state);
    SmallVector<Type> inferred;
    LogicalResult result = inference->inferReturnTypes(
        getContext(), root->getLoc(), operands,
        probe->getDiscardableAttrDictionary(), probe->getPropertiesStorage(),
        probe->getRegions(), inferred);
    probe->destroy();
    if (failed(result))
      return failure();
    state.addTypes(inferred);
  }
  return create(state);
}

LogicalResult RuleRewriter::capture(StringRef name,
                                    function_ref<LogicalResult()> function) {
  // Other threads' diagnostics are not for this handler.
  uint64_t thread = llvm::get_threadid();
  std::string message;
  ScopedDiagnosticHandler handler(getContext(), [&](Diagnostic &diag) {
    if (llvm::get_threadid() != thread)
      return failure();
    if (message.empty())
      message = diag.str();
    return success();
  });
  LogicalResult result = function();
  if (failed(result))
    error = ("'" + name + "' " + message).str();
  return result;
}

FailureOr<Operation *>
RuleRewriter::createOperation(StringRef name, ValueRange operands,
                              ArrayRef<NamedAttribute> attributes,
                              std::optional<TypeRange> types) {
  FailureOr<Operation *> op = failure();
  (void)capture(name, [&] {
    op = tryCreate(name, operands, attributes, types);
    return LogicalResult(op);
  });
  return op;
}

bool RuleRewriter::verifyCreated() {
  return llvm::all_of(created, [&](Operation *op) {
    return succeeded(capture(op->getName().getStringRef(), [&] {
      return op->getName().verifyInvariants(op);
    }));
  });
}

void RuleRewriter::rollBack() {
  for (Operation *op : llvm::reverse(created))
    op->erase();
  created.clear();
}
