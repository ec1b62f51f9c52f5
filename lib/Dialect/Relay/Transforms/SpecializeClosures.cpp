//===- SpecializeClosures.cpp - A copy of a closure for each type ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A polymorphic closure has the types of its uses. What uses it tells them: the
// operation itself, and where that has type parameters as well, its other
// operands and its result. That it ends, which `memory.kill` says, is no use.
//
//===----------------------------------------------------------------------===//

#include "Functional.h"

#include "relay-mlir/Dialect/Relay/Analysis/TypeSolver.h"
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::relay;

/// The types that operands of what is of type `callee` have there: those of
/// polymorphic ones are instances, and incomplete if nothing tells them.
static SmallVector<Type> getTypesOfOperands(Type callee, TypeRange operands,
                                            TypeRange results) {
  TypeSolver solver(callee.getContext());
  TypeSolver::Scope scope;
  auto makeTerm = [&](Type type) {
    for (StringAttr name : getFreeTypeVars(type))
      if (!scope.contains(name.getValue()))
        scope[name.getValue()] = solver.makeVariable(name.getValue());
    return solver.instantiate(solver.fromType(type, scope));
  };
  auto flow = [&](TypeTerm source, TypeTerm target) {
    // The program has its types, so that nothing is to be reported.
    solver.flow(
        source, target, [](Type, Type, FlowError, std::optional<Location>) {},
        std::nullopt);
  };
  TypeTerm function = makeTerm(callee);
  SmallVector<TypeTerm> inputs(solver.getInputs(function));
  SmallVector<TypeTerm> outputs(solver.getResults(function));
  SmallVector<TypeTerm> terms = llvm::map_to_vector(operands, makeTerm);
  for (auto [term, input] : llvm::zip_equal(terms, inputs))
    flow(term, input);
  for (auto [output, result] : llvm::zip_equal(outputs, results))
    flow(output, makeTerm(result));
  solver.solve();
  SmallVector<Type> types(operands);
  for (auto [type, term] : llvm::zip_equal(types, terms))
    if (isa<ForallType>(type))
      type = solver.toType(term);
  return types;
}

/// The type that a polymorphic closure has where it is used; null if nothing
/// tells.
static Type getTypeOfUse(OpOperand &use, SymbolTable &symbols) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto call = dyn_cast<CallIndirectOp>(user)) {
    SmallVector<Type> types = getTypesOfOperands(call.getCallee().getType(),
                                                 call.getArgs().getTypes(),
                                                 call.getResult().getType());
    return number == 0 ? FunctionType::get(user->getContext(), types,
                                           call.getResult().getType())
                       : types[number - 1];
  }
  if (auto call = dyn_cast<CallOp>(user)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    return callee ? getTypesOfOperands(getValueType(callee),
                                       call.getOperandTypes(),
                                       call.getResultTypes())[number]
                  : Type();
  }
  if (auto construct = dyn_cast<ConstructOp>(user)) {
    auto constructor = dyn_cast_or_null<ConstructorOp>(
        symbols.lookupSymbolIn(symbols.getOp(), construct.getConstructor()));
    return constructor
               ? getTypesOfOperands(constructor.getValueType(),
                                    construct.getFields().getTypes(),
                                    construct.getResult().getType())[number]
               : Type();
  }
  if (auto ascribe = dyn_cast<AscribeOp>(user))
    return ascribe.getType();
  if (auto write = dyn_cast<RefWriteOp>(user))
    return cast<RefType>(write.getRef().getType()).getContentType();
  if (isa<func::ReturnOp>(user))
    return user->getParentOfType<func::FuncOp>().getResultTypes()[number];
  if (isa<YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    if (auto fn = dyn_cast<FnOp>(parent))
      return fn.getFunctionType().getResult(0);
    return parent->getResult(number).getType();
  }
  return nullptr;
}

/// Appends the polymorphic closures in `root`: what is inside of one right
/// before it.
static void collectPolymorphic(Operation *root,
                               SmallVectorImpl<FnOp> &closures) {
  root->walk([&](FnOp fn) {
    if (fn.getTypeParamsAttr() && !isClosedUnit(fn))
      closures.push_back(fn);
  });
}

namespace {

/// Makes a copy of a polymorphic closure for each type that it has where it is
/// used. Where nothing tells that, it stays.
class ClosureSpecialization {
public:
  ClosureSpecialization(ModuleOp module, int64_t maxCopies)
      : symbols(module), maxCopies(maxCopies) {}

  LogicalResult run();

private:
  FailureOr<FnOp> getCopy(OpOperand &use, FnOp fn);
  FailureOr<bool> specialize(FnOp fn);
  void killCopies(FnOp fn);

  SymbolTable symbols;
  TypeDepths depths;
  int64_t maxCopies, numCopies = 0;
  SmallVector<FnOp> closures;
  llvm::SmallMapVector<Type, FnOp, 4> copies;
};

} // namespace

/// The copy for the type of a use; null if nothing tells that.
FailureOr<FnOp> ClosureSpecialization::getCopy(OpOperand &use, FnOp fn) {
  auto type = dyn_cast_or_null<FunctionType>(getTypeOfUse(use, symbols));
  if (!type || isIncomplete(type))
    return FnOp();
  auto failOf = [&](const Twine &what) {
    InFlightDiagnostic diag =
        fn.emitError("expects at most ")
        << maxCopies << " copies of generic closures, of types that can be "
        << "written, but got " << what;
    diag.attachNote(use.getOwner()->getLoc()) << "it is used here";
    return diag;
  };
  // A type may double with each call.
  if (depths.isTooDeep(type) || depths.isTooLong(type))
    return failOf("one of a type too long");
  TypeSubstitution instance;
  for (StringAttr param : relay::getTypeParams(fn.getResult().getType()))
    instance[param.getValue()] = nullptr;
  if (!matchInstance(fn.getFunctionType(), type, instance))
    return FnOp();
  // A type that no value has may be any.
  for (auto &entry : instance)
    if (!entry.second)
      entry.second = TupleType::get(fn.getContext());
  FnOp &copy = copies[type];
  if (!copy) {
    if (numCopies++ == maxCopies)
      return failOf("more");
    OpBuilder builder(fn);
    copy = cast<FnOp>(builder.clone(*fn.getOperation()));
    copy.removeTypeParamsAttr();
    copy.getResult().setType(copy.getFunctionType());
    if (Value self = copy.getSelf())
      self.setType(copy.getFunctionType());
    substituteTypesIn(copy, instance);
    collectPolymorphic(copy, closures);
  }
  return copy;
}

/// Where a closure ends that has copies for all its uses, these end.
void ClosureSpecialization::killCopies(FnOp fn) {
  if (!llvm::all_of(fn->getUsers(), llvm::IsaPred<MemoryKillOp>))
    return;
  for (Operation *kill : llvm::make_early_inc_range(fn->getUsers())) {
    OpBuilder builder(kill);
    Type unit = TupleType::get(kill->getContext());
    Value result;
    for (FnOp copy : llvm::make_second_range(copies))
      result =
          MemoryKillOp::create(builder, kill->getLoc(), unit, copy.getResult());
    if (!result)
      result = TupleOp::create(builder, kill->getLoc(), unit, ValueRange());
    kill->getResult(0).replaceAllUsesWith(result);
    kill->erase();
  }
}

/// Returns whether a use has one type now that had not.
FailureOr<bool> ClosureSpecialization::specialize(FnOp fn) {
  // These may go with it.
  SmallVector<FnOp> inner;
  while (!closures.empty() && fn->isProperAncestor(closures.back()))
    inner.push_back(closures.pop_back_val());
  // A variable is what it is bound to.
  SmallVector<LetOp> names;
  for (OpOperand &use : fn->getUses())
    if (auto let = dyn_cast<LetOp>(use.getOwner()))
      names.push_back(let);
  while (!names.empty()) {
    LetOp let = names.pop_back_val();
    for (OpOperand &use : let->getUses())
      if (auto other = dyn_cast<LetOp>(use.getOwner()))
        names.push_back(other);
    let.replaceAllUsesWith(fn.getResult());
    let.erase();
  }
  copies.clear();
  bool changed = false, again = true;
  // The type that a function has where it is called tells the one that it has
  // as an argument of this call.
  while (std::exchange(again, false))
    for (OpOperand &use : llvm::make_early_inc_range(fn->getUses())) {
      FailureOr<FnOp> copy = getCopy(use, fn);
      if (failed(copy))
        return failure();
      if (!*copy)
        continue;
      use.set(copy->getResult());
      changed = again = true;
    }
  killCopies(fn);
  if (fn->use_empty())
    fn.erase();
  else
    llvm::append_range(closures, llvm::reverse(inner));
  return changed;
}

LogicalResult ClosureSpecialization::run() {
  // What one round tells of the closures that others use may tell more of
  // these.
  for (bool again = true; std::exchange(again, false);) {
    collectPolymorphic(symbols.getOp(), closures);
    // Users first, and what is around others: what they use, and what is in
    // them, has a type in their copies.
    while (!closures.empty()) {
      FailureOr<bool> changed = specialize(closures.pop_back_val());
      if (failed(changed))
        return failure();
      again |= *changed;
    }
  }
  return success();
}

LogicalResult relay::specializeClosures(ModuleOp module, int64_t maxCopies) {
  return ClosureSpecialization(module, maxCopies).run();
}
