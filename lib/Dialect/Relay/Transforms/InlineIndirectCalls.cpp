//===- InlineIndirectCalls.cpp - Calls of functions that are known --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

#include "relay-mlir/Dialect/Relay/Analysis/CallGraph.h"
#include "relay-mlir/Support/PassOptions.h"

namespace mlir::relay {
#define GEN_PASS_DEF_INLINEINDIRECTCALLSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

struct InlineIndirectCallsPass final
    : relay::impl::InlineIndirectCallsPassBase<InlineIndirectCallsPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return relay::checkRange<int64_t>(context, maxOperations, 0);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    symbols.emplace(module);
    recursive.clear();
    for (const CallCycle &cycle : getCalleesFirst(module))
      if (cycle.recursive)
        recursive.insert(cycle.functions.begin(), cycle.functions.end());
    for (auto function : module.getOps<func::FuncOp>())
      if (isOptimizable(function) && failed(inlineInto(function)))
        return signalPassFailure();
  }

private:
  /// The block of the function that is called, if it is known and may be
  /// inlined; null if not.
  Block *getBody(CallIndirectOp call) {
    Operation *callee = call.getCallee().getDefiningOp();
    if (auto fn = dyn_cast_if_present<FnOp>(callee))
      return isLiteral(fn) && !isClosedUnit(fn) ? &fn.getBody().front()
                                                : nullptr;
    auto global = dyn_cast_if_present<GlobalOp>(callee);
    if (!global)
      return nullptr;
    auto function =
        symbols->lookup<func::FuncOp>(global.getSymbol().getRootReference());
    bool mayInline =
        function && isOptimizable(function) && function.getNumResults() == 1 &&
        !recursive.contains(function) && !isa<ForallType>(global.getType());
    return mayInline ? &function.getBody().front() : nullptr;
  }

  LogicalResult inlineInto(func::FuncOp function) {
    // Inner ones first, so that what is copied has few calls left.
    SmallVector<CallIndirectOp> calls;
    function.walk([&](CallIndirectOp call) { calls.push_back(call); });
    std::reverse(calls.begin(), calls.end());
    int64_t numCopies = 0;
    while (!calls.empty()) {
      CallIndirectOp call = calls.pop_back_val();
      Block *body = getBody(call);
      if (!body)
        continue;
      Location loc = call.getLoc();
      Operation *callee = call.getCallee().getDefiningOp();
      SmallVector<Operation *> copies =
          inlineBlock(call, call.getArgs(), *body);
      if (callee->use_empty())
        callee->erase();
      ++numInlined;
      size_t known = calls.size();
      for (Operation *copy : copies)
        copy->walk([&](Operation *op) {
          ++numCopies;
          if (auto inner = dyn_cast<CallIndirectOp>(op))
            calls.push_back(inner);
        });
      std::reverse(calls.begin() + known, calls.end());
      if (numCopies > maxOperations)
        return emitError(loc)
               << "expects calls of closures in @" << function.getSymName()
               << " that stand for at most " << maxOperations.getValue()
               << " operations once inlined, but got more; does each closure "
                  "call the one before several times?";
    }
    return success();
  }

  std::optional<SymbolTable> symbols;
  DenseSet<func::FuncOp> recursive;
};

} // namespace
