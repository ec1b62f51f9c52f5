//===- IntegerProducts.h - Products of quantized tensors --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_INTEGERPRODUCTS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_INTEGERPRODUCTS_H

#include "mlir/IR/Value.h"

namespace mlir::relay::onnx {

class NodeContext;

/// One side of a product of integers, which is that of the data less the zero
/// point: one number, or a vector. It is 0 if it is null.
struct IntegerOperand {
  Value data, zeroPoint;
};

/// numpy.matmul of integers, as sums in i32. Zero points may be one number, one
/// for each row of `lhs`, one for each column of `rhs`, or whatever broadcasts
/// against the data. Null, after an error, for operands that do not fit.
Value createIntegerMatmul(NodeContext &node, IntegerOperand lhs,
                          IntegerOperand rhs);

/// The convolution of integers that the attributes of `node` describe, as sums
/// in i32. The zero point of the weight may be one for each output channel.
Value createIntegerConvolution(NodeContext &node, IntegerOperand data,
                               IntegerOperand weight);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_INTEGERPRODUCTS_H
