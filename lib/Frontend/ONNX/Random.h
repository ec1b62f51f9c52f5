//===- Random.h - Random numbers in converters *- C++ -* ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_RANDOM_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_RANDOM_H

#include "mlir/IR/Value.h"

namespace mlir::relay::onnx {

class NodeContext;

/// Which elements of `data` are kept when a share `ratio` of them, a scalar, is
/// dropped.
Value createDropoutMask(NodeContext &node, Value data, Value ratio);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_RANDOM_H
