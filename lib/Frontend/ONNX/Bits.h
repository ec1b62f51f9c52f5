//===- Bits.h - Numbers of few bits in bytes --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_BITS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_BITS_H

#include "mlir/IR/Value.h"

namespace mlir::relay::onnx {

class NodeContext;

/// Numbers of `bits` bits from bytes, the lowest bits first, along the last
/// axis, whose size is known, `count` of them.
Value unpackBits(NodeContext &node, Value bytes, int64_t bits, int64_t count);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_BITS_H
