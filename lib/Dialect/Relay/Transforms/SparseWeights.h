//===- SparseWeights.h - Operators with sparse weights ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_SPARSEWEIGHTS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_SPARSEWEIGHTS_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {

/// Reports a layout or a size of the kernel that nn.sparse_conv2d does not
/// have.
LogicalResult checkSparseConvolutions(StringRef layout, int64_t kernelSize,
                                      MLIRContext *context);

/// Whether nn.sparse_conv2d computes the convolution: it has the layout and the
/// size of the kernel, results of the size of the data, and nothing else.
bool canBeSparse(NNConv2dOp conv, StringRef layout, int64_t kernelSize);

/// Replaces nn.dense or nn.conv2d by the operator on a weight in three parts:
/// data, indices and indptr. Fails, with a diagnostic, if these have not the
/// sizes of the weight.
LogicalResult makeSparse(Operation *op, ValueRange parts);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_SPARSEWEIGHTS_H
