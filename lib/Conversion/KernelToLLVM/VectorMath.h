//===- VectorMath.h - Functions as short vector code ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_VECTORMATH_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_VECTORMATH_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::relay::detail {

/// exp, logarithms, erf, tanh, sines and their relatives and powers on f32, and
/// some of them on f64, by code without branches. With `scalef`,
/// vectors of 256 and of 512 bits are multiplied by a power of two in one
/// AVX-512 instruction.
void populateVectorMathPatterns(RewritePatternSet &patterns, bool scalef);

/// The remainder of a division of f32, where fused operations are there.
void populateRemainderPatterns(RewritePatternSet &patterns);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_VECTORMATH_H
