//===- ImportModule.cpp - Modules to the relay dialect --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::ast;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FunctionType ast::getWrittenType(const Function &function,
                                 MLIRContext *context) {
  auto incomplete = IncompleteType::get(context);
  SmallVector<Type> inputs;
  for (const std::shared_ptr<Var> &param : function.params)
    inputs.push_back(param->annotation ? param->annotation : incomplete);
  Type result = function.returnType ? function.returnType : incomplete;
  return FunctionType::get(context, inputs, result);
}

void ast::importFunctionAttrs(ArrayRef<NamedAttribute> attrs, Operation *op) {
  NamedAttrList others;
  for (NamedAttribute attr : attrs) {
    const FunctionAttribute *known =
        llvm::find_if(kFunctionAttributes, [&](const FunctionAttribute &entry) {
          return entry.text == attr.getName();
        });
    auto integer = dyn_cast<IntegerAttr>(attr.getValue());
    if (known != std::end(kFunctionAttributes) && known->isFlag && integer &&
        integer.getValue().isOne())
      op->setAttr(known->dialect, UnitAttr::get(op->getContext()));
    else if (known != std::end(kFunctionAttributes) && !known->isFlag &&
             isa<StringAttr>(attr.getValue()))
      op->setAttr(known->dialect, attr.getValue());
    else if (attr.getName() == "virtual_device")
      op->setAttr(kVirtualDeviceAttrName, attr.getValue());
    else
      others.set(attr.getName(), attr.getValue());
  }
  if (!others.empty())
    op->setAttr(kTextAttrsAttrName, others.getDictionary(op->getContext()));
}

DictionaryAttr ast::getParamAttrs(const Var &param, MLIRContext *context) {
  Builder builder(context);
  SmallVector<NamedAttribute> attrs;
  if (!param.name.empty())
    attrs.push_back(
        builder.getNamedAttr(kNameAttrName, builder.getStringAttr(param.name)));
  if (param.virtualDevice)
    attrs.push_back(
        builder.getNamedAttr(kVirtualDeviceAttrName, param.virtualDevice));
  return builder.getDictionaryAttr(attrs);
}

//===----------------------------------------------------------------------===//
// ModuleImporter
//===----------------------------------------------------------------------===//

ModuleImporter::ModuleImporter(const Module &module, MLIRContext *context)
    : module(module), builder(context) {
  context->loadDialect<RelayDialect, func::FuncDialect>();
}

Location ModuleImporter::getLoc(LocationAttr location) const {
  return location ? Location(location) : UnknownLoc::get(builder.getContext());
}

InFlightDiagnostic ModuleImporter::emitError(LocationAttr location) {
  failed = true;
  return mlir::emitError(getLoc(location));
}

void ModuleImporter::importType(const TypeData &type) {
  if (auto [it, inserted] = types.try_emplace(type.name, &type); !inserted) {
    emitError(type.location)
            .append("expects data types of distinct names, but got '",
                    type.name, "' twice")
            .attachNote(getLoc(it->second->location))
        << "the first one is here";
    return;
  }
  SmallVector<StringAttr> params;
  for (const std::string &param : type.typeParams)
    params.push_back(builder.getStringAttr(param));
  OpBuilder::InsertionGuard guard(builder);
  auto op = ADTOp::create(builder, getLoc(type.location), type.name, params,
                          type.isExtern);
  builder.setInsertionPointToStart(&op.getBody().front());
  for (const std::shared_ptr<Constructor> &constructor : type.constructors) {
    if (ConstructorOp first = constructors.lookup(constructor->name)) {
      emitError(constructor->location)
              .append("expects constructors of distinct names, but got '",
                      constructor->name, "' twice")
              .attachNote(first.getLoc())
          << "the first one, of '" << first.getADT().getSymName()
          << "', is here";
      continue;
    }
    constructors[constructor->name] =
        ConstructorOp::create(builder, getLoc(constructor->location),
                              builder.getStringAttr(constructor->name),
                              builder.getTypeArrayAttr(constructor->fields));
  }
}

ConstructorOp ModuleImporter::getConstructor(const Constructor &constructor,
                                             LocationAttr location) {
  ConstructorOp op = constructors.lookup(constructor.name);
  if (op && op.getADT().getSymName() == constructor.adt)
    return op;
  emitError(location) << "expects the name of a constructor, but got '"
                      << constructor.name << "'";
  return nullptr;
}

func::FuncOp
ModuleImporter::declareFunction(const Module::Definition &definition) {
  const Function &function = *definition.function;
  LocationAttr location =
      definition.location ? definition.location : function.location;
  if (func::FuncOp first = functions.lookup(definition.name)) {
    emitError(location)
            .append("expects functions of distinct names, but got '@",
                    definition.name, "' twice")
            .attachNote(first.getLoc())
        << "the first one is here";
    return nullptr;
  }
  if (const TypeData *type = types.lookup(definition.name)) {
    emitError(location)
            .append("expects functions and data types of distinct names, but "
                    "got '",
                    definition.name, "' twice")
            .attachNote(getLoc(type->location))
        << "the data type is here";
    return nullptr;
  }
  MLIRContext *context = builder.getContext();
  auto op = func::FuncOp::create(builder, getLoc(location), definition.name,
                                 getWrittenType(function, context));
  functions[definition.name] = op;
  for (auto [index, param] : llvm::enumerate(function.params))
    op.setArgAttrs(index, getParamAttrs(*param, context));
  if (!function.typeParams.empty())
    op->setAttr(kTypeParamsAttrName,
                builder.getStrArrayAttr(llvm::map_to_vector(
                    function.typeParams,
                    [](const std::string &name) { return StringRef(name); })));
  importFunctionAttrs(function.attrs, op);
  return op;
}

OwningOpRef<ModuleOp> ModuleImporter::import() {
  OwningOpRef<ModuleOp> op =
      ModuleOp::create(UnknownLoc::get(builder.getContext()));
  builder.setInsertionPointToEnd(op->getBody());
  for (const TypeData &type : module.types)
    importType(type);
  SmallVector<std::pair<const Function *, func::FuncOp>> bodies;
  for (const Module::Definition &definition : module.functions)
    if (func::FuncOp function = declareFunction(definition))
      bodies.emplace_back(definition.function.get(), function);
  for (auto [function, body] : bodies)
    FunctionImporter(*this, builder.getContext()).import(*function, body);
  if (failed)
    return nullptr;
  return op;
}

OwningOpRef<ModuleOp> mlir::relay::importRelay(const ast::Module &module,
                                               MLIRContext *context) {
  return ModuleImporter(module, context).import();
}
