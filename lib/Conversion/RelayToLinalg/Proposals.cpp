//===- Proposals.cpp - Lower proposals of regions to linalg ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each anchor of a pixel becomes a region and its score in one computation;
// then the regions of an item are sorted, and an instance of another
// computation goes through the best of them.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Gather.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Order = ElementMath::Order;

namespace {

struct ProposalToLinalg : OpConversionPattern<VisionProposalOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionProposalOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  static void assertSizes(LinalgBuilder &b, VisionProposalOp op,
                          OpAdaptor adaptor);
  /// The corners of the anchors of the first pixel, a row for each.
  static Value buildAnchors(LinalgBuilder &b, VisionProposalOp op);
  /// The scores (items, regions) and the corners (items, regions, 4).
  static std::pair<Value, Value>
  buildRegions(LinalgBuilder &b, VisionProposalOp op, OpAdaptor adaptor);
  /// For each item the best regions that do not overlap, again and again.
  static Value buildSelection(LinalgBuilder &b, VisionProposalOp op,
                              Value scores, Value regions);
};

} // namespace

static int64_t getNumAnchors(VisionProposalOp op) {
  return op.getScales().size() * op.getRatios().size();
}

void ProposalToLinalg::assertSizes(LinalgBuilder &b, VisionProposalOp op,
                                   OpAdaptor adaptor) {
  StringRef message = "expects scores, boxes and image sizes that fit";
  SmallVector<OpFoldResult> scores = b.getSizes(adaptor.getClsProb());
  SmallVector<OpFoldResult> moves = b.getSizes(adaptor.getBboxPred());
  SmallVector<OpFoldResult> info = b.getSizes(adaptor.getImInfo());
  b.assertEqual(scores[1], b.getIndexAttr(2 * getNumAnchors(op)), message);
  b.assertEqual(moves[1], b.getIndexAttr(4 * getNumAnchors(op)), message);
  for (int64_t dim : {0, 2, 3})
    b.assertEqual(moves[dim], scores[dim], message);
  b.assertEqual(info[0], scores[0], message);
  b.assertEqual(info[1], b.getIndexAttr(3), message);
}

Value ProposalToLinalg::buildAnchors(LinalgBuilder &b, VisionProposalOp op) {
  double size = op.getFeatureStride();
  SmallVector<double> corners;
  for (double ratio : op.getRatios())
    for (double scale : op.getScales()) {
      // Of about the area of a square of pixels, the sides rounded.
      double width =
          std::floor(std::sqrt(std::floor(size * size / ratio)) + 0.5);
      double height = std::floor(width * ratio + 0.5);
      double centre = 0.5 * (size - 1);
      double dx = 0.5 * (width * scale - 1), dy = 0.5 * (height * scale - 1);
      corners.append({centre - dx, centre - dy, centre + dx, centre + dy});
    }
  auto type = RankedTensorType::get({getNumAnchors(op), 4}, b.getF64Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<double>(corners)));
}

/// Moves and scales an anchor by four predicted amounts.
static Box emitMove(const BoxMath &boxes, const Box &anchor,
                    ArrayRef<Value> amounts, bool areCorners) {
  const ElementMath &math = boxes.getMath();
  if (areCorners)
    return {math.add(anchor.left, amounts[0]), math.add(anchor.top, amounts[1]),
            math.add(anchor.right, amounts[2]),
            math.add(anchor.bottom, amounts[3])};
  Value half = math.number(0.5), one = math.one();
  auto move = [&](Value begin, Value end, Value shift,
                  Value growth) -> std::pair<Value, Value> {
    Value size = math.add(math.sub(end, begin), one);
    Value centre =
        math.add(math.add(begin, math.mul(half, math.sub(size, one))),
                 math.mul(shift, size));
    Value scale = math::ExpOp::create(math.getBuilder(), growth);
    Value reach = math.mul(half, math.sub(math.mul(scale, size), one));
    return {math.sub(centre, reach), math.add(centre, reach)};
  };
  auto [left, right] = move(anchor.left, anchor.right, amounts[0], amounts[2]);
  auto [top, bottom] = move(anchor.top, anchor.bottom, amounts[1], amounts[3]);
  return {left, top, right, bottom};
}

std::pair<Value, Value> ProposalToLinalg::buildRegions(LinalgBuilder &b,
                                                       VisionProposalOp op,
                                                       OpAdaptor adaptor) {
  Type scoreType = getElementType(op.getClsProb());
  Type moveType = getElementType(op.getBboxPred());
  Type infoType = getElementType(op.getImInfo());
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange pixel,
                  ValueRange inputs, ValueRange results) {
    BoxMath boxes(body);
    const ElementMath &math = boxes.getMath();
    Value item = pixel[0], zero = math.zero(), one = math.one();
    Value stride = math.number(op.getFeatureStride());
    auto fromIndex = [&](Value index) {
      Type i64 = body.getI64Type();
      return math.convertFrom(i64,
                              arith::IndexCastOp::create(body, i64, index));
    };
    auto loadInfo = [&](int64_t column) {
      return boxes.load(infoType, inputs[2],
                        ValueRange{item, emitConstant(body, column)});
    };
    Value row = fromIndex(pixel[1]), column = fromIndex(pixel[2]);
    Value height = loadInfo(0), width = loadInfo(1);
    Value least = math.mul(
        loadInfo(2), math.number(static_cast<double>(op.getRpnMinSize())));
    auto isBehind = [&](Value at, Value extent) {
      Value end = math::TruncOp::create(body, math.div(extent, stride));
      return math.compare(Order::GE, at, end);
    };
    Value isBeyond = arith::OrIOp::create(body, isBehind(row, height),
                                          isBehind(column, width));
    Value x = math.mul(column, stride), y = math.mul(row, stride);
    auto clip = [&](Value value, Value extent) {
      return boxes.max(boxes.min(value, math.sub(extent, one)), zero);
    };
    Value none = math.number(-1);

    Value numAnchors = emitConstant(body, getNumAnchors(op));
    auto emitRegion = [&](Value number, ValueRange) -> SmallVector<Value> {
      Box anchor = boxes.loadBox(body.getF64Type(), inputs[3], number);
      anchor = {math.add(anchor.left, x), math.add(anchor.top, y),
                math.add(anchor.right, x), math.add(anchor.bottom, y)};
      Value channel =
          arith::MulIOp::create(body, number, emitConstant(body, 4));
      SmallVector<Value> amounts;
      for (int64_t i = 0; i < 4; ++i) {
        Value at = arith::AddIOp::create(body, channel, emitConstant(body, i));
        amounts.push_back(boxes.load(moveType, inputs[1],
                                     ValueRange{item, at, pixel[1], pixel[2]}));
      }
      Box box = emitMove(boxes, anchor, amounts, op.getIouLoss());
      box = {clip(box.left, width), clip(box.top, height),
             clip(box.right, width), clip(box.bottom, height)};
      Value given = boxes.load(
          scoreType, inputs[0],
          ValueRange{item, arith::AddIOp::create(body, numAnchors, number),
                     pixel[1], pixel[2]});
      // Without a score one would have no place in the order.
      Value isNothing = arith::OrIOp::create(body, isBeyond, math.isNaN(given));
      auto isSmall = [&](Value begin, Value end) {
        return math.compare(Order::LT, math.add(math.sub(end, begin), one),
                            least);
      };
      Value grows = arith::OrIOp::create(body, isSmall(box.left, box.right),
                                         isSmall(box.top, box.bottom));
      Value score = math.select(arith::OrIOp::create(body, isNothing, grows),
                                none, given);
      Value margin = math.div(least, math.number(2));
      auto store = [&](int64_t corner, Value value, Value grown) {
        memref::StoreOp::create(body, math.select(grows, grown, value),
                                results[1],
                                ValueRange{item, pixel[1], pixel[2], number,
                                           emitConstant(body, corner)});
      };
      store(0, box.left, math.sub(box.left, margin));
      store(1, box.top, math.sub(box.top, margin));
      store(2, box.right, math.add(box.right, margin));
      store(3, box.bottom, math.add(box.bottom, margin));
      memref::StoreOp::create(body, score, results[0],
                              ValueRange{item, pixel[1], pixel[2], number});
      return {};
    };
    emitLoop(body, emitConstant(body, 0), numAnchors, {}, emitRegion);
  };
  SmallVector<OpFoldResult> given = b.getSizes(adaptor.getClsProb());
  SmallVector<OpFoldResult> sizes = {given[0], given[2], given[3],
                                     b.getIndexAttr(getNumAnchors(op))};
  SmallVector<OpFoldResult> cornerSizes = sizes;
  cornerSizes.push_back(b.getIndexAttr(4));
  SmallVector<Value> results = b.opaque(
      (b.getBlockName() + "_regions").str(), /*along=*/{0, 1, 2},
      {adaptor.getClsProb(), adaptor.getBboxPred(), adaptor.getImInfo(),
       buildAnchors(b, op)},
      {b.empty(sizes, b.getF64Type()), b.empty(cornerSizes, b.getF64Type())},
      emit);
  return {buildMerge(b, results[0], {{0}, {1, 2, 3}}),
          buildMerge(b, results[1], {{0}, {1, 2, 3}, {4}})};
}

Value ProposalToLinalg::buildSelection(LinalgBuilder &b, VisionProposalOp op,
                                       Value scores, Value regions) {
  Type type = getElementType(op.getResult()), f64 = b.getF64Type();
  SmallVector<OpFoldResult> sizes = b.getSizes(scores);
  // Only as many are looked at as are asked for, if there are that many.
  int64_t most = op.getRpnPreNmsTopN();
  std::optional<int64_t> all = getConstantIntValue(sizes[1]);
  bool limits = most > 0 && (!all || most < *all);
  Value order =
      buildOrder(b, sizes, f64, limits ? b.getIndexAttr(most) : sizes[1],
                 [&](ImplicitLocOpBuilder &body,
                     ValueRange position) -> std::pair<Value, Value> {
                   return {emitExtract(body, scores, position), Value()};
                 });
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange results) {
    BoxMath boxes(body);
    const ElementMath &math = boxes.getMath();
    Value item = position.front(), zero = emitConstant(body, 0);
    Value yes = arith::ConstantOp::create(body, body.getBoolAttr(true));
    auto getRegion = [&](Value number) {
      return boxes.loadBox(f64, inputs[0], {item, number});
    };
    auto getBox = [&](Value place) {
      return emitLoadIndex(body, inputs[1], {item, place});
    };
    auto isCandidate = [&](Value) { return yes; };
    Value threshold = math.number(op.getThreshold().convertToDouble());
    auto suppresses = [&](Value better, Value box) {
      Box lhs = getRegion(better), rhs = getRegion(box);
      Value shared = boxes.getIntersection(lhs, rhs, /*isClosed=*/true);
      Value both = math.sub(math.add(boxes.getArea(lhs, /*isClosed=*/true),
                                     boxes.getArea(rhs, /*isClosed=*/true)),
                            shared);
      return math.compare(Order::GT, math.div(shared, both), threshold);
    };
    auto load = [&](Value place) {
      return emitLoadIndex(body, results[1], {item, place});
    };
    auto store = [&](Value box, Value place) {
      emitStoreIndex(body, box, results[1], {item, place});
    };
    Value count = arith::MinUIOp::create(body, emitSizes(body, inputs[0])[1],
                                         emitSizes(body, inputs[1])[1]);
    Value wanted = emitConstant(body, op.getRpnPostNmsTopN());
    Value number = emitSelection(
        body, count, wanted, {getBox, isCandidate, suppresses, load, store});
    Type i64 = body.getI64Type();
    ElementMath narrow(body, type);
    Value image =
        narrow.convertFrom(i64, arith::IndexCastOp::create(body, i64, item));
    emitWhere(body, compare(body, arith::CmpIPredicate::ne, number, zero), [&] {
      emitLoop(
          body, zero, wanted, {},
          [&](Value place, ValueRange) -> SmallVector<Value> {
            Box box =
                getRegion(load(arith::RemUIOp::create(body, place, number)));
            Value row[] = {image, box.left, box.top, box.right, box.bottom};
            for (auto [column, value] : llvm::enumerate(row))
              memref::StoreOp::create(
                  body, column ? narrow.convertFrom(f64, value) : value,
                  results[0],
                  ValueRange{item, place, emitConstant(body, column)});
            return {};
          });
    });
  };
  OpFoldResult wanted = b.getIndexAttr(op.getRpnPostNmsTopN());
  Value rows =
      b.opaque((b.getBlockName() + "_result").str(), /*along=*/{0},
               {regions, order},
               {filledWith(b, {sizes[0], wanted, b.getIndexAttr(5)}, type, 0),
                b.empty({sizes[0], wanted}, b.getI64Type())},
               emit)
          .front();
  return buildMerge(b, rows, {{0, 1}, {2}});
}

LogicalResult
ProposalToLinalg::matchAndRewrite(VisionProposalOp op, OpAdaptor adaptor,
                                  ConversionPatternRewriter &rewriter) const {
  LinalgBuilder b(rewriter, op);
  assertSizes(b, op, adaptor);
  auto [scores, regions] = buildRegions(b, op, adaptor);
  Value result = buildSelection(b, op, scores, regions);
  rewriter.replaceOp(op, b.castTo(result, getTypeConverter()->convertType(
                                              op.getResult().getType())));
  return success();
}

void mlir::relay::detail::populateProposalPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ProposalToLinalg>(converter, patterns.getContext());
}
