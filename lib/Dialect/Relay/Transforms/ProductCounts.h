//===- ProductCounts.h - How much a contraction computes --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PRODUCTCOUNTS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PRODUCTCOUNTS_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {

/// Elements of a tensor; sizes that are not known are typical ones.
double countElements(RankedTensorType type);

/// Products that `op` sums.
double countProducts(ContractionOpInterface op, RankedTensorType weight,
                     RankedTensorType result);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PRODUCTCOUNTS_H
