//===- AddedOperators.cpp - Operators that programs add -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/AddedOperators.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/RWMutex.h"

#include <deque>

using namespace mlir;
using namespace mlir::relay;

namespace {

/// An operator and the views of it that a schema is made of.
struct Entry {
  explicit Entry(AddedOperator added) : op(std::move(added)) {
    auto acceptsAll = [](Type) { return true; };
    if (op.operands)
      for (const std::string &operand : *op.operands)
        operands.push_back(
            {operand, relay::OperandKind::Single, acceptsAll, "a value"});
    else
      operands.push_back(
          {"args", relay::OperandKind::Variadic, acceptsAll, "a value"});
    schema = {op.name,
              op.summary,
              /*description=*/"",
              operands,
              /*attributes=*/{},
              /*takesAnyAttribute=*/true};
  }

  AddedOperator op;
  std::vector<OperandSchema> operands;
  OperatorSchema schema;
};

/// Entries stay where they are, replaced ones too: somebody may look at them.
struct Registry {
  llvm::sys::RWMutex mutex;
  std::deque<Entry> entries;
  llvm::StringMap<const Entry *> byName;
};

} // namespace

/// Never freed: functions of an entry may belong to an interpreter of Python,
/// which has gone by then.
static Registry &getRegistry() {
  static auto *registry = new Registry();
  return *registry;
}

static const Entry *lookup(StringRef name) {
  Registry &registry = getRegistry();
  llvm::sys::ScopedReader lock(registry.mutex);
  return registry.byName.lookup(name);
}

LogicalResult relay::addOperator(AddedOperator op) {
  const OperatorSchema *schema = getOperatorSchema(op.name);
  if (schema && !schema->takesAnyAttribute)
    return failure();
  Registry &registry = getRegistry();
  llvm::sys::ScopedWriter lock(registry.mutex);
  const Entry &entry = registry.entries.emplace_back(std::move(op));
  registry.byName[entry.op.name] = &entry;
  return success();
}

const AddedOperator *relay::lookupAddedOperator(StringRef name) {
  const Entry *entry = lookup(name);
  return entry ? &entry->op : nullptr;
}

const OperatorSchema *relay::detail::lookupAddedSchema(StringRef name) {
  const Entry *entry = lookup(name);
  return entry ? &entry->schema : nullptr;
}
