//===- FractionalSizes.h - Sizes computed in floats -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_FRACTIONALSIZES_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_FRACTIONALSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relay::detail {

/// Computes in integers what `function` computes in floats of integers and
/// constants outside of its loops, such as ceil(float(n) / 128): sizes, of
/// which one has to know expressions.
void convertFractionalSizes(func::FuncOp function);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_FRACTIONALSIZES_H
