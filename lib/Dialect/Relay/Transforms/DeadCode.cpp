//===- DeadCode.cpp - Remove what is not used -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::relay {
#define GEN_PASS_DEF_DEADCODEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Tells which functions do nothing but compute their results.
class Purity {
public:
  explicit Purity(ModuleOp module) : symbols(module) {}

  bool isPure(CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    return callee && isPure(callee);
  }

private:
  bool isPure(func::FuncOp function) {
    // A function that is being looked at calls itself; that adds nothing.
    auto [known, isNew] = functions.try_emplace(function, true);
    if (!isNew)
      return known->second;
    bool pure =
        !function.isExternal() &&
        !function
             .walk([&](Operation *op) {
               auto call = dyn_cast<CallOp>(op);
               bool ok = op == function ||
                         op->hasTrait<OpTrait::IsTerminator>() ||
                         (call ? isPure(call) : isMemoryEffectFree(op));
               return ok ? WalkResult::advance() : WalkResult::interrupt();
             })
             .wasInterrupted();
    functions[function] = pure;
    return pure;
  }

  SymbolTable symbols;
  DenseMap<func::FuncOp, bool> functions;
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
      auto call = dyn_cast<CallOp>(op);
      if (!isOpTriviallyDead(&op) &&
          !(call && call.use_empty() && purity.isPure(call)))
        continue;
      op.erase();
      ++numOperations;
    }
  }

  void removeUnreachableFunctions() {
    SymbolTable symbols(getOperation());
    DenseSet<Operation *> reached;
    SmallVector<Operation *> worklist;
    // All but private functions of this form may be used from outside.
    for (Operation &op : getOperation().getOps()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function || !function.isPrivate()) {
        reached.insert(&op);
        worklist.push_back(&op);
      }
    }
    while (!worklist.empty()) {
      auto uses = SymbolTable::getSymbolUses(worklist.pop_back_val());
      if (!uses)
        return;
      for (SymbolTable::SymbolUse use : *uses) {
        Operation *symbol =
            symbols.lookup(use.getSymbolRef().getRootReference());
        if (symbol && reached.insert(symbol).second)
          worklist.push_back(symbol);
      }
    }
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!reached.contains(function)) {
        function.erase();
        ++numFunctions;
      }
  }
};

} // namespace
