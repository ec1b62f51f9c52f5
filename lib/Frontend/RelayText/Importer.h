//===- Importer.h - From expressions to the relay dialect -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. The importer makes operations of a graph of
// expressions in two steps. The first finds for each node the innermost scope
// (a function's body, a branch, a case) that all its uses lie in: there it is
// computed, once. The second emits the nodes in the order in which they are
// evaluated. Both keep stacks of their own, for programs are deep.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_IMPORTER_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_IMPORTER_H

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Frontend/RelayText/AST.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

namespace mlir::relay::ast {

/// Where a function's type is written, `!relay.incomplete` where it is not.
FunctionType getWrittenType(const Function &function, MLIRContext *context);

/// What all functions of a module share.
class ModuleImporter {
public:
  ModuleImporter(const Module &module, MLIRContext *context);

  /// Returns null after an error.
  OwningOpRef<ModuleOp> import();

  /// The function of a name, or null.
  func::FuncOp lookupFunction(StringRef name) const {
    return functions.lookup(name);
  }
  /// What is defined by the name of a constructor; null with a diagnostic at
  /// `location` if it is not one of its data type.
  ConstructorOp getConstructor(const Constructor &constructor,
                               LocationAttr location);
  Location getLoc(LocationAttr location) const;
  InFlightDiagnostic emitError(LocationAttr location);
  bool hasFailed() const { return failed; }

private:
  void importType(const TypeData &type);
  func::FuncOp declareFunction(const Module::Definition &definition);

  const Module &module;
  OpBuilder builder;
  bool failed = false;
  llvm::StringMap<func::FuncOp> functions;
  llvm::StringMap<const TypeData *> types;
  llvm::StringMap<ConstructorOp> constructors;
};

/// Makes the body of one function.
class FunctionImporter {
public:
  FunctionImporter(ModuleImporter &module, MLIRContext *context)
      : module(module), builder(context) {}

  void import(const Function &function, func::FuncOp op);

private:
  /// A region's block, to which nodes are added while it is open.
  struct Scope {
    Scope *parent;
    unsigned depth;
    Block *block = nullptr;
    /// The operation whose regions are being filled: what belongs to this scope
    /// goes before it.
    Operation *open = nullptr;
    /// The type parameters in scope. One whose name is that of another around
    /// it has a name of its own, for values of both types may meet.
    std::shared_ptr<const TypeSubstitution> typeParams = nullptr;
  };
  /// A node that waits for its children.
  struct Frame {
    const Expr *expr;
    Scope *scope;
    unsigned stage = 0;
    /// Made before its regions, with what was open around it.
    Operation *op = nullptr;
    Operation *previous = nullptr;
  };
  struct Binding {
    Value value;
    Scope *scope;
  };

  // The first step: scopes.
  void findScopes(const Function &function, Scope *body);
  void findChildScopes(const Expr &expr, Scope *scope);
  void use(const ExprPtr &expr, Scope *scope);
  Scope *makeScope(Scope *parent);
  /// Reports a type with too many levels or parts; then the node stands for
  /// nothing.
  bool checkSize(Type type, LocationAttr location);
  /// Brings type parameters into a scope.
  void declareTypeParams(Scope *scope, ArrayRef<std::string> names);
  /// A type of the source, with the names of type parameters in the scope.
  Type getType(Type written, Scope *scope);
  void openScope(Scope *scope, Block *block, Frame &frame);

  // The second step: operations.
  void emit(const ExprPtr &root);
  /// Begins with a node unless it has a value.
  void visit(const ExprPtr &expr);
  /// Goes on with the node on top of the stack.
  void advance();
  void advanceFunction(const Function &function, Frame frame);
  void advanceIf(const If &ifExpr, Frame frame);
  void advanceLet(const Let &let, Frame frame);
  void advanceMatch(const Match &match, Frame frame);
  void closeRegion(const Frame &frame, Scope *inner, const ExprPtr &result,
                   LocationAttr location);
  void finish(Value value);
  /// Emits a node whose children have values.
  Value emitNode(const Expr &expr, Scope *scope);
  Value emitCall(const Call &call, Scope *scope);
  Value emitGlobalCall(const Call &call, StringRef name, Scope *scope);
  Value emitConstruct(const Call &call, const Constructor &callee,
                      Scope *scope);
  Value emitIndirectCall(const Call &call, Scope *scope);
  Value emitOperator(const Call &call, StringRef name, Scope *scope);
  Value emitGlobalVar(const GlobalVar &global);
  Value emitConstructor(const Constructor &constructor);
  Value emitOperatorValue(const Op &op);
  Value emitProjection(const TupleGetItem &item, Scope *scope);
  Operation *beginFunction(const Function &function, Scope *scope,
                           const Var *self);
  void endFunction(Operation *op);
  Attribute importPattern(const Pattern &pattern, Block *block, Scope *scope);
  /// Keeps what a call has that is not an operator's.
  void setCallAttrs(const Call &call, Operation *op, Scope *scope);
  /// Makes the operator if its types are known, else relay.apply.
  Value makeOperator(Location loc, const OperatorSchema &schema,
                     ValueRange args, DictionaryAttr attrs);

  /// The value of an expression that was visited.
  Value getValue(const ExprPtr &expr, Scope *scope);
  SmallVector<Value> getValues(ArrayRef<ExprPtr> exprs, Scope *scope);
  void bind(const std::shared_ptr<Var> &var, Value value, Scope *scope);
  /// The value with the type that is written for it, if there is one.
  Value ascribe(Value value, Type written, Scope *scope, LocationAttr location);
  /// Stands for what has an error.
  Value makePlaceholder();
  void setInsertionPoint(Scope *scope);
  Location getLoc(const Expr &expr) { return module.getLoc(expr.location); }
  /// The place of what a block ends with.
  Location getResultLoc(const Expr &expr, LocationAttr location);

  ModuleImporter &module;
  OpBuilder builder;
  std::deque<Scope> scopes;
  /// The scope in which a node is computed; those that a node has inside.
  DenseMap<const Expr *, Scope *> scopeOf;
  DenseMap<const Expr *, SmallVector<Scope *, 2>> innerScopes;
  DenseMap<const Expr *, Value> values;
  DenseMap<const Var *, Binding> bindings;
  DenseSet<const Var *> bound;
  std::vector<Frame> stack;
  TypeDepths depths;
  /// The node that is nested too deep, if there is one.
  const Expr *tooDeep = nullptr;
  /// Tuples that were made only to be taken apart by an operator, perhaps.
  SmallVector<Operation *> tuples;
};

/// Returns `@ADT::@Constructor`.
SymbolRefAttr getSymbol(ConstructorOp constructor);

/// Attributes of a function as those of an operation.
void importFunctionAttrs(ArrayRef<NamedAttribute> attrs, Operation *op);

/// The attributes of a parameter: its name, and its device.
DictionaryAttr getParamAttrs(const Var &param, MLIRContext *context);

} // namespace mlir::relay::ast

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_IMPORTER_H
