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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
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

Value mlir::relay::detail::emitLoadIndex(ImplicitLocOpBuilder &b, Value buffer,
                                         ValueRange position) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  return emitToIndex(b, type, memref::LoadOp::create(b, buffer, position));
}

void mlir::relay::detail::emitStoreIndex(ImplicitLocOpBuilder &b, Value index,
                                         Value buffer, ValueRange position) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  memref::StoreOp::create(b, arith::IndexCastOp::create(b, type, index), buffer,
                          position);
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

Value mlir::relay::detail::emitIsInside(ImplicitLocOpBuilder &b, Value index,
                                        Value size) {
  // As unsigned numbers, those below are large once they are shifted.
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                               arith::AddIOp::create(b, index, size),
                               arith::AddIOp::create(b, size, size));
}

void mlir::relay::detail::assertNotEmpty(LinalgBuilder &b, Value data,
                                         int64_t axis, Value indices) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (type.hasStaticShape() && type.getNumElements() != 0)
    b.assertAtLeast(b.getSize(data, axis), 1,
                    "expects elements for the indices");
}

/// Whether `holds` is true at all positions of a space of `sizes` that begin
/// with `position`.
static Value emitAllFrom(ImplicitLocOpBuilder &b, ValueRange sizes,
                         SmallVectorImpl<Value> &position, Value before,
                         llvm::function_ref<Value(ValueRange)> holds) {
  if (position.size() == sizes.size())
    return arith::AndIOp::create(b, before, holds(position));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return emitLoop(b, zero, sizes[position.size()], before,
                  [&](Value index, ValueRange values) {
                    position.push_back(index);
                    SmallVector<Value> result = {
                        emitAllFrom(b, sizes, position, values.front(), holds)};
                    position.pop_back();
                    return result;
                  })
      .front();
}

Value mlir::relay::detail::emitAll(
    ImplicitLocOpBuilder &b, ValueRange sizes,
    llvm::function_ref<Value(ValueRange)> holds) {
  SmallVector<Value> position;
  Value isTrue = arith::ConstantOp::create(b, b.getBoolAttr(true));
  return emitAllFrom(b, sizes, position, isTrue, holds);
}

Value mlir::relay::detail::emitIsWithin(ImplicitLocOpBuilder &b, Value index,
                                        Value size) {
  // As an unsigned number, a negative one is large.
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, size);
}

void mlir::relay::detail::emitIndexCheck(ImplicitLocOpBuilder &b, Value indices,
                                         Type type, ValueRange sizes) {
  bool hasRows = sizes.size() > 1;
  SmallVector<Value> space = emitSizes(b, indices);
  for (size_t row = 0; row < sizes.size(); ++row) {
    auto isInside = [&](ValueRange within) -> Value {
      SmallVector<Value> source;
      if (hasRows)
        source.push_back(arith::ConstantIndexOp::create(b, row));
      llvm::append_range(source, within);
      Value index = memref::LoadOp::create(b, indices, source);
      return emitIsInside(b, emitToIndex(b, type, index), sizes[row]);
    };
    Value areInside =
        emitAll(b, ValueRange(space).drop_front(hasRows), isInside);
    cf::AssertOp::create(b, areInside, "expects indices within the data");
  }
}

/// A tensor with the elements of `indices`, perhaps less often.
static Value skipRepetition(Value indices) {
  while (auto repeat = indices.getDefiningOp<BroadcastToOp>()) {
    auto type = cast<RankedTensorType>(repeat.getType());
    // Of no elements, none is out of range.
    if (!type.hasStaticShape() || type.getNumElements() == 0)
      break;
    indices = repeat.getData();
  }
  return indices;
}

/// How many elements there must be for `indices`, and the index that asks for
/// the most.
static std::pair<int64_t, int64_t> getFarthest(ArrayRef<APInt> indices,
                                               bool isUnsigned) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  std::pair<int64_t, int64_t> farthest = {0, 0};
  for (const APInt &element : indices) {
    int64_t index = isUnsigned ? static_cast<int64_t>(element.getZExtValue())
                               : element.getSExtValue();
    // The number of elements from -n on is n.
    int64_t needed = index < 0       ? (index < -kMax ? kMax : -index)
                     : index == kMax ? kMax
                                     : index + 1;
    farthest = std::max(farthest, {needed, index});
  }
  return farthest;
}

/// The same for indices that are known: at once, or before the kernel runs.
static LogicalResult checkConstantIndices(ConversionPatternRewriter &rewriter,
                                          LinalgBuilder &b, Operation *op,
                                          DenseIntElementsAttr indices,
                                          bool isUnsigned,
                                          ArrayRef<OpFoldResult> sizes) {
  SmallVector<APInt> all = llvm::to_vector(indices.getValues<APInt>());
  size_t rowSize = all.size() / sizes.size();
  for (auto [row, size] : llvm::enumerate(sizes)) {
    auto [needed, index] =
        getFarthest(ArrayRef(all).slice(row * rowSize, rowSize), isUnsigned);
    std::optional<int64_t> known = getConstantIntValue(size);
    if (known && *known < needed)
      return rewriter.notifyMatchFailure(
          op, "expects indices in [" + Twine(-*known) + ", " + Twine(*known) +
                  "), but got " + Twine(index));
    if (needed != 0)
      b.assertAtLeast(size, needed, "expects indices within the data");
  }
  return success();
}

LogicalResult
mlir::relay::detail::checkIndices(ConversionPatternRewriter &rewriter,
                                  LinalgBuilder &b, Operation *op,
                                  Value indices, ArrayRef<OpFoldResult> sizes) {
  if (sizes.empty())
    return success();
  if (sizes.size() == 1)
    indices = skipRepetition(indices);
  auto type = cast<RankedTensorType>(indices.getType());
  Type elementType = type.getElementType();
  Value tensor = rewriter.getRemappedValue(indices);
  DenseIntElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)))
    return checkConstantIndices(rewriter, b, op, constant,
                                elementType.isUnsignedInteger(), sizes);
  if (type.hasStaticShape() && type.getNumElements() == 0)
    return success();

  SmallVector<Value> inputs = {tensor};
  bool hasOpenSizes = llvm::any_of(
      sizes, [](OpFoldResult size) { return !getConstantIntValue(size); });
  if (hasOpenSizes) {
    SmallVector<Value> values;
    for (OpFoldResult size : sizes)
      values.push_back(
          arith::IndexCastOp::create(b, b.getI64Type(), b.toValue(size)));
    inputs.push_back(tensor::FromElementsOp::create(b, values));
  }
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange buffers,
                  ValueRange) {
    SmallVector<Value> limits;
    for (auto [row, size] : llvm::enumerate(sizes)) {
      Value number = arith::ConstantIndexOp::create(body, row);
      if (std::optional<int64_t> known = getConstantIntValue(size))
        limits.push_back(arith::ConstantIndexOp::create(body, *known));
      else
        limits.push_back(
            emitToIndex(body, body.getI64Type(),
                        memref::LoadOp::create(body, buffers[1], number)));
    }
    emitIndexCheck(body, buffers[0], elementType, limits);
  };
  b.opaque((b.getBlockName() + "_check").str(), /*along=*/{}, inputs,
           /*destinations=*/{}, emit);
  return success();
}

Value mlir::relay::detail::emitPosition(ImplicitLocOpBuilder &b, Type type,
                                        Value index, OpFoldResult size) {
  return emitClamp(b, emitFromEnd(b, emitToIndex(b, type, index), size), size);
}

Value mlir::relay::detail::emitFromEnd(ImplicitLocOpBuilder &b, Value index,
                                       OpFoldResult size) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, zero);
  Value fromEnd = arith::AddIOp::create(b, index, emitIndex(b, size));
  return arith::SelectOp::create(b, isNegative, fromEnd, index);
}
