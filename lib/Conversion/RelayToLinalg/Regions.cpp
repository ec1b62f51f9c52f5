//===- Regions.cpp - Lower pooling of regions of images to linalg ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many elements a bin of a region has is data, so these are loops. Where a
// bin reads is the same for all channels: images have them last, or get them
// there, and the loop over them is the innermost one, on vectors.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "ImageSampling.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Order = ElementMath::Order;

namespace {

/// The images (N, H, W, C) and regions of a pooling operator.
struct RegionPooling {
  Value data, rois;
  Type elementType, roiType;
  /// Whether the operator has the layout NCHW.
  bool isChannelsFirst;
  /// Sizes of the result.
  int64_t height, width;
  double scale;

  /// The type that pixels are folded in.
  Type getType() const { return getAccumulatorType(elementType); }
};

/// One region, in the body of an opaque computation. Positions are computed in
/// f64: what they are rounded to decides which pixels count.
class Roi {
public:
  Roi(ImplicitLocOpBuilder &b, const RegionPooling &pooling, ValueRange inputs,
      Value number)
      : b(b), position(b, b.getF64Type()) {
    auto load = [&](int64_t column) {
      SmallVector<Value> at = {number,
                               arith::ConstantIndexOp::create(b, column)};
      Value value = memref::LoadOp::create(b, inputs[1], at);
      return position.convertFrom(pooling.roiType, value);
    };
    Value scale = position.number(pooling.scale);
    for (int64_t column = 1; column < 5; ++column)
      corners.push_back(position.mul(load(column), scale));
    Value given = load(0);
    Value numImages = emitSizes(b, inputs[0])[0];
    Value count = position.convertFrom(
        b.getI64Type(),
        arith::IndexCastOp::create(b, b.getI64Type(), numImages));
    isValid = arith::AndIOp::create(
        b, position.compare(Order::GT, given, position.number(-1)),
        position.compare(Order::LT, given, count));
    // Beyond that pixels could not be counted.
    Value limit = position.number(1e6);
    for (Value corner : corners)
      isValid = arith::AndIOp::create(
          b, isValid, position.compare(Order::LE, position.abs(corner), limit));
    image = emitClamp(b, toIndex(given), numImages);
  }

  /// Whether it is in an image, and of a size that can be counted.
  Value getIsValid() const { return isValid; }
  Value getImage() const { return image; }
  /// Where it begins and ends, along rows (0) or columns (1).
  Value getBegin(int64_t axis) const { return corners[1 - axis]; }
  Value getEnd(int64_t axis) const { return corners[3 - axis]; }

  const ElementMath &getMath() const { return position; }
  Value toIndex(Value value) const {
    ElementMath integer(b, b.getI64Type());
    return arith::IndexCastOp::create(
        b, b.getIndexType(), integer.convertFrom(b.getF64Type(), value));
  }
  Value fromIndex(Value index) const {
    return position.convertFrom(
        b.getI64Type(), arith::IndexCastOp::create(b, b.getI64Type(), index));
  }

private:
  ImplicitLocOpBuilder &b;
  ElementMath position;
  SmallVector<Value> corners;
  Value isValid, image;
};

/// What one bin of a region folds: a row of channels of the result.
class BinRow {
public:
  BinRow(ImplicitLocOpBuilder &b, const RegionPooling &pooling,
         ValueRange inputs, ValueRange destinations, Value number, Value image)
      : b(b), pooling(pooling), math(b, pooling.getType()), data(inputs[0]),
        result(destinations[0]), row(destinations[1]), number(number),
        image(image) {}

  /// Begins with `first`.
  void begin(Value first) const {
    forChannels([&](Value channel) { storeRow(first, channel); });
  }
  /// Each channel becomes fold(present, get), where get(y, x) is a pixel.
  void
  fold(llvm::function_ref<Value(Value, llvm::function_ref<Value(Value, Value)>)>
           update) const {
    forChannels([&](Value channel) {
      auto get = [&](Value y, Value x) {
        Value pixel =
            memref::LoadOp::create(b, data, ValueRange{image, y, x, channel});
        return math.convertFrom(pooling.elementType, pixel);
      };
      Value present =
          memref::LoadOp::create(b, row, ValueRange{number, channel});
      storeRow(update(present, get), channel);
    });
  }
  /// Stores the row times `factor`, which may be null.
  void end(Value binY, Value binX, Value factor) const {
    forChannels([&](Value channel) {
      Value value = memref::LoadOp::create(b, row, ValueRange{number, channel});
      if (factor)
        value = math.mul(value, factor);
      value = ElementMath(b, pooling.elementType)
                  .convertFrom(math.getType(), value);
      memref::StoreOp::create(b, value, result,
                              ValueRange{number, binY, binX, channel});
    });
  }

  const ElementMath &getMath() const { return math; }

private:
  void storeRow(Value value, Value channel) const {
    memref::StoreOp::create(b, value, row, ValueRange{number, channel});
  }
  void forChannels(llvm::function_ref<void(Value)> body) const {
    emitVectorLoop(b, emitSizes(b, row)[1], body);
  }

  ImplicitLocOpBuilder &b;
  const RegionPooling &pooling;
  ElementMath math;
  Value data, result, row, number, image;
};

} // namespace

template <typename OpT>
static FailureOr<RegionPooling> getPooling(ConversionPatternRewriter &rewriter,
                                           LinalgBuilder &b, OpT op,
                                           typename OpT::Adaptor adaptor) {
  bool isChannelsFirst = op.getLayout() == "NCHW";
  if (!isChannelsFirst && op.getLayout() != "NHWC")
    return rewriter.notifyMatchFailure(
        op, "expects layout NCHW or NHWC, but got " + op.getLayout());
  Value data = adaptor.getData();
  if (isChannelsFirst)
    data = buildPermute(b, data, "channels_last", {0, 2, 3, 1});
  return RegionPooling{data,
                       adaptor.getRois(),
                       getElementType(op.getData()),
                       getElementType(op.getRois()),
                       isChannelsFirst,
                       op.getPooledSize()[0],
                       op.getPooledSize()[1],
                       op.getSpatialScale().convertToDouble()};
}

/// Ends the kernel with an error if there is no image for a region, or its
/// corners are too far off.
static void buildRegionCheck(LinalgBuilder &b, const RegionPooling &pooling) {
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                  ValueRange) {
    Value areValid =
        emitAll(body, emitSizes(body, inputs[1])[0], [&](ValueRange number) {
          return Roi(body, pooling, inputs, number[0]).getIsValid();
        });
    cf::AssertOp::create(body, areValid,
                         "expects regions of images, within 1e6 pixels");
  };
  b.opaque((b.getBlockName() + "_check").str(), /*along=*/{},
           {pooling.data, pooling.rois}, /*destinations=*/{}, emit);
}

/// Emits the bin at a position, with its row of channels.
using BinBody =
    llvm::function_ref<void(ImplicitLocOpBuilder &, const Roi &, const BinRow &,
                            Value binY, Value binX, ValueRange imageSizes)>;

static Value buildRegionPooling(LinalgBuilder &b, const RegionPooling &pooling,
                                BinBody emitBin) {
  buildRegionCheck(b, pooling);
  OpFoldResult count = b.getSize(pooling.rois, 0);
  OpFoldResult channels = b.getSize(pooling.data, 3);
  SmallVector<OpFoldResult> sizes = {count, b.getIndexAttr(pooling.height),
                                     b.getIndexAttr(pooling.width), channels};
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange destinations) {
    Roi region(body, pooling, inputs, position[0]);
    BinRow row(body, pooling, inputs, destinations, position[0],
               region.getImage());
    SmallVector<Value> dataSizes = emitSizes(body, inputs[0]);
    // What the check refuses may be met before it is.
    emitWhere(body, region.getIsValid(), [&] {
      auto emitRow = [&](Value binY) {
        auto emitColumn = [&](Value binX) {
          emitBin(body, region, row, binY, binX, {dataSizes[1], dataSizes[2]});
        };
        emitSerialLoop(body, emitIndex(body, b.getIndexAttr(0)),
                       emitIndex(body, b.getIndexAttr(pooling.width)),
                       emitColumn);
      };
      emitSerialLoop(body, emitIndex(body, b.getIndexAttr(0)),
                     emitIndex(body, b.getIndexAttr(pooling.height)), emitRow);
    });
  };
  Value result =
      b.opaque(b.getBlockName(), /*along=*/{0}, {pooling.data, pooling.rois},
               {b.empty(sizes, pooling.elementType),
                b.empty({count, channels}, pooling.getType())},
               emit)
          .front();
  if (!pooling.isChannelsFirst)
    return result;
  return buildPermute(b, result, "channels_first", {0, 3, 1, 2});
}

//===----------------------------------------------------------------------===//
// roi_align
//===----------------------------------------------------------------------===//

namespace {

/// The two pixels along an axis that a sample lies between.
struct Neighbours {
  Value first, second, fraction;
  /// False further than a pixel outside of the image.
  Value isNear;
};

/// The samples of a bin along rows (0) or columns (1).
class BinAxis {
public:
  BinAxis(ImplicitLocOpBuilder &b, const Roi &region, int64_t axis,
          int64_t bins, int64_t ratio, Value bin, Value size)
      : b(b), region(region), math(region.getMath()), bin(bin), size(size),
        begin(region.getBegin(axis)) {
    Value whole = math.max(math.sub(region.getEnd(axis), begin), math.one());
    extent = math.div(whole, math.number(static_cast<double>(bins)));
    count = ratio > 0 ? arith::ConstantIndexOp::create(b, ratio).getResult()
                      : region.toIndex(math::CeilOp::create(b, extent));
    Value from = getSample<math::FloorOp>(math.number(-1), -kMargin);
    Value to = getSample<math::CeilOp>(region.fromIndex(size), kMargin);
    range = {from, arith::MaxSIOp::create(b, from, to)};
  }

  Value getCount() const { return count; }

  /// The first sample and the one after the last that may be near the image.
  /// Regions may be much larger than it, so most samples are not looked at.
  std::pair<Value, Value> getRange() const { return range; }
  Neighbours get(Value sample) const {
    Value inBin = math.div(math.add(region.fromIndex(sample), math.number(0.5)),
                           region.fromIndex(count));
    Value at = math.add(
        begin, math.mul(math.add(region.fromIndex(bin), inBin), extent));
    Value end = region.fromIndex(size), one = math.one();
    Value isNear =
        arith::AndIOp::create(b, math.compare(Order::GE, at, math.number(-1)),
                              math.compare(Order::LE, at, end));
    at = math.min(math.max(at, math.zero()), math.sub(end, one));
    Value first = emitClamp(b, region.toIndex(at), size);
    Value second = emitClamp(
        b,
        arith::AddIOp::create(b, first, arith::ConstantIndexOp::create(b, 1)),
        size);
    return {first, second, math.sub(at, region.fromIndex(first)), isNear};
  }

private:
  /// More than the rounding of positions can amount to.
  static constexpr int64_t kMargin = 2;

  /// The number of the sample at `position`, rounded by OpT and moved.
  template <typename OpT>
  Value getSample(Value position, int64_t offset) const {
    Value bins = math.div(math.sub(position, begin), extent);
    Value sample = math.mul(math.sub(bins, region.fromIndex(bin)),
                            region.fromIndex(count));
    Value moved =
        arith::AddIOp::create(b, region.toIndex(OpT::create(b, sample)),
                              arith::ConstantIndexOp::create(b, offset));
    return arith::MinSIOp::create(
        b, count,
        arith::MaxSIOp::create(b, moved, arith::ConstantIndexOp::create(b, 0)));
  }

  ImplicitLocOpBuilder &b;
  const Roi &region;
  const ElementMath &math;
  Value bin, size, begin, extent, count;
  std::pair<Value, Value> range;
};

struct RoiAlignToLinalg : OpConversionPattern<VisionRoiAlignOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionRoiAlignOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    FailureOr<RegionPooling> pooling = getPooling(rewriter, b, op, adaptor);
    if (failed(pooling) ||
        failed(expectPixels(rewriter, b, op, pooling->data, {1, 2})))
      return failure();
    bool isMax = op.getMode() == "max";
    int64_t ratio = op.getSampleRatio();
    Value result = buildRegionPooling(
        b, *pooling,
        [&](ImplicitLocOpBuilder &body, const Roi &region, const BinRow &row,
            Value binY, Value binX, ValueRange imageSizes) {
          BinAxis rows(body, region, 0, pooling->height, ratio, binY,
                       imageSizes[0]);
          BinAxis columns(body, region, 1, pooling->width, ratio, binX,
                          imageSizes[1]);
          const ElementMath &math = row.getMath();
          row.begin(isMax ? math.constant(getLowestAttr(math.getType()))
                          : math.zero());
          auto [firstRow, endRow] = rows.getRange();
          auto [firstColumn, endColumn] = columns.getRange();
          auto emitColumns = [&, first = firstColumn,
                              end = endColumn](Value y) {
            Neighbours vertical = rows.get(y);
            emitSerialLoop(body, first, end, [&](Value x) {
              emitSample(body, row, vertical, columns.get(x), isMax);
            });
          };
          emitSerialLoop(body, firstRow, endRow, emitColumns);
          if (isMax)
            // Samples beyond the image are zeros.
            emitWhere(body,
                      arith::OrIOp::create(body, isCut(body, rows),
                                           isCut(body, columns)),
                      [&] { foldZero(row); });
          Value factor;
          if (!isMax) {
            Value count = region.fromIndex(arith::MulIOp::create(
                body, rows.getCount(), columns.getCount()));
            factor = math.convertFrom(
                body.getF64Type(),
                region.getMath().div(region.getMath().one(), count));
          }
          row.end(binY, binX, factor);
        });
    rewriter.replaceOp(
        op, b.castTo(result, getTypeConverter()->convertType(op.getType())));
    return success();
  }

private:
  static void emitSample(ImplicitLocOpBuilder &b, const BinRow &row,
                         const Neighbours &y, const Neighbours &x, bool isMax) {
    const ElementMath &math = row.getMath();
    Value dy = math.convertFrom(b.getF64Type(), y.fraction);
    Value dx = math.convertFrom(b.getF64Type(), x.fraction);
    Value restY = math.sub(math.one(), dy), restX = math.sub(math.one(), dx);
    auto meet = [&](Value present, Value value) {
      return isMax ? getLarger(math, present, value) : math.add(present, value);
    };
    Value isNear = arith::AndIOp::create(b, y.isNear, x.isNear);
    emitWhere(b, isNear, [&] {
      row.fold([&](Value present, auto get) {
        auto mix = [&](Value line) {
          return math.add(math.mul(restX, get(line, x.first)),
                          math.mul(dx, get(line, x.second)));
        };
        return meet(present, math.add(math.mul(restY, mix(y.first)),
                                      math.mul(dy, mix(y.second))));
      });
    });
    if (!isMax)
      return;
    Value isFar = arith::XOrIOp::create(
        b, isNear, arith::ConstantOp::create(b, b.getBoolAttr(true)));
    emitWhere(b, isFar, [&] { foldZero(row); });
  }

  /// Whether there are samples that are not looked at.
  static Value isCut(ImplicitLocOpBuilder &b, const BinAxis &axis) {
    auto [first, end] = axis.getRange();
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                 arith::SubIOp::create(b, end, first),
                                 axis.getCount());
  }
  static void foldZero(const BinRow &row) {
    const ElementMath &math = row.getMath();
    row.fold([&](Value present, auto) {
      return getLarger(math, present, math.zero());
    });
  }
  static Value getLarger(const ElementMath &math, Value present, Value value) {
    return math.select(math.compare(Order::GT, value, present), value, present);
  }
};

//===----------------------------------------------------------------------===//
// roi_pool
//===----------------------------------------------------------------------===//

struct RoiPoolToLinalg : OpConversionPattern<VisionRoiPoolOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionRoiPoolOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    FailureOr<RegionPooling> pooling = getPooling(rewriter, b, op, adaptor);
    if (failed(pooling))
      return failure();
    Value result = buildRegionPooling(
        b, *pooling,
        [&](ImplicitLocOpBuilder &body, const Roi &region, const BinRow &row,
            Value binY, Value binX, ValueRange imageSizes) {
          std::pair<Value, Value> rows =
              getBin(body, region, 0, pooling->height, binY, imageSizes[0]);
          std::pair<Value, Value> columns =
              getBin(body, region, 1, pooling->width, binX, imageSizes[1]);
          auto isNone = [&](std::pair<Value, Value> range) {
            return arith::CmpIOp::create(body, arith::CmpIPredicate::sge,
                                         range.first, range.second);
          };
          const ElementMath &math = row.getMath();
          row.begin(math.select(
              arith::OrIOp::create(body, isNone(rows), isNone(columns)),
              math.zero(), math.constant(getLowestAttr(math.getType()))));
          emitSerialLoop(body, rows.first, rows.second, [&](Value y) {
            emitSerialLoop(body, columns.first, columns.second, [&](Value x) {
              row.fold([&](Value present, auto get) {
                Value pixel = get(y, x);
                return math.select(math.compare(Order::GT, pixel, present),
                                   pixel, present);
              });
            });
          });
          row.end(binY, binX, /*factor=*/Value());
        });
    rewriter.replaceOp(
        op, b.castTo(result, getTypeConverter()->convertType(op.getType())));
    return success();
  }

private:
  /// From where to where `bin` reaches along an axis, within `size` pixels.
  static std::pair<Value, Value> getBin(ImplicitLocOpBuilder &b,
                                        const Roi &region, int64_t axis,
                                        int64_t bins, Value bin, Value size) {
    const ElementMath &math = region.getMath();
    Value begin = math::RoundOp::create(b, region.getBegin(axis));
    Value end = math::RoundOp::create(b, region.getEnd(axis));
    Value extent =
        math.max(math.add(math.sub(end, begin), math.one()), math.one());
    Value step = math.div(extent, math.number(static_cast<double>(bins)));
    Value number = region.fromIndex(bin);
    Value first = math::FloorOp::create(b, math.mul(number, step));
    Value last =
        math::CeilOp::create(b, math.mul(math.add(number, math.one()), step));
    auto clamp = [&](Value offset) -> Value {
      Value pixel = region.toIndex(math.add(begin, offset));
      return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, pixel, size),
                                    arith::ConstantIndexOp::create(b, 0));
    };
    return {clamp(first), clamp(last)};
  }
};

} // namespace

void mlir::relay::detail::populateRegionPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<RoiAlignToLinalg, RoiPoolToLinalg>(converter,
                                                  patterns.getContext());
}
