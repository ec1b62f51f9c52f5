//===- PrefetchRows.h - Fetch the next row meanwhile ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_PREFETCHROWS_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_PREFETCHROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relay::detail {

/// Where a loop over rows of an argument of at least `minBytes` reads each row
/// several times, lets the last time that stores no results fetch the next row:
/// from the second time on a row is in a cache, and memory would have nothing
/// to do.
void prefetchRows(func::FuncOp function, int64_t minBytes);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_PREFETCHROWS_H
