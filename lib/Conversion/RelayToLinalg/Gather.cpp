//===- Gather.cpp - Reading elements at computed positions ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gather.h"

#include "ElementMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relay::detail;

Value mlir::relay::detail::emitExtract(ImplicitLocOpBuilder &b, Value tensor,
                                       ValueRange indices) {
  if (TypedAttr value = getSplatValue(tensor))
    return arith::ConstantOp::create(b, value);
  return tensor::ExtractOp::create(b, tensor, indices);
}

SmallVector<Value> mlir::relay::detail::emitLoopIndices(ImplicitLocOpBuilder &b,
                                                        int64_t count) {
  SmallVector<Value> indices;
  for (int64_t loop = 0; loop < count; ++loop)
    indices.push_back(emitLoopIndex(b, loop));
  return indices;
}

Value mlir::relay::detail::emitToIndex(ImplicitLocOpBuilder &b, Type type,
                                       Value element) {
  if (type.isUnsignedInteger())
    return arith::IndexCastUIOp::create(b, b.getIndexType(), element);
  return arith::IndexCastOp::create(b, b.getIndexType(), element);
}

Value mlir::relay::detail::emitClamp(ImplicitLocOpBuilder &b, Value index,
                                     OpFoldResult size) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value last = arith::SubIOp::create(b, emitIndex(b, size), one);
  return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, index, last),
                                zero);
}

Value mlir::relay::detail::emitWrap(ImplicitLocOpBuilder &b, Value index,
                                    OpFoldResult size) {
  Value extent = emitIndex(b, size);
  return emitFromEnd(b, arith::RemSIOp::create(b, index, extent), size);
}

Value mlir::relay::detail::emitFromEnd(ImplicitLocOpBuilder &b, Value index,
                                       OpFoldResult size) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, zero);
  Value fromEnd = arith::AddIOp::create(b, index, emitIndex(b, size));
  return arith::SelectOp::create(b, isNegative, fromEnd, index);
}
