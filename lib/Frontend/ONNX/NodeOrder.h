//===- NodeOrder.h - The order of a graph's nodes ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_NODEORDER_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_NODEORDER_H

#include "Model.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::relay::onnx {

/// Adds the names that `graph` takes from around it.
void collectCaptured(const Graph &graph,
                     llvm::SetVector<llvm::StringRef> &names);

struct NodeOrder {
  /// Each node comes after those that compute what it reads. Nodes of a cycle,
  /// and those that read from it, are not among them.
  std::vector<const Node *> nodes;
  /// A node whose input `cycleInput` follows from its own outputs; null if
  /// there is none.
  const Node *cyclic = nullptr;
  llvm::StringRef cycleInput;
};

/// ONNX asks files for such an order, but tools that edit graphs leave others.
/// Nodes that are in order already stay as they are.
NodeOrder sortNodes(llvm::ArrayRef<Node> nodes);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_NODEORDER_H
