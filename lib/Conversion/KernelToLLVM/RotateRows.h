//===- RotateRows.h - Finish a row in the next one --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROTATEROWS_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROTATEROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relay::detail {

/// The steps of a row take turns in being bound by arithmetic and by memory: a
/// softmax computes exponentials, and then stores them divided by their sum.
/// Where the last step of a row reads a buffer that an earlier step fills anew
/// for each row, it moves into that step of the next row, just before elements
/// are overwritten, so that stores leave while the next row is computed.
void rotateRows(func::FuncOp function);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_ROTATEROWS_H
