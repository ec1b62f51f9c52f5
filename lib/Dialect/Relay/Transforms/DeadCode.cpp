//===- DeadCode.cpp - Remove what is not used -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/Analysis/CallGraph.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::relay {
#define GEN_PASS_DEF_DEADCODEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Tells which functions and operations do nothing but compute their results.
class Purity {
public:
  explicit Purity(ModuleOp module) : symbols(module) {
    for (const CallCycle &cycle : getCalleesFirst(module)) {
      func::FuncOp function = cycle.functions.front();
      // One that calls itself need not come to an end.
      if (!cycle.recursive && !function.isExternal() &&
          llvm::all_of(function.getBody(),
                       [&](Block &block) { return isPure(block); }))
        pureFunctions.insert(function);
    }
  }

  bool isPure(Operation &op) {
    if (auto call = dyn_cast<CallOp>(op))
      return pureFunctions.contains(
          symbols.lookup<func::FuncOp>(call.getCallee()));
    // What a closure does it does where it is called.
    if (op.hasTrait<OpTrait::IsTerminator>() || isa<FnOp>(op))
      return true;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (effects && !effects.hasNoEffect())
      return false;
    if (!op.hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return effects != nullptr;
    return llvm::all_of(op.getRegions(), [&](Region &region) {
      return llvm::all_of(region, [&](Block &block) { return isPure(block); });
    });
  }

private:
  bool isPure(Block &block) {
    return llvm::all_of(block, [&](Operation &op) { return isPure(op); });
  }

  SymbolTable symbols;
  DenseSet<Operation *> pureFunctions;
};

struct DeadCodePass : relay::impl::DeadCodePassBase<DeadCodePass> {
  using DeadCodePassBase::DeadCodePassBase;

  void runOnOperation() override {
    Purity purity(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        removeDeadOperations(block, purity);
    removeUnreachableFunctions();
  }

private:
  void removeDeadOperations(Block &block, Purity &purity) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          removeDeadOperations(inner, purity);
      if (auto let = dyn_cast<LetOp>(op); let && inlineOnce)
        inlineUsedOnce(let, purity);
      if (!isOpTriviallyDead(&op) &&
          !(op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>() &&
            (ignoreImpurity || purity.isPure(op))))
        continue;
      op.erase();
      ++numOperations;
    }
  }

  /// An inner function may be called many times, and each call would evaluate
  /// the value again.
  void inlineUsedOnce(LetOp let, Purity &purity) {
    Operation *value = let.getValue().getDefiningOp();
    if (!let->hasOneUse() ||
        let->user_begin()->getParentOfType<FnOp>() !=
            let->getParentOfType<FnOp>() ||
        (value && !ignoreImpurity && !purity.isPure(*value)))
      return;
    // Only a variable can name a function that calls itself.
    if (auto fn = dyn_cast_if_present<FnOp>(value); fn && fn.getRecursive())
      return;
    let.replaceAllUsesWith(let.getValue());
  }

  void removeUnreachableFunctions() {
    // All but private functions may be used from outside.
    SmallVector<Operation *> roots;
    for (Operation &op : getOperation().getOps())
      if (auto function = dyn_cast<func::FuncOp>(op);
          !function || !function.isPrivate())
        roots.push_back(&op);
    numFunctions += eraseUnreachableFunctions(getOperation(), roots);
  }
};

} // namespace
