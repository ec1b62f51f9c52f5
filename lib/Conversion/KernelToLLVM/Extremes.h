//===- Extremes.h - Maxima and minima that keep NaN -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_EXTREMES_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_EXTREMES_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::relay::detail {

/// Computes maxima and minima that keep NaN in fewer steps than LLVM does,
/// which tells zeros apart by their signs.
void populateExtremePatterns(RewritePatternSet &patterns);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_EXTREMES_H
