//===- MemoryPlan.h - What lies where in memory, by step --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_REPORT_MEMORYPLAN_H
#define RELAY_MLIR_LIB_REPORT_MEMORYPLAN_H

#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "llvm/Support/JSON.h"

namespace mlir::relay {

/// The storage of `function`, which is in the form relax-executable, and the
/// tensors in it: sizes, offsets, and from which step to which they live. Steps
/// are the calls of kernels and copies. Open sizes count as 1.
llvm::json::Value describeMemoryPlan(relax::FuncOp function);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_REPORT_MEMORYPLAN_H
