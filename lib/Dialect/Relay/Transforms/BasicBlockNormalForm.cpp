//===- BasicBlockNormalForm.cpp - Bind what several regions use -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/Analysis/Expressions.h"

#include "Functional.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::relay {
#define GEN_PASS_DEF_TOBASICBLOCKNORMALFORMPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Finds the region to which each operation belongs, and the values that more
/// than one region uses.
class Places {
public:
  explicit Places(func::FuncOp function) {
    scopes.visit(function.getBody(), [&](Operation *op) { return place(op); });
  }

  /// Whether the uses of a value are in several regions.
  bool isShared(OpResult value) const { return shared.contains(value); }

private:
  Region *place(Operation *op) {
    Region *own = op->getParentRegion();
    Region *region = nullptr;
    for (OpResult result : op->getResults())
      if (Region *used = uses.lookup(result))
        region = region ? scopes.getCommon(region, used) : used;
    // Effects happen where they are written, and variables are bound there; a
    // value that several regions use becomes one. A check, too, is an effect.
    if (!region || isa<LetOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
        !isMemoryEffectFree(op) ||
        llvm::any_of(op->getResults(),
                     [&](OpResult result) { return shared.contains(result); }))
      region = own;
    for (Value operand : op->getOperands())
      use(operand, region);
    return region;
  }

  void use(Value value, Region *region) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return;
    Region *&known = uses[result];
    if (!known) {
      known = region;
    } else if (known != region) {
      known = scopes.getCommon(known, region);
      shared.insert(result);
    }
  }

  DenseMap<Value, Region *> uses;
  DenseSet<Value> shared;
  RegionScopes scopes;
};

struct ToBasicBlockNormalFormPass
    : relay::impl::ToBasicBlockNormalFormPassBase<ToBasicBlockNormalFormPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isOptimizable(function))
        run(function);
  }

private:
  void run(func::FuncOp function) {
    Places places(function);
    NameCounter names(&getContext());
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isNamedValue(op))
        return WalkResult::skip();
      if (!isa<LetOp>(op))
        for (OpResult result : op->getResults())
          if (places.isShared(result))
            bind(result, names);
      return isa<FnOp>(op) && isClosedUnit(op) ? WalkResult::skip()
                                               : WalkResult::advance();
    });
  }

  void bind(OpResult value, NameCounter &names) {
    Operation *op = value.getOwner();
    // Its variable, if it has one, is bound at once.
    LetOp let;
    for (Operation *user : value.getUsers())
      if (auto found = dyn_cast<LetOp>(user);
          found && found->getBlock() == op->getBlock() && !let)
        let = found;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    if (let)
      let->moveAfter(op);
    else
      let = LetOp::create(builder, op->getLoc(), value.getType(), names.next(),
                          value);
    value.replaceAllUsesExcept(let.getResult(), let);
    ++numBound;
  }
};

} // namespace
