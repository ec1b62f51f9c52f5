//===- InferTypes.cpp - Infer the types of all values ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/Analysis/TypeRefinement.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::relay {
#define GEN_PASS_DEF_INFERTYPESPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Carries types from arguments to results, through calls.
class TypePropagation {
public:
  explicit TypePropagation(ModuleOp module) : symbols(module) {}

  LogicalResult setArgTypes(func::FuncOp function, TypeRange types);
  LogicalResult run(ModuleOp module);

private:
  struct State {
    bool visiting = false;
    /// Whether the arguments have the types of some call.
    bool called = false;
    bool visited = false;
    llvm::SetVector<func::FuncOp> callers;
  };

  LogicalResult visit(func::FuncOp function);
  LogicalResult visitOp(Operation *op, func::FuncOp parent);
  LogicalResult visitCall(CallOp call, func::FuncOp parent);
  void setType(Value value, Type type);

  SymbolTable symbols;
  DenseMap<func::FuncOp, State> states;
  llvm::SetVector<func::FuncOp> worklist;
  /// Values that are no longer what their type said, so that the types that
  /// were derived from it do not hold either.
  DenseSet<Value> outdated;
};

} // namespace

void TypePropagation::setType(Value value, Type type) {
  if (losesKnowledge(value.getType(), type))
    outdated.insert(value);
  value.setType(type);
}

LogicalResult TypePropagation::setArgTypes(func::FuncOp function,
                                           TypeRange types) {
  for (auto [argument, type] : llvm::zip_equal(function.getArguments(), types))
    setType(argument, type);
  function.setType(FunctionType::get(function.getContext(), types,
                                     function.getResultTypes()));
  return success();
}

LogicalResult TypePropagation::visitCall(CallOp call, func::FuncOp parent) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return success();
  State &state = states[callee];
  state.callers.insert(parent);
  bool changed = !state.visited;
  if (callee.isPrivate()) {
    SmallVector<Type> types(call.getOperandTypes());
    if (state.called)
      for (auto [index, type] : llvm::enumerate(types)) {
        Type seen = callee.getArgumentTypes()[index];
        Type joined = joinTypes(seen, type);
        if (!joined) {
          InFlightDiagnostic diag = call.emitOpError("expects argument ")
                                    << index << " to be a case of " << seen
                                    << " as at other calls, but got " << type;
          diag.attachNote(callee.getLoc()) << "the function is defined here";
          return diag;
        }
        type = joined;
      }
    state.called = true;
    if (TypeRange(types) != callee.getArgumentTypes()) {
      changed = true;
      if (failed(setArgTypes(callee, types)))
        return failure();
    }
  }
  if (changed && !state.visiting && failed(visit(callee)))
    return failure();
  for (auto [result, type] :
       llvm::zip_equal(call.getResults(), callee.getResultTypes()))
    setType(result, type);
  return success();
}

LogicalResult TypePropagation::visitOp(Operation *op, func::FuncOp parent) {
  if (auto call = dyn_cast<CallOp>(op))
    return visitCall(call, parent);
  FailureOr<SmallVector<Type>> types = inferResultTypes(op);
  if (failed(types))
    return failure();
  bool isOutdated = llvm::any_of(op->getOperands(), [&](Value operand) {
    return outdated.contains(operand);
  });
  for (auto [result, type] : llvm::zip_equal(op->getResults(), *types))
    setType(result, isOutdated ? type : refineType(type, result.getType()));
  return success();
}

LogicalResult TypePropagation::visit(func::FuncOp function) {
  states[function].visiting = true;
  SmallVector<Type> resultTypes(function.getResultTypes());
  WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return WalkResult::advance();
    if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      resultTypes.assign(returnOp.getOperandTypes().begin(),
                         returnOp.getOperandTypes().end());
      return WalkResult::advance();
    }
    return WalkResult(visitOp(op, function));
  });
  State &state = states[function];
  state.visiting = false;
  state.visited = true;
  if (walk.wasInterrupted())
    return failure();
  if (TypeRange(resultTypes) != function.getResultTypes()) {
    function.setType(FunctionType::get(
        function.getContext(), function.getArgumentTypes(), resultTypes));
    // The one that is being visited may have met an earlier call already.
    worklist.insert(state.callers.begin(), state.callers.end());
  }
  return success();
}

LogicalResult TypePropagation::run(ModuleOp module) {
  // Private functions take the types of their callers, if there are any.
  for (bool isPrivate : {false, true})
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPrivate() == isPrivate && !function.isExternal() &&
          !states[function].visited && failed(visit(function)))
        return failure();
  while (!worklist.empty())
    if (failed(visit(worklist.pop_back_val())))
      return failure();
  return success();
}

namespace {

struct InferTypesPass : relay::impl::InferTypesPassBase<InferTypesPass> {
  using InferTypesPassBase::InferTypesPassBase;

  void runOnOperation() override {
    TypePropagation propagation(getOperation());
    if (failed(changeArguments(propagation)) ||
        failed(propagation.run(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult changeArguments(TypePropagation &propagation) {
    if (argTypes.empty())
      return success();
    auto function = getOperation().lookupSymbol<func::FuncOp>(entry);
    if (!function || function.isExternal())
      return getOperation().emitError("expects a function named '")
             << entry << "', the entry of --relay-infer-types";
    if (argTypes.size() != function.getNumArguments())
      return function.emitOpError("expects ")
             << function.getNumArguments() << " arg-types, but got "
             << argTypes.size();
    SmallVector<Type> types;
    for (auto [text, before] :
         llvm::zip_equal(argTypes, function.getArgumentTypes())) {
      types.push_back(parseType(text, &getContext()));
      if (!types.back())
        return failure();
      if (!joinTypes(types.back(), before))
        return function.emitOpError("expects arg-types that differ in sizes "
                                    "only from ")
               << before << ", but got " << types.back();
    }
    return propagation.setArgTypes(function, types);
  }
};

} // namespace
