//===- BatchedScan.h - Scan of opset 8 --------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_BATCHEDSCAN_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_BATCHEDSCAN_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

/// A Scan of opset 9 over the items of the batch that `pending`, one of opset
/// 8, has; its inputs are the same, less lengths that are left out. In its body
/// is the Scan of one item.
FailureOr<Node> splitBatch(NodeContext &node, const PendingNode &pending,
                           const Graph &body);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_BATCHEDSCAN_H
