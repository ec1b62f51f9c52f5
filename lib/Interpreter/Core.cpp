//===- Core.cpp - Constants and tuples ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;

static FailureOr<InterpreterValue>
evaluateConstant(Operation *op, ArrayRef<InterpreterValue>) {
  FailureOr<Tensor> tensor = Tensor::get(cast<ConstantOp>(op).getValue(),
                                         [&]() { return op->emitOpError(); });
  if (failed(tensor))
    return failure();
  return InterpreterValue(*tensor);
}

static FailureOr<InterpreterValue>
evaluateTuple(Operation *op, ArrayRef<InterpreterValue> operands) {
  return InterpreterValue(std::vector<InterpreterValue>(operands));
}

static FailureOr<InterpreterValue>
evaluateTupleGetItem(Operation *op, ArrayRef<InterpreterValue> operands) {
  return operands[0].getFields()[cast<TupleGetItemOp>(op).getIndex()];
}

void relay::detail::populateCoreEvaluators(EvaluatorTable &table) {
  table.add(ConstantOp::getOperationName(), evaluateConstant);
  table.add(TupleOp::getOperationName(), evaluateTuple);
  table.add(TupleGetItemOp::getOperationName(), evaluateTupleGetItem);
}
