//===- ImportCalls.cpp - Calls --------------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Support/SilentDiagnostics.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::ast;

SymbolRefAttr ast::getSymbol(ConstructorOp constructor) {
  return SymbolRefAttr::get(constructor.getADT().getSymNameAttr(),
                            FlatSymbolRefAttr::get(constructor));
}

void FunctionImporter::setCallAttrs(const Call &call, Operation *op,
                                    Scope *scope) {
  if (!call.attrs.empty())
    op->setAttr(kTextAttrsAttrName,
                NamedAttrList(call.attrs).getDictionary(op->getContext()));
  if (!call.typeArgs.empty())
    op->setAttr(kTypeArgsAttrName, builder.getTypeArrayAttr(llvm::map_to_vector(
                                       call.typeArgs, [&](Type type) {
                                         return getType(type, scope);
                                       })));
}

Value FunctionImporter::emitCall(const Call &call, Scope *scope) {
  if (auto *op = dyn_cast<Op>(call.callee.get()))
    return emitOperator(call, op->name, scope);
  if (auto *global = dyn_cast<GlobalVar>(call.callee.get()))
    return emitGlobalCall(call, global->name, scope);
  if (auto *constructor = dyn_cast<Constructor>(call.callee.get()))
    return emitConstruct(call, *constructor, scope);
  return emitIndirectCall(call, scope);
}

Value FunctionImporter::emitGlobalCall(const Call &call, StringRef name,
                                       Scope *scope) {
  SmallVector<Value> args = getValues(call.args, scope);
  setInsertionPoint(scope);
  func::FuncOp function = module.lookupFunction(name);
  if (!function) {
    LocationAttr location = call.callee->location;
    module.emitError(location ? location : call.location)
        << "expects the name of a function, but got '@" << name << "'";
    return makePlaceholder();
  }
  // Inference finds the instance of a polymorphic function.
  Type type = IncompleteType::get(builder.getContext());
  if (!function->hasAttr(kTypeParamsAttrName))
    type = function.getResultTypes().front();
  auto op = CallOp::create(
      builder, getLoc(call), type, FlatSymbolRefAttr::get(function), args,
      /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr());
  setCallAttrs(call, op, scope);
  return op->getResult(0);
}

Value FunctionImporter::emitConstruct(const Call &call,
                                      const Constructor &callee, Scope *scope) {
  SmallVector<Value> fields = getValues(call.args, scope);
  setInsertionPoint(scope);
  LocationAttr location = callee.location ? callee.location : call.location;
  ConstructorOp constructor = module.getConstructor(callee, location);
  if (!constructor)
    return makePlaceholder();
  if (constructor.getFields().size() != fields.size()) {
    module.emitError(call.location)
            .append("expects ", constructor.getFields().size(),
                    " arguments of '", constructor.getSymName(), "', but got ",
                    fields.size())
            .attachNote(constructor.getLoc())
        << "the constructor is defined here";
    return makePlaceholder();
  }
  // Types that have no parameters need no inference.
  ADTOp adt = constructor.getADT();
  Type type = IncompleteType::get(builder.getContext());
  if (!adt.getTypeParamsAttr())
    type = adt.getType();
  auto op = ConstructOp::create(builder, getLoc(call), type,
                                getSymbol(constructor), fields);
  setCallAttrs(call, op, scope);
  return op.getResult();
}

Value FunctionImporter::emitIndirectCall(const Call &call, Scope *scope) {
  SmallVector<Value> args = getValues(call.args, scope);
  Value callee = getValue(call.callee, scope);
  setInsertionPoint(scope);
  Type type = IncompleteType::get(builder.getContext());
  if (auto function = dyn_cast<FunctionType>(callee.getType()))
    type = function.getResult(0);
  auto op = CallIndirectOp::create(builder, getLoc(call), type, callee, args,
                                   /*arg_attrs=*/ArrayAttr(),
                                   /*res_attrs=*/ArrayAttr());
  setCallAttrs(call, op, scope);
  return op.getResult();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Replaces a tuple that stands for many operands by its fields, and returns
/// whether that is possible.
static bool expandTuple(OpBuilder &builder, Location loc,
                        SmallVectorImpl<Value> &operands) {
  auto type = dyn_cast<TupleType>(operands.front().getType());
  if (!type)
    return false;
  Value tuple = operands.pop_back_val();
  if (auto op = tuple.getDefiningOp<TupleOp>()) {
    llvm::append_range(operands, op.getFields());
    return true;
  }
  for (auto [index, field] : llvm::enumerate(type.getTypes()))
    operands.push_back(TupleGetItemOp::create(builder, loc, field, tuple,
                                              static_cast<int64_t>(index))
                           .getResult());
  return true;
}

/// Makes the operator, or returns null if its types do not say whether that is
/// right.
static Operation *tryOperator(OpBuilder &builder, OperationState &state,
                              const OperatorSchema &schema) {
  // Inference relies on the constraints.
  for (const OperandSchema &operand : schema.operands) {
    if (operand.kind == relay::OperandKind::Tuple ||
        operand.kind == relay::OperandKind::Variadic) {
      if (schema.operands.size() != 1 ||
          !llvm::all_of(state.operands, [&](Value value) {
            return operand.accepts(value.getType());
          }))
        return nullptr;
      continue;
    }
    size_t index = &operand - schema.operands.data();
    if (index < state.operands.size() &&
        !operand.accepts(state.operands[index].getType()))
      return nullptr;
  }
  if (llvm::any_of(state.operands,
                   [](Value value) { return isIncomplete(value.getType()); }))
    return nullptr;
  auto *inference = state.name.getInterface<InferTypeOpInterface>();
  if (!inference)
    return nullptr;
  // Whatever is wrong, type inference tells it better.
  SilentDiagnostics silence(builder.getContext());
  // The types are inferred of the properties, which creation makes.
  state.addTypes(IncompleteType::get(builder.getContext()));
  Operation *op = builder.create(state);
  SmallVector<Type> types;
  if (failed(inference->inferReturnTypes(
          builder.getContext(), std::nullopt, op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), types)) ||
      types.size() != 1) {
    op->erase();
    return nullptr;
  }
  op->getResult(0).setType(types.front());
  if (failed(op->getName().verifyInvariants(op))) {
    op->erase();
    return nullptr;
  }
  return op;
}

Value FunctionImporter::makeOperator(Location loc, const OperatorSchema &schema,
                                     ValueRange args, DictionaryAttr attrs) {
  OperationState state(loc, ("relay." + schema.name).str());
  state.addOperands(args);
  state.addAttributes(attrs.getValue());
  if (Operation *op = tryOperator(builder, state, schema))
    return op->getResult(0);
  return ApplyOp::create(builder, loc,
                         IncompleteType::get(builder.getContext()), schema.name,
                         args, attrs)
      .getResult();
}

Value FunctionImporter::emitOperator(const Call &call, StringRef name,
                                     Scope *scope) {
  SmallVector<Value> args = getValues(call.args, scope);
  setInsertionPoint(scope);
  LocationAttr location = call.location ? call.location : call.callee->location;
  const OperatorSchema *schema = getOperatorSchema(name);
  if (!schema) {
    module.emitError(call.callee->location ? call.callee->location : location)
        << "expects the name of an operator, but got '" << name << "'";
    return makePlaceholder();
  }
  FailureOr<NamedAttrList> attrs =
      convertRawAttrs(*schema, call.attrs, builder.getContext(),
                      [&]() { return module.emitError(location); });
  unsigned min = schema->getMinArguments();
  std::optional<unsigned> max = schema->getMaxArguments();
  if (args.size() < min || (max && args.size() > *max)) {
    InFlightDiagnostic diag = module.emitError(location) << "expects ";
    if (!max)
      diag << "at least ";
    diag << min;
    if (max && *max != min)
      diag << " to " << *max;
    diag << (min == 1 && max && *max == 1 ? " argument" : " arguments")
         << " of '" << name << "', but got " << args.size();
    return makePlaceholder();
  }
  if (llvm::failed(attrs))
    return makePlaceholder();
  // An operator of one tuple has its fields as operands. If they are not known
  // the tuple is left to inference.
  if (schema->operands.size() == 1 &&
      schema->operands.front().kind == relay::OperandKind::Tuple)
    expandTuple(builder, getLoc(call), args);
  return makeOperator(getLoc(call), *schema, args,
                      attrs->getDictionary(builder.getContext()));
}
