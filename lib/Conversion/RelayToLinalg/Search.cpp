//===- Search.cpp - Lower searches for positions to linalg ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Predicate = arith::CmpIPredicate;

namespace {

/// The remainder of each index by the last size, then of what is left by the
/// size before, and so on.
struct UnravelIndexToLinalg : OpConversionPattern<UnravelIndexOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(UnravelIndexOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Type indexType = op.getData().getType().getElementType();
    Type sizeType = op.getShape().getType().getElementType();
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = {b.getSize(adaptor.getShape(), 0)};
    llvm::append_range(sizes, b.getSizes(adaptor.getData()));
    Value result =
        b.empty(LinalgBuilder::refine(sizes, type), type.getElementType());
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                    ValueRange destinations) {
      Value zero = emitConstant(body, 0), one = emitConstant(body, 1);
      Value rank = emitSizes(body, inputs[1]).front();
      auto loadSize = [&](Value dim) {
        return emitToIndex(body, sizeType,
                           memref::LoadOp::create(body, inputs[1], dim));
      };
      Value areSizes = emitAll(body, rank, [&](ValueRange dim) -> Value {
        return arith::CmpIOp::create(body, Predicate::sge, loadSize(dim[0]),
                                     zero);
      });
      cf::AssertOp::create(body, areSizes, "expects sizes not to be negative");
      Value count =
          emitLoop(body, zero, rank, one, [&](Value dim, ValueRange product) {
            return SmallVector<Value>{
                arith::MulIOp::create(body, product[0], loadSize(dim))};
          }).front();
      auto loadIndex = [&](ValueRange position) {
        return emitToIndex(body, indexType,
                           memref::LoadOp::create(body, inputs[0], position));
      };
      SmallVector<Value> space = emitSizes(body, inputs[0]);
      Value areWithin = emitAll(body, space, [&](ValueRange position) {
        return emitIsWithin(body, loadIndex(position), count);
      });
      cf::AssertOp::create(body, areWithin, "expects indices within the shape");
      emitLoops(body, space, [&](ValueRange position) {
        emitLoop(
            body, zero, rank, loadIndex(position),
            [&](Value i, ValueRange rest) -> SmallVector<Value> {
              Value dim = arith::SubIOp::create(
                  body, arith::SubIOp::create(body, rank, one), i);
              Value size = loadSize(dim);
              Value own = arith::RemUIOp::create(body, rest[0], size);
              SmallVector<Value> target = {dim};
              llvm::append_range(target, position);
              memref::StoreOp::create(
                  body,
                  arith::IndexCastOp::create(body, type.getElementType(), own),
                  destinations[0], target);
              return {arith::DivUIOp::create(body, rest[0], size)};
            });
      });
    };
    result = b.opaque(b.getBlockName(), /*along=*/{},
                      {adaptor.getData(), adaptor.getShape()}, result, emit)
                 .front();
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

/// Stores each position where its element says. Twice at one place, the later
/// replaces the earlier, which then does not find itself there.
struct InvertPermutationToLinalg : OpConversionPattern<InvertPermutationOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(InvertPermutationOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    Type storage = cast<RankedTensorType>(data.getType()).getElementType();
    Type elementType = op.getData().getType().getElementType();
    LinalgBuilder b(rewriter, op);
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                    ValueRange destinations) {
      SmallVector<Value> space = emitSizes(body, inputs[0]);
      auto load = [&](Value buffer, Value position) {
        return emitToIndex(body, elementType,
                           memref::LoadOp::create(body, buffer, position));
      };
      Value areWithin = emitAll(body, space, [&](ValueRange position) {
        return emitIsWithin(body, load(inputs[0], position[0]), space[0]);
      });
      cf::AssertOp::create(body, areWithin,
                           "expects indices within the permutation");
      emitLoops(body, space, [&](ValueRange position) {
        Value own = arith::IndexCastOp::create(body, storage, position[0]);
        memref::StoreOp::create(body, own, destinations[0],
                                load(inputs[0], position[0]));
      });
      Value areOwn = emitAll(body, space, [&](ValueRange position) -> Value {
        Value found = load(destinations[0], load(inputs[0], position[0]));
        return arith::CmpIOp::create(body, Predicate::eq, found, position[0]);
      });
      cf::AssertOp::create(body, areOwn, "expects a permutation");
    };
    rewriter.replaceOp(op, b.opaque(b.getBlockName(), /*along=*/{}, data,
                                    b.empty(b.getSizes(data), storage), emit));
    return success();
  }
};

/// A binary search for each value.
struct SearchsortedToLinalg : OpConversionPattern<SearchsortedOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SearchsortedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value sequence = adaptor.getSortedSequence(), values = adaptor.getValues();
    Type elementType = op.getValues().getType().getElementType();
    Type storage = getSignless(op.getDtype().getValue());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(values);
    SmallVector<OpFoldResult> rows = b.getSizes(sequence);
    rows.pop_back();
    for (auto [dim, size] : llvm::enumerate(rows))
      b.assertEqual(size, sizes[dim], "expects common leading dimensions");
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                    ValueRange inputs, ValueRange destinations) {
      ElementMath math(body, elementType);
      Value value = memref::LoadOp::create(body, inputs[1], position);
      // Whether the position of `value` is behind that of `index`.
      auto isBehind = [&](Value index) {
        SmallVector<Value> source(position.take_front(rows.size()));
        source.push_back(index);
        Value element = memref::LoadOp::create(body, inputs[0], source);
        if (!op.getRight())
          return math.compare(ElementMath::Order::LT, element, value);
        Value isBefore = math.compare(ElementMath::Order::LT, value, element);
        return ElementMath(body, body.getI1Type())
            .compare(ElementMath::Order::EQ, isBefore,
                     ElementMath(body, body.getI1Type()).zero());
      };
      Value found =
          emitPartitionPoint(body, emitSizes(body, inputs[0]).back(), isBehind);
      memref::StoreOp::create(body,
                              arith::IndexCastOp::create(body, storage, found),
                              destinations[0], position);
    };
    SmallVector<int64_t> along =
        llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
    rewriter.replaceOp(op, b.opaque(b.getBlockName(), along, {sequence, values},
                                    b.empty(sizes, storage), emit));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateSearchPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<InvertPermutationToLinalg, SearchsortedToLinalg,
               UnravelIndexToLinalg>(converter, patterns.getContext());
}
