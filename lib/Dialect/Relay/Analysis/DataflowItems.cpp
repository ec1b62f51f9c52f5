//===- DataflowItems.cpp - A pattern as the matcher has it ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataflowItems.h"

#include "relay-mlir/Dialect/Relay/Analysis/DataflowMatcher.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::dataflow;

using Kind = DFPattern::Kind;

OperatorAttributeFn
mlir::relay::dataflow::getOperatorAttributes(MLIRContext *context) {
  return [context](StringRef name, StringRef attribute) -> Attribute {
    if (attribute != "TOpPattern")
      return nullptr;
    // Operators of other dialects have their full name.
    std::string fullName = name.str();
    if (getOperatorSchema(name))
      fullName = (RelayDialect::getDialectNamespace() + "." + name).str();
    if (!RegisteredOperationName::lookup(fullName, context))
      return nullptr;
    Operation *op =
        Operation::create(OperationState(UnknownLoc::get(context), fullName));
    auto fusable = dyn_cast<FusionPatternOpInterface>(op);
    OpPatternKind kind =
        fusable ? fusable.getFusionPattern() : OpPatternKind::Opaque;
    op->destroy();
    return IntegerAttr::get(IntegerType::get(context, 32),
                            static_cast<int>(kind));
  };
}

StringRef Items::getOp(unsigned number) const {
  const DFPattern &pattern = *items[number].pattern;
  if (pattern.getKind() != Kind::Call)
    return {};
  const DFPattern &op = *pattern.parts.front();
  return op.getKind() == Kind::Op ? StringRef(op.name) : StringRef();
}

unsigned Items::addCall(unsigned op, unsigned lhs, unsigned rhs) {
  Item item;
  item.pattern =
      items[op].pattern->call({items[lhs].pattern, items[rhs].pattern});
  item.parts = {op, lhs, rhs};
  item.isSynthetic = true;
  item.isCommutative = items[op].pattern->name == "multiply";
  items.push_back(std::move(item));
  return items.size() - 1;
}

void Items::addOtherForms(unsigned number) {
  StringRef op = getOp(number);
  if (items[number].parts.size() != 3 || items[number].pattern->anyParts)
    return;
  auto [outer, lhs, rhs] = std::tuple(
      items[number].parts[0], items[number].parts[1], items[number].parts[2]);
  auto isCall = [&](unsigned part, StringRef name) {
    return getOp(part) == name && items[part].parts.size() == 3;
  };
  if (op == "divide" && isCall(lhs, "multiply")) {
    // (a * b) / c is b * (a / c) and a * (b / c).
    SmallVector<unsigned, 4> product = items[lhs].parts;
    for (unsigned i : {0, 1}) {
      unsigned quotient = addCall(outer, product[1 + i], rhs);
      unsigned form = addCall(product[0], product[2 - i], quotient);
      items[number].otherForms.push_back(form);
    }
  } else if (op == "multiply") {
    // (a / b) * c is (a * c) / b.
    for (auto [quotient, factor] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
      if (!isCall(quotient, "divide"))
        continue;
      SmallVector<unsigned, 4> parts = items[quotient].parts;
      unsigned product = addCall(outer, parts[1], factor);
      unsigned form = addCall(parts[0], product, parts[2]);
      items[number].otherForms.push_back(form);
    }
  }
  hasChoice |= !items[number].otherForms.empty();
}

Items::Items(const PatternPtr &root) {
  DenseMap<const DFPattern *, unsigned> numbers;
  visitPostOrder(root, [&](const PatternPtr &pattern) {
    for (const PatternPtr &part : pattern->parts)
      hasCycle |= !numbers.contains(part.get());
    numbers[pattern.get()] = items.size();
    Item item;
    item.pattern = pattern;
    items.push_back(std::move(item));
    patterns.push_back(pattern);
  });
  for (Item &item : items)
    for (const PatternPtr &part : item.pattern->parts)
      item.parts.push_back(numbers.lookup(part.get()));
  for (unsigned i = 0, e = patterns.size(); i != e; ++i) {
    StringRef op = getOp(i);
    items[i].isCommutative =
        (op == "add" || op == "multiply") && !items[i].pattern->anyParts;
    hasChoice |= items[i].isCommutative ||
                 items[i].pattern->getKind() == Kind::Alternative;
    hasDominator |= items[i].pattern->getKind() == Kind::Dominator;
    addOtherForms(i);
  }
  if (hasChoice || hasDominator)
    findShared();
}

void Items::findShared() {
  std::vector<unsigned> uses(items.size(), 0);
  for (const Item &item : items)
    for (ArrayRef<unsigned> parts :
         {ArrayRef(item.parts), ArrayRef(item.otherForms)})
      for (unsigned part : parts)
        ++uses[part];
  for (auto [number, item] : llvm::enumerate(items))
    if (uses[number] > 1 || hasCycle) {
      item.shared = shared.size();
      shared.push_back(number);
    }
  // Parts come first but for cycles and other forms, so that few rounds will
  // do.
  for (Item &item : items)
    item.sharedBelow.resize(shared.size());
  bool changed = true;
  while (changed) {
    changed = false;
    for (Item &item : items) {
      unsigned before = item.sharedBelow.count();
      for (ArrayRef<unsigned> parts :
           {ArrayRef(item.parts), ArrayRef(item.otherForms)})
        for (unsigned part : parts) {
          item.sharedBelow |= items[part].sharedBelow;
          if (items[part].shared != kNone)
            item.sharedBelow.set(items[part].shared);
        }
      changed |= item.sharedBelow.count() != before;
    }
  }
}
