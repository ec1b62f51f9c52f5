//===- ExpandF16.h - Half precision without its instructions ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_EXPANDF16_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_EXPANDF16_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::relay::detail {

/// Converts between f16 and f32 by integer arithmetic. LLVM would call a
/// function of the compiler's run-time library, which kernels do not link.
void populateExpandF16Patterns(RewritePatternSet &patterns);

/// Rounds vectors to bf16 by AVX512-BF16, in kernels of precision `medium`.
void populateRoundToBF16Patterns(RewritePatternSet &patterns);

/// Selects between values of half precision, and extends bf16 to f64, by their
/// bits.
void populateHalfBitsPatterns(RewritePatternSet &patterns);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_EXPANDF16_H
