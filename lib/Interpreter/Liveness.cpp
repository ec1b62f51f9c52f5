//===- Liveness.cpp - Last uses of the values of a function ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Liveness.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay;

SmallVector<Value> mlir::relay::getUsedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (auto fn = dyn_cast<FnOp>(op)) {
    llvm::SetVector<Value> captures;
    getUsedValuesDefinedAbove(fn.getBodyRegion(), captures);
    llvm::append_range(values, captures);
  }
  return values;
}

FrameLiveness::FrameLiveness(Block &body, function_ref<bool(Value)> isInFrame)
    : isInFrame(isInFrame) {
  SmallVector<Value> used;
  analyze(body, used);
}

ArrayRef<Value> FrameLiveness::getUnused(Block *branch) const {
  auto it = unused.find(branch);
  return it == unused.end() ? ArrayRef<Value>() : ArrayRef<Value>(it->second);
}

/// Walks a block backwards. Appends the values from outside that were not live
/// after the block, but are before it.
void FrameLiveness::analyze(Block &block, SmallVectorImpl<Value> &used) {
  SmallVector<Value> added;
  for (Operation &op : llvm::reverse(block)) {
    for (Value result : op.getResults())
      live.erase(result);
    if (isa<IfOp, MatchOp>(op))
      analyzeRegions(op, added);
    for (Value value : getUsedValues(&op))
      if (isInFrame(value) && live.insert(value).second) {
        lastUses.insert({&op, value});
        added.push_back(value);
      }
  }
  for (Value argument : block.getArguments())
    live.erase(argument);
  // What the block defines is not live any more.
  for (Value value : added)
    if (live.contains(value))
      used.push_back(value);
}

void FrameLiveness::analyzeRegions(Operation &op,
                                   SmallVectorImpl<Value> &used) {
  llvm::SetVector<Value> all;
  SmallVector<SmallVector<Value>> usedBy;
  for (Region &region : op.getRegions()) {
    analyze(region.front(), usedBy.emplace_back());
    all.insert_range(usedBy.back());
    // The other regions do not run after this one.
    for (Value value : usedBy.back())
      live.erase(value);
  }
  for (auto [region, values] : llvm::zip_equal(op.getRegions(), usedBy)) {
    if (values.size() == all.size())
      continue;
    DenseSet<Value> own(values.begin(), values.end());
    SmallVector<Value> &others = unused[&region.front()];
    for (Value value : all)
      if (!own.contains(value))
        others.push_back(value);
  }
  live.insert_range(all);
  llvm::append_range(used, all);
}
