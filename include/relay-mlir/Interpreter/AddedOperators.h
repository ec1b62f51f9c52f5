//===- AddedOperators.h - Evaluators of added operators ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operators mean that a program has added; see
// Dialect/Relay/IR/AddedOperators.h.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INTERPRETER_ADDEDOPERATORS_H
#define RELAY_MLIR_INTERPRETER_ADDEDOPERATORS_H

#include "relay-mlir/Interpreter/Interpreter.h"

namespace mlir::relay {

/// Says for the whole process how calls of an added operator (`relay.apply`)
/// are evaluated. The last evaluator of a name counts. Any thread may call it;
/// it must not throw.
void addEvaluator(StringRef operatorName, Evaluator evaluator);

/// What is called where `relay.debug` names `function`, with the operation and
/// the value that passes it; what it returns does not count.
void addDebugFunction(StringRef function, Evaluator evaluator);

} // namespace mlir::relay

#endif // RELAY_MLIR_INTERPRETER_ADDEDOPERATORS_H
