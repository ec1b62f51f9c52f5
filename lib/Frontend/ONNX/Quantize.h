//===- Quantize.h - What quantized operators share *- C++ -* ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_QUANTIZE_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_QUANTIZE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace mlir::relay::onnx {

class NodeContext;

/// `scaled`, a float, rounded to even and moved by `zeroPoint`, if there is
/// one, as the nearest number of `type`.
Value createQuantized(NodeContext &node, Value scaled, Value zeroPoint,
                      IntegerType type);

/// The element type of a zero point; null, after an error, for others than
/// integers of at most 16 bits.
IntegerType getQuantizedType(NodeContext &node, Type type);

/// Data in floats, quantized to the range of its numbers.
struct DynamicallyQuantized {
  /// Of 8 bits without a sign.
  Value data, scale, zeroPoint;

  static DynamicallyQuantized get(NodeContext &node, Value data);
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_QUANTIZE_H
