//===- Reduction.h - Smaller programs ---------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_REDUCE_REDUCTION_H
#define RELAY_MLIR_TOOLS_RELAY_REDUCE_REDUCTION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Reducer/Tester.h"

namespace mlir::relay {

/// Lets `reduction-tree` make operations of any dialect simpler in programs of
/// relay: MLIR's DialectReductionPatternInterface of the relay dialect.
void registerReductionPatterns(DialectRegistry &registry);

/// Does to one operation after the other what `reduction-tree` would do,
/// without folding others, as long as `tester` finds the module interesting.
void simplifyOneByOne(ModuleOp module, const Tester &tester);

/// Makes zeros of all constants at once, if `tester` still finds the module
/// interesting: they are most of a file.
void zeroWeights(ModuleOp module, const Tester &tester);

/// Lets functions that nobody calls return an earlier value, as long as
/// `tester` finds the module interesting.
void returnEarlier(ModuleOp module, const Tester &tester);

/// Erases functions that nobody calls, one by one, and parameters without a use
/// of those that are left, if `tester` still finds the module interesting.
void eraseUnused(ModuleOp module, const Tester &tester);

} // namespace mlir::relay

#endif // RELAY_MLIR_TOOLS_RELAY_REDUCE_REDUCTION_H
