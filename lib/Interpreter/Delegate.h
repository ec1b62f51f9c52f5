//===- Delegate.h - Operators that mean another one -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some operators are another operator whose attributes are known only when they
// are evaluated: from operands, or from the shape of an operand. They are
// evaluated as that operator, with its inference and its checks.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_DELEGATE_H
#define RELAY_MLIR_LIB_INTERPRETER_DELEGATE_H

#include "relay-mlir/Interpreter/Interpreter.h"

namespace mlir::relay {

/// Infers the result type of the operation that `state` describes on operands
/// of the types of `operands`, verifies and evaluates it.
FailureOr<InterpreterValue> evaluateState(OperationState &state,
                                          ArrayRef<Tensor> operands,
                                          const Evaluator &evaluator);

/// Evaluates operators as `OpT`. Its evaluator must be in the table already.
template <typename OpT>
class Delegate {
public:
  using Properties = typename OpT::Properties;

  explicit Delegate(const EvaluatorTable &table)
      : evaluator(*table.lookup(
            OperationName(OpT::getOperationName(), table.getContext()))) {}

  /// Reports problems at `op`.
  FailureOr<InterpreterValue> operator()(Operation *op,
                                         ArrayRef<Tensor> operands,
                                         Properties properties) const {
    OperationState state(op->getLoc(), OpT::getOperationName());
    OpT::populateDefaultProperties(state.name, properties);
    state.getOrAddProperties<Properties>() = properties;
    return evaluateState(state, operands, evaluator);
  }

private:
  Evaluator evaluator;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_DELEGATE_H
