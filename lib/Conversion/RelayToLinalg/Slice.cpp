//===- Slice.cpp - Lower slices to linalg ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice copies from d * stride + begin. Bounds are clamped as in NumPy; along
// a dynamic axis that takes index arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "PopulatePatterns.h"
#include "SizeReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// What a slice takes of one axis.
struct AxisSlice {
  OpFoldResult begin, size;
  int64_t stride = 1;
};

/// Bounds of a slice as they are written: an absent one is at the far end.
struct AxisBounds {
  std::optional<int64_t> begin, end;
  int64_t stride = 1;
  /// In place of the numbers, where they are known when a model runs.
  Value openBegin, openEnd;

  bool isOpen() const { return openBegin || openEnd; }
};

} // namespace

/// Slices of a static axis.
static AxisSlice clampStatic(Builder &b, AxisBounds bounds, int64_t size) {
  int64_t stride = bounds.stride;
  // Where a position may lie: [0, size] going up, [-1, size - 1] going down.
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  auto clamp = [&](int64_t position) {
    if (position < 0)
      position = std::max(position, -size - 1) + size;
    return std::clamp(position, low, high);
  };
  int64_t begin =
      bounds.begin ? clamp(*bounds.begin) : (stride > 0 ? low : high);
  int64_t end = bounds.end ? clamp(*bounds.end) : (stride > 0 ? high : low);
  int64_t count =
      stride > 0 ? llvm::divideCeil(std::max<int64_t>(end - begin, 0), stride)
                 : llvm::divideCeil(std::max<int64_t>(begin - end, 0), -stride);
  return {b.getIndexAttr(begin), b.getIndexAttr(count), stride};
}

/// Slices of an axis whose size is known at run time. Sizes are the smaller or
/// larger of two and never negative in between, so that the shapes of results
/// can be told from them.
static AxisSlice clampDynamic(LinalgBuilder &b, AxisBounds bounds,
                              OpFoldResult size) {
  bool isUp = bounds.stride > 0;
  int64_t step = std::abs(bounds.stride);
  Value extent = b.toValue(size), zero = b.indexValue(0);
  auto divide = [&](OpFoldResult length) {
    return step == 1 ? length : b.apply(b.dim(0).ceilDiv(step), length);
  };
  bool isFromStart = isUp && !bounds.openBegin && bounds.begin.value_or(0) == 0;
  bool isToEnd = !bounds.end && !bounds.openEnd;
  // All of an axis needs no arithmetic that could hide its size.
  if (isFromStart && isToEnd)
    return {b.getIndexAttr(0), divide(size), bounds.stride};

  // Elements before a position and, going down, the one at it.
  auto clampOpen = [&](Value position) -> Value {
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, position, zero);
    position = arith::SelectOp::create(
        b, isNegative, arith::AddIOp::create(b, position, extent), position);
    if (!isUp)
      position = arith::AddIOp::create(b, position, b.indexValue(1));
    return arith::MaxSIOp::create(
        b, arith::MinSIOp::create(b, extent, position), zero);
  };
  auto clamp = [&](std::optional<int64_t> position, Value open,
                   bool isFar) -> Value {
    if (open)
      return clampOpen(open);
    if (!position)
      return isFar == isUp ? extent : zero;
    int64_t before = *position + !isUp;
    if (*position < 0)
      return arith::MaxSIOp::create(
          b, arith::AddIOp::create(b, extent, b.indexValue(before)), zero);
    return arith::MinSIOp::create(b, extent, b.indexValue(before));
  };
  Value begin = clamp(bounds.begin, bounds.openBegin, /*isFar=*/false);
  Value end = clamp(bounds.end, bounds.openEnd, /*isFar=*/true);
  if (isFromStart)
    return {b.getIndexAttr(0), divide(end), bounds.stride};
  Value length;
  if (isUp && isToEnd && bounds.begin.value_or(0) < 0)
    length = arith::MinSIOp::create(b, extent, b.indexValue(-*bounds.begin));
  else if (!isUp && isToEnd)
    length = begin;
  else
    length = arith::MaxSIOp::create(b,
                                    isUp ? arith::SubIOp::create(b, end, begin)
                                         : arith::SubIOp::create(b, begin, end),
                                    zero);
  // Where there is nothing, it does not matter where that begins.
  OpFoldResult first = begin;
  if (isUp && bounds.begin.value_or(0) > 0)
    first = b.getIndexAttr(*bounds.begin);
  else if (!isUp)
    first = b.apply(b.dim(0) - 1, OpFoldResult(begin));
  return {first, divide(OpFoldResult(length)), bounds.stride};
}

static AxisSlice clamp(LinalgBuilder &b, AxisBounds bounds, OpFoldResult size) {
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && !bounds.isOpen())
    return clampStatic(b, bounds, *known);
  return clampDynamic(b, bounds, size);
}

/// `dataSizes` are the sizes that the slices were made for.
static Value buildSlice(LinalgBuilder &b, Value data,
                        ArrayRef<OpFoldResult> dataSizes,
                        ArrayRef<AxisSlice> slices, RankedTensorType type) {
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> exprs;
  bool isAffine = true;
  for (auto [axis, slice] : llvm::enumerate(slices)) {
    std::optional<int64_t> begin = getConstantIntValue(slice.begin);
    // In linalg a loop that indexes a dimension alone covers all of it, and
    // even a loop without iterations must stay inside.
    bool isPrefix =
        begin == 0 && slice.stride == 1 && slice.size != dataSizes[axis];
    isAffine &= begin.has_value() && !isPrefix && !isZeroInteger(slice.size);
    sizes.push_back(slice.size);
    exprs.push_back(b.dim(axis) * slice.stride + begin.value_or(0));
  }
  sizes = LinalgBuilder::refine(sizes, type);
  Value result;
  if (isAffine) {
    result = b.elements(
        b.getBlockName(), {{data, b.map(rank, exprs)}}, sizes,
        type.getElementType(),
        [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
  } else {
    result = b.elements(
        b.getBlockName(), {}, sizes, type.getElementType(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange) {
          SmallVector<Value> indices = emitLoopIndices(bodyBuilder, rank);
          for (auto [index, slice] : llvm::zip_equal(indices, slices)) {
            if (slice.stride != 1)
              index = arith::MulIOp::create(
                  bodyBuilder, index,
                  arith::ConstantIndexOp::create(bodyBuilder, slice.stride));
            if (!isZeroInteger(slice.begin))
              index = arith::AddIOp::create(
                  bodyBuilder, index, emitIndex(bodyBuilder, slice.begin));
          }
          return emitExtract(bodyBuilder, data, indices);
        });
  }
  return b.castTo(result, type);
}

/// Clamps the bounds of all axes.
static Value buildSlice(LinalgBuilder &b, Value data,
                        ArrayRef<AxisBounds> bounds, RankedTensorType type) {
  SmallVector<AxisSlice> slices;
  SmallVector<OpFoldResult> sizes = b.getSizes(data);
  for (auto [own, size] : llvm::zip_equal(bounds, sizes))
    slices.push_back(clamp(b, own, size));
  return buildSlice(b, data, sizes, slices, type);
}

/// The bounds that are written as numbers, as far as they are.
static AxisBounds getBounds(std::optional<int64_t> begin,
                            std::optional<int64_t> end, int64_t stride,
                            bool takesSize) {
  // Importers write the extreme integers for "to the end".
  constexpr int64_t farthest = std::numeric_limits<int32_t>::max();
  // No tensor is that long.
  auto limit = [](int64_t number) {
    return std::clamp(number, -kMaxTensorBytes, kMaxTensorBytes);
  };
  AxisBounds bounds;
  bounds.stride = takesSize ? 1 : limit(stride);
  if (begin)
    bounds.begin = limit(*begin);
  if (end)
    bounds.end = limit(*end);
  if (takesSize && bounds.end) {
    int64_t size = *bounds.end;
    int64_t first = bounds.begin.value_or(0);
    bounds.end = first + size;
    // -1 means to the end, and so does an end that wraps around to zero.
    if (size < 0 || (first < 0 && *bounds.end >= 0))
      bounds.end = std::nullopt;
    return bounds;
  }
  bool isUp = bounds.stride > 0;
  if (bounds.end && (isUp ? *bounds.end >= farthest : *bounds.end <= -farthest))
    bounds.end = std::nullopt;
  if (bounds.begin &&
      (isUp ? *bounds.begin <= -farthest : *bounds.begin >= farthest))
    bounds.begin = std::nullopt;
  return bounds;
}

namespace {

struct StridedSliceToLinalg : OpConversionPattern<StridedSliceOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(StridedSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    LinalgBuilder b(rewriter, op);
    auto get = [](ArrayRef<int64_t> list,
                  size_t position) -> std::optional<int64_t> {
      if (position >= list.size())
        return std::nullopt;
      return list[position];
    };
    auto getAt = [&](size_t position) {
      return getBounds(
          get(op.getBegin(), position), get(op.getEnd(), position),
          get(op.getStrides().value_or(ArrayRef<int64_t>()), position)
              .value_or(1),
          op.getSliceMode() == "size");
    };
    SmallVector<AxisBounds> bounds(rank);
    if (std::optional<ArrayRef<int64_t>> axes = op.getAxes()) {
      for (auto [position, axis] : llvm::enumerate(*axes))
        bounds[normalizeAxis(axis, rank)] = getAt(position);
    } else {
      for (int64_t axis = 0; axis < rank; ++axis)
        bounds[axis] = getAt(axis);
    }
    rewriter.replaceOp(op, buildSlice(b, data, bounds, type));
    return success();
  }
};

struct DynStridedSliceToLinalg : OpConversionPattern<DynStridedSliceOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(DynStridedSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    LinalgBuilder b(rewriter, op);
    SizeReader reader(rewriter, b, op);
    FailureOr<SmallVector<OpFoldResult>> begins =
        reader.read(adaptor.getBeginValue(), "begin");
    FailureOr<SmallVector<OpFoldResult>> ends =
        reader.read(adaptor.getEndValue(), "end");
    FailureOr<SmallVector<OpFoldResult>> strides =
        reader.read(adaptor.getStridesValue(), "strides");
    if (failed(begins) || failed(ends) || failed(strides))
      return failure();
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(begins->size()));
    if (std::optional<ArrayRef<int64_t>> given = op.getAxes())
      axes = llvm::to_vector(*given);
    bool takesSize = op.getSliceMode() == "size";
    SmallVector<AxisBounds> bounds(rank);
    for (auto [axis, begin, end, stride] :
         llvm::zip_equal(axes, *begins, *ends, *strides)) {
      std::optional<int64_t> step = getConstantIntValue(stride);
      if (!step || *step == 0)
        return rewriter.notifyMatchFailure(
            op, "expects strides that are constants other than 0; the "
                "executors aot and vm compile others, into a shared object");
      AxisBounds &own = bounds[normalizeAxis(axis, rank)];
      own = getBounds(getConstantIntValue(begin), getConstantIntValue(end),
                      *step, takesSize);
      own.openBegin = dyn_cast<Value>(begin);
      own.openEnd = dyn_cast<Value>(end);
      if (takesSize && own.isOpen())
        return rewriter.notifyMatchFailure(
            op, "expects slice_mode \"end\" for bounds that are no constants; "
                "the executors aot and vm compile others, into a shared "
                "object");
    }
    SmallVector<int64_t> open(rank, ShapedType::kDynamic);
    Value result = buildSlice(b, adaptor.getData(), bounds, type.clone(open));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct SliceLikeToLinalg : OpConversionPattern<SliceLikeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SliceLikeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData(), like = adaptor.getShapeLike();
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    LinalgBuilder b(rewriter, op);
    SmallVector<int64_t> axes(op.getAxes().value_or(ArrayRef<int64_t>()));
    if (axes.empty())
      axes = llvm::to_vector(
          llvm::seq<int64_t>(cast<RankedTensorType>(like.getType()).getRank()));
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    for (int64_t axis : axes) {
      int64_t position = normalizeAxis(axis, rank);
      sizes[position] = b.getSize(like, position);
    }
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
    Value slice = tensor::ExtractSliceOp::create(
        b, data, offsets, LinalgBuilder::refine(sizes, type), strides);
    rewriter.replaceOp(op, b.castTo(slice, type));
    return success();
  }
};

/// One slice per field of the result.
struct SplitToLinalg : OpConversionPattern<SplitOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SplitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
    int64_t axis = normalizeAxis(op.getAxis(), rank);
    SmallVector<Type> types;
    if (failed(
            getTypeConverter()->convertType(op.getResult().getType(), types)))
      return rewriter.notifyMatchFailure(op, "cannot convert the result type");

    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    SmallVector<Value> fields;
    int64_t count = types.size();
    ArrayRef<int64_t> positions = getSplitPositions(op);
    if (positions.empty())
      b.assertEqual(b.apply(b.dim(0) % count, sizes[axis]), b.getIndexAttr(0),
                    "expects parts of equal sizes");
    else
      b.assertAtLeast(sizes[axis], positions.back(),
                      "expects as many elements as the parts have");
    for (int64_t field = 0; field < count; ++field) {
      SmallVector<AxisSlice> slices;
      for (OpFoldResult size : sizes)
        slices.push_back({b.getIndexAttr(0), size});
      if (positions.empty()) {
        OpFoldResult part = b.floorDiv(sizes[axis], b.getIndexAttr(count));
        slices[axis] = {b.multiply(part, b.getIndexAttr(field)), part};
      } else {
        AxisBounds bounds;
        if (field > 0)
          bounds.begin = positions[field - 1];
        if (field + 1 < count)
          bounds.end = positions[field];
        slices[axis] = clamp(b, bounds, sizes[axis]);
      }
      fields.push_back(buildSlice(b, data, sizes, slices,
                                  cast<RankedTensorType>(types[field])));
    }
    rewriter.replaceOpWithMultiple(op, {fields});
    return success();
  }

  /// Where fields begin after the first, or nothing if all are equal.
  static ArrayRef<int64_t> getSplitPositions(SplitOp op) {
    if (auto positions = dyn_cast<DenseI64ArrayAttr>(op.getIndicesOrSections()))
      return positions;
    return {};
  }
};

} // namespace

void mlir::relay::detail::populateSlicePatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  patterns.add<DynStridedSliceToLinalg, SliceLikeToLinalg, SplitToLinalg,
               StridedSliceToLinalg>(converter, patterns.getContext());
}
