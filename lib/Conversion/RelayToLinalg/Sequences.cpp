//===- Sequences.cpp - Lower operators on sequences to linalg -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Whether position `index` is below `length`, a number of relay type `type`.
static Value emitIsBelow(ImplicitLocOpBuilder &b, Value index, Value length,
                         Type type) {
  // Positions are far from where 64 bits end.
  Value position = arith::IndexCastOp::create(b, b.getI64Type(), index);
  if (isa<FloatType>(type)) {
    Type wide = b.getF64Type();
    return ElementMath(b, wide).compare(
        ElementMath::Order::LT, arith::SIToFPOp::create(b, wide, position),
        ElementMath(b, wide).convertFrom(type, length));
  }
  Type wide = b.getIntegerType(64, !ElementMath(b, type).isUnsigned());
  return ElementMath(b, wide).compare(
      ElementMath::Order::LT, position,
      ElementMath(b, wide).convertFrom(type, length));
}

namespace {

/// A value instead of what is behind the end of a sequence.
struct SequenceMaskToLinalg : OpConversionPattern<SequenceMaskOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SequenceMaskOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData(), lengths = adaptor.getValidLength();
    Type elementType = op.getData().getType().getElementType();
    Type lengthType = op.getValidLength().getType().getElementType();
    int64_t axis = op.getAxis();
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    b.assertEqual(b.getSize(lengths, 0), sizes[1 - axis],
                  "expects a length for each sequence");
    int64_t rank = sizes.size();
    rewriter.replaceOp(
        op, b.elements(b.getBlockName(),
                       {{data, b.identity(rank)},
                        {lengths, b.map(rank, b.dim(1 - axis))}},
                       sizes, getSignless(elementType),
                       [&](ImplicitLocOpBuilder &body, ValueRange args) {
                         ElementMath math(body, elementType);
                         Value isValid =
                             emitIsBelow(body, emitLoopIndex(body, axis),
                                         args[1], lengthType);
                         return math.select(
                             isValid, args[0],
                             math.number(op.getMaskValue().convertToDouble()));
                       }));
    return success();
  }
};

/// Reads the first elements of each sequence from behind.
struct ReverseSequenceToLinalg : OpConversionPattern<ReverseSequenceOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ReverseSequenceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData(), lengths = adaptor.getSeqLengths();
    auto type = cast<RankedTensorType>(data.getType());
    Type lengthType = op.getSeqLengths().getType().getElementType();
    int64_t rank = type.getRank();
    int64_t axis = normalizeAxis(op.getSeqAxis(), rank);
    int64_t batch = normalizeAxis(op.getBatchAxis(), rank);
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    b.assertEqual(b.getSize(lengths, 0), sizes[batch],
                  "expects a length for each sequence");
    rewriter.replaceOp(
        op,
        b.elements(b.getBlockName(), {{lengths, b.map(rank, b.dim(batch))}},
                   sizes, type.getElementType(),
                   [&](ImplicitLocOpBuilder &body, ValueRange args) {
                     SmallVector<Value> position = emitLoopIndices(body, rank);
                     Value &index = position[axis];
                     // A length beyond the end is the end.
                     Value length = arith::MinSIOp::create(
                         body, emitToIndex(body, lengthType, args[0]),
                         emitIndex(body, sizes[axis]));
                     Value last = arith::SubIOp::create(
                         body, length, arith::ConstantIndexOp::create(body, 1));
                     Value isWithin = arith::CmpIOp::create(
                         body, arith::CmpIPredicate::slt, index, length);
                     index = arith::SelectOp::create(
                         body, isWithin,
                         arith::SubIOp::create(body, last, index), index);
                     return emitExtract(body, data, position);
                   }));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateSequencePatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ReverseSequenceToLinalg, SequenceMaskToLinalg>(
      converter, patterns.getContext());
}
