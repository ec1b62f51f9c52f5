//===- ClassSuppression.cpp - Lower suppressions by class to linalg -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All boxes are sorted by their scores for each class, as any tensor is. Then
// each class of each item goes through them with a list of those that stay, in
// an instance of an opaque computation; another one puts the lists together.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Order = ElementMath::Order;
using Predicate = arith::CmpIPredicate;

/// Asserts that there are scores of `numItems` times `numBoxes` boxes.
static void assertBoxes(LinalgBuilder &b, Value boxes, OpFoldResult numItems,
                        OpFoldResult numBoxes) {
  b.assertEqual(b.getSize(boxes, 0), numItems, "expects scores for each item");
  b.assertEqual(b.getSize(boxes, 1), numBoxes, "expects scores for each box");
  b.assertEqual(b.getSize(boxes, 2), b.getIndexAttr(4),
                "expects boxes of two corners");
}

//===----------------------------------------------------------------------===//
// all_class_non_max_suppression
//===----------------------------------------------------------------------===//

namespace {

/// Selects for each class of each item by itself; then what was selected is
/// moved to the front.
struct AllClassesToLinalg
    : OpConversionPattern<VisionAllClassNonMaxSuppressionOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionAllClassNonMaxSuppressionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  using Op = VisionAllClassNonMaxSuppressionOp;

  /// The selected boxes by class, and how many there are.
  static SmallVector<Value> buildSelections(LinalgBuilder &b, Op op,
                                            OpAdaptor adaptor);
  /// The rows (item, class, box) of all, one after the other, and how many.
  static SmallVector<Value> buildTriples(LinalgBuilder &b, Value boxes,
                                         Value counts);
  /// For each item rows (class, box), scores, and how many.
  static SmallVector<Value> buildPairs(LinalgBuilder &b, Op op, Value scores,
                                       Value boxes, Value counts);
};

} // namespace

SmallVector<Value> AllClassesToLinalg::buildSelections(LinalgBuilder &b, Op op,
                                                       OpAdaptor adaptor) {
  Type type = getElementType(op.getBoxes());
  Type scoreType = getElementType(op.getScores());
  Type thresholdType = getElementType(op.getScoreThreshold());
  SmallVector<OpFoldResult> sizes = b.getSizes(adaptor.getScores());
  assertBoxes(b, adaptor.getBoxes(), sizes[0], sizes[2]);
  auto isAbove = [&](const BoxMath &math, Value score, Value threshold) {
    const ElementMath &wide = math.getMath();
    return wide.compare(Order::GT, wide.convertFrom(scoreType, score),
                        wide.convertFrom(thresholdType, threshold));
  };
  Value order = buildOrder(
      b, sizes, scoreType, sizes[2],
      [&](ImplicitLocOpBuilder &body,
          ValueRange position) -> std::pair<Value, Value> {
        Value score = emitExtract(body, adaptor.getScores(), position);
        Value threshold = emitExtract(body, adaptor.getScoreThreshold(), {});
        return {score, isAbove(BoxMath(body), score, threshold)};
      });

  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange results) {
    BoxMath math(body);
    const ElementMath &wide = math.getMath();
    Value item = position[0], group = position[1];
    Value zero = emitConstant(body, 0);
    Value count = emitSizes(body, inputs[0])[1];
    Value most = loadInteger(
        body, getElementType(op.getMaxOutputBoxesPerClass()), inputs[2]);
    Value overlap = math.load(getElementType(op.getIouThreshold()), inputs[3],
                              ValueRange());
    Value least = math.load(thresholdType, inputs[4], ValueRange());
    most = arith::SelectOp::create(
        body, compare(body, Predicate::sgt, most, zero), most, count);
    most = arith::SelectOp::create(
        body, wide.compare(Order::GT, overlap, wide.zero()), most, zero);
    auto getCorners = [&](Value box) {
      return math.sort(math.loadBox(type, inputs[0], {item, box}));
    };
    auto getBox = [&](Value place) {
      return emitLoadIndex(body, inputs[5], {item, group, place});
    };
    auto isCandidate = [&](Value box) {
      return wide.compare(Order::GT,
                          math.load(scoreType, inputs[1], {item, group, box}),
                          least);
    };
    auto suppresses = [&](Value better, Value box) {
      return wide.compare(Order::GE,
                          math.getOverlap(getCorners(better), getCorners(box)),
                          overlap);
    };
    auto load = [&](Value place) {
      return emitLoadIndex(body, results[1], {item, group, place});
    };
    auto store = [&](Value box, Value place) {
      emitStoreIndex(body, box, results[1], {item, group, place});
    };
    Value number = emitSelection(
        body, count, most, {getBox, isCandidate, suppresses, load, store});
    emitStoreIndex(body, number, results[0], position);
  };
  SmallVector<OpFoldResult> countSizes = sizes;
  countSizes.pop_back();
  Type i64 = b.getI64Type();
  SmallVector<Value> results =
      b.opaque((b.getBlockName() + "_select").str(), /*along=*/{0, 1},
               {adaptor.getBoxes(), adaptor.getScores(),
                adaptor.getMaxOutputBoxesPerClass(), adaptor.getIouThreshold(),
                adaptor.getScoreThreshold(), order},
               {b.empty(countSizes, i64), b.empty(sizes, i64)}, emit);
  return {results[1], results[0]};
}

/// Calls `body` with the place in the result, the item, the class and the box
/// of all that were selected of `item`, from `begin` on. Returns the next
/// place.
static Value emitSelected(
    ImplicitLocOpBuilder &b, Value boxes, Value counts, Value item, Value begin,
    llvm::function_ref<void(Value place, Value group, Value box)> body) {
  Value zero = emitConstant(b, 0);
  return emitLoop(b, zero, emitSizes(b, counts)[1], begin,
                  [&](Value group, ValueRange state) -> SmallVector<Value> {
                    Value count = emitLoadIndex(b, counts, {item, group});
                    emitLoop(
                        b, zero, count, {},
                        [&](Value index, ValueRange) -> SmallVector<Value> {
                          body(arith::AddIOp::create(b, state[0], index), group,
                               emitLoadIndex(b, boxes, {item, group, index}));
                          return {};
                        });
                    return {arith::AddIOp::create(b, state[0], count)};
                  })
      .front();
}

SmallVector<Value> AllClassesToLinalg::buildTriples(LinalgBuilder &b,
                                                    Value boxes, Value counts) {
  Type i64 = b.getI64Type();
  SmallVector<OpFoldResult> sizes = b.getSizes(boxes);
  OpFoldResult all = b.multiply(sizes[0], b.multiply(sizes[1], sizes[2]));
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                  ValueRange results) {
    Value zero = emitConstant(body, 0);
    Value total =
        emitLoop(body, zero, emitSizes(body, inputs[0])[0], zero,
                 [&](Value item, ValueRange state) -> SmallVector<Value> {
                   auto store = [&](Value place, Value group, Value box) {
                     Value row[] = {item, group, box};
                     for (auto [column, value] : llvm::enumerate(row))
                       emitStoreIndex(body, value, results[0],
                                      {place, emitConstant(body, column)});
                   };
                   return {emitSelected(body, inputs[0], inputs[1], item,
                                        state[0], store)};
                 })
            .front();
    emitStoreIndex(body, total, results[1], zero);
  };
  return b.opaque((b.getBlockName() + "_result").str(), /*along=*/{},
                  {boxes, counts},
                  {filledWith(b, {all, b.getIndexAttr(3)}, i64, 0),
                   b.empty({b.getIndexAttr(1)}, i64)},
                  emit);
}

SmallVector<Value> AllClassesToLinalg::buildPairs(LinalgBuilder &b, Op op,
                                                  Value scores, Value boxes,
                                                  Value counts) {
  Type i64 = b.getI64Type(), f32 = b.getF32Type();
  Type scoreType = getElementType(op.getScores());
  SmallVector<OpFoldResult> sizes = b.getSizes(boxes);
  OpFoldResult all = b.multiply(sizes[1], sizes[2]);
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange results) {
    Value item = position.front(), zero = emitConstant(body, 0);
    ElementMath single(body, f32);
    auto store = [&](Value place, Value group, Value box) {
      Value row[] = {group, box};
      for (auto [column, value] : llvm::enumerate(row))
        emitStoreIndex(body, value, results[0],
                       {item, place, emitConstant(body, column)});
      Value score =
          memref::LoadOp::create(body, inputs[2], ValueRange{item, group, box});
      memref::StoreOp::create(body, single.convertFrom(scoreType, score),
                              results[1], ValueRange{item, place});
    };
    Value total = emitSelected(body, inputs[0], inputs[1], item, zero, store);
    emitStoreIndex(body, total, results[2], item);
  };
  return b.opaque((b.getBlockName() + "_result").str(), /*along=*/{0},
                  {boxes, counts, scores},
                  {filledWith(b, {sizes[0], all, b.getIndexAttr(2)}, i64, 0),
                   filledWith(b, {sizes[0], all}, f32, 0),
                   b.empty({sizes[0]}, i64)},
                  emit);
}

LogicalResult
AllClassesToLinalg::matchAndRewrite(Op op, OpAdaptor adaptor,
                                    ConversionPatternRewriter &rewriter) const {
  LinalgBuilder b(rewriter, op);
  SmallVector<Value> selected = buildSelections(b, op, adaptor);
  SmallVector<Value> results =
      op.getOutputFormat() == "onnx"
          ? buildTriples(b, selected[0], selected[1])
          : buildPairs(b, op, adaptor.getScores(), selected[0], selected[1]);
  replaceByFields(rewriter, b, op, results, *getTypeConverter());
  return success();
}

//===----------------------------------------------------------------------===//
// regular_non_max_suppression
//===----------------------------------------------------------------------===//

namespace {

/// Selects for each class of each item by itself, into a list with a place for
/// each that may be selected; then sorts what is in the lists of an item.
struct RegularToLinalg : OpConversionPattern<VisionRegularNonMaxSuppressionOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionRegularNonMaxSuppressionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  using Op = VisionRegularNonMaxSuppressionOp;

  /// The selected boxes by class, -1 behind.
  static Value buildSelections(LinalgBuilder &b, Op op, OpAdaptor adaptor);
  /// The places of boxes in the list of their item, from high to low scores.
  static Value buildPlaces(LinalgBuilder &b, Op op, Value scores, Value boxes);
};

} // namespace

/// The column of `group` among `numColumns`, of which those for the background
/// come first.
static Value emitColumn(ImplicitLocOpBuilder &b,
                        VisionRegularNonMaxSuppressionOp op, Value group,
                        Value numColumns) {
  Value background =
      arith::SubIOp::create(b, numColumns, emitConstant(b, op.getNumClasses()));
  return arith::AddIOp::create(b, group, background);
}

Value RegularToLinalg::buildSelections(LinalgBuilder &b, Op op,
                                       OpAdaptor adaptor) {
  Type type = getElementType(op.getBoxes());
  Type scoreType = getElementType(op.getScores());
  SmallVector<OpFoldResult> given = b.getSizes(adaptor.getScores());
  OpFoldResult numClasses = b.getIndexAttr(op.getNumClasses());
  assertBoxes(b, adaptor.getBoxes(), given[0], given[1]);
  b.assertAtLeast(given[2], numClasses, "expects scores for each class");
  double least = op.getScoreThreshold().convertToDouble();
  double overlap = op.getIouThreshold().convertToDouble();
  Value order = buildOrder(
      b, {given[0], numClasses, given[1]}, scoreType, given[1],
      [&](ImplicitLocOpBuilder &body,
          ValueRange position) -> std::pair<Value, Value> {
        Value column =
            emitColumn(body, op, position[1], emitIndex(body, given[2]));
        Value score = emitExtract(body, adaptor.getScores(),
                                  {position[0], position[2], column});
        ElementMath wide(body, body.getF64Type());
        return {score,
                wide.compare(Order::GE, wide.convertFrom(scoreType, score),
                             wide.number(least))};
      });

  // As many as there are boxes, or as are wanted if that is surely less.
  OpFoldResult most = b.getIndexAttr(op.getMaxDetectionsPerClass());
  std::optional<int64_t> numBoxes = getConstantIntValue(given[1]);
  OpFoldResult room =
      numBoxes && op.getMaxDetectionsPerClass() < *numBoxes ? most : given[1];
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange results) {
    BoxMath math(body);
    const ElementMath &wide = math.getMath();
    Value item = position[0], group = position[1];
    Value column = emitColumn(body, op, group, emitSizes(body, inputs[1])[2]);
    auto getCorners = [&](Value box) {
      Box corners = math.loadBox(type, inputs[0], {item, box});
      return Box{corners.top, corners.left, corners.bottom, corners.right};
    };
    auto getBox = [&](Value place) {
      return emitLoadIndex(body, inputs[2], {item, group, place});
    };
    auto isCandidate = [&](Value box) {
      return wide.compare(Order::GE,
                          math.load(scoreType, inputs[1], {item, box, column}),
                          wide.number(least));
    };
    auto suppresses = [&](Value better, Value box) -> Value {
      Box lhs = getCorners(better), rhs = getCorners(box);
      auto hasArea = [&](const Box &corners) {
        return wide.compare(Order::GT, math.getArea(corners), wide.zero());
      };
      Value share =
          wide.select(arith::AndIOp::create(body, hasArea(lhs), hasArea(rhs)),
                      math.getOverlap(lhs, rhs), wide.zero());
      return wide.compare(Order::GT, share, wide.number(overlap));
    };
    auto load = [&](Value place) {
      return emitLoadIndex(body, results[0], {item, group, place});
    };
    auto store = [&](Value box, Value place) {
      emitStoreIndex(body, box, results[0], {item, group, place});
    };
    Value numSelected =
        emitSelection(body, emitSizes(body, inputs[0])[1],
                      emitConstant(body, op.getMaxDetectionsPerClass()),
                      {getBox, isCandidate, suppresses, load, store});
    emitLoop(body, numSelected, emitSizes(body, results[0])[2], {},
             [&](Value place, ValueRange) -> SmallVector<Value> {
               store(emitConstant(body, -1), place);
               return {};
             });
  };
  return b
      .opaque((b.getBlockName() + "_select").str(), /*along=*/{0, 1},
              {adaptor.getBoxes(), adaptor.getScores(), order},
              b.empty({given[0], numClasses, room}, b.getI64Type()), emit)
      .front();
}

/// A box and its class at a place in the lists of an item.
static std::pair<Value, Value> emitDetection(ImplicitLocOpBuilder &b,
                                             Value place, Value room) {
  return {arith::RemUIOp::create(b, place, room),
          arith::DivUIOp::create(b, place, room)};
}

Value RegularToLinalg::buildPlaces(LinalgBuilder &b, Op op, Value scores,
                                   Value boxes) {
  Type scoreType = getElementType(op.getScores());
  SmallVector<OpFoldResult> sizes = b.getSizes(boxes);
  OpFoldResult all = b.multiply(sizes[1], sizes[2]);
  OpFoldResult numColumns = b.getSize(scores, 2);
  // A score may be as low as that of none if the threshold is; then all places
  // are needed to find those that are something.
  std::optional<int64_t> known = getConstantIntValue(all);
  bool needsAll = op.getScoreThreshold().isInfinity() ||
                  (known && *known < op.getMaxDetections());
  OpFoldResult count = needsAll ? all : b.getIndexAttr(op.getMaxDetections());
  return buildOrder(
      b, {sizes[0], all}, scoreType, count,
      [&](ImplicitLocOpBuilder &body,
          ValueRange position) -> std::pair<Value, Value> {
        auto [index, group] =
            emitDetection(body, position[1], emitIndex(body, sizes[2]));
        Value box =
            emitToIndex(body, body.getI64Type(),
                        emitExtract(body, boxes, {position[0], group, index}));
        Value isSome =
            compare(body, Predicate::sge, box, emitConstant(body, 0));
        box = arith::MaxSIOp::create(body, box, emitConstant(body, 0));
        Value column = emitColumn(body, op, group, emitIndex(body, numColumns));
        return {emitExtract(body, scores, {position[0], box, column}), isSome};
      });
}

LogicalResult
RegularToLinalg::matchAndRewrite(Op op, OpAdaptor adaptor,
                                 ConversionPatternRewriter &rewriter) const {
  LinalgBuilder b(rewriter, op);
  Type type = getElementType(op.getBoxes()), f32 = b.getF32Type();
  Type scoreType = getElementType(op.getScores());
  Value boxes = buildSelections(b, op, adaptor);
  Value places = buildPlaces(b, op, adaptor.getScores(), boxes);
  OpFoldResult batch = b.getSize(adaptor.getScores(), 0);
  OpFoldResult most = b.getIndexAttr(op.getMaxDetections());
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange results) {
    Value item = position.front(), zero = emitConstant(body, 0);
    SmallVector<Value> listSizes = emitSizes(body, inputs[2]);
    Value numColumns = emitSizes(body, inputs[1])[2];
    ElementMath single(body, f32);
    Value limit = emitSizes(body, results[1])[1];
    Value numPlaces = arith::MinSIOp::create(
        body, emitSizes(body, inputs[3])[1],
        arith::MulIOp::create(body, listSizes[1], listSizes[2]));
    auto emitStep = [&](Value index, ValueRange state) -> SmallVector<Value> {
      Value number = state.front();
      auto [place, group] = emitDetection(
          body, emitLoadIndex(body, inputs[3], {item, index}), listSizes[2]);
      Value box = emitLoadIndex(body, inputs[2], {item, group, place});
      Value isTaken =
          arith::AndIOp::create(body, compare(body, Predicate::sge, box, zero),
                                compare(body, Predicate::slt, number, limit));
      emitWhere(body, isTaken, [&, group = group] {
        auto copy = [&](Type from, Value source, ValueRange at, Value target,
                        ValueRange to) {
          Value value = memref::LoadOp::create(body, source, at);
          memref::StoreOp::create(body, single.convertFrom(from, value), target,
                                  to);
        };
        for (int64_t corner = 0; corner < 4; ++corner) {
          Value last = emitConstant(body, corner);
          copy(type, inputs[0], {item, box, last}, results[0],
               {item, number, last});
        }
        Value column = emitColumn(body, op, group, numColumns);
        copy(scoreType, inputs[1], {item, box, column}, results[2],
             {item, number});
        Value groupNumber =
            arith::IndexCastOp::create(body, body.getI64Type(), group);
        memref::StoreOp::create(
            body, single.convertFrom(body.getI64Type(), groupNumber),
            results[1], ValueRange{item, number});
      });
      return {arith::SelectOp::create(body, isTaken, increment(body, number),
                                      number)};
    };
    Value count = emitLoop(body, zero, numPlaces, zero, emitStep).front();
    emitStoreIndex(body, count, results[3], item);
  };
  SmallVector<Value> results = b.opaque(
      (b.getBlockName() + "_result").str(), /*along=*/{0},
      {adaptor.getBoxes(), adaptor.getScores(), boxes, places},
      {filledWith(b, {batch, most, b.getIndexAttr(4)}, f32, 0),
       filledWith(b, {batch, most}, f32, 0),
       filledWith(b, {batch, most}, f32, 0), b.empty({batch}, b.getI32Type())},
      emit);
  replaceByFields(rewriter, b, op, results, *getTypeConverter());
  return success();
}

void mlir::relay::detail::populateClassSuppressionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AllClassesToLinalg, RegularToLinalg>(converter,
                                                    patterns.getContext());
}
