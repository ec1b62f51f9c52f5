//===- OperatorSchema.cpp - What operators take ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "relay-mlir/Dialect/Relay/IR/AddedOperators.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;

// The tables, a namespace for each family, and the list of the families.
#include "relay-mlir/Dialect/Relay/IR/RelayOperatorFamilies.inc"

namespace {

struct Registry {
  Registry() {
    auto add = [&](ArrayRef<OperatorSchema> family) {
      for (const OperatorSchema &schema : family) {
        schemas.push_back(&schema);
        byName[schema.name] = &schema;
      }
    };
#define RELAY_OPERATOR_FAMILY(family) add(family_##family::kOperators);
#include "relay-mlir/Dialect/Relay/IR/RelayOperatorFamilies.inc"
    llvm::sort(schemas,
               [](auto *lhs, auto *rhs) { return lhs->name < rhs->name; });
  }

  std::vector<const OperatorSchema *> schemas;
  llvm::StringMap<const OperatorSchema *> byName;
};

} // namespace

static const Registry &getRegistry() {
  static const Registry registry;
  return registry;
}

ArrayRef<const OperatorSchema *> relay::getOperatorSchemas() {
  return getRegistry().schemas;
}

const OperatorSchema *relay::getOperatorSchema(StringRef name) {
  if (const OperatorSchema *schema = getRegistry().byName.lookup(name))
    return schema;
  return detail::lookupAddedSchema(name);
}

const OperatorSchema *relay::getOperatorSchema(Operation *op) {
  if (auto apply = dyn_cast<ApplyOp>(op))
    return detail::lookupAddedSchema(apply.getName());
  StringRef name = op->getName().getStringRef();
  return name.consume_front("relay.") ? getRegistry().byName.lookup(name)
                                      : nullptr;
}

const AttributeSchema *OperatorSchema::lookupAttribute(StringRef name) const {
  for (const AttributeSchema &attribute : attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

unsigned OperatorSchema::getMinArguments() const {
  return llvm::count_if(operands, [](const OperandSchema &operand) {
    return operand.kind == OperandKind::Single ||
           operand.kind == OperandKind::Tuple;
  });
}

std::optional<unsigned> OperatorSchema::getMaxArguments() const {
  if (llvm::any_of(operands, [](const OperandSchema &operand) {
        return operand.kind == OperandKind::Variadic;
      }))
    return std::nullopt;
  return operands.size();
}

Attribute AttributeSchema::getDefault(MLIRContext *context) const {
  if (presence == AttrPresence::Required || presence == AttrPresence::Nullable)
    return {};
  Builder builder(context);
  if (presence == AttrPresence::Optional)
    return builder.getUnitAttr();
  auto getInt = [&](int64_t value) -> Attribute {
    return llvm::isInt<32>(value) ? builder.getI32IntegerAttr(value)
                                  : builder.getI64IntegerAttr(value);
  };
  auto getFloat = [&](double value) -> Attribute {
    return builder.getF64FloatAttr(value);
  };
  switch (kind) {
  case AttrKind::Bool:
    return builder.getBoolAttr(defaultInts.front());
  case AttrKind::Int:
    return getInt(defaultInts.front());
  case AttrKind::Float:
    return getFloat(defaultFloats.front());
  case AttrKind::String:
  case AttrKind::DType:
    return builder.getStringAttr(defaultText);
  case AttrKind::Ints:
  case AttrKind::Pairs:
  case AttrKind::IntOrInts:
    return builder.getArrayAttr(llvm::map_to_vector(defaultInts, getInt));
  case AttrKind::Floats:
    return builder.getArrayAttr(llvm::map_to_vector(defaultFloats, getFloat));
  case AttrKind::Other:
    return builder.getDictionaryAttr({});
  }
  llvm_unreachable("unknown kind");
}
