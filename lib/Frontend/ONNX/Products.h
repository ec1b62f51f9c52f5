//===- Products.h - Products that several operators are -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_PRODUCTS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_PRODUCTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::relay::onnx {

class NodeContext;

/// numpy.matmul. Null, after an error, for operands that do not fit.
Value createMatmul(NodeContext &node, Value lhs, Value rhs);

/// What multiplies operands of fitting ranks: by `rows` data (..., m, k) and a
/// matrix (k, n), by `batches` (b, m, k) and (b, k, n).
struct Multiply {
  llvm::function_ref<Value(Value lhs, Value rhs)> rows, batches;
};

/// numpy.matmul by `multiply`.
Value createMatmul(NodeContext &node, Value lhs, Value rhs,
                   const Multiply &multiply);

/// The attributes of a product of batches of which none is transposed.
template <typename OpT>
typename OpT::Properties getBatchProperties(OpBuilder &b) {
  typename OpT::Properties properties;
  properties.transpose_a = b.getBoolAttr(false);
  properties.transpose_b = b.getBoolAttr(false);
  return properties;
}

/// `data` with what is along `axis` multiplied by `weight`, of which each
/// column makes one element.
Value multiplyAlong(NodeContext &node, Value data, int64_t axis, Value weight);

/// Input `index`, a weight or a bias for the data in input 0. Where a network
/// is of bf16, PyTorch's exporter leaves those in f32 that it has folded a
/// batch normalization into; these are rounded to bf16.
Value getWeight(NodeContext &node, unsigned index);

/// The product, with a bias, that `node`, a Gemm or one of its kin, describes.
Value createGemm(NodeContext &node);

/// The convolution of (N, C, spatial...) `data` with (O, C / groups,
/// spatial...) `weight` that the attributes of `node`, a Conv or one of its
/// kin, describe. Null, after an error, for operands that do not fit.
Value createConvolution(NodeContext &node, Value data, Value weight);

/// (batch, channels, spatial...) from data whose channels are last, and the
/// other way. Null, after an error, for data of less than three dimensions.
Value moveChannelsFirst(NodeContext &node, Value data);
Value moveChannelsLast(NodeContext &node, Value data);

/// The size of the square matrices that the first input holds. Fails, with an
/// error, if it holds others, or none of 1 to `maxSize` rows.
FailureOr<int64_t> getSquareSize(NodeContext &node, int64_t maxSize);

/// The maxima of `data` in the windows that the attributes of `node` describe.
Value createMaxPool(NodeContext &node, Value data);

/// The means of `data` in the windows that the attributes of `node` describe.
/// As ONNX Runtime, which alone has this operator, divides by the whole kernel
/// where padding counts; AveragePool does not count what is past the padding.
Value createQLinearAveragePool(NodeContext &node, Value data);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_PRODUCTS_H
