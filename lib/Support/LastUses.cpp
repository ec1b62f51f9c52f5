//===- LastUses.cpp - Last uses of the values of a function ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/LastUses.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay;

LastUses::LastUses(Block &body, const Rules &rules) {
  SmallVector<Value> used;
  analyze(body, rules, used);
}

ArrayRef<Value> LastUses::getUnused(Block *region) const {
  auto it = unused.find(region);
  return it == unused.end() ? ArrayRef<Value>() : ArrayRef<Value>(it->second);
}

/// Walks a block backwards. Appends the values from outside that were not live
/// after the block, but are before it.
void LastUses::analyze(Block &block, const Rules &rules,
                       SmallVectorImpl<Value> &used) {
  SmallVector<Value> added;
  for (Operation &op : llvm::reverse(block)) {
    for (Value result : op.getResults())
      live.erase(result);
    if (rules.isBranch(op))
      analyzeRegions(op, rules, added);
    for (Value value : rules.getUsed(op))
      if (rules.isTracked(value) && live.insert(value).second) {
        uses.insert({&op, value});
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

void LastUses::analyzeRegions(Operation &op, const Rules &rules,
                              SmallVectorImpl<Value> &used) {
  llvm::SetVector<Value> all;
  SmallVector<SmallVector<Value>> usedBy;
  for (Region &region : op.getRegions()) {
    analyze(region.front(), rules, usedBy.emplace_back());
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
