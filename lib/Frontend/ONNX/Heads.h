//===- Heads.h - What operators of attention share --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_HEADS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_HEADS_H

#include "mlir/IR/Value.h"

namespace mlir::relay::onnx {

class NodeContext;

/// (batch, position, heads * features) as (batch, position, heads, features).
Value splitHeads(NodeContext &node, Value value, int64_t heads);

/// (batch, position, heads, features) as (batch, position, heads * features).
Value mergeHeads(NodeContext &node, Value value);

/// A product of two matrices for each head, of (batch, head, row, column);
/// several heads of `lhs` share one of `rhs`.
Value multiplyHeads(NodeContext &node, Value lhs, Value rhs);

/// Turns the first `turned` features of `data`, of rank 4, which are pairs of
/// neighbours if `isInterleaved`, else of the two halves. `cosine` and `sine`
/// have a number for each pair.
Value rotateFeatures(NodeContext &node, Value data, Value cosine, Value sine,
                     int64_t turned, bool isInterleaved);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_HEADS_H
