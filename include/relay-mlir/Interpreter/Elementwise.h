//===- Elementwise.h - Evaluate elementwise operators -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INTERPRETER_ELEMENTWISE_H
#define RELAY_MLIR_INTERPRETER_ELEMENTWISE_H

#include "relay-mlir/Interpreter/Interpreter.h"

namespace mlir::relay {

namespace detail {
/// Makes each element of the result of `op` by `fn`, which reads the elements
/// of its operands in the same place.
FailureOr<Tensor> evaluateElements(Operation *op, ArrayRef<Tensor> operands,
                                   function_ref<double(const double *)> fn);
} // namespace detail

/// Adds an evaluator of an operator that is computed element by element, from
/// operands that broadcast: `fn` is called with (OpT, ArrayRef<double>), one
/// element of each operand, and returns that of the result, which is rounded to
/// its type.
template <typename OpT, typename Fn>
void addElementwiseEvaluator(EvaluatorTable &table, Fn fn) {
  table.add<OpT>([fn](OpT op, ArrayRef<Tensor> operands) {
    return detail::evaluateElements(op, operands, [&](const double *elements) {
      return fn(op, ArrayRef<double>(elements, operands.size()));
    });
  });
}

} // namespace mlir::relay

#endif // RELAY_MLIR_INTERPRETER_ELEMENTWISE_H
