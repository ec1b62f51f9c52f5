//===- ContribAttention.h - Attention of ONNX Runtime *- C++ -* ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_CONTRIB_ATTENTION_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_CONTRIB_ATTENTION_H

#include "../NodeContext.h"

namespace mlir::relay::onnx {

/// Attention on (batch, head, position, feature).
struct ContribAttention {
  NodeContext &node;
  Value query, key, values;
  /// What is added to the scores; null for nothing.
  Value bias;
  double softcap = 0;
  /// A score of each head that has no value, (heads) or one number; null for
  /// none.
  Value sink;

  explicit ContribAttention(NodeContext &node) : node(node) {}

  Type getType() const { return node.getElementType(query); }
  void addBias(Value value);
  /// Hides the keys where `isVisible` does not hold: by the lowest number, or
  /// by `number`.
  void hide(Value isVisible, std::optional<double> number = std::nullopt);
  /// Reads a mask of the keys, of one of the forms that ONNX Runtime has.
  LogicalResult addMask(unsigned input);
  /// Hides the keys behind each query; the first query is at `past`, which may
  /// be null. No more than `window` keys are seen, if that is positive. If
  /// `lastSeesAll`, nothing is hidden from the last query.
  void hideLater(Value past, int64_t window = 0, bool lastSeesAll = false);
  /// (batch, position, heads * features); null after an error.
  Value create();
};

/// The part of a (batch, position, features) projection with its bias.
Value addProjectionBias(NodeContext &node, Value data, Value bias,
                        int64_t begin, int64_t end);

/// Keys or values of the past, and the new ones behind them.
Value appendPositions(NodeContext &node, Value past, Value value);

/// What Attention and QAttention make of their projected input, queries, keys
/// and values with features of `sizes`. Inputs `mask`, `past` and `bias` are
/// left out if there are none.
LogicalResult convertProjected(NodeContext &node, Value projected,
                               ArrayRef<int64_t> sizes, unsigned mask,
                               unsigned past, std::optional<unsigned> bias);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_CONTRIB_ATTENTION_H
