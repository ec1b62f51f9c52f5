//===- InlineFunctions.cpp - Bodies in place of calls ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may be inlined is known before anything is: that follows from what a
// function calls. Then callers come first, and take bodies as they were
// written. So a chain of calls is copied once, and each operation has one
// location for the calls that it is in.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

#include "relay-mlir/Dialect/Relay/Analysis/CallGraph.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::relay {
#define GEN_PASS_DEF_INLINEFUNCTIONSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Types for the type parameters of `callee` of which `op`, a call of it or its
/// name as a value, is an instance.
static TypeSubstitution getInstance(func::FuncOp callee, TypeRange inputs,
                                    TypeRange results) {
  TypeSubstitution substitution;
  (void)findInstance(callee, inputs, results, substitution);
  return substitution;
}

/// Copies what a function consists of to where `builder` is, for a call at
/// `loc`. Returns what it returns.
static SmallVector<Value> copyBody(OpBuilder &builder, Location loc,
                                   func::FuncOp callee, ValueRange args,
                                   const TypeSubstitution &substitution,
                                   SmallVectorImpl<Operation *> &copies) {
  IRMapping mapping;
  Block &body = callee.getBody().front();
  for (auto [param, arg] : llvm::zip_equal(body.getArguments(), args))
    mapping.map(param, ascribe(builder, arg,
                               substituteTypes(param.getType(), substitution)));
  for (Operation &op : body.without_terminator()) {
    Operation *copy = copies.emplace_back(builder.clone(op, mapping));
    if (!substitution.empty())
      substituteTypesIn(copy, substitution);
    copy->walk([&](Operation *inner) {
      inner->setLoc(CallSiteLoc::get(inner->getLoc(), loc));
    });
  }
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Makes a closure that is a copy of a function.
static FnOp makeClosure(OpBuilder &builder, Location loc, func::FuncOp callee,
                        const TypeSubstitution &substitution,
                        ArrayRef<StringAttr> typeParams) {
  auto type = cast<FunctionType>(
      substituteTypes(callee.getFunctionType(), substitution));
  auto fn = FnOp::create(builder, loc, type, /*recursive=*/false, typeParams);
  if (ArrayAttr attrs = callee.getArgAttrsAttr())
    fn.setArgAttrsAttr(attrs);
  copyFunctionAttrs(callee, fn);
  fn->removeAttr(kInlineAttrName);
  OpBuilder inner = OpBuilder::atBlockEnd(&fn.getBody().front());
  SmallVector<Operation *> copies;
  SmallVector<Value> results =
      copyBody(inner, loc, callee, ValueRange(fn.getBody().getArguments()),
               substitution, copies);
  YieldOp::create(inner, callee.getLoc(),
                  ascribe(inner, results.front(), type.getResult(0)));
  return fn;
}

namespace {

struct InlineFunctionsPass
    : relay::impl::InlineFunctionsPassBase<InlineFunctionsPass> {
  using Base::Base;

  void runOnOperation() override {
    symbols.emplace(getOperation());
    std::vector<CallCycle> cycles = getCalleesFirst(getOperation());
    for (const CallCycle &cycle : cycles)
      if (!cycle.recursive && canBeInlined(cycle.functions.front()))
        inlinable.insert(cycle.functions.front());
    if (inlinable.empty())
      return;
    getOperation().walk([&](Operation *op) { countUse(op, 1); });
    // What others refer to is used for ever.
    if (auto uses = SymbolTable::getSymbolUses(&getOperation().getBodyRegion()))
      for (SymbolTable::SymbolUse use : *uses)
        if (!isa<CallOp, GlobalOp>(use.getUser()))
          if (auto function = symbols->lookup<func::FuncOp>(
                  use.getSymbolRef().getRootReference()))
            ++numUses[function];
    for (const CallCycle &cycle : llvm::reverse(cycles))
      for (func::FuncOp function : cycle.functions) {
        if (inlined.contains(function) && numUses.lookup(function) == 0 &&
            (!all || function.isPrivate()))
          remove(function);
        else if (isOptimizable(function))
          inlineInto(function);
      }
  }

private:
  bool canBeInlined(func::FuncOp function) {
    if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
      return false;
    if (all)
      return !isCompiledAsItIs(function);
    if (!function->hasAttr(kInlineAttrName) ||
        function->hasAttr(kPrimitiveAttrName))
      return false;
    // Nothing is left of what it calls.
    WalkResult walk = function.walk([&](Operation *op) {
      func::FuncOp callee = getUsed(op);
      bool stays = callee || isa<CallOp>(op);
      if (callee && inlinable.contains(callee) && isOptimizable(function))
        stays = (isa<GlobalOp>(op) || isClosedUnit(callee)) &&
                callee.getNumResults() != 1;
      return stays ? WalkResult::interrupt() : WalkResult::advance();
    });
    return !walk.wasInterrupted();
  }

  /// The function that an operation calls, or is the name of; null if it is
  /// neither.
  func::FuncOp getUsed(Operation *op) {
    if (auto call = dyn_cast<CallOp>(op))
      return symbols->lookup<func::FuncOp>(call.getCallee());
    if (auto global = dyn_cast<GlobalOp>(op))
      return symbols->lookup<func::FuncOp>(
          global.getSymbol().getRootReference());
    return nullptr;
  }

  void countUse(Operation *op, int change) {
    if (func::FuncOp used = getUsed(op))
      numUses[used] += change;
  }

  void remove(func::FuncOp function) {
    function.walk([&](Operation *op) { countUse(op, -1); });
    symbols->erase(function);
    ++numRemoved;
  }

  /// What is copied has uses of its own, which come next.
  void inlineInto(func::FuncOp function) {
    SmallVector<Operation *> uses, copies;
    auto collect = [&](Operation *root, int change) {
      root->walk([&](Operation *op) {
        if (!isa<CallOp, GlobalOp>(op))
          return;
        uses.push_back(op);
        countUse(op, change);
      });
    };
    collect(function, 0);
    while (!uses.empty()) {
      Operation *op = uses.pop_back_val();
      func::FuncOp callee = getUsed(op);
      if (!callee || !inlinable.contains(callee))
        continue;
      copies.clear();
      bool isInlined = isa<CallOp>(op)
                           ? inlineCall(cast<CallOp>(op), callee, copies)
                           : inlineName(cast<GlobalOp>(op), callee, copies);
      if (!isInlined)
        continue;
      --numUses[callee];
      inlined.insert(callee);
      ++numInlined;
      for (Operation *copy : copies)
        collect(copy, 1);
    }
  }

  bool inlineCall(CallOp call, func::FuncOp callee,
                  SmallVectorImpl<Operation *> &copies) {
    OpBuilder builder(call);
    TypeSubstitution substitution =
        getInstance(callee, call.getOperandTypes(), call.getResultTypes());
    SmallVector<Value> results;
    // Compilation has no other code of what is somebody's (Extern).
    if (!all && isClosedUnit(callee)) {
      if (callee.getNumResults() != 1)
        return false;
      FnOp fn = makeClosure(builder, call.getLoc(), callee, substitution, {});
      copies.push_back(fn);
      results.push_back(
          CallIndirectOp::create(builder, call.getLoc(),
                                 fn.getFunctionType().getResult(0),
                                 fn.getResult(), call.getOperands(),
                                 /*arg_attrs=*/ArrayAttr(),
                                 /*res_attrs=*/ArrayAttr())
              .getResult());
    } else {
      results = copyBody(builder, call.getLoc(), callee, call.getOperands(),
                         substitution, copies);
    }
    for (auto [old, value] : llvm::zip_equal(call.getResults(), results))
      old.replaceAllUsesWith(ascribe(builder, value, old.getType()));
    call.erase();
    return true;
  }

  bool inlineName(GlobalOp global, func::FuncOp callee,
                  SmallVectorImpl<Operation *> &copies) {
    // Calls of names are those of closures.
    if (all || callee.getNumResults() != 1)
      return false;
    OpBuilder builder(global);
    Type type = global.getResult().getType();
    FunctionType body = getFunctionBody(type);
    // The name of something polymorphic is that as well, or it is an instance.
    TypeSubstitution substitution;
    ArrayRef<StringAttr> params;
    if (isa<ForallType>(type))
      params = relay::getTypeParams(getValueType(callee));
    else
      substitution = getInstance(callee, body.getInputs(), body.getResults());
    FnOp fn =
        makeClosure(builder, global.getLoc(), callee, substitution, params);
    global.replaceAllUsesWith(ascribe(builder, fn.getResult(), type));
    global.erase();
    copies.push_back(fn);
    return true;
  }

  std::optional<SymbolTable> symbols;
  DenseMap<Operation *, int> numUses;
  DenseSet<Operation *> inlinable, inlined;
};

} // namespace
