//===- TupleLeaves.cpp - Tensors that tuples consist of -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/TupleLeaves.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;

static void addLeafTypes(Type type, SmallVectorImpl<Type> &types) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple) {
    types.push_back(type);
    return;
  }
  for (Type field : tuple.getTypes())
    addLeafTypes(field, types);
}

SmallVector<Type> relay::getLeafTypes(Type type) {
  SmallVector<Type> types;
  addLeafTypes(type, types);
  return types;
}

static void addLeaves(OpBuilder &builder, Value value,
                      SmallVectorImpl<Value> &leaves) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple) {
    leaves.push_back(value);
    return;
  }
  if (auto made = value.getDefiningOp<TupleOp>()) {
    for (Value field : made.getFields())
      addLeaves(builder, field, leaves);
    return;
  }
  for (int64_t i = 0, end = tuple.size(); i < end; ++i)
    addLeaves(builder,
              TupleGetItemOp::create(builder, value.getLoc(), value, i),
              leaves);
}

SmallVector<Value> relay::getLeaves(OpBuilder &builder, Value value) {
  SmallVector<Value> leaves;
  addLeaves(builder, value, leaves);
  return leaves;
}

static Value takeLeaves(OpBuilder &builder, Location loc, Type type,
                        ArrayRef<Value> &leaves) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return leaves.consume_front();
  SmallVector<Value> fields;
  for (Type field : tuple.getTypes())
    fields.push_back(takeLeaves(builder, loc, field, leaves));
  return TupleOp::create(builder, loc, fields);
}

Value relay::makeFromLeaves(OpBuilder &builder, Location loc, Type type,
                            ArrayRef<Value> leaves) {
  return takeLeaves(builder, loc, type, leaves);
}
