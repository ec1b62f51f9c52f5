//===- Casts.h - Conversions between element types of ONNX ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_CASTS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_CASTS_H

#include "mlir/IR/Value.h"

namespace mlir::relay::onnx {

class NodeContext;

/// `data` in elements of type `to`, small ones as the attributes `saturate` and
/// `round_mode` of the node say. Null after an error.
Value createCast(NodeContext &node, Value data, Type to);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_CASTS_H
