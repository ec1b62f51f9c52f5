//===- GradientTypes.cpp - Types of values with gradients -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientTypes.h"

#include "Functional.h"
#include "OperatorGradients.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace mlir::relay;

GradientTypes::GradientTypes(ModuleOp module)
    : module(module), symbols(module) {
  findData();
}

FunctionType GradientTypes::getBackFunction() {
  MLIRContext *context = module.getContext();
  return FunctionType::get(context, {}, {TupleType::get(context)});
}

RefType GradientTypes::getBackType() { return RefType::get(getBackFunction()); }

FunctionType GradientTypes::convertFunction(FunctionType type) {
  SmallVector<Type> inputs = llvm::map_to_vector(
      type.getInputs(), [&](Type input) { return convert(input); });
  inputs.push_back(getBackType());
  return FunctionType::get(type.getContext(), inputs,
                           {convert(type.getResult(0))});
}

Type GradientTypes::convert(Type type) {
  if (Type known = converted.lookup(type))
    return known;
  Type result;
  if (isFloatTensor(type)) {
    result = TupleType::get(type.getContext(), {type, RefType::get(type)});
  } else if (isa<RankedTensorType>(type)) {
    result = type;
  } else if (auto function = dyn_cast<FunctionType>(type)) {
    result = convertFunction(function);
  } else if (auto forall = dyn_cast<ForallType>(type)) {
    result =
        ForallType::get(forall.getParams(), convertFunction(forall.getBody()));
  } else if (auto adt = dyn_cast<ADTType>(type)) {
    SmallVector<Type> args = llvm::map_to_vector(
        adt.getArgs(), [&](Type arg) { return convert(arg); });
    result = ADTType::get(convertData(adt.getName()), args);
  } else {
    result = convertParts(type, [&](Type part) { return convert(part); });
  }
  converted[type] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// Data types
//===----------------------------------------------------------------------===//

bool GradientTypes::hasOtherFields(ADTOp adt) {
  for (ConstructorOp constructor : adt.getConstructors())
    for (auto field : constructor.getFields().getAsRange<TypeAttr>()) {
      bool isOther =
          field.getValue()
              .walk([&](Type type) {
                auto inner = dyn_cast<ADTType>(type);
                bool found =
                    isFloatTensor(type) || isa<FunctionType>(type) ||
                    (inner && data.contains(inner.getName().getAttr()));
                return found ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
      if (isOther)
        return true;
    }
  return false;
}

/// Finds the data types that change, and makes those that they become.
void GradientTypes::findData() {
  SmallVector<ADTOp> all(module.getOps<ADTOp>());
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (ADTOp adt : all)
      if (!data.contains(adt.getSymNameAttr()) && hasOtherFields(adt)) {
        data[adt.getSymNameAttr()] = adt.getSymNameAttr();
        isChanged = true;
      }
  }
  // Names of constructors are unique, too.
  DenseSet<StringRef> names;
  module.walk([&](ConstructorOp constructor) {
    names.insert(constructor.getSymName());
  });
  auto getName = [&](StringRef name) {
    std::string result = (name + "_grad").str();
    while (names.contains(result))
      result += "_";
    return StringAttr::get(module.getContext(), result);
  };
  SmallVector<ADTOp> copies;
  for (auto &[name, other] : data) {
    auto adt = symbols.lookup<ADTOp>(name);
    auto copy = cast<ADTOp>(adt->clone());
    copy.setSymNameAttr(
        StringAttr::get(module.getContext(), name.getValue() + "_grad"));
    symbols.insert(copy, std::next(adt->getIterator()));
    other = copy.getSymNameAttr();
    copies.push_back(copy);
  }
  for (ADTOp copy : copies)
    for (ConstructorOp constructor : copy.getConstructors()) {
      SmallVector<Attribute> fields;
      for (auto field : constructor.getFields().getAsRange<TypeAttr>())
        fields.push_back(TypeAttr::get(convert(field.getValue())));
      constructor.setFieldsAttr(ArrayAttr::get(module.getContext(), fields));
      constructor.setSymNameAttr(getName(constructor.getSymName()));
    }
}

void GradientTypes::removeUnused() {
  DenseSet<StringAttr> used;
  AttrTypeWalker walker;
  walker.addWalk(
      [&](SymbolRefAttr symbol) { used.insert(symbol.getRootReference()); });
  auto visit = [&](Operation *root) {
    root->walk([&](Operation *op) {
      walker.walk(op->getAttrDictionary());
      for (Type type : op->getResultTypes())
        walker.walk(type);
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          walker.walk(argument.getType());
    });
  };
  for (Operation &op : *module.getBody())
    if (!isa<ADTOp>(op))
      visit(&op);
  // A type may be used by others that are not used, and by itself.
  for (size_t before = used.size() + 1; before != used.size();) {
    before = used.size();
    for (auto adt : module.getOps<ADTOp>())
      if (used.contains(adt.getSymNameAttr()))
        visit(adt);
  }
  for (auto &[name, other] : data)
    if (!used.contains(other))
      symbols.erase(symbols.lookup(other));
}

FlatSymbolRefAttr GradientTypes::convertData(FlatSymbolRefAttr name) {
  StringAttr other = data.lookup(name.getAttr());
  return other ? FlatSymbolRefAttr::get(other) : name;
}

SymbolRefAttr GradientTypes::convert(SymbolRefAttr constructor) {
  StringAttr other = data.lookup(constructor.getRootReference());
  if (!other)
    return constructor;
  auto from = symbols.lookup<ADTOp>(constructor.getRootReference());
  auto to = symbols.lookup<ADTOp>(other);
  for (auto [old, now] :
       llvm::zip_equal(from.getConstructors(), to.getConstructors()))
    if (old.getSymNameAttr() == constructor.getLeafReference())
      return SymbolRefAttr::get(other, FlatSymbolRefAttr::get(now));
  llvm_unreachable("the verifier has looked for it");
}

Attribute GradientTypes::convertPattern(Attribute pattern) {
  auto convertAll = [&](ArrayRef<Attribute> fields) {
    return llvm::map_to_vector(
        fields, [&](Attribute field) { return convertPattern(field); });
  };
  if (auto tuple = dyn_cast<TuplePatternAttr>(pattern))
    return TuplePatternAttr::get(pattern.getContext(),
                                 convertAll(tuple.getFields()));
  if (auto made = dyn_cast<ConstructorPatternAttr>(pattern))
    return ConstructorPatternAttr::get(pattern.getContext(),
                                       convert(made.getConstructor()),
                                       convertAll(made.getFields()));
  return pattern;
}
