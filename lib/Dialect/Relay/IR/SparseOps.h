//===- SparseOps.h - Types of sparse operators ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder: what the definitions of RelaySparseOps.td call.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_SPARSEOPS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_SPARSEOPS_H

#include "OperatorFormat.h"

namespace mlir::relay::detail {

/// `operands` are the dense matrix and data, indices and indptr of the sparse
/// one.
LogicalResult inferSparseDense(std::optional<Location> location,
                               ValueRange operands, bool sparseLhs,
                               SmallVectorImpl<Type> &types);
LogicalResult checkSparseAdd(std::optional<Location> location,
                             ValueRange operands);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_SPARSEOPS_H
