//===- CropAndResize.cpp - Lower resizes of regions to linalg -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the rows and the columns of a box are is computed once, in tables.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "ImageSampling.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// The samples of each box along one axis of its image: the positions of the
/// first ones, -1 for those outside, and the weights of the second ones, which
/// the nearest neighbour has not.
struct BoxTable {
  int64_t axis;
  Value first, weight;
  OpFoldResult size;
};

class CropAndResize {
public:
  CropAndResize(LinalgBuilder &b, ImageCropAndResizeOp op,
                ImageCropAndResizeOp::Adaptor adaptor, ArrayRef<int64_t> dims)
      : b(b), op(op), data(adaptor.getData()), boxes(adaptor.getBoxes()),
        images(adaptor.getBoxIndices()), dims(dims),
        from(getElementType(op.getData())),
        boxType(getElementType(op.getBoxes())),
        imageType(getElementType(op.getBoxIndices())),
        isNearest(op.getMethod() == "nearest_neighbor") {
    type = getAccumulatorType(from);
    if (!isa<FloatType>(type) || !type.isF64())
      type = getAccumulatorType(boxType);
  }

  void buildCheck();
  Value build();

private:
  BoxTable buildTable(unsigned number);
  Value emitSample(ImplicitLocOpBuilder &body, Value image,
                   ArrayRef<BoxTable> tables, ValueRange entries);

  LinalgBuilder &b;
  ImageCropAndResizeOp op;
  Value data, boxes, images;
  /// Where N, C, H and W are.
  ArrayRef<int64_t> dims;
  /// Element types: of relay, and what is computed in.
  Type from, boxType, imageType, type;
  bool isNearest;
};

} // namespace

/// Ends the kernel with an error if there is no image for a box.
void CropAndResize::buildCheck() {
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                  ValueRange) {
    Value numImages = emitSizes(body, inputs[0])[0];
    Value areThere =
        emitAll(body, emitSizes(body, inputs[1]), [&](ValueRange box) {
          Value image = memref::LoadOp::create(body, inputs[1], box);
          return emitIsWithin(body, emitToIndex(body, imageType, image),
                              numImages);
        });
    cf::AssertOp::create(body, areThere, "expects box_indices of images");
  };
  b.opaque((b.getBlockName() + "_check").str(), /*along=*/{}, {data, images},
           /*destinations=*/{}, emit);
}

BoxTable CropAndResize::buildTable(unsigned number) {
  int64_t count = op.getCropSize()[number];
  BoxTable table{dims[2 + number], Value(), Value(), OpFoldResult()};
  table.size = b.getSize(data, table.axis);
  SmallVector<OpFoldResult> sizes = {b.getSize(boxes, 0),
                                     b.getIndexAttr(count)};
  AffineMap map = b.identity(2);
  SmallVector<Access> destinations = {{b.empty(sizes, b.getI32Type()), map}};
  if (!isNearest)
    destinations.push_back({b.empty(sizes, type), map});
  auto emit = [&](ImplicitLocOpBuilder &body,
                  ValueRange args) -> SmallVector<Value> {
    ElementMath math(body, type);
    auto fromIndex = [&](Value index) {
      return math.convertFrom(
          body.getI64Type(),
          arith::IndexCastOp::create(body, body.getI64Type(), index));
    };
    Value begin = math.convertFrom(boxType, args[0]);
    Value end = math.convertFrom(boxType, args[1]);
    Value last = math.sub(fromIndex(emitIndex(body, table.size)), math.one());
    // Corners are aligned; a single sample is the centre.
    Value part =
        count == 1
            ? math.mul(math.number(0.5), math.add(begin, end))
            : math.add(begin,
                       math.div(math.mul(fromIndex(emitLoopIndex(body, 1)),
                                         math.sub(end, begin)),
                                math.number(static_cast<double>(count - 1))));
    Value position = math.mul(part, last);
    Value isInside = arith::AndIOp::create(
        body, math.compare(ElementMath::Order::GE, position, math.zero()),
        math.compare(ElementMath::Order::LE, position, last));
    Value floor = isNearest ? math::RoundOp::create(body, position).getResult()
                            : math::FloorOp::create(body, position).getResult();
    ElementMath index(body, body.getI32Type());
    Value first = index.select(isInside, index.convertFrom(type, floor),
                               index.number(-1));
    if (isNearest)
      return {first};
    return {first, math.sub(position, floor)};
  };
  // Boxes are (y1, x1, y2, x2).
  SmallVector<Value> results =
      b.nest("crop_samples",
             {{boxes, b.map(2, {b.dim(0), b.constant(number)})},
              {boxes, b.map(2, {b.dim(0), b.constant(2 + number)})}},
             destinations, getIterators(2), emit);
  table.first = results[0];
  if (!isNearest)
    table.weight = results[1];
  return table;
}

/// The element at the place of the loops, from the `entries` of the tables.
Value CropAndResize::emitSample(ImplicitLocOpBuilder &body, Value image,
                                ArrayRef<BoxTable> tables, ValueRange entries) {
  // The nearest element is copied, so no float stands in between.
  Type through = isNearest ? from : type;
  ElementMath math(body, through), result(body, getElementType(op.getResult()));
  Value zero = arith::ConstantIndexOp::create(body, 0);
  Value one = arith::ConstantIndexOp::create(body, 1);
  SmallVector<SmallVector<Tap>> taps;
  SmallVector<int64_t> axes;
  Value isInside;
  for (const BoxTable &table : tables) {
    Value given =
        arith::IndexCastOp::create(body, body.getIndexType(), entries.front());
    entries = entries.drop_front();
    Value isHere =
        arith::CmpIOp::create(body, arith::CmpIPredicate::sge, given, zero);
    isInside = isInside
                   ? arith::AndIOp::create(body, isInside, isHere).getResult()
                   : isHere;
    Value first = arith::MaxSIOp::create(body, given, zero);
    axes.push_back(table.axis);
    if (isNearest) {
      taps.push_back({{first, Value(), Value()}});
      continue;
    }
    Value weight = entries.front();
    entries = entries.drop_front();
    Value second =
        emitClamp(body, arith::AddIOp::create(body, first, one), table.size);
    taps.push_back({{first, math.sub(math.one(), weight), Value()},
                    {second, weight, Value()}});
  }
  SmallVector<Value> position = emitLoopIndices(body, 4);
  position[dims[0]] = emitClamp(body, emitToIndex(body, imageType, image),
                                b.getSize(data, dims[0]));
  Value sample = emitElement(
      result, through, emitSamples(math, data, from, position, axes, taps));
  return result.select(
      isInside, sample,
      result.number(op.getExtrapolationValue().convertToDouble()));
}

Value CropAndResize::build() {
  SmallVector<BoxTable> tables = {buildTable(0), buildTable(1)};
  SmallVector<OpFoldResult> sizes = b.getSizes(data);
  sizes[dims[0]] = b.getSize(boxes, 0);
  SmallVector<Access> inputs = {{images, b.select(4, dims[0])}};
  for (auto [table, size] : llvm::zip_equal(tables, op.getCropSize())) {
    sizes[table.axis] = b.getIndexAttr(size);
    AffineMap map = b.select(4, {dims[0], table.axis});
    inputs.push_back({table.first, map});
    if (table.weight)
      inputs.push_back({table.weight, map});
  }
  return b.elements(b.getBlockName(), inputs, sizes,
                    getSignless(getElementType(op.getResult())),
                    [&](ImplicitLocOpBuilder &body, ValueRange args) {
                      return emitSample(body, args[0], tables,
                                        args.drop_front());
                    });
}

namespace {

struct CropAndResizeToLinalg : OpConversionPattern<ImageCropAndResizeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ImageCropAndResizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<SmallVector<int64_t>> dims =
        getAxisPositions(op.getLayout(), "NCHW");
    if (failed(dims))
      return rewriter.notifyMatchFailure(
          op, "expects layout NCHW or NHWC, but got " + op.getLayout());
    LinalgBuilder b(rewriter, op);
    if (failed(expectPixels(rewriter, b, op, adaptor.getData(),
                            ArrayRef(*dims).drop_front(2))))
      return failure();
    b.assertEqual(b.getSize(adaptor.getBoxes(), 0),
                  b.getSize(adaptor.getBoxIndices(), 0),
                  "expects an index for each box");
    CropAndResize resize(b, op, adaptor, *dims);
    resize.buildCheck();
    rewriter.replaceOp(op,
                       b.castTo(resize.build(), getTypeConverter()->convertType(
                                                    op.getResult().getType())));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateCropPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<CropAndResizeToLinalg>(converter, patterns.getContext());
}
