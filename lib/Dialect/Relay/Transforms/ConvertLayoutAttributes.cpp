//===- ConvertLayoutAttributes.cpp - Attributes with defaults -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertLayoutAttributes.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relay;

static const AttributeSchema *lookupSchema(Operation *op, StringRef name) {
  const OperatorSchema *schema = getOperatorSchema(op);
  return schema ? schema->lookupAttribute(name) : nullptr;
}

std::optional<int64_t> relay::detail::getInt(Operation *op, StringRef name) {
  if (auto attr = op->getAttrOfType<IntegerAttr>(name))
    return attr.getValue().getSExtValue();
  const AttributeSchema *schema = lookupSchema(op, name);
  if (!schema || schema->defaultInts.size() != 1)
    return std::nullopt;
  return schema->defaultInts.front();
}

std::optional<SmallVector<int64_t>> relay::detail::getInts(Operation *op,
                                                           StringRef name) {
  if (auto attr = op->getAttrOfType<DenseI64ArrayAttr>(name))
    return llvm::to_vector(attr.asArrayRef());
  const AttributeSchema *schema = lookupSchema(op, name);
  if (!schema || schema->presence != AttrPresence::Default)
    return std::nullopt;
  return llvm::to_vector(schema->defaultInts);
}

bool relay::detail::getBool(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<BoolAttr>(name);
  return attr && attr.getValue();
}

StringRef relay::detail::getString(Operation *op, StringRef name) {
  if (auto attr = op->getAttrOfType<StringAttr>(name))
    return attr.getValue();
  const AttributeSchema *schema = lookupSchema(op, name);
  return schema ? schema->defaultText : StringRef();
}

void relay::detail::setInt(Operation *op, StringRef name, int64_t value) {
  op->setAttr(name, Builder(op->getContext()).getI64IntegerAttr(value));
}

void relay::detail::setInts(Operation *op, StringRef name,
                            ArrayRef<int64_t> values) {
  op->setAttr(name, Builder(op->getContext()).getDenseI64ArrayAttr(values));
}

void relay::detail::setString(Operation *op, StringRef name, StringRef value) {
  op->setAttr(name, Builder(op->getContext()).getStringAttr(value));
}

std::string relay::detail::permuteLayout(StringRef layout,
                                         ArrayRef<int64_t> order) {
  if (order.empty())
    return layout.str();
  std::string result;
  for (int64_t dim : order)
    result += layout[dim];
  return result;
}
