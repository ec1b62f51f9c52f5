//===- Differences.h - Differences as sums ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_DIFFERENCES_H
#define RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_DIFFERENCES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::vta {

/// Makes sums, for which the ALU has an operation, of differences in 32 bits:
/// constants that are subtracted get another sign, and so do the weights of
/// layers that are.
void makeSums(func::FuncOp function);

} // namespace mlir::vta

#endif // RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_DIFFERENCES_H
