//===- NonMaxSuppression.cpp - Lower suppressions of boxes to linalg ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First all boxes are sorted by their scores, as any tensor is. Then each item
// of a batch goes through them with a list of those that suppress others, in an
// instance of an opaque computation.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Order = ElementMath::Order;
using Predicate = arith::CmpIPredicate;

/// Copies the values of box `from` to `to`, which differ in their last index.
static void emitCopy(ImplicitLocOpBuilder &b, Value source, ValueRange from,
                     Value target, ValueRange to) {
  Value size = emitSizes(b, source).back();
  emitLoop(b, emitConstant(b, 0), size, {},
           [&](Value index, ValueRange) -> SmallVector<Value> {
             SmallVector<Value> read = llvm::to_vector(from);
             SmallVector<Value> written = llvm::to_vector(to);
             read.push_back(index);
             written.push_back(index);
             memref::StoreOp::create(b, memref::LoadOp::create(b, source, read),
                                     target, written);
             return {};
           });
}

//===----------------------------------------------------------------------===//
// get_valid_counts
//===----------------------------------------------------------------------===//

namespace {

struct GetValidCountsToLinalg : OpConversionPattern<VisionGetValidCountsOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionGetValidCountsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    Type type = getElementType(op.getData()), i32 = b.getI32Type();
    Type thresholdType = getElementType(op.getThreshold());
    SmallVector<OpFoldResult> sizes = b.getSizes(adaptor.getData());
    b.assertAtLeast(sizes[2], std::max(op.getIdIndex(), op.getScoreIndex()) + 1,
                    "expects boxes with more values");
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                    ValueRange inputs, ValueRange results) {
      BoxMath math(body);
      const ElementMath &wide = math.getMath();
      Value item = position.front();
      std::optional<APFloat> given = op.getScoreThreshold();
      Value threshold = given ? wide.number(given->convertToDouble())
                              : math.load(thresholdType, inputs[1], {});
      auto load = [&](Value box, int64_t index) {
        return math.load(type, inputs[0],
                         ValueRange{item, box, emitConstant(body, index)});
      };
      Value zero = emitConstant(body, 0);
      Value count =
          emitLoop(body, zero, emitSizes(body, inputs[0])[1], zero,
                   [&](Value box, ValueRange state) -> SmallVector<Value> {
                     Value isValid = wide.compare(
                         Order::GT, load(box, op.getScoreIndex()), threshold);
                     if (op.getIdIndex() >= 0)
                       isValid = arith::AndIOp::create(
                           body, isValid,
                           wide.compare(Order::GE, load(box, op.getIdIndex()),
                                        wide.zero()));
                     Value place = state.front();
                     emitWhere(body, isValid, [&] {
                       emitCopy(body, inputs[0], {item, box}, results[1],
                                {item, place});
                       emitStoreIndex(body, box, results[2], {item, place});
                     });
                     return {arith::SelectOp::create(
                         body, isValid, increment(body, place), place)};
                   })
              .front();
      emitStoreIndex(body, count, results[0], item);
    };
    ArrayRef<OpFoldResult> all = sizes;
    rewriter.replaceOpWithMultiple(
        op, {b.opaque(b.getBlockName(), /*along=*/{0},
                      {adaptor.getData(), adaptor.getThreshold()},
                      {b.empty(all.take_front(1), i32),
                       filledWith(b, all, type, -1),
                       filledWith(b, all.take_front(2), i32, -1)},
                      emit)});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// non_max_suppression
//===----------------------------------------------------------------------===//

/// Goes through the boxes of one item in the order of scores. Those with a
/// positive score that stay are in a list of what may suppress others; where
/// a box goes, and whether it stays, is the result of a step.
struct NonMaxSuppressionToLinalg
    : OpConversionPattern<VisionNonMaxSuppressionOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionNonMaxSuppressionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  static void assertSizes(LinalgBuilder &b, VisionNonMaxSuppressionOp op,
                          OpAdaptor adaptor);
  /// All boxes of each item, from high to low scores.
  static Value buildBoxOrder(LinalgBuilder &b, VisionNonMaxSuppressionOp op,
                             OpAdaptor adaptor);
  /// Whether a box of the list `kept` of `numKept` suppresses `box`.
  static Value emitIsSuppressed(ImplicitLocOpBuilder &b,
                                VisionNonMaxSuppressionOp op, Value data,
                                Value item, Value kept, Value numKept,
                                Value box, Value threshold);
};

} // namespace

void NonMaxSuppressionToLinalg::assertSizes(LinalgBuilder &b,
                                            VisionNonMaxSuppressionOp op,
                                            OpAdaptor adaptor) {
  SmallVector<OpFoldResult> sizes = b.getSizes(adaptor.getData());
  b.assertEqual(b.getSize(adaptor.getValidCount(), 0), sizes[0],
                "expects a count for each item");
  for (int64_t dim : {0, 1})
    b.assertEqual(b.getSize(adaptor.getIndices(), dim), sizes[dim],
                  "expects an index for each box");
  int64_t last =
      std::max({op.getCoordStart() + 3, op.getScoreIndex(), op.getIdIndex()});
  b.assertAtLeast(sizes[2], last + 1, "expects boxes with more values");
}

/// Ends the kernel with an error if there are less boxes than `counts`, of the
/// relay type `type`, says.
static void checkCounts(LinalgBuilder &b, Value counts, Type type, Value data) {
  b.opaque((b.getBlockName() + "_check").str(), /*along=*/{}, {counts, data},
           /*destinations=*/{},
           [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
               ValueRange) {
             Value numBoxes = emitSizes(body, inputs[1])[1];
             Value areWithin = emitAll(
                 body, emitSizes(body, inputs[0]), [&](ValueRange item) {
                   Value count = memref::LoadOp::create(body, inputs[0], item);
                   return compare(body, Predicate::ule,
                                  emitToIndex(body, type, count), numBoxes);
                 });
             cf::AssertOp::create(body, areWithin,
                                  "expects valid_count within the boxes");
           });
}

Value NonMaxSuppressionToLinalg::buildBoxOrder(LinalgBuilder &b,
                                               VisionNonMaxSuppressionOp op,
                                               OpAdaptor adaptor) {
  SmallVector<OpFoldResult> sizes = b.getSizes(adaptor.getData());
  sizes.pop_back();
  Type type = getElementType(op.getData());
  Type countType = getElementType(op.getValidCount());
  return buildOrder(
      b, sizes, type, sizes[1],
      [&](ImplicitLocOpBuilder &body,
          ValueRange position) -> std::pair<Value, Value> {
        Value score = emitExtract(
            body, adaptor.getData(),
            {position[0], position[1], emitConstant(body, op.getScoreIndex())});
        Value count = emitToIndex(
            body, countType,
            emitExtract(body, adaptor.getValidCount(), position[0]));
        return {score, compare(body, Predicate::slt, position[1], count)};
      });
}

Value NonMaxSuppressionToLinalg::emitIsSuppressed(ImplicitLocOpBuilder &b,
                                                  VisionNonMaxSuppressionOp op,
                                                  Value data, Value item,
                                                  Value kept, Value numKept,
                                                  Value box, Value threshold) {
  BoxMath math(b);
  const ElementMath &wide = math.getMath();
  Type type = getElementType(op.getData());
  auto getClass = [&](Value number) {
    Value index = emitConstant(b, op.getIdIndex());
    return math.load(type, data, ValueRange{item, number, index});
  };
  auto getCorners = [&](Value number) {
    return math.sort(
        math.loadBox(type, data, {item, number}, op.getCoordStart()));
  };
  Box corners = getCorners(box);
  return emitAny(b, numKept, [&](Value place) {
    Value better = emitLoadIndex(b, kept, {item, place});
    Value result = wide.compare(
        Order::GE, math.getOverlap(getCorners(better), corners), threshold);
    if (op.getIdIndex() < 0)
      return result;
    Value group = getClass(better);
    Value fits = wide.compare(Order::GE, group, wide.zero());
    if (!op.getForceSuppress())
      fits = arith::AndIOp::create(
          b, fits, wide.compare(Order::EQ, group, getClass(box)));
    return arith::AndIOp::create(b, result, fits).getResult();
  });
}

LogicalResult NonMaxSuppressionToLinalg::matchAndRewrite(
    VisionNonMaxSuppressionOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  LinalgBuilder b(rewriter, op);
  assertSizes(b, op, adaptor);
  Type type = getElementType(op.getData()), i32 = b.getI32Type();
  Type countType = getElementType(op.getValidCount());
  Type indexType = getElementType(op.getIndices());
  checkCounts(b, adaptor.getValidCount(), countType, adaptor.getData());
  Value order = buildBoxOrder(b, op, adaptor);
  SmallVector<OpFoldResult> sizes = b.getSizes(adaptor.getData());
  ArrayRef<OpFoldResult> boxSizes = ArrayRef(sizes).take_front(2);
  SmallVector<Value> destinations;
  if (op.getReturnIndices()) {
    destinations.push_back(filledWith(b, boxSizes, i32, -1));
    destinations.push_back(b.empty({sizes[0], b.getIndexAttr(1)}, i32));
  } else {
    destinations.push_back(filledWith(b, sizes, type, -1));
  }
  destinations.push_back(b.empty(boxSizes, b.getI64Type()));

  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange positionOfItem,
                  ValueRange inputs, ValueRange results) {
    BoxMath math(body);
    const ElementMath &wide = math.getMath();
    Value item = positionOfItem.front(), data = inputs[0],
          kept = results.back();
    Value zero = emitConstant(body, 0);
    Value most =
        loadInteger(body, getElementType(op.getMaxOutputSize()), inputs[3]);
    Value threshold =
        math.load(getElementType(op.getIouThreshold()), inputs[4], {});
    Value isActive = wide.compare(Order::GT, threshold, wide.zero());
    Value count = emitToIndex(body, countType,
                              memref::LoadOp::create(body, inputs[1], item));
    Value numBoxes = emitSizes(body, data)[1];
    count = arith::MinUIOp::create(body, count, numBoxes);
    auto load = [&](Value box, int64_t index) {
      return math.load(type, data,
                       ValueRange{item, box, emitConstant(body, index)});
    };

    // How many boxes may suppress others, and how many are in the result.
    auto emitStep = [&](Value place, ValueRange state) -> SmallVector<Value> {
      Value sorted = emitLoadIndex(body, inputs[5], {item, place});
      Value box = arith::SelectOp::create(body, isActive, sorted, place);
      // Where that many are kept, even those without a positive score go.
      Value isBeyond = compare(body, Predicate::eq, state[0], most);
      if (op.getTopK() > 0)
        isBeyond =
            arith::OrIOp::create(body, isBeyond,
                                 compare(body, Predicate::sge, place,
                                         emitConstant(body, op.getTopK())));
      isBeyond = arith::AndIOp::create(body, isActive, isBeyond);
      Value yes = arith::ConstantOp::create(body, body.getBoolAttr(true));
      Value isInside = arith::XOrIOp::create(body, isBeyond, yes);
      Value isPositive =
          wide.compare(Order::GT, load(box, op.getScoreIndex()), wide.zero());
      Value competes = arith::AndIOp::create(
          body, isActive, arith::AndIOp::create(body, isInside, isPositive));
      // The first value: whether it stays. The second: those that suppress.
      auto branch = scf::IfOp::create(
          body, TypeRange{yes.getType(), zero.getType()}, competes,
          /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(body);
        body.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(body, ValueRange{isInside, state[0]});
        body.setInsertionPointToStart(branch.thenBlock());
        Value isSuppressed = emitIsSuppressed(body, op, data, item, kept,
                                              state[0], box, threshold);
        // There is room for it behind the last one, whether or not it stays.
        emitStoreIndex(body, box, kept, {item, state[0]});
        Value numKept = arith::SelectOp::create(body, isSuppressed, state[0],
                                                increment(body, state[0]));
        scf::YieldOp::create(
            body, ValueRange{arith::XOrIOp::create(body, isSuppressed, yes),
                             numKept});
      }
      Value stays = branch.getResult(0);
      Value target = place;
      if (op.getReturnIndices()) {
        Value index =
            memref::LoadOp::create(body, inputs[2], ValueRange{item, box});
        Value number =
            ElementMath(body, body.getI64Type()).convertFrom(indexType, index);
        number = arith::IndexCastOp::create(body, body.getIndexType(), number);
        stays = arith::AndIOp::create(
            body, stays, compare(body, Predicate::sge, number, zero));
        emitWhere(body, stays, [&] {
          emitStoreIndex(body, number, results[0], {item, state[1]});
        });
      } else {
        if (op.getInvalidToBottom()) {
          // At the front, if the first value says that it is one.
          stays = arith::AndIOp::create(
              body, stays, wide.compare(Order::GE, load(box, 0), wide.zero()));
          target = state[1];
        }
        emitWhere(body, stays, [&] {
          emitCopy(body, data, {item, box}, results[0], {item, target});
        });
      }
      return {branch.getResult(1),
              arith::SelectOp::create(body, stays, increment(body, state[1]),
                                      state[1])};
    };
    SmallVector<Value> totals =
        emitLoop(body, zero, count, {zero, zero}, emitStep);
    if (op.getReturnIndices())
      emitStoreIndex(body, totals[1], results[1], {item, zero});
  };
  SmallVector<Value> results = b.opaque(
      (b.getBlockName() + "_result").str(), /*along=*/{0},
      {adaptor.getData(), adaptor.getValidCount(), adaptor.getIndices(),
       adaptor.getMaxOutputSize(), adaptor.getIouThreshold(), order},
      destinations, emit);
  results.pop_back();
  rewriter.replaceOpWithMultiple(op, {results});
  return success();
}

void mlir::relay::detail::populateNonMaxSuppressionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<GetValidCountsToLinalg, NonMaxSuppressionToLinalg>(
      converter, patterns.getContext());
}
