//===- ReshapeBuilder.h - Row-major reshapes --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_RESHAPEBUILDER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_RESHAPEBUILDER_H

#include "LinalgBuilder.h"

namespace mlir::relay::detail {

/// Reshapes `data` to `sizes` by merging dimensions, by splitting them, or by
/// merging and then splitting. A size that is the same value as one of `data`
/// (see LinalgBuilder::getSize) is known to be equal to it. With `isChecked`,
/// `sizes` need not fit, which is an error when the model runs.
Value buildReshape(LinalgBuilder &b, Value data, ArrayRef<OpFoldResult> sizes,
                   bool isChecked = false);

/// Splits each dimension of `data` into the `parts` it belongs to, which have
/// `sizes`; merges the dimensions of each group into one.
Value buildSplit(LinalgBuilder &b, Value data,
                 ArrayRef<SmallVector<int64_t, 2>> parts,
                 ArrayRef<OpFoldResult> sizes);
Value buildMerge(LinalgBuilder &b, Value data,
                 ArrayRef<SmallVector<int64_t, 2>> groups);

/// `data` with dimensions of size one inserted at `axes` of the result.
Value buildExpandDims(LinalgBuilder &b, Value data, ArrayRef<int64_t> axes);

/// A copy of `data` with its axes in the order of `permutation`, in a nest of
/// that name.
Value buildPermute(LinalgBuilder &b, Value data, StringRef name,
                   ArrayRef<int64_t> permutation);

/// `data` as a vector.
Value buildFlatten(LinalgBuilder &b, Value data);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_RESHAPEBUILDER_H
