//===- Normalization.h - Normalization of the last dimension ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_NORMALIZATION_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_NORMALIZATION_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

/// The normalization of the last dimension of `data` to a mean of 0 and a
/// variance of 1, times `scale`, plus `bias`, which may be null.
Value createPlainLayerNorm(NodeContext &node, Value data, Value scale,
                           Value bias, double epsilon);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_NORMALIZATION_H
