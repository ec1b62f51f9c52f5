//===- TypePropagation.cpp - More precise sizes ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries sizes forward through a program whose types are complete: results of
// operators follow from their operands, arguments of private functions from
// their calls, results of functions from their bodies. Types only become more
// precise, unless an operand has changed. Callees are visited before what
// follows their calls, on a stack of its own.
//
//===----------------------------------------------------------------------===//

#include "TypeInference.h"

#include "relay-mlir/Dialect/Relay/Analysis/TypeRefinement.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Whether a type consists of tensors, whose sizes can be refined.
static bool isShaped(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isShaped);
  return isa<RankedTensorType>(type);
}

void TypePropagation::setType(Value value, Type type) {
  if (losesKnowledge(value.getType(), type))
    outdated.insert(value);
  value.setType(type);
}

bool TypePropagation::areOutdated(ValueRange values) {
  return llvm::any_of(values,
                      [&](Value value) { return outdated.contains(value); });
}

void TypePropagation::refineResult(Value result, Type type, bool isOutdated) {
  setType(result, isOutdated ? type : refineType(type, result.getType()));
}

void TypePropagation::setArgTypes(func::FuncOp function, TypeRange types) {
  for (auto [argument, type] : llvm::zip_equal(function.getArguments(), types))
    setType(argument, type);
  function.setType(FunctionType::get(function.getContext(), types,
                                     function.getResultTypes()));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void TypePropagation::findEscaping() {
  module.walk([&](GlobalOp global) {
    auto function =
        symbols.lookup<func::FuncOp>(global.getSymbol().getRootReference());
    if (function)
      states[function].escapes = true;
  });
}

FailureOr<bool> TypePropagation::visitCall(CallOp call, func::FuncOp parent) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return false;
  State &state = states[callee];
  state.callers.insert(parent);
  bool changed = !state.visited;
  bool polymorphic = callee->hasAttr(kTypeParamsAttrName);
  if (callee.isPrivate() && !polymorphic && !state.escapes) {
    SmallVector<Type> types(call.getOperandTypes());
    for (auto [index, type] : llvm::enumerate(types)) {
      Type seen = callee.getArgumentTypes()[index];
      if (!isShaped(type) || !isShaped(seen)) {
        type = seen;
        continue;
      }
      if (!state.called)
        continue;
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
      setArgTypes(callee, types);
    }
  }
  if (changed) {
    if (!state.visiting) {
      enter(callee);
      return true;
    }
    // It is being visited, and began with other types.
    if (state.visited || !polymorphic)
      worklist.insert(callee);
  }
  if (!polymorphic)
    for (auto [result, type] :
         llvm::zip_equal(call.getResults(), callee.getResultTypes()))
      setType(result, type);
  return false;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The type of which the values of all regions are cases; null if there is
/// none.
static Type joinYields(Operation *op) {
  Type joined;
  for (Region &region : op->getRegions()) {
    Type type = region.front().getTerminator()->getOperand(0).getType();
    if (!isShaped(type))
      return nullptr;
    joined = joined ? joinTypes(joined, type) : type;
    if (!joined)
      return nullptr;
  }
  return joined;
}

/// Visits an operation; one with regions after them.
LogicalResult TypePropagation::visitOp(Operation *op) {
  bool isOutdated = areOutdated(op->getOperands());
  if (auto let = dyn_cast<LetOp>(op)) {
    setType(let, let.getValue().getType());
    return success();
  }
  // What is declared stays.
  if (auto ascribe = dyn_cast<AscribeOp>(op))
    return isOutdated ? ascribe.verify() : success();
  if (isa<IfOp, MatchOp>(op)) {
    for (Region &region : op->getRegions())
      isOutdated |= areOutdated(region.front().getTerminator()->getOperands());
    if (Type joined = joinYields(op))
      refineResult(op->getResult(0), joined, isOutdated);
    return success();
  }
  if (auto fn = dyn_cast<FnOp>(op)) {
    Value yielded = fn.getBody().front().getTerminator()->getOperand(0);
    FunctionType type = fn.getFunctionType();
    if (isShaped(yielded.getType()) && isShaped(type.getResult(0))) {
      Type result = outdated.contains(yielded)
                        ? yielded.getType()
                        : refineType(yielded.getType(), type.getResult(0));
      Type refined = getFunctionType(
          relay::getTypeParams(fn.getResult().getType()),
          FunctionType::get(fn.getContext(), type.getInputs(), result));
      if (refined != fn.getResult().getType()) {
        if (outdated.contains(yielded))
          outdated.insert(fn.getResult());
        fn.getResult().setType(refined);
        if (Value self = fn.getSelf())
          self.setType(refined);
      }
    }
    return success();
  }
  if (auto call = dyn_cast<CallIndirectOp>(op)) {
    auto type = dyn_cast<FunctionType>(call.getCallee().getType());
    if (type && isShaped(type.getResult(0)) && isShaped(call.getType()))
      refineResult(call.getResult(), type.getResult(0), isOutdated);
    return success();
  }
  FailureOr<SmallVector<Type>> types = inferResultTypes(op);
  if (failed(types))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), *types))
    refineResult(result, type, isOutdated);
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void TypePropagation::enter(func::FuncOp function) {
  states[function].visiting = true;
  Frame &frame = frames.emplace_back();
  frame.function = function;
  llvm::append_range(frame.resultTypes, function.getResultTypes());
  // Operations after those in their regions.
  function.walk([&](Operation *op) {
    if (op != function)
      frame.steps.push_back(op);
  });
  std::reverse(frame.steps.begin(), frame.steps.end());
}

void TypePropagation::leave(Frame &frame) {
  func::FuncOp function = frame.function;
  State &state = states[function];
  state.visiting = false;
  state.visited = true;
  if (TypeRange(frame.resultTypes) == function.getResultTypes())
    return;
  function.setType(FunctionType::get(
      function.getContext(), function.getArgumentTypes(), frame.resultTypes));
  // The one that is being visited may have met an earlier call already.
  worklist.insert(state.callers.begin(), state.callers.end());
}

LogicalResult TypePropagation::visit(func::FuncOp root) {
  enter(root);
  // Calls may be nested deeper than the stack is.
  while (!frames.empty()) {
    Frame &frame = frames.back();
    if (frame.steps.empty()) {
      leave(frame);
      frames.pop_back();
      continue;
    }
    Operation *op = frame.steps.back();
    if (auto call = dyn_cast<CallOp>(op)) {
      FailureOr<bool> entered = visitCall(call, frame.function);
      if (failed(entered))
        return failure();
      if (*entered)
        continue;
    } else if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      frame.resultTypes.assign(returnOp.getOperandTypes().begin(),
                               returnOp.getOperandTypes().end());
    } else if (failed(visitOp(op))) {
      return failure();
    }
    frame.steps.pop_back();
  }
  return success();
}

LogicalResult TypePropagation::run() {
  findEscaping();
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
