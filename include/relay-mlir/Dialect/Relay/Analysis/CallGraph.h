//===- CallGraph.h - Which function calls which -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_ANALYSIS_CALLGRAPH_H
#define RELAY_MLIR_DIALECT_RELAY_ANALYSIS_CALLGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::relay {

/// Functions that call each other, directly or not.
struct CallCycle {
  std::vector<func::FuncOp> functions;
  /// Whether any of them can come back to itself; a single function need not.
  bool recursive = false;
};

/// Returns the functions of a module, those that are used before those that use
/// them. A function that is only mentioned as a value counts as called.
std::vector<CallCycle> getCalleesFirst(ModuleOp module);

/// Removes the functions of a module that `roots`, operations of the module, do
/// not use, directly or through others. Returns how many there were.
unsigned eraseUnreachableFunctions(ModuleOp module,
                                   ArrayRef<Operation *> roots);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_ANALYSIS_CALLGRAPH_H
