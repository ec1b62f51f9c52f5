//===- Functional.cpp - Functions, closures and scopes --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functional.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::relay;

bool relay::isClosedUnit(Operation *function) {
  if (isCompiledAsItIs(function))
    return true;
  auto others = function->getAttrOfType<DictionaryAttr>(kTextAttrsAttrName);
  auto isSet = [&](StringRef name) {
    Attribute value = others ? others.get(name) : Attribute();
    auto number = dyn_cast_if_present<IntegerAttr>(value);
    return value && (!number || !number.getValue().isZero());
  };
  return isSet("SkipOptimization") || isSet("Extern");
}

bool relay::isOptimizable(func::FuncOp function) {
  return !function.isExternal() && !isClosedUnit(function) &&
         llvm::hasSingleElement(function.getBody());
}

bool relay::isOperatorValue(Operation *op) {
  return isa<FnOp>(op) && op->hasAttr(kOperatorAttrName);
}

bool relay::isNamedValue(Operation *op) {
  return isa<GlobalOp>(op) || isOperatorValue(op);
}

Type relay::convertParts(Type type, function_ref<Type(Type)> convert) {
  SmallVector<Attribute> attrs;
  SmallVector<Type> parts;
  type.walkImmediateSubElements(
      [&](Attribute attr) { attrs.push_back(attr); },
      [&](Type part) { parts.push_back(convert(part)); });
  return type.replaceImmediateSubElements(attrs, parts);
}

//===----------------------------------------------------------------------===//
// Type variables
//===----------------------------------------------------------------------===//

void relay::eraseKills(Operation *op) {
  SmallVector<MemoryKillOp> kills;
  op->walk([&](MemoryKillOp kill) { kills.push_back(kill); });
  for (MemoryKillOp kill : kills) {
    for (Operation *user : llvm::make_early_inc_range(kill->getUsers()))
      if (isa<LetOp>(user) && user->use_empty())
        user->erase();
    if (kill->use_empty())
      kill.erase();
  }
}

bool relay::findInstance(func::FuncOp generic, TypeRange inputs,
                         TypeRange results, TypeSubstitution &substitution) {
  if (auto params = generic->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    for (auto param : params.getAsRange<StringAttr>())
      substitution[param.getValue()] = nullptr;
  auto match = [&](TypeRange general, TypeRange actual) {
    if (general.size() != actual.size())
      return false;
    bool matches = true;
    for (auto [a, b] : llvm::zip_equal(general, actual))
      matches &= matchInstance(a, b, substitution);
    return matches;
  };
  bool takes = match(generic.getArgumentTypes(), inputs);
  bool gives = match(generic.getResultTypes(), results);
  // Which instance of a polymorphic function an argument is may follow from the
  // result, and from other arguments.
  for (size_t round = 0; round < inputs.size() && takes && gives; ++round) {
    TypeSubstitution before = substitution;
    takes = match(generic.getArgumentTypes(), inputs);
    if (llvm::all_of(substitution, [&](auto &entry) {
          return before.lookup(entry.getKey()) == entry.second;
        }))
      break;
  }
  // A type that no value has may be any.
  for (auto &entry : substitution)
    if (!entry.second)
      entry.second = TupleType::get(generic.getContext());
  return takes && gives;
}

void relay::substituteTypesIn(Operation *op,
                              const TypeSubstitution &substitution) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](Type type) {
    return std::make_pair(substituteTypes(type, substitution),
                          WalkResult::skip());
  });
  replacer.replaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                             /*replaceTypes=*/false);
  for (OpResult result : op->getResults())
    result.setType(substituteTypes(result.getType(), substitution));
  // What a closure declares itself is not what is replaced.
  const TypeSubstitution *visible = &substitution;
  TypeSubstitution inner;
  auto fn = dyn_cast<FnOp>(op);
  if (ArrayAttr params = fn ? fn.getTypeParamsAttr() : ArrayAttr()) {
    inner = substitution;
    for (auto param : params.getAsRange<StringAttr>())
      inner.erase(param.getValue());
    visible = &inner;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        argument.setType(substituteTypes(argument.getType(), *visible));
      for (Operation &each : block)
        substituteTypesIn(&each, *visible);
    }
}

namespace {

/// Finds the type variables that nothing around declares.
class FreeTypeVars {
public:
  void visit(Operation *op) {
    op->getAttrDictionary().walk(
        [&](TypeAttr attr) { visit(attr.getValue()); });
    for (Type type : op->getResultTypes())
      visit(type);
    size_t outer = bound.size();
    if (auto fn = dyn_cast<FnOp>(op))
      if (ArrayAttr params = fn.getTypeParamsAttr())
        llvm::append_range(bound, params.getAsRange<StringAttr>());
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          visit(argument.getType());
        for (Operation &each : block)
          visit(&each);
      }
    bound.resize(outer);
  }

  void visit(Type type) {
    if (auto var = dyn_cast<TypeVarType>(type)) {
      auto name = StringAttr::get(type.getContext(), var.getName());
      if (!llvm::is_contained(bound, name))
        found.insert(name);
      return;
    }
    size_t outer = bound.size();
    if (auto forall = dyn_cast<ForallType>(type))
      llvm::append_range(bound, forall.getParams());
    type.walkImmediateSubElements([](Attribute) {},
                                  [&](Type part) { visit(part); });
    bound.resize(outer);
  }

  llvm::SetVector<StringAttr> found;

private:
  SmallVector<StringAttr> bound;
};

} // namespace

llvm::SetVector<StringAttr> relay::getFreeTypeVars(Operation *op) {
  FreeTypeVars vars;
  vars.visit(op);
  return std::move(vars.found);
}

llvm::SetVector<StringAttr> relay::getFreeTypeVars(Type type) {
  FreeTypeVars vars;
  vars.visit(type);
  return std::move(vars.found);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

ArrayAttr relay::getParamNames(MLIRContext *context,
                               ArrayRef<StringRef> names) {
  Builder builder(context);
  return builder.getArrayAttr(
      llvm::map_to_vector(names, [&](StringRef name) -> Attribute {
        return builder.getDictionaryAttr(
            builder.getNamedAttr(kNameAttrName, builder.getStringAttr(name)));
      }));
}

Type relay::getValueType(func::FuncOp function) {
  SmallVector<StringAttr> params;
  if (auto attr = function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    llvm::append_range(params, attr.getAsRange<StringAttr>());
  return relay::getFunctionType(params, function.getFunctionType());
}

void relay::copyFunctionAttrs(Operation *from, Operation *to) {
  for (StringRef name :
       {StringRef(kPrimitiveAttrName), StringRef(kCompilerAttrName),
        StringRef(kCompositeAttrName), StringRef(kGlobalSymbolAttrName),
        StringRef(kInlineAttrName), StringRef(kTextAttrsAttrName),
        StringRef(kVirtualDeviceAttrName)})
    if (Attribute value = from->getAttr(name))
      to->setAttr(name, value);
}

bool relay::isLiteral(FnOp fn) {
  return fn && !fn.getRecursive() && !fn.getTypeParams() &&
         !fn->hasAttr(kCompilerAttrName) && !fn->hasAttr(kCompositeAttrName);
}

SmallVector<Operation *> relay::inlineBlock(Operation *call, ValueRange args,
                                            Block &body) {
  OpBuilder builder(call);
  IRMapping mapping;
  for (auto [param, arg] : llvm::zip_equal(body.getArguments(), args))
    mapping.map(param, ascribe(builder, arg, param.getType()));
  SmallVector<Operation *> copies;
  for (Operation &op : body.without_terminator())
    copies.push_back(builder.clone(op, mapping));
  for (auto [result, value] :
       llvm::zip_equal(call->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(
        ascribe(builder, mapping.lookupOrDefault(value), result.getType()));
  call->erase();
  return copies;
}

Value relay::ascribe(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return AscribeOp::create(builder, value.getLoc(), type, value);
}

InFlightDiagnostic relay::emitIncompleteType(Operation *op, StringRef purpose,
                                             Type type) {
  InFlightDiagnostic diag = op->emitError("expects complete types for ")
                            << purpose << ", but got " << type;
  diag.attachNote() << "run --relay-infer-types to make types complete";
  return diag;
}
