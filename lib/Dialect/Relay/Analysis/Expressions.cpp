//===- Expressions.cpp - Operations as expressions of Relay ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/Expressions.h"

#include <utility>
#include <vector>

using namespace mlir;
using namespace mlir::relay;

LetOp relay::getBinding(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (user->getBlock() != value.getParentBlock())
      return nullptr;
    if (auto let = dyn_cast<LetOp>(user))
      return let;
    if (!isa<AscribeOp>(user))
      return nullptr;
    value = user->getResult(0);
  }
  return nullptr;
}

Value relay::getWholeTuple(ValueRange fields) {
  Value tuple;
  for (auto [index, field] : llvm::enumerate(fields)) {
    auto item = field.getDefiningOp<TupleGetItemOp>();
    if (!item || item.getIndex() != static_cast<int64_t>(index) ||
        (tuple && tuple != item.getTuple()))
      return nullptr;
    tuple = item.getTuple();
  }
  auto type = dyn_cast_if_present<TupleType>(tuple ? tuple.getType() : Type());
  return type && type.size() == fields.size() ? tuple : nullptr;
}

void RegionScopes::visit(Region &outermost,
                         function_ref<Region *(Operation *)> place) {
  std::vector<std::pair<Block *, Block::reverse_iterator>> stack;
  auto enter = [&](Region &region, Region *parent, unsigned depth) {
    scopes[&region] = {parent, depth};
    // Operations of other dialects may have regions without a block.
    if (region.empty())
      return;
    stack.emplace_back(&region.front(), region.front().rbegin());
  };
  enter(outermost, nullptr, 0);
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == block->rend()) {
      stack.pop_back();
      continue;
    }
    Operation *op = &*next++;
    Region *region = place(op);
    if (!region)
      continue;
    unsigned depth = scopes.lookup(region).depth + 1;
    for (Region &inner : op->getRegions())
      enter(inner, region, depth);
  }
}

Region *RegionScopes::getCommon(Region *a, Region *b) const {
  while (a != b) {
    if (scopes.lookup(a).depth >= scopes.lookup(b).depth)
      a = scopes.lookup(a).parent;
    else
      b = scopes.lookup(b).parent;
  }
  return a;
}
