//===- WellFormed.cpp - Whether types make sense --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/WellFormed.h"

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Dialect/Relay/IR/Strings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

class KindChecker {
public:
  explicit KindChecker(ModuleOp module) : symbols(module) {}

  void checkModule(ModuleOp module);
  bool succeeded() const { return !failed; }

private:
  /// Declares type parameters while it lives.
  struct Scope {
    Scope(KindChecker &checker, ArrayAttr params)
        : checker(checker), size(checker.variables.size()), id(checker.scope) {
      if (!params)
        return;
      llvm::append_range(checker.variables, params.getAsRange<StringAttr>());
      checker.scope = ++checker.numScopes;
    }
    ~Scope() {
      checker.variables.resize(size);
      checker.scope = id;
    }
    KindChecker &checker;
    size_t size;
    unsigned id;
  };

  void checkBlock(Block &block);
  void checkOp(Operation *op);
  void checkType(Type type, Location location);
  void checkParts(Type type, Location location);
  void checkSignature(func::FuncOp function);
  void checkStrings(func::FuncOp function);

  SymbolTable symbols;
  SmallVector<StringAttr> variables;
  unsigned scope = 0, numScopes = 0;
  /// What was checked already, in which scope.
  DenseSet<std::pair<Type, unsigned>> checked;
  bool failed = false;
};

} // namespace

void KindChecker::checkType(Type type, Location location) {
  if (isa<TensorType, IncompleteType>(type) ||
      !checked.insert({type, scope}).second)
    return;
  checkParts(type, location);
}

void KindChecker::checkParts(Type type, Location location) {
  auto fail = [&]() {
    failed = true;
    return emitError(location);
  };
  if (auto var = dyn_cast<TypeVarType>(type)) {
    if (llvm::none_of(variables, [&](StringAttr name) {
          return name.getValue() == var.getName();
        }))
      fail() << "expects a type parameter in scope, but got " << type;
    return;
  }
  if (auto forall = dyn_cast<ForallType>(type)) {
    SmallVector<Attribute> params =
        llvm::to_vector_of<Attribute>(forall.getParams());
    Scope inner(*this, ArrayAttr::get(type.getContext(), params));
    checkType(forall.getBody(), location);
    return;
  }
  if (auto adt = dyn_cast<ADTType>(type)) {
    auto definition = symbols.lookup<ADTOp>(adt.getName().getAttr());
    if (!definition) {
      fail() << "expects the name of a data type, but got '"
             << adt.getName().getValue() << "' in " << type;
    } else {
      ArrayAttr params = definition.getTypeParamsAttr();
      size_t expected = params ? params.size() : 0;
      if (expected != adt.getArgs().size()) {
        InFlightDiagnostic diag =
            fail() << "expects " << expected << " arguments of '"
                   << adt.getName().getValue() << "', but got " << type;
        diag.attachNote(definition.getLoc()) << "the type is defined here";
      }
    }
  }
  type.walkImmediateSubElements([](Attribute) {},
                                [&](Type part) { checkType(part, location); });
}

/// Numbers and memory are no values of the language.
void KindChecker::checkSignature(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  auto check = [&](TypeRange types, StringRef what) {
    for (auto [number, part] : llvm::enumerate(types)) {
      if (!isa<IntegerType, FloatType, IndexType, ComplexType, NoneType,
               VectorType, BaseMemRefType>(part))
        continue;
      InFlightDiagnostic diag =
          function.emitOpError("expects ")
          << what << " #" << number
          << " to be a tensor, a tuple, a function, a reference or a value of "
             "a data type, but got "
          << part;
      if (TensorType::isValidElementType(part))
        diag.attachNote() << "a scalar is a "
                          << RankedTensorType::get({}, part);
      failed = true;
    }
  };
  check(type.getInputs(), "parameter");
  check(type.getResults(), "result");
}

/// Tensors of strings are numbers, and there is a table of them.
void KindChecker::checkStrings(func::FuncOp function) {
  bool hasStrings = false;
  auto check = [&](Attribute attr, Type type, StringRef what, unsigned number) {
    if (!attr)
      return;
    hasStrings = true;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.getElementType().isSignlessInteger(64) &&
        isa<UnitAttr>(attr))
      return;
    failed = true;
    function.emitOpError("expects ")
        << kIsStringAttrName << " as a unit attribute of a tensor of i64, but "
        << "got " << what << " #" << number << " of type " << type;
  };
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    check(function.getArgAttr(number, kIsStringAttrName), type, "parameter",
          number);
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    check(function.getResultAttr(number, kIsStringAttrName), type, "result",
          number);
  if (!hasStrings)
    return;
  auto strings =
      function->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
          kStringsAttrName);
  llvm::SmallDenseSet<Attribute> texts;
  if (strings && !strings.empty() && llvm::all_of(strings, [&](Attribute text) {
        return isa<StringAttr>(text) && texts.insert(text).second;
      }))
    return;
  failed = true;
  function.emitOpError("expects an array of different strings as attribute ")
      << kStringsAttrName << " of the module";
}

void KindChecker::checkOp(Operation *op) {
  ArrayAttr params;
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    params = function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName);
    Scope scope(*this, params);
    checkSignature(function);
    checkStrings(function);
    for (Type type : function.getResultTypes())
      checkType(type, function.getLoc());
    if (function.isExternal())
      for (Type type : function.getArgumentTypes())
        checkType(type, function.getLoc());
    for (Block &block : function.getBody())
      checkBlock(block);
    return;
  }
  if (auto adt = dyn_cast<ADTOp>(op)) {
    Scope scope(*this, adt.getTypeParamsAttr());
    for (ConstructorOp constructor : adt.getConstructors())
      for (Attribute field : constructor.getFields())
        checkType(cast<TypeAttr>(field).getValue(), constructor.getLoc());
    return;
  }
  for (Type type : op->getResultTypes())
    checkType(type, op->getLoc());
  if (!op->getNumRegions())
    return;
  auto fn = dyn_cast<FnOp>(op);
  Scope scope(*this, fn ? fn.getTypeParamsAttr() : ArrayAttr());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      checkBlock(block);
}

void KindChecker::checkBlock(Block &block) {
  for (BlockArgument argument : block.getArguments())
    checkType(argument.getType(), argument.getLoc());
  for (Operation &op : block)
    checkOp(&op);
}

void KindChecker::checkModule(ModuleOp module) {
  checkBlock(*module.getBody());
}

LogicalResult relay::verifyKinds(ModuleOp module) {
  KindChecker checker(module);
  checker.checkModule(module);
  return success(checker.succeeded());
}
