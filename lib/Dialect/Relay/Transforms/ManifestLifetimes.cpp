//===- ManifestLifetimes.cpp - Say where variables end --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"
#include "VariableUses.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"

namespace mlir::relay {
#define GEN_PASS_DEF_MANIFESTLIFETIMESPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The value behind marks, and copies that stay where they are.
static Value getUnmarked(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto copy = dyn_cast<DeviceCopyOp>(op);
    bool stays = copy && copy.getSrcVirtualDeviceAttr() ==
                             copy.getDstVirtualDeviceAttr();
    if (!stays && !isa<OnDeviceOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {

struct ManifestLifetimesPass final
    : relay::impl::ManifestLifetimesPassBase<ManifestLifetimesPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!isOptimizable(getOperation()))
      return markAllAnalysesPreserved();
    // They would be uses of what ends.
    eraseKills(getOperation());
    removeAliases();
    SmallVector<Operation *> functions{getOperation()};
    getOperation().walk<WalkOrder::PreOrder>([&](FnOp fn) {
      if (isClosedUnit(fn) || isOperatorValue(fn))
        return WalkResult::skip();
      functions.push_back(fn);
      return WalkResult::advance();
    });
    for (Operation *function : functions) {
      VariableUses uses(function, /*throughTuples=*/false);
      for (Value variable : uses.getVariables())
        findEnds(variable, variable.getParentBlock(), uses);
    }
    insertKills();
  }

private:
  void removeAliases();
  void findEnds(Value variable, Block *block, const VariableUses &uses);
  void insertKills();

  /// Which variables end where, by the binding behind which they do.
  SmallVector<std::pair<LetOp, Value>> ends;
};

} // namespace

/// Replaces variables for other variables by those.
void ManifestLifetimesPass::removeAliases() {
  SmallVector<LetOp> aliases;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto let = dyn_cast<LetOp>(op)) {
      Value source = getUnmarked(let.getValue());
      if (isVariable(source) && source.getType() == let.getType()) {
        let.getResult().replaceAllUsesWith(source);
        aliases.push_back(let);
      }
    }
    auto match = dyn_cast<MatchOp>(op);
    if (!match || !isVariable(match.getValue()))
      return;
    for (auto [pattern, region] :
         llvm::zip_equal(match.getPatterns(), match.getCases()))
      if (isa<VarPatternAttr>(pattern))
        region.getArgument(0).replaceAllUsesWith(match.getValue());
  });
  for (LetOp let : aliases) {
    Operation *source = let.getValue().getDefiningOp();
    let.erase();
    // Marks that are around nothing any more.
    while (isa_and_present<OnDeviceOp, DeviceCopyOp>(source) &&
           source->use_empty()) {
      Operation *next = source->getOperand(0).getDefiningOp();
      source->erase();
      source = next;
    }
  }
}

/// Finds where a variable ends that is not used behind `block`.
void ManifestLifetimesPass::findEnds(Value variable, Block *block,
                                     const VariableUses &uses) {
  Operation *op = uses.getLast(variable, block);
  if (!op)
    return;
  if (!isa<FnOp>(op)) {
    bool isInBranch = false;
    for (Region &region : op->getRegions())
      if (uses.getLast(variable, &region.front())) {
        isInBranch = true;
        findEnds(variable, &region.front(), uses);
      }
    if (isInBranch)
      return;
  }
  // Behind the binding of what is computed from it; a result has none.
  while (op && !isa<LetOp>(op))
    op = op->getNextNode();
  if (op)
    ends.emplace_back(cast<LetOp>(op), variable);
}

void ManifestLifetimesPass::insertKills() {
  // Each goes behind its binding, so that the first one comes last.
  for (auto [let, variable] : llvm::reverse(ends)) {
    OpBuilder builder(let->getContext());
    builder.setInsertionPointAfter(let);
    auto kill = MemoryKillOp::create(
        builder, let.getLoc(), TupleType::get(let->getContext()), variable);
    LetOp::create(builder, let.getLoc(), "_", kill.getResult());
  }
  numKills += ends.size();
  ends.clear();
}
