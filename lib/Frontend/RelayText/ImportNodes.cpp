//===- ImportNodes.cpp - Single expressions -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::ast;

Value FunctionImporter::emitNode(const Expr &expr, Scope *scope) {
  MLIRContext *context = builder.getContext();
  Location loc = getLoc(expr);
  // Before anything is made: an unbound variable has a placeholder.
  auto getChild = [&](const ExprPtr &child) {
    Value value = getValue(child, scope);
    setInsertionPoint(scope);
    return value;
  };
  setInsertionPoint(scope);
  return llvm::TypeSwitch<const Expr *, Value>(&expr)
      .Case([&](const Constant *constant) {
        return ConstantOp::create(builder, loc, constant->value).getResult();
      })
      .Case([&](const GlobalVar *global) { return emitGlobalVar(*global); })
      .Case([&](const Op *op) { return emitOperatorValue(*op); })
      .Case([&](const Constructor *constructor) {
        return emitConstructor(*constructor);
      })
      .Case([&](const Call *call) { return emitCall(*call, scope); })
      .Case([&](const Tuple *tuple) -> Value {
        SmallVector<Value> fields = getValues(tuple->fields, scope);
        setInsertionPoint(scope);
        Type type =
            TupleType::get(builder.getContext(), ValueRange(fields).getTypes());
        if (!checkSize(type, tuple->location))
          return makePlaceholder();
        auto op = TupleOp::create(builder, loc, fields);
        tuples.push_back(op);
        return op.getResult();
      })
      .Case([&](const TupleGetItem *item) {
        return emitProjection(*item, scope);
      })
      .Case([&](const RefCreate *create) -> Value {
        Value value = getChild(create->value);
        if (!checkSize(RefType::get(value.getType()), create->location))
          return makePlaceholder();
        return RefCreateOp::create(builder, loc, RefType::get(value.getType()),
                                   value)
            .getResult();
      })
      .Case([&](const RefRead *read) {
        Value ref = getChild(read->ref);
        Type type = IncompleteType::get(context);
        if (auto refType = dyn_cast<RefType>(ref.getType()))
          type = refType.getContentType();
        return RefReadOp::create(builder, loc, type, ref).getResult();
      })
      .Case([&](const RefWrite *write) {
        Value ref = getChild(write->ref), value = getChild(write->value);
        return RefWriteOp::create(builder, loc, TupleType::get(context), ref,
                                  value)
            .getResult();
      })
      .Default([](const Expr *) -> Value {
        llvm_unreachable("has regions, or is a variable");
      });
}

Value FunctionImporter::emitProjection(const TupleGetItem &item, Scope *scope) {
  Value tuple = getValue(item.tuple, scope);
  setInsertionPoint(scope);
  Type type = IncompleteType::get(builder.getContext());
  if (auto tupleType = dyn_cast<TupleType>(tuple.getType())) {
    int64_t size = tupleType.size();
    if (item.index < 0 || item.index >= size) {
      module.emitError(item.location) << "expects index in the range [0, "
                                      << size << "), but got " << item.index;
      return makePlaceholder();
    }
    type = tupleType.getType(item.index);
  }
  return TupleGetItemOp::create(builder, getLoc(item), type, tuple, item.index)
      .getResult();
}

//===----------------------------------------------------------------------===//
// Functions and constructors as values
//===----------------------------------------------------------------------===//

Value FunctionImporter::emitGlobalVar(const GlobalVar &global) {
  func::FuncOp function = module.lookupFunction(global.name);
  if (!function) {
    module.emitError(global.location)
        << "expects the name of a function, but got '@" << global.name << "'";
    return makePlaceholder();
  }
  SmallVector<StringAttr> params;
  if (auto attr = function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    llvm::append_range(params, attr.getAsRange<StringAttr>());
  return GlobalOp::create(
             builder, getLoc(global),
             relay::getFunctionType(params, function.getFunctionType()),
             FlatSymbolRefAttr::get(function))
      .getResult();
}

Value FunctionImporter::emitConstructor(const Constructor &constructor) {
  ConstructorOp op = module.getConstructor(constructor, constructor.location);
  if (!op)
    return makePlaceholder();
  return GlobalOp::create(builder, getLoc(constructor), op.getValueType(),
                          getSymbol(op))
      .getResult();
}

/// `fn (%a, %b) { op(%a, %b) }`, marked as the operator itself.
Value FunctionImporter::emitOperatorValue(const Op &op) {
  const OperatorSchema *schema = getOperatorSchema(op.name);
  Location loc = getLoc(op);
  if (!schema) {
    module.emitError(op.location)
        << "expects the name of an operator, but got '" << op.name << "'";
    return makePlaceholder();
  }
  FailureOr<NamedAttrList> attrs =
      convertRawAttrs(*schema, {}, builder.getContext(),
                      [&]() { return module.emitError(op.location); });
  if (llvm::failed(attrs))
    return makePlaceholder();
  auto incomplete = IncompleteType::get(builder.getContext());
  SmallVector<Type> inputs;
  SmallVector<Attribute> names;
  for (const OperandSchema &operand : schema->operands) {
    if (operand.kind == relay::OperandKind::Variadic ||
        operand.kind == relay::OperandKind::Tuple) {
      module.emitError(op.location)
          << "expects an operator with a fixed number of operands as a value, "
             "but got '"
          << op.name << "'";
      return makePlaceholder();
    }
    inputs.push_back(incomplete);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        kNameAttrName, builder.getStringAttr(operand.name))));
  }
  auto fn =
      FnOp::create(builder, loc, builder.getFunctionType(inputs, incomplete));
  if (!names.empty())
    fn.setArgAttrsAttr(builder.getArrayAttr(names));
  fn->setAttr(kOperatorAttrName, builder.getStringAttr(op.name));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&fn.getBody().front());
  auto apply = ApplyOp::create(builder, loc, incomplete, op.name,
                               ValueRange(fn.getBody().getArguments()),
                               attrs->getDictionary(builder.getContext()));
  YieldOp::create(builder, loc, apply.getResult());
  return fn.getResult();
}

Operation *FunctionImporter::beginFunction(const Function &function,
                                           Scope *scope, const Var *self) {
  MLIRContext *context = builder.getContext();
  SmallVector<StringAttr> typeParams;
  for (const std::string &param : function.typeParams)
    typeParams.push_back(builder.getStringAttr(
        cast<TypeVarType>(scope->typeParams->lookup(param)).getName()));
  auto type =
      cast<FunctionType>(getType(getWrittenType(function, context), scope));
  auto op = FnOp::create(builder, getLoc(function), type, self != nullptr,
                         typeParams);
  SmallVector<Attribute> attrs;
  for (auto [param, argument] :
       llvm::zip_equal(function.params, op.getParams())) {
    argument.setLoc(module.getLoc(param->location));
    attrs.push_back(getParamAttrs(*param, context));
  }
  if (llvm::any_of(attrs, [](Attribute attr) {
        return !cast<DictionaryAttr>(attr).empty();
      }))
    op.setArgAttrsAttr(builder.getArrayAttr(attrs));
  importFunctionAttrs(function.attrs, op);
  if (self)
    bindings[self] = {op.getSelf(), scope};
  return op;
}

void FunctionImporter::endFunction(Operation *op) {
  auto fn = cast<FnOp>(op);
  if (Value self = fn.getSelf(); self && self.use_empty()) {
    fn.getBody().eraseArgument(0);
    fn.setRecursive(false);
  }
  // Without a written type the result's is that of the body.
  FunctionType type = fn.getFunctionType();
  Type result = fn.getBody().front().getTerminator()->getOperand(0).getType();
  if (!isa<IncompleteType>(type.getResult(0)) || isa<IncompleteType>(result))
    return;
  // The types of other operations may have been made of that of the closure.
  if (Value self = fn.getSelf();
      self && !llvm::all_of(self.getUsers(), [&](Operation *user) {
        auto call = dyn_cast<CallIndirectOp>(user);
        return call && !llvm::is_contained(call.getArgs(), self);
      }))
    return;
  SmallVector<StringAttr> params(
      relay::getTypeParams(fn.getResult().getType()));
  Type whole = relay::getFunctionType(
      params, builder.getFunctionType(type.getInputs(), result));
  if (!checkSize(whole, dyn_cast<LocationAttr>(fn.getLoc())))
    return;
  fn.getResult().setType(whole);
  // Calls of itself were made with the type that was written: inference
  // completes them.
  if (Value self = fn.getSelf())
    self.setType(whole);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

Attribute FunctionImporter::importPattern(const Pattern &pattern, Block *block,
                                          Scope *scope) {
  MLIRContext *context = builder.getContext();
  auto importFields = [&](ArrayRef<PatternPtr> fields) {
    return llvm::map_to_vector(fields, [&](const PatternPtr &field) {
      return importPattern(*field, block, scope);
    });
  };
  if (auto *var = dyn_cast<PatternVar>(&pattern)) {
    Type type = var->var->annotation ? getType(var->var->annotation, scope)
                                     : Type(IncompleteType::get(context));
    block->addArgument(type, module.getLoc(var->var->location));
    return VarPatternAttr::get(context, builder.getStringAttr(var->var->name));
  }
  if (auto *tuple = dyn_cast<PatternTuple>(&pattern))
    return TuplePatternAttr::get(context, importFields(tuple->fields));
  auto *application = dyn_cast<PatternConstructor>(&pattern);
  if (!application)
    return WildcardPatternAttr::get(context);
  ConstructorOp constructor =
      module.getConstructor(*application->constructor, pattern.location);
  SmallVector<Attribute> fields = importFields(application->fields);
  if (!constructor)
    return WildcardPatternAttr::get(context);
  if (constructor.getFields().size() != fields.size())
    module.emitError(pattern.location)
            .append("expects ", constructor.getFields().size(),
                    " fields in a pattern of '", constructor.getSymName(),
                    "', but got ", fields.size())
            .attachNote(constructor.getLoc())
        << "the constructor is defined here";
  return ConstructorPatternAttr::get(context, getSymbol(constructor), fields);
}
