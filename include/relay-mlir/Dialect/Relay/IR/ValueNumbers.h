//===- ValueNumbers.h - Numbers that name values ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_VALUENUMBERS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_VALUENUMBERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relay {

/// Calls `visit` for each value of a function and its number, by which options
/// of passes name it: arguments come first, and then results of operators, in
/// the order of a walk.
inline void visitValues(func::FuncOp function,
                        llvm::function_ref<void(Value, int64_t)> visit) {
  int64_t number = 0;
  for (Value argument : function.getArguments())
    visit(argument, number++);
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      visit(result, number++);
  });
}

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_VALUENUMBERS_H
