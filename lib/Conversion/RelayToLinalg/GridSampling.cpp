//===- GridSampling.cpp - Lower sampling at a grid to linalg --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which elements a point of a grid reads is the same for all channels: along
// each axis, a nest computes it once, in tables of the grid's shape.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "ImageSampling.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// The type that positions between `data` are computed in.
static Type getPositionType(Type data, Type grid) {
  Type type = getAccumulatorType(data);
  return type.isF64() ? type : getAccumulatorType(grid);
}

//===----------------------------------------------------------------------===//
// Samples along an axis
//===----------------------------------------------------------------------===//

namespace {

/// What one coordinate of a grid reads along an axis of the image.
class GridAxis {
public:
  GridAxis(ImplicitLocOpBuilder &builder, ImageGridSampleOp op, Type type,
           OpFoldResult size)
      : b(builder), math(builder, type), method(op.getMethod()),
        padding(op.getPaddingMode()), alignsCorners(op.getAlignCorners()) {
    Value integer =
        arith::IndexCastOp::create(b, b.getI64Type(), emitIndex(b, size));
    this->size = math.convertFrom(b.getI64Type(), integer);
    last = math.sub(this->size, math.one());
  }

  /// Positions as i32, -1 for what is outside; and weights, of the type that is
  /// computed in, but for the nearest element.
  SmallVector<std::pair<Value, Value>> sample(Value coordinate) const;

private:
  Value getPixel(Value coordinate) const;
  Value map(Value position) const;
  Value reflect(Value position) const;
  Value clamp(Value value, Value low, Value high) const {
    return math.min(math.max(value, low), high);
  }
  Value toTable(Value position) const;

  ImplicitLocOpBuilder &b;
  ElementMath math;
  StringRef method, padding;
  bool alignsCorners;
  Value size, last;
};

} // namespace

/// The pixel that -1 ... 1 stand for. What is far outside, or no number, stays
/// within the range of integers.
Value GridAxis::getPixel(Value coordinate) const {
  Value half = math.number(0.5);
  Value shifted = math.add(coordinate, math.one());
  Value pixel =
      alignsCorners
          ? math.mul(math.mul(shifted, half), last)
          : math.mul(math.sub(math.mul(shifted, size), math.one()), half);
  constexpr double limit = 1 << 30;
  Value low = math.number(-limit);
  pixel = math.select(math.isNaN(pixel), low, pixel);
  return clamp(pixel, low, math.number(limit));
}

/// Mirrors at the positions of -1 and 1 until it lies between them.
Value GridAxis::reflect(Value position) const {
  Value low = math.number(alignsCorners ? 0 : -0.5);
  Value span = alignsCorners ? last : size;
  // Of a single element with aligned corners there is no span.
  Value period = math.max(math.mul(span, math.number(2)), math.one());
  Value distance = math.abs(math.sub(position, low));
  Value turns = math::FloorOp::create(b, math.div(distance, period));
  distance = math.sub(distance, math.mul(turns, period));
  Value isBack = math.compare(ElementMath::Order::GT, distance, span);
  distance = math.select(isBack, math.sub(period, distance), distance);
  return math.add(low, distance);
}

/// Where `position` is to be read; outside of the image for zeros only.
Value GridAxis::map(Value position) const {
  if (padding == "zeros")
    return position;
  if (padding == "reflection")
    position = reflect(position);
  return clamp(position, math.zero(), last);
}

Value GridAxis::toTable(Value position) const {
  Value isInside = arith::AndIOp::create(
      b, math.compare(ElementMath::Order::GE, position, math.zero()),
      math.compare(ElementMath::Order::LE, position, last));
  ElementMath index(b, b.getI32Type());
  return index.select(isInside, index.convertFrom(math.getType(), position),
                      index.number(-1));
}

SmallVector<std::pair<Value, Value>> GridAxis::sample(Value coordinate) const {
  Value position = getPixel(coordinate), one = math.one();
  if (method == "nearest")
    return {{toTable(math::RoundEvenOp::create(b, map(position))), Value()}};
  if (method == "bilinear") {
    position = map(position);
    Value first = math::FloorOp::create(b, position);
    Value fraction = math.sub(position, first);
    return {{toTable(first), math.sub(one, fraction)},
            {toTable(math.add(first, one)), fraction}};
  }
  Value second = math::FloorOp::create(b, position);
  SmallVector<Value> weights =
      emitCubicWeights(math, math.sub(position, second), /*cubicAlpha=*/-0.75);
  SmallVector<std::pair<Value, Value>> taps;
  for (auto [number, weight] : llvm::enumerate(weights)) {
    // Elements are mapped, not the position between them.
    Value element =
        map(math.add(second, math.number(static_cast<double>(number) - 1)));
    taps.push_back({toTable(element), weight});
  }
  return taps;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

struct GridSampleToLinalg : OpConversionPattern<ImageGridSampleOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ImageGridSampleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Value data = adaptor.getData(), grid = adaptor.getGrid();
    LinalgBuilder b(rewriter, op);
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(2, type.getRank()));
    if (failed(expectPixels(rewriter, b, op, data, axes)))
      return failure();
    SmallVector<OpFoldResult> sizes = b.getSizes(grid);
    b.assertEqual(b.getSize(data, 0), sizes[0],
                  "expects a grid for each image");
    SmallVector<SmallVector<Value>> tables;
    for (int64_t axis : axes)
      tables.push_back(buildTables(b, op, data, grid, axis));
    sizes[1] = b.getSize(data, 1);
    sizes = LinalgBuilder::refine(sizes, type);
    Value result;
    if (hasManyChannels(sizes[1])) {
      // Channels that lie together are whole vectors.
      SmallVector<int64_t> last = llvm::to_vector(axes), first = {0};
      last.insert(last.begin(), 0);
      last.push_back(1);
      first.push_back(type.getRank() - 1);
      llvm::append_range(first, llvm::seq<int64_t>(1, type.getRank() - 1));
      std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
      for (int64_t &axis : axes)
        --axis;
      data = buildPermute(b, data, "channels_last", last);
      result = buildRows(b, op, data, sizes, axes, tables);
      result = buildPermute(b, result, "channels_first", first);
    } else {
      result = buildSampled(b, op, data, sizes, axes, tables);
    }
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  /// Whether it takes less to move them behind the pixels than to read one by
  /// one.
  static bool hasManyChannels(OpFoldResult channels) {
    std::optional<int64_t> known = getConstantIntValue(channels);
    return known && *known >= 8;
  }

  /// The positions along `axis` of the data that each point of the grid reads,
  /// each followed by its weights if there are any.
  static SmallVector<Value> buildTables(LinalgBuilder &b, ImageGridSampleOp op,
                                        Value data, Value grid, int64_t axis) {
    int64_t rank = cast<RankedTensorType>(grid.getType()).getRank();
    Type gridType = getElementType(grid);
    Type type = getPositionType(getElementType(data), gridType);
    // The grid's first coordinate is along the last axis.
    SmallVector<AffineExpr> exprs = {b.dim(0), b.constant(rank - 1 - axis)};
    for (int64_t loop = 1; loop < rank - 1; ++loop)
      exprs.push_back(b.dim(loop));
    SmallVector<OpFoldResult> sizes = b.getSizes(grid);
    sizes.erase(sizes.begin() + 1);
    bool isNearest = op.getMethod() == "nearest";
    int64_t numTaps = isNearest ? 1 : op.getMethod() == "bicubic" ? 4 : 2;
    SmallVector<Access> destinations;
    for (int64_t tap = 0; tap < numTaps; ++tap) {
      AffineMap map = b.identity(rank - 1);
      destinations.push_back({b.empty(sizes, b.getI32Type()), map});
      if (!isNearest)
        destinations.push_back({b.empty(sizes, type), map});
    }
    OpFoldResult size = b.getSize(data, axis);
    return b.nest("grid_samples", {{grid, b.map(rank - 1, exprs)}},
                  destinations, getIterators(rank - 1),
                  [&](ImplicitLocOpBuilder &body, ValueRange args) {
                    GridAxis gridAxis(body, op, type, size);
                    Value coordinate =
                        ElementMath(body, type).convertFrom(gridType, args[0]);
                    SmallVector<Value> results;
                    for (auto [position, weight] :
                         gridAxis.sample(coordinate)) {
                      results.push_back(position);
                      if (weight)
                        results.push_back(weight);
                    }
                    return results;
                  });
  }

  /// What is computed in once elements are read.
  static Type getSampleType(ImageGridSampleOp op) {
    Type elementType = getElementType(op.getData());
    return op.getMethod() == "nearest"
               ? elementType
               : getPositionType(elementType, getElementType(op.getGrid()));
  }

  /// What the `entries` of the tables say of a point of the grid.
  static SmallVector<SmallVector<Tap>>
  emitTaps(ImplicitLocOpBuilder &b, ArrayRef<SmallVector<Value>> tables,
           ValueRange entries, bool hasWeights) {
    SmallVector<SmallVector<Tap>> taps(tables.size());
    Value zero = arith::ConstantIndexOp::create(b, 0);
    for (auto [table, along] : llvm::zip_equal(tables, taps))
      for (size_t next = 0; next < table.size(); next += 1 + hasWeights) {
        Value index =
            arith::IndexCastOp::create(b, b.getIndexType(), entries.front());
        Value isInside =
            arith::CmpIOp::create(b, arith::CmpIPredicate::sge, index, zero);
        along.push_back({arith::MaxSIOp::create(b, index, zero),
                         hasWeights ? entries[1] : Value(), isInside});
        entries = entries.drop_front(1 + hasWeights);
      }
    return taps;
  }

  /// Samples along `axes` of the data, a result of `sizes`.
  static Value buildSampled(LinalgBuilder &b, ImageGridSampleOp op, Value data,
                            ArrayRef<OpFoldResult> sizes,
                            ArrayRef<int64_t> axes,
                            ArrayRef<SmallVector<Value>> tables) {
    int64_t rank = sizes.size();
    SmallVector<int64_t> loops = llvm::to_vector(axes);
    loops.insert(loops.begin(), 0);
    SmallVector<Access> inputs;
    for (ArrayRef<Value> table : tables)
      for (Value tensor : table)
        inputs.push_back({tensor, b.select(rank, loops)});
    Type elementType = getElementType(data), type = getSampleType(op);
    return b.elements(
        b.getBlockName(), inputs, sizes, elementType,
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          SmallVector<SmallVector<Tap>> taps =
              emitTaps(body, tables, args, op.getMethod() != "nearest");
          SmallVector<Value> position = emitLoopIndices(body, rank);
          ElementMath math(body, type);
          Value sum =
              emitSamples(math, data, elementType, position, axes, taps);
          return ElementMath(body, elementType).convertFrom(type, sum);
        });
  }

  /// The same where channels are last: a loop over them on vectors for each
  /// point of the grid.
  static Value buildRows(LinalgBuilder &b, ImageGridSampleOp op, Value data,
                         ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> axes,
                         ArrayRef<SmallVector<Value>> tables) {
    Type elementType = getElementType(data), type = getSampleType(op);
    SmallVector<Value> inputs = {data};
    for (ArrayRef<Value> table : tables)
      llvm::append_range(inputs, table);
    auto emitPoint = [&](ImplicitLocOpBuilder &body, ValueRange point,
                         ValueRange buffers, Value result) {
      SmallVector<Value> entries;
      for (Value table : buffers.drop_front())
        entries.push_back(memref::LoadOp::create(body, table, point));
      SmallVector<SmallVector<Tap>> taps =
          emitTaps(body, tables, entries, op.getMethod() != "nearest");
      emitVectorLoop(body, emitSizes(body, result).back(), [&](Value channel) {
        ElementMath math(body, type);
        auto read = [&](ValueRange at) {
          return math.convertFrom(elementType,
                                  memref::LoadOp::create(body, buffers[0], at));
        };
        SmallVector<Value> position = llvm::to_vector(point);
        position.push_back(channel);
        SmallVector<Value> to = position;
        Value sum = emitSamples(math, read, position, axes, taps);
        memref::StoreOp::create(
            body, ElementMath(body, elementType).convertFrom(type, sum), result,
            to);
      });
    };
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                    ValueRange buffers, ValueRange destinations) {
      SmallVector<Value> extents = emitSizes(body, destinations[0]);
      Value zero = arith::ConstantIndexOp::create(body, 0);
      emitSerialLoop(body, zero, extents[2], [&](Value index) {
        SmallVector<Value> point = llvm::to_vector(position);
        point.push_back(index);
        if (extents.size() == 4)
          return emitPoint(body, point, buffers, destinations[0]);
        emitSerialLoop(body, zero, extents[3], [&](Value last) {
          SmallVector<Value> inner = point;
          inner.push_back(last);
          emitPoint(body, inner, buffers, destinations[0]);
        });
      });
    };
    return b
        .opaque(b.getBlockName(), /*along=*/{0, 1}, inputs,
                b.empty(sizes, elementType), emit)
        .front();
  }
};

/// data[n] * (x, y, 1)^T
struct AffineGridToLinalg : OpConversionPattern<ImageAffineGridOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ImageAffineGridOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    LinalgBuilder b(rewriter, op);
    ArrayRef<int64_t> target = op.getTargetShape();
    SmallVector<OpFoldResult> sizes = {b.getSize(data, 0), b.getIndexAttr(2),
                                       b.getIndexAttr(target[0]),
                                       b.getIndexAttr(target[1])};
    SmallVector<Access> columns;
    for (int64_t column = 0; column < 3; ++column)
      columns.push_back(
          {data, b.map(4, {b.dim(0), b.dim(1), b.constant(column)})});
    Type elementType = getElementType(data);
    Type type = getAccumulatorType(elementType);
    Value result = b.elements(
        b.getBlockName(), columns, sizes, elementType,
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          ElementMath math(body, type);
          // -1 + 2 * i / (size - 1)
          auto emitCoordinate = [&](int64_t loop, int64_t size) {
            Value index = arith::IndexCastOp::create(body, body.getI64Type(),
                                                     emitLoopIndex(body, loop));
            Value doubled = math.mul(math.convertFrom(body.getI64Type(), index),
                                     math.number(2));
            return math.sub(
                math.div(doubled, math.number(static_cast<double>(size - 1))),
                math.one());
          };
          auto get = [&](int64_t column) {
            return math.convertFrom(elementType, args[column]);
          };
          Value x = math.mul(get(0), emitCoordinate(3, target[1]));
          Value y = math.mul(get(1), emitCoordinate(2, target[0]));
          Value sum = math.add(math.add(x, y), get(2));
          return ElementMath(body, elementType).convertFrom(type, sum);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateGridSamplingPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AffineGridToLinalg, GridSampleToLinalg>(converter,
                                                       patterns.getContext());
}
