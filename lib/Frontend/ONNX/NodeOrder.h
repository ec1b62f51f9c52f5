//===- NodeOrder.h - The order of a graph's nodes ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_NODEORDER_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_NODEORDER_H

#include "Model.h"

namespace mlir::relay::onnx {

/// The nodes in an order in which each comes after those that compute what it
/// reads. ONNX asks files for such an order, but tools that edit graphs leave
/// others. Nodes that are in order already stay as they are. Nodes of a cycle,
/// and those that read from it, come last, in the order of the file.
std::vector<const Node *> sortNodes(llvm::ArrayRef<Node> nodes);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_NODEORDER_H
