//===- ConvertLayoutQnn.cpp - Quantized operators in other layouts --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertLayoutAttributes.h"
#include "ConvertLayoutRules.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static constexpr StringLiteral kAxes[] = {"lhs_axis", "rhs_axis"};

static bool isOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

static int64_t getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : -1;
}

/// Whether scales and zero points, which follow both operands, are numbers.
/// Otherwise they belong to an axis of an operand.
static bool isPerTensor(Operation *op) {
  return llvm::all_of(op->getOperands().drop_front(2), isOneElement);
}

std::optional<OperatorForm> relay::detail::inferQnnForm(Operation *op,
                                                        unsigned index,
                                                        ArrayRef<int64_t> order,
                                                        StringRef) {
  int64_t rank = order.size();
  if (index > 1 || getRank(op->getResult(0)) != rank ||
      getRank(op->getOperand(index)) != rank)
    return std::nullopt;
  OperatorForm form;
  form.operands.resize(op->getNumOperands());
  for (auto [i, name] : llvm::enumerate(kAxes)) {
    Value operand = op->getOperand(i);
    std::optional<int64_t> axis = getInt(op, name);
    if (getRank(operand) < 0 || getRank(operand) > rank || !axis)
      return std::nullopt;
    if (!isPerTensor(op) &&
        (getRank(operand) != rank || *axis < -rank || *axis >= rank))
      return std::nullopt;
    if (!isOneElement(operand))
      form.operands[i] = Order(order);
  }
  form.result = Order(order);
  return form;
}

void relay::detail::updateQnnAxes(Operation *op, Operation *original,
                                  const OperatorForm &form, StringRef) {
  if (isPerTensor(op))
    return;
  for (auto [i, name] : llvm::enumerate(kAxes)) {
    int64_t axis = *getInt(original, name);
    if (axis < 0)
      axis += form.result.size();
    if (!form.operands[i].empty())
      axis = llvm::find(form.result, axis) - form.result.begin();
    setInt(op, name, axis);
  }
}
