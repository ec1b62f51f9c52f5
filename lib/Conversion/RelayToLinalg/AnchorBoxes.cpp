//===- AnchorBoxes.cpp - Lower operators on anchor boxes to linalg --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Order = ElementMath::Order;

/// `value` within 0 and 1 if `clips`; NaN as it is.
static Value emitClip(const ElementMath &math, Value value, bool clips) {
  if (!clips)
    return value;
  return math.max(math.min(value, math.one()), math.zero());
}

namespace {

/// Boxes (H, W, boxes of a pixel, corners): half an extent before the centre,
/// and behind it.
struct MultiboxPriorToLinalg : OpConversionPattern<VisionMultiboxPriorOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionMultiboxPriorOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type elementType = getElementType(adaptor.getData());
    Type type = getAccumulatorType(elementType);
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(adaptor.getData());
    OpFoldResult height = sizes[2], width = sizes[3];
    SmallVector<double> halves = getHalves(op);
    int64_t count = halves.size() / 4;
    auto tableType = RankedTensorType::get({count, 4}, b.getF64Type());
    Value table = arith::ConstantOp::create(
        b, DenseElementsAttr::get(tableType, ArrayRef<double>(halves)));
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange args) {
      ElementMath math(body, type);
      auto fromIndex = [&](Value index) {
        return math.convertFrom(
            body.getI64Type(),
            arith::IndexCastOp::create(body, body.getI64Type(), index));
      };
      Value rows = fromIndex(emitIndex(body, height));
      Value columns = fromIndex(emitIndex(body, width));
      auto getCentre = [&](int64_t axis, Value size) {
        Value at = math.add(fromIndex(emitLoopIndex(body, axis)),
                            math.number(op.getOffsets()[axis]));
        double step = op.getSteps()[axis];
        return step > 0 ? math.mul(at, math.number(step)) : math.div(at, size);
      };
      // Corners are x1, y1, x2, y2. Extents along x are relative to the height.
      Value one = arith::ConstantIndexOp::create(body, 1);
      Value isRow = arith::CmpIOp::create(
          body, arith::CmpIPredicate::eq,
          arith::AndIOp::create(body, emitLoopIndex(body, 3), one), one);
      Value centre =
          math.select(isRow, getCentre(0, rows), getCentre(1, columns));
      Value aspect = math.select(isRow, math.one(), math.div(rows, columns));
      Value half = math.convertFrom(body.getF64Type(), args[0]);
      Value corner = math.add(centre, math.mul(half, aspect));
      return ElementMath(body, elementType)
          .convertFrom(type, emitClip(math, corner, op.getClip()));
    };
    Value boxes =
        b.elements(b.getBlockName(), {{table, b.map(4, {b.dim(2), b.dim(3)})}},
                   {height, width, b.getIndexAttr(count), b.getIndexAttr(4)},
                   elementType, emit);
    Value merged = buildMerge(b, boxes, {{0, 1, 2}, {3}});
    rewriter.replaceOp(op, b.castTo(buildExpandDims(b, merged, 0),
                                    getTypeConverter()->convertType(
                                        op.getResult().getType())));
    return success();
  }

private:
  /// How far the corners of each box are from its centre.
  static SmallVector<double> getHalves(VisionMultiboxPriorOp op) {
    SmallVector<double> halves;
    auto add = [&](double height, double width) {
      halves.append({-width / 2, -height / 2, width / 2, height / 2});
    };
    for (double size : op.getSizes())
      add(size, size);
    double first = op.getSizes()[0];
    for (double ratio : op.getRatios().drop_front())
      add(first / std::sqrt(ratio), first * std::sqrt(ratio));
    return halves;
  }
};

/// The best class of each anchor is a nest; what is left of the anchors moves
/// to the front in a loop for each image.
struct MultiboxTransformLocToLinalg
    : OpConversionPattern<VisionMultiboxTransformLocOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionMultiboxTransformLocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> scoreSizes = b.getSizes(adaptor.getClsProb());
    OpFoldResult batch = scoreSizes[0], anchors = scoreSizes[2];
    StringRef message = "expects scores, displacements and anchors that fit";
    b.assertEqual(b.getSize(adaptor.getLocPred(), 0), batch, message);
    b.assertEqual(b.getSize(adaptor.getLocPred(), 1),
                  b.multiply(anchors, b.getIndexAttr(4)), message);
    b.assertEqual(b.getSize(adaptor.getAnchor(), 1), anchors, message);

    Type elementType = getElementType(op.getClsProb());
    auto [score, best] = buildBest(b, adaptor.getClsProb(), elementType);
    Value boxes = b.filled({batch, anchors, b.getIndexAttr(6)},
                           getNumberAttr(elementType, -1), "multibox_rest");
    Value counts = b.empty(batch, b.getI32Type());
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                    ValueRange inputs, ValueRange destinations) {
      emitImage(body, op, position[0], inputs, destinations);
    };
    SmallVector<Value> results =
        b.opaque(b.getBlockName(), /*along=*/{0},
                 {score, best, adaptor.getLocPred(), adaptor.getAnchor()},
                 {boxes, counts}, emit);
    replaceByFields(rewriter, b, op, results, *getTypeConverter());
    return success();
  }

private:
  /// The highest score of each anchor but that of the background, class 0, if
  /// it is above -1; and its class, the first of equal ones, else 0.
  static std::pair<Value, Value> buildBest(LinalgBuilder &b, Value scores,
                                           Type elementType) {
    SmallVector<OpFoldResult> sizes = b.getSizes(scores);
    SmallVector<OpFoldResult> kept = {sizes[0], sizes[2]};
    AffineMap result = b.select(3, {0, 1});
    Value least = b.filled(kept, getNumberAttr(elementType, -1), "best_init");
    Value none = b.filled(kept, b.getI32IntegerAttr(0), "class_init");
    SmallVector<Value> results = b.nest(
        "best_class", {{scores, b.select(3, {0, 2, 1})}},
        {{least, result}, {none, result}}, getIterators(2, 1),
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          ElementMath math(body, elementType);
          Value number = arith::IndexCastOp::create(body, body.getI32Type(),
                                                    emitLoopIndex(body, 2));
          Value isClass = arith::CmpIOp::create(
              body, arith::CmpIPredicate::ne, number,
              arith::ConstantOp::create(body, body.getI32IntegerAttr(0)));
          Value wins = arith::AndIOp::create(
              body, isClass, math.compare(Order::GT, args[0], args[1]));
          return SmallVector<Value>{
              math.select(wins, args[0], args[1]),
              arith::SelectOp::create(body, wins, number, args[2])};
        });
    return {results[0], results[1]};
  }

  static void emitImage(ImplicitLocOpBuilder &b,
                        VisionMultiboxTransformLocOp op, Value image,
                        ValueRange inputs, ValueRange destinations) {
    Type elementType = getElementType(op.getClsProb());
    Type type = getAccumulatorType(elementType);
    ElementMath math(b, type);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value threshold = math.number(op.getThreshold().convertToDouble());
    Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    auto isZero = [&](Value value) {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, none);
    };
    auto emitAnchor = [&](Value anchor, ValueRange before) {
      Value to = before[0];
      Value given =
          memref::LoadOp::create(b, inputs[0], ValueRange{image, anchor});
      Value score = math.convertFrom(elementType, given);
      Value best =
          memref::LoadOp::create(b, inputs[1], ValueRange{image, anchor});
      best = arith::SelectOp::create(
          b, math.compare(Order::LT, score, threshold), none, best);
      Value isKept = arith::ConstantOp::create(b, b.getBoolAttr(true));
      if (!op.getKeepBackground())
        isKept = arith::XOrIOp::create(b, isZero(best), isKept);
      emitWhere(b, isKept, [&] {
        Value number = arith::SubIOp::create(
            b, best, arith::ConstantOp::create(b, b.getI32IntegerAttr(1)));
        SmallVector<Value> values = {math.convertFrom(b.getI32Type(), number),
                                     score};
        llvm::append_range(values,
                           emitCorners(math, op, image, anchor, inputs));
        for (auto [column, value] : llvm::enumerate(values))
          memref::StoreOp::create(
              b, ElementMath(b, elementType).convertFrom(type, value),
              destinations[0],
              ValueRange{image, to, arith::ConstantIndexOp::create(b, column)});
      });
      Value next = arith::AddIOp::create(b, to, one);
      return SmallVector<Value>{arith::SelectOp::create(b, isKept, next, to)};
    };
    Value count =
        emitLoop(b, zero, emitSizes(b, inputs[0])[1], zero, emitAnchor).front();
    memref::StoreOp::create(
        b, arith::IndexCastOp::create(b, b.getI32Type(), count),
        destinations[1], image);
  }

  /// The anchor, moved and scaled by what was predicted.
  static SmallVector<Value> emitCorners(const ElementMath &math,
                                        VisionMultiboxTransformLocOp op,
                                        Value image, Value anchor,
                                        ValueRange inputs) {
    ImplicitLocOpBuilder &b = math.getBuilder();
    Value four = arith::ConstantIndexOp::create(b, 4);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value row = arith::MulIOp::create(b, anchor, four);
    auto getMove = [&](int64_t number) {
      Value at = arith::AddIOp::create(
          b, row, arith::ConstantIndexOp::create(b, number));
      Value move = memref::LoadOp::create(b, inputs[2], ValueRange{image, at});
      return math.mul(math.convertFrom(getElementType(op.getLocPred()), move),
                      math.number(op.getVariances()[number]));
    };
    auto getCorner = [&](int64_t number) {
      Value at = arith::ConstantIndexOp::create(b, number);
      Value corner =
          memref::LoadOp::create(b, inputs[3], ValueRange{zero, anchor, at});
      return math.convertFrom(getElementType(op.getAnchor()), corner);
    };
    Value half = math.number(0.5);
    SmallVector<Value> corners(4);
    for (int64_t axis = 0; axis < 2; ++axis) {
      Value begin = getCorner(axis), end = getCorner(2 + axis);
      Value extent = math.sub(end, begin);
      Value centre = math.add(math.mul(math.add(begin, end), half),
                              math.mul(getMove(axis), extent));
      Value scale = math::ExpOp::create(b, getMove(2 + axis));
      Value distance = math.mul(math.mul(scale, extent), half);
      corners[axis] = emitClip(math, math.sub(centre, distance), op.getClip());
      corners[2 + axis] =
          emitClip(math, math.add(centre, distance), op.getClip());
    }
    return corners;
  }
};

} // namespace

void mlir::relay::detail::populateAnchorBoxPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<MultiboxPriorToLinalg, MultiboxTransformLocToLinalg>(
      converter, patterns.getContext());
}
