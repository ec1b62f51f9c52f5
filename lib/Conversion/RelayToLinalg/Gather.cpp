//===- Gather.cpp - Reading elements at computed positions ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gather.h"

#include "ElementMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relay::detail;

Value mlir::relay::detail::buildRuntimeBroadcast(LinalgBuilder &b,
                                                 Value operand,
                                                 ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t rank = type.getRank(), offset = sizes.size() - rank;
  SmallVector<OpFoldResult> newSizes = b.getSizes(operand);
  // 0 where the only element is repeated, else 1; null where that is known.
  SmallVector<Value> steps(rank);
  for (int64_t dim = 0; dim < rank; ++dim) {
    std::optional<int64_t> target = getConstantIntValue(sizes[offset + dim]);
    if (!type.isDynamicDim(dim) || !target || *target == 1)
      continue;
    Value size = b.toValue(newSizes[dim]), one = b.indexValue(1);
    newSizes[dim] = sizes[offset + dim];
    auto isEqual = [&](Value other) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, size, other);
    };
    Value isOne = isEqual(one);
    Value fits = arith::OrIOp::create(b, isOne, isEqual(b.indexValue(*target)));
    cf::AssertOp::create(
        b, fits,
        ("expects size 1 or " + Twine(*target) + " of dimension " + Twine(dim))
            .str());
    steps[dim] = arith::SelectOp::create(b, isOne, b.indexValue(0), one);
  }
  if (llvm::none_of(steps, [](Value step) { return !!step; }))
    return operand;
  return b.elements("repeat", {}, newSizes, type.getElementType(),
                    [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange) {
                      SmallVector<Value> indices =
                          emitLoopIndices(bodyBuilder, rank);
                      for (auto [index, step] : llvm::zip_equal(indices, steps))
                        if (step)
                          index =
                              arith::MulIOp::create(bodyBuilder, index, step);
                      return emitExtract(bodyBuilder, operand, indices);
                    });
}

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
  // Of nothing there is no remainder.
  Value extent = arith::MaxSIOp::create(b, emitIndex(b, size),
                                        arith::ConstantIndexOp::create(b, 1));
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
