//===- Evaluators.h - Evaluators of relay operators by family ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_EVALUATORS_H
#define RELAY_MLIR_LIB_INTERPRETER_EVALUATORS_H

#include "relay-mlir/Interpreter/Interpreter.h"

namespace mlir::relay {

/// Adds the evaluators of all operations of the relay dialect.
void populateRelayEvaluators(EvaluatorTable &table);

namespace detail {} // namespace detail

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_EVALUATORS_H
