//===- AffineEvaluation.h - Values of affine expressions --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_AFFINEEVALUATION_H
#define RELAY_MLIR_SUPPORT_AFFINEEVALUATION_H

#include "mlir/IR/AffineExpr.h"

namespace mlir::relay {

/// The value of `expr` for the given values of its dimensions and symbols.
/// Divisors must not be zero. Upstream's AffineMap::constantFold makes an
/// attribute for every operand and result.
int64_t evaluateAffineExpr(AffineExpr expr, ArrayRef<int64_t> dims,
                           ArrayRef<int64_t> symbols = {});

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_AFFINEEVALUATION_H
