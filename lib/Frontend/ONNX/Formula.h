//===- Formula.h - Arithmetic of a converter --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_FORMULA_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_FORMULA_H

#include "NodeContext.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay::onnx {

/// Formulas over one tensor, and scalars of its type.
class Formula {
public:
  explicit Formula(NodeContext &node) : Formula(node, node.getInput(0)) {}
  /// Over `x`, which may be null after an error.
  Formula(NodeContext &node, Value x)
      : node(node), x(x), type(x ? node.getElementType(x) : Type()) {}

  Value getX() const { return x; }
  Value number(double value) const {
    return x ? node.createScalar(value, type) : nullptr;
  }
  Value add(Value a, Value b) const { return node.create<AddOp>({a, b}); }
  Value sub(Value a, Value b) const { return node.create<SubtractOp>({a, b}); }
  Value mul(Value a, Value b) const { return node.create<MultiplyOp>({a, b}); }
  Value div(Value a, Value b) const { return node.create<DivideOp>({a, b}); }
  Value max(Value a, Value b) const { return node.create<MaximumOp>({a, b}); }
  Value min(Value a, Value b) const { return node.create<MinimumOp>({a, b}); }
  Value exp(Value a) const { return node.create<ExpOp>({a}); }
  Value log(Value a) const { return node.create<LogOp>({a}); }
  Value abs(Value a) const { return node.create<AbsOp>({a}); }
  Value neg(Value a) const { return node.create<NegativeOp>({a}); }
  Value isNan(Value a) const { return node.create<IsnanOp>({a}); }
  Value sqrt(Value a) const { return node.create<SqrtOp>({a}); }
  Value erf(Value a) const { return node.create<ErfOp>({a}); }
  Value tanh(Value a) const { return node.create<TanhOp>({a}); }
  Value sigmoid(Value a) const { return node.create<SigmoidOp>({a}); }
  Value relu(Value a) const { return node.create<NNReluOp>({a}); }
  Value less(Value a, Value b) const { return node.create<LessOp>({a, b}); }
  Value greater(Value a, Value b) const {
    return node.create<GreaterOp>({a, b});
  }
  Value equal(Value a, Value b) const { return node.create<EqualOp>({a, b}); }
  Value lessEqual(Value a, Value b) const {
    return node.create<LessEqualOp>({a, b});
  }
  Value both(Value a, Value b) const {
    return node.create<LogicalAndOp>({a, b});
  }
  Value either(Value a, Value b) const {
    return node.create<LogicalOrOp>({a, b});
  }
  /// A reduction along `axis`, which stays with one element.
  template <typename OpT>
  Value reduce(Value a, int64_t axis) const {
    typename OpT::Properties properties;
    properties.axis = node.getBuilder().getDenseI64ArrayAttr(axis);
    properties.keepdims = node.getBuilder().getBoolAttr(true);
    return node.create<OpT>({a}, properties);
  }
  Value select(Value condition, Value a, Value b) const {
    return node.create<WhereOp>({condition, a, b});
  }
  Value clip(Value a, double low, double high) const {
    ClipOp::Properties properties;
    properties.a_min = node.getBuilder().getF64FloatAttr(low);
    properties.a_max = node.getBuilder().getF64FloatAttr(high);
    return node.create<ClipOp>({a}, properties);
  }
  /// log(1 + exp(a)) without overflow.
  Value softplus(Value a) const {
    Value tail = log(add(number(1), exp(neg(abs(a)))));
    return add(relu(a), tail);
  }

private:
  NodeContext &node;
  Value x;
  Type type;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_FORMULA_H
