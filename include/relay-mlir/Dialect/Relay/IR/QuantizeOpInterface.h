//===- QuantizeOpInterface.h - What is quantized ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEOPINTERFACE_H
#define RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::relay {

/// What quantization does with an operator.
enum class QuantizeRole {
  /// A sum of products of data and a weight, its first two operands.
  Contraction,
  /// A sum of products of two tensors, each of which may be data.
  MatrixProduct,
  Product,
  Sum,
  /// One tensor of many.
  Join,
  /// Bounds elements; stays with the operator before it.
  Clip,
  /// Moves elements.
  Same,
  /// A mean of elements, which is finer than they are.
  Mean,
  /// The same of fewer bits: maxima, for which they are enough.
  Narrow,
  /// Nothing behind it is quantized.
  End,
};

/// What a quantized tensor is; numbers of an attribute of
/// relay.op.annotation.simulated_quantize.
enum class QuantizeKind : int64_t {
  Identity = 0,
  Input = 1,
  Weight = 2,
  Activation = 3
};

} // namespace mlir::relay

#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h.inc"

namespace mlir::relay::detail {

/// Attaches the interface to the operators of the dialect.
void registerQuantizeRoles(MLIRContext *context);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEOPINTERFACE_H
