//===- Arithmetic.h - Arithmetic on positions -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_ARITHMETIC_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_ARITHMETIC_H

#include "NodeContext.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay::onnx {

/// Arithmetic on positions in images, whose types and sizes differ.
class Arithmetic {
public:
  explicit Arithmetic(NodeContext &node) : node(node) {}

  Value add(Value a, Value b) const { return node.create<AddOp>({a, b}); }
  Value sub(Value a, Value b) const { return node.create<SubtractOp>({a, b}); }
  Value mul(Value a, Value b) const { return node.create<MultiplyOp>({a, b}); }
  Value div(Value a, Value b) const { return node.create<DivideOp>({a, b}); }
  Value floor(Value a) const { return node.create<FloorOp>({a}); }
  Value less(Value a, Value b) const { return node.create<LessOp>({a, b}); }
  Value either(Value a, Value b) const {
    return node.create<LogicalOrOp>({a, b});
  }
  Value select(Value condition, Value a, Value b) const {
    return node.create<WhereOp>({condition, a, b});
  }
  /// `value` in the type of `like`.
  Value number(double value, Value like) const {
    return like ? node.createScalar(value, node.getElementType(like)) : nullptr;
  }
  Value add(Value a, double b) const { return add(a, number(b, a)); }
  Value mul(Value a, double b) const { return mul(a, number(b, a)); }
  /// `a` within [low, high]; `low` for NaN.
  Value clamp(Value a, Value low, Value high) const {
    Value raised = select(node.create<GreaterOp>({a, low}), a, low);
    return select(less(raised, high), raised, high);
  }
  /// The size of a dimension as a float of the type of `like`.
  Value size(Value data, int64_t dim, Value like) const {
    if (!data || !like)
      return nullptr;
    return node.castTo(node.createSize(data, dim), node.getElementType(like));
  }
  Value toIndex(Value a) const {
    return node.castTo(a, node.getBuilder().getI64Type());
  }

protected:
  NodeContext &node;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_ARITHMETIC_H
