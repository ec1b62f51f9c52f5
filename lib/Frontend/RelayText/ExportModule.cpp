//===- ExportModule.cpp - Modules from the relay dialect ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::ast;

LocationAttr ast::exportLocation(Location loc) {
  return isa<UnknownLoc>(loc) ? LocationAttr() : LocationAttr(loc);
}

ExprPtr ModuleExporter::getOp(StringRef name) {
  ExprPtr &expr = ops[name];
  if (!expr)
    expr = std::make_shared<ast::Op>(name.str());
  return expr;
}

ExprPtr ModuleExporter::getGlobalVar(StringRef name) {
  auto it = globals.find(name);
  return it == globals.end() ? nullptr : it->second;
}

std::shared_ptr<Constructor>
ModuleExporter::getConstructor(SymbolRefAttr symbol) {
  return constructors.lookup(symbol);
}

void ModuleExporter::exportType(ADTOp adt) {
  TypeData type;
  type.name = adt.getSymName().str();
  type.isExtern = adt.getIsExtern();
  type.location = exportLocation(adt.getLoc());
  if (ArrayAttr params = adt.getTypeParamsAttr())
    for (auto param : params.getAsRange<StringAttr>())
      type.typeParams.push_back(param.str());
  for (ConstructorOp op : adt.getConstructors()) {
    std::vector<Type> fields;
    for (auto field : op.getFields().getAsRange<TypeAttr>())
      fields.push_back(field.getValue());
    auto constructor = std::make_shared<Constructor>(
        type.name, op.getSymName().str(), std::move(fields),
        type.constructors.size());
    constructor->checkedType = op.getValueType();
    constructor->location = exportLocation(op.getLoc());
    constructors[SymbolRefAttr::get(adt.getSymNameAttr(),
                                    FlatSymbolRefAttr::get(op))] = constructor;
    type.constructors.push_back(std::move(constructor));
  }
  module.types.push_back(std::move(type));
}

FailureOr<Module> ModuleExporter::run() {
  for (Operation &child : *op.getBody()) {
    if (auto adt = dyn_cast<ADTOp>(child)) {
      exportType(adt);
      continue;
    }
    auto function = dyn_cast<func::FuncOp>(child);
    if (!function)
      return child.emitError("expects functions and data types only, but got '")
             << child.getName() << "'";
    if (function.isExternal())
      return child.emitError("expects a function with a body, but got '@")
             << function.getSymName() << "'";
    if (!llvm::hasSingleElement(function.getBody()))
      return child.emitError("expects a function of one block, but got '@")
             << function.getSymName() << "'";
    auto global = std::make_shared<GlobalVar>(function.getSymName().str());
    SmallVector<StringAttr> params;
    if (auto attr = function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
      llvm::append_range(params, attr.getAsRange<StringAttr>());
    FunctionType type = function.getFunctionType();
    if (type.getNumResults() != 1)
      type = FunctionType::get(
          type.getContext(), type.getInputs(),
          {TupleType::get(type.getContext(), type.getResults())});
    if (!isUndetermined(type))
      global->checkedType = relay::getFunctionType(params, type);
    globals[function.getSymName()] = global;
  }
  bool valid = true;
  for (auto function : op.getOps<func::FuncOp>()) {
    std::shared_ptr<Function> result = FunctionExporter(*this, function).run();
    valid &= result != nullptr;
    module.functions.push_back({function.getSymName().str(), result,
                                exportLocation(function.getLoc())});
  }
  if (!valid)
    return failure();
  return std::move(module);
}

FailureOr<ast::Module> mlir::relay::exportRelay(ModuleOp module,
                                                ast::ExportedNodes *nodes) {
  return ModuleExporter(module, nodes).run();
}
