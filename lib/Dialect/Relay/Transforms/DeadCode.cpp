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

/// Tells which functions, closures and operations do nothing but compute their
/// results. As in Relay, what comes back to itself counts as coming to an end.
class Purity {
public:
  explicit Purity(ModuleOp module);

  bool isPure(Operation &op);

private:
  /// Functions of the module and closures. Until `isImpure` is known of all,
  /// `callers` has who calls what.
  struct Callable {
    bool isImpure = false;
    SmallVector<Operation *, 1> callers;
  };

  /// Whether an operation has an effect, apart from what it calls and what its
  /// regions do.
  static bool hasOwnEffect(Operation &op);
  /// What may be called where `call` is; nothing if that is not known.
  std::optional<SmallVector<Operation *, 1>> getCallees(Operation &call);
  void addCalls(Operation &callable, Region &region);

  SymbolTable symbols;
  DenseMap<Operation *, Callable> callables;
};

} // namespace

Purity::Purity(ModuleOp module) : symbols(module) {
  SmallVector<Operation *> all;
  module.walk([&](Operation *op) {
    if (isa<func::FuncOp, FnOp>(op))
      all.push_back(op);
  });
  for (Operation *callable : all) {
    if (callable->getRegion(0).empty())
      callables[callable].isImpure = true;
    addCalls(*callable, callable->getRegion(0));
  }
  // Who calls what is impure is impure.
  SmallVector<Operation *> work = llvm::filter_to_vector(
      all, [&](Operation *op) { return callables[op].isImpure; });
  while (!work.empty())
    for (Operation *caller : callables[work.pop_back_val()].callers) {
      bool &isImpure = callables[caller].isImpure;
      if (!std::exchange(isImpure, true))
        work.push_back(caller);
    }
}

bool Purity::hasOwnEffect(Operation &op) {
  // A closure does nothing before it is called.
  if (isa<CallOp, CallIndirectOp, FnOp>(op) ||
      op.hasTrait<OpTrait::IsTerminator>())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !op.hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  // Nobody has what is new, such as a reference.
  return !effects.hasNoEffect() &&
         !effects.onlyHasEffect<MemoryEffects::Allocate>();
}

std::optional<SmallVector<Operation *, 1>> Purity::getCallees(Operation &call) {
  auto lookup = [&](SymbolRefAttr name) -> Operation * {
    return symbols.lookup<func::FuncOp>(name.getRootReference());
  };
  SmallVector<Operation *, 1> callees;
  if (auto direct = dyn_cast<CallOp>(call)) {
    Operation *callee = lookup(direct.getCalleeAttr());
    if (!callee)
      return std::nullopt;
    callees.push_back(callee);
    return callees;
  }
  SmallVector<Value> values = {cast<CallIndirectOp>(call).getCallee()};
  DenseSet<Value> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      // A closure by its own name.
      op = argument.getOwner()->getParentOp();
      auto fn = dyn_cast<FnOp>(op);
      if (!fn || fn.getSelf() != value)
        return std::nullopt;
      callees.push_back(op);
    } else if (isa<FnOp>(op)) {
      callees.push_back(op);
    } else if (auto let = dyn_cast<LetOp>(op)) {
      values.push_back(let.getValue());
    } else if (isa<IfOp>(op)) {
      for (Region &region : op->getRegions())
        values.push_back(region.front().getTerminator()->getOperand(0));
    } else if (auto global = dyn_cast<GlobalOp>(op)) {
      if (Operation *callee = lookup(global.getSymbolAttr()))
        callees.push_back(callee);
      else if (!isa_and_present<ConstructorOp>(
                   SymbolTable::lookupNearestSymbolFrom(
                       op, global.getSymbolAttr())))
        return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  return callees;
}

void Purity::addCalls(Operation &callable, Region &region) {
  for (Operation &op : region.getOps()) {
    if (isa<CallOp, CallIndirectOp>(op)) {
      if (auto callees = getCallees(op))
        for (Operation *callee : *callees)
          callables[callee].callers.push_back(&callable);
      else
        callables[&callable].isImpure = true;
    } else if (hasOwnEffect(op)) {
      callables[&callable].isImpure = true;
    }
    // Closures are for themselves.
    if (!isa<FnOp>(op))
      for (Region &inner : op.getRegions())
        addCalls(callable, inner);
  }
}

bool Purity::isPure(Operation &op) {
  if (isa<CallOp, CallIndirectOp>(op)) {
    auto callees = getCallees(op);
    return callees && llvm::none_of(*callees, [&](Operation *callee) {
             return callables[callee].isImpure;
           });
  }
  if (hasOwnEffect(op))
    return false;
  return isa<FnOp>(op) || llvm::all_of(op.getRegions(), [&](Region &region) {
           return llvm::all_of(region.getOps(),
                               [&](Operation &inner) { return isPure(inner); });
         });
}

namespace {

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
