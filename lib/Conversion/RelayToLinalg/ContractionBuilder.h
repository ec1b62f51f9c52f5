//===- ContractionBuilder.h - Builds multiply-accumulate nests --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_CONTRACTIONBUILDER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_CONTRACTIONBUILDER_H

#include "ElementMath.h"
#include "LinalgBuilder.h"

namespace mlir::relay::detail {

/// An operand of a contraction; `elementType` is its relay type.
struct Factor {
  Value tensor;
  AffineMap map;
  Type elementType;
};

/// Builds the one nest `acc = acc + lhs * rhs` that matrix products and
/// convolutions are, over a destination of `sizes` filled with zero. Factors
/// are converted to the accumulator first; results narrower than f32 are
/// accumulated in f32 and rounded at the end.
Value buildContraction(LinalgBuilder &b, Factor lhs, Factor rhs,
                       ArrayRef<OpFoldResult> sizes, AffineMap resultMap,
                       ArrayRef<utils::IteratorType> iterators,
                       Type resultType);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_CONTRACTIONBUILDER_H
