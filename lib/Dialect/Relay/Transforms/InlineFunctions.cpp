//===- InlineFunctions.cpp - Bodies in place of calls ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

#include "relay-mlir/Dialect/Relay/Analysis/CallGraph.h"

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

/// Copies what a function consists of to where `builder` is. Returns what it
/// returns.
static SmallVector<Value> copyBody(OpBuilder &builder, func::FuncOp callee,
                                   ValueRange args,
                                   const TypeSubstitution &substitution) {
  IRMapping mapping;
  Block &body = callee.getBody().front();
  for (auto [param, arg] : llvm::zip_equal(body.getArguments(), args))
    mapping.map(param, ascribe(builder, arg,
                               substituteTypes(param.getType(), substitution)));
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    if (!substitution.empty())
      substituteTypesIn(copy, substitution);
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
  SmallVector<Value> results = copyBody(
      inner, callee, ValueRange(fn.getBody().getArguments()), substitution);
  YieldOp::create(inner, callee.getLoc(),
                  ascribe(inner, results.front(), type.getResult(0)));
  return fn;
}

namespace {

struct InlineFunctionsPass
    : relay::impl::InlineFunctionsPassBase<InlineFunctionsPass> {
  void runOnOperation() override {
    symbols.emplace(getOperation());
    for (const CallCycle &cycle : getCalleesFirst(getOperation()))
      for (func::FuncOp function : cycle.functions) {
        if (isOptimizable(function))
          inlineInto(function);
        if (!cycle.recursive && canBeInlined(function))
          leaves.insert(function);
      }
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (Operation *function : llvm::reverse(inlined))
      if (users.useEmpty(function)) {
        symbols->erase(function);
        ++numRemoved;
      }
  }

private:
  bool canBeInlined(func::FuncOp function) {
    if (!function->hasAttr(kInlineAttrName) || function.isExternal() ||
        !llvm::hasSingleElement(function.getBody()) ||
        function->hasAttr(kPrimitiveAttrName))
      return false;
    WalkResult walk = function.walk([&](Operation *op) {
      auto global = dyn_cast<GlobalOp>(op);
      return isa<CallOp>(op) ||
                     (global && symbols->lookup<func::FuncOp>(
                                    global.getSymbol().getRootReference()))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return !walk.wasInterrupted();
  }

  func::FuncOp lookupLeaf(StringAttr name) {
    auto function = symbols->lookup<func::FuncOp>(name);
    return leaves.contains(function) ? function : func::FuncOp();
  }

  void inlineInto(func::FuncOp function) {
    SmallVector<Operation *> uses;
    function.walk([&](Operation *op) {
      if (isa<CallOp, GlobalOp>(op))
        uses.push_back(op);
    });
    for (Operation *op : uses) {
      if (auto call = dyn_cast<CallOp>(op)) {
        if (func::FuncOp callee = lookupLeaf(call.getCalleeAttr().getAttr()))
          inlineCall(call, callee);
      } else if (func::FuncOp callee = lookupLeaf(
                     cast<GlobalOp>(op).getSymbol().getRootReference())) {
        inlineName(cast<GlobalOp>(op), callee);
      }
    }
  }

  void inlineCall(CallOp call, func::FuncOp callee) {
    OpBuilder builder(call);
    TypeSubstitution substitution =
        getInstance(callee, call.getOperandTypes(), call.getResultTypes());
    SmallVector<Value> results;
    if (isClosedUnit(callee)) {
      if (callee.getNumResults() != 1)
        return;
      FnOp fn = makeClosure(builder, call.getLoc(), callee, substitution, {});
      results.push_back(
          CallIndirectOp::create(builder, call.getLoc(),
                                 fn.getFunctionType().getResult(0),
                                 fn.getResult(), call.getOperands(),
                                 /*arg_attrs=*/ArrayAttr(),
                                 /*res_attrs=*/ArrayAttr())
              .getResult());
    } else {
      results = copyBody(builder, callee, call.getOperands(), substitution);
    }
    for (auto [old, value] : llvm::zip_equal(call.getResults(), results))
      old.replaceAllUsesWith(ascribe(builder, value, old.getType()));
    call.erase();
    inlined.insert(callee);
    ++numInlined;
  }

  void inlineName(GlobalOp global, func::FuncOp callee) {
    if (callee.getNumResults() != 1)
      return;
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
    inlined.insert(callee);
    ++numInlined;
  }

  std::optional<SymbolTable> symbols;
  DenseSet<Operation *> leaves;
  llvm::SetVector<Operation *> inlined;
};

} // namespace
