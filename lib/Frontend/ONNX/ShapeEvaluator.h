//===- ShapeEvaluator.h - Compute shapes at import --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_SHAPEEVALUATOR_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_SHAPEEVALUATOR_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

/// The output of `node`, if its numbers can be computed from the sizes and
/// constants that reach it. None for all that is not worth it or goes wrong:
/// then the node is converted, and its converter reports errors.
std::optional<ShapeTensor> evaluateShape(NodeContext &node);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_SHAPEEVALUATOR_H
