//===- TypeInference.h - Constraints of a program ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder: what relay-infer-types is made of.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_TYPEINFERENCE_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_TYPEINFERENCE_H

#include "relay-mlir/Dialect/Relay/Analysis/CallGraph.h"
#include "relay-mlir/Dialect/Relay/Analysis/TypeSolver.h"

#include "llvm/ADT/SetVector.h"

#include <map>

namespace mlir::relay::detail {

/// What a reporter says of a value that does not fit.
struct UseOfValue {
  /// Where the error is.
  Operation *op;
  /// What is expected: "argument", "a result".
  const char *what;
  /// Its number, if it has one.
  std::optional<unsigned> index = std::nullopt;
  /// The value that does not fit.
  Value value = nullptr;
  /// What declares the type that is expected.
  Operation *declaration = nullptr;
};

/// Finds the types that a program leaves open, and checks those that it has.
/// Goes over the functions, callees first, and makes constraints of their
/// operations.
class TypeInference {
public:
  TypeInference(ModuleOp module, SymbolTable &symbols)
      : module(module), symbols(symbols), solver(module.getContext()) {}

  /// Completes all types. Leaves the module as it is, up to operators in place
  /// of relay.apply, if there is an error.
  LogicalResult run();

  /// Removes what is declared of values that are of that type anyway.
  void removeAscriptions();

private:
  friend class OperatorConstraint;
  friend class CallConstraint;
  friend class ProjectionConstraint;

  struct Signature {
    TypeTerm type = 0;
    SmallVector<TypeTerm> inputs, results;
    TypeSolver::Scope scope;
    bool incomplete = false;
  };

  //===--------------------------------------------------------------------===//
  // Functions
  //===--------------------------------------------------------------------===//

  void declare(func::FuncOp function);
  void visitFunction(func::FuncOp function);
  void visitBlock(Block &block);
  void visit(Operation *op);

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  void visitAscribe(AscribeOp ascribe);
  void visitApply(ApplyOp apply);
  void visitOperator(Operation *op);
  void visitCall(CallOp call);
  void visitCallIndirect(CallIndirectOp call);
  void visitConstruct(ConstructOp construct);
  void visitFn(FnOp fn);
  void visitGlobal(GlobalOp global);
  void visitIf(IfOp op);
  void visitMatch(MatchOp match);
  void visitRefCreate(RefCreateOp create);
  void visitRefRead(RefReadOp read);
  void visitRefWrite(RefWriteOp write);
  void visitLet(LetOp let);
  void visitReturn(func::ReturnOp op);
  void visitTuple(TupleOp tuple);
  void visitTupleGetItem(TupleGetItemOp get);

  void visitPattern(MatchOp match, Attribute pattern, TypeTerm term,
                    Block::BlockArgListType arguments, unsigned &next);
  /// The type of a cell's contents.
  TypeTerm getContent(Operation *op, Value ref);
  /// The type of a constructor as a value; nothing if there is none.
  std::optional<TypeTerm> getConstructorType(Operation *user,
                                             SymbolRefAttr name);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// Makes a term of the value's type, parts of which may be unknown.
  TypeTerm define(Value value);
  /// The value is of type `term`, unless its type says otherwise.
  void define(Value value, TypeTerm term, const UseOfValue &use);
  /// The value is of type `term`.
  void set(Value value, TypeTerm term);
  /// Makes terms for the names of type parameters of `op`, which come into
  /// scope. A name that is in scope already becomes another one.
  SmallVector<TypeTerm> declareVariables(Operation *op,
                                         ArrayRef<StringAttr> names);
  /// What a call says of the type arguments, from the first on.
  SmallVector<TypeTerm> takeTypeArgs(Operation *call);
  /// Reports type arguments that the callee does not have.
  bool checkTypeArgs(Operation *call, TypeTerm callee, ArrayRef<TypeTerm> args);
  TypeTerm getTerm(Value value);
  void flow(TypeTerm source, TypeTerm target, const UseOfValue &use,
            bool instantiates = true);
  void flow(Value source, TypeTerm target, UseOfValue use);
  FlowReporter makeReporter(const UseOfValue &use);
  /// Begins an error, after which types stay open.
  InFlightDiagnostic fail(Operation *op);

  //===--------------------------------------------------------------------===//
  // Operators as values
  //===--------------------------------------------------------------------===//

  /// An operator is polymorphic, but a closure that applies it is not: gives
  /// each use of one a closure of its own.
  void separateOperators();
  /// Uses one closure again where types turned out equal.
  void joinOperators();

  //===--------------------------------------------------------------------===//
  // Completion
  //===--------------------------------------------------------------------===//

  void reportUnknown();
  void reportUnknown(Value value, TypeTerm term);
  /// A variable must not occur in a type outside of what declares it.
  void verifyScopes();
  void verifyOperators();
  void setTypes();
  /// What a function declares of its arguments, or a call of its result, and
  /// nobody knows at the call is found out at run time.
  void ascribeCalls();

  ModuleOp module;
  SymbolTable &symbols;
  SymbolTableCollection symbolTables;
  TypeSolver solver;
  TypeSolver::Scope scope;
  DenseMap<Operation *, Signature> signatures;
  DenseMap<Operation *, TypeTerm> constructors;
  DenseMap<Value, TypeTerm> terms;
  /// Values whose type is to be set, in the order of the program.
  std::vector<Value> open;
  /// Operators made of relay.apply.
  std::vector<Operation *> operators;
  std::vector<AscribeOp> ascriptions;
  /// What declares a variable.
  DenseMap<TypeTerm, Operation *> owners;
  /// Closures made for one use of an operator, and the value that was used.
  std::vector<std::pair<FnOp, Value>> operatorCopies;
  /// Operators as values that only variables are bound to.
  DenseSet<Operation *> unusedOperators;
  /// Functions being visited, whose types are not generalised.
  DenseSet<Operation *> current;
  bool hasErrors = false;
};

/// Carries more precise sizes through a program without open types.
class TypePropagation {
public:
  TypePropagation(ModuleOp module, SymbolTable &symbols)
      : module(module), symbols(symbols) {}

  void setArgTypes(func::FuncOp function, TypeRange types);
  LogicalResult run();

private:
  struct State {
    bool visiting = false;
    /// Whether the arguments have the types of some call.
    bool called = false;
    bool visited = false;
    /// Whether something but calls refers to it.
    bool escapes = false;
    SetVector<func::FuncOp> callers;
  };
  /// A function and the operations that are still to be visited, last first.
  struct Frame {
    func::FuncOp function;
    SmallVector<Type> resultTypes;
    std::vector<Operation *> steps;
  };

  void findEscaping();
  void enter(func::FuncOp function);
  void leave(Frame &frame);
  LogicalResult visit(func::FuncOp function);
  /// Returns whether the callee is to be visited first, and then the call
  /// again.
  FailureOr<bool> visitCall(CallOp call, func::FuncOp parent);
  LogicalResult visitOp(Operation *op);
  void setType(Value value, Type type);
  void refineResult(Value result, Type type, bool isOutdated);
  bool areOutdated(ValueRange values);

  ModuleOp module;
  SymbolTable &symbols;
  /// States stay where they are.
  std::map<Operation *, State> states;
  SetVector<func::FuncOp> worklist;
  std::vector<Frame> frames;
  /// Values that are no longer what their type said, so that the types that
  /// were derived from it do not hold either.
  DenseSet<Value> outdated;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_TYPEINFERENCE_H
