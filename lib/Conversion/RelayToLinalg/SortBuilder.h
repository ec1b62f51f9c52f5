//===- SortBuilder.h - Sorts of lines ---------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SORTBUILDER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SORTBUILDER_H

#include "LinalgBuilder.h"

namespace mlir::relay::detail {

/// Sorts `data`, with elements of the relay type `elementType`, along `axis`;
/// equal elements keep their order, and NaN counts as larger than every number.
/// Returns the first `count` elements if `wantsValues`, then their positions if
/// `positionType` is there. Zeros follow if there are fewer elements.
SmallVector<Value> buildSort(LinalgBuilder &b, Value data, Type elementType,
                             int64_t axis, bool isAscending, OpFoldResult count,
                             bool wantsValues, Type positionType);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SORTBUILDER_H
