//===- DeformableConvolution.cpp - Lower deformable convolutions ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of each window is read where an offset says, between four
// elements of the data. What is read is a tensor of its own, which is then
// multiplied with the weight.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "Gather.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Predicate = arith::CmpIPredicate;

/// The type in which all is computed.
static Type getComputeType(ValueRange tensors) {
  MLIRContext *context = tensors.front().getContext();
  for (Value tensor : tensors)
    if (getElementType(tensor).isF64())
      return Float64Type::get(context);
  return Float32Type::get(context);
}

namespace {

/// A place between two elements of an axis, whether it is on the axis, and
/// whether there is an element above.
struct Place {
  Value below, above, weight, isInside, hasAbove;
};

class DeformableNest {
public:
  DeformableNest(LinalgBuilder &b, NNDeformableConv2dOp op,
                 NNDeformableConv2dOp::Adaptor adaptor,
                 ArrayRef<int64_t> dataAxes, ArrayRef<int64_t> weightAxes,
                 ArrayRef<int64_t> resultAxes)
      : b(b), op(op), data(adaptor.getData()), offset(adaptor.getOffset()),
        weight(adaptor.getWeight()), dataAxes(dataAxes), weightAxes(weightAxes),
        resultAxes(resultAxes),
        window(Window::get(op.getStrides(), op.getDilation(), op.getPadding())),
        type(getComputeType(
            {op.getData(), op.getOffset(), op.getWeight(), op.getResult()})) {
    for (int64_t axis : {0, 1}) {
      kernel.push_back(b.getSize(weight, weightAxes[2 + axis]));
      sizes.push_back(getWindowCount(
          b, window, axis, b.getSize(data, dataAxes[2 + axis]), kernel[axis]));
    }
  }

  void assertSizes();
  /// Elements (n, c, kh, kw, y, x) of windows; `getSampleDims` says in which
  /// order.
  Value buildSamples();
  Value buildProduct(Value samples);

private:
  /// The dimensions of samples: channels are where the data has them, the
  /// kernel's positions beside them.
  SmallVector<int64_t> getSampleDims() const;
  Place emitPlace(const ElementMath &math, int64_t axis, Value output,
                  Value tap, Value offset) const;

  LinalgBuilder &b;
  NNDeformableConv2dOp op;
  Value data, offset, weight;
  ArrayRef<int64_t> dataAxes, weightAxes, resultAxes;
  Window window;
  Type type;
  /// By spatial axis; `sizes` are those of the result.
  SmallVector<OpFoldResult> kernel, sizes;
};

} // namespace

void DeformableNest::assertSizes() {
  OpFoldResult taps = b.multiply(kernel[0], kernel[1]);
  OpFoldResult expected[] = {
      b.getSize(data, dataAxes[0]),
      b.multiply(taps, b.getIndexAttr(2 * op.getDeformableGroups())), sizes[0],
      sizes[1]};
  for (auto [axis, size] : llvm::zip_equal(dataAxes, expected))
    b.assertEqual(b.getSize(offset, axis), size,
                  "expects two offsets for each element of a window");
  b.assertEqual(b.getSize(data, dataAxes[1]),
                b.multiply(b.getSize(weight, weightAxes[1]),
                           b.getIndexAttr(op.getGroups())),
                "expects input channels as of weight and groups");
  b.assertEqual(b.apply(b.dim(0) % int64_t(op.getDeformableGroups()),
                        b.getSize(data, dataAxes[1])),
                b.getIndexAttr(0),
                "expects input channels divisible by deformable_groups");
  for (int64_t axis : dataAxes.drop_front(2))
    b.assertAtLeast(b.getSize(data, axis), 1, "expects data with elements");
}

SmallVector<int64_t> DeformableNest::getSampleDims() const {
  // Letters of n, c, kh, kw, y, x are 0 to 5.
  SmallVector<int64_t> dims(4);
  for (auto [letter, axis] : llvm::enumerate(dataAxes))
    dims[axis] = letter < 2 ? letter : letter + 2;
  auto *channel = llvm::find(dims, 1);
  bool isLast = channel + 1 == dims.end();
  dims.insert(isLast ? channel : channel + 1, {2, 3});
  return dims;
}

Place DeformableNest::emitPlace(const ElementMath &math, int64_t axis,
                                Value output, Value tap, Value offset) const {
  ImplicitLocOpBuilder &body = math.getBuilder();
  auto scale = [&](Value index, int64_t by) -> Value {
    return arith::MulIOp::create(body, index,
                                 arith::ConstantIndexOp::create(body, by));
  };
  auto toFloat = [&](Value index) {
    Type i64 = body.getI64Type();
    return math.convertFrom(i64, arith::IndexCastOp::create(body, i64, index));
  };
  Value base = arith::SubIOp::create(
      body,
      arith::AddIOp::create(body, scale(output, window.strides[axis]),
                            scale(tap, window.dilation[axis])),
      arith::ConstantIndexOp::create(body, window.padBefore[axis]));
  Value position = math.add(toFloat(base), offset);
  Value size = emitIndex(body, b.getSize(data, dataAxes[2 + axis]));
  // False for NaN.
  Value isInside = arith::AndIOp::create(
      body, math.compare(ElementMath::Order::GE, position, math.zero()),
      math.compare(ElementMath::Order::LT, position, toFloat(size)));
  position = math.select(isInside, position, math.zero());
  Value floor = math::FloorOp::create(body, position);
  Value below = arith::IndexCastOp::create(
      body, body.getIndexType(),
      arith::FPToSIOp::create(body, body.getI64Type(), floor));
  Value above = arith::AddIOp::create(body, below,
                                      arith::ConstantIndexOp::create(body, 1));
  Value hasAbove = arith::CmpIOp::create(body, Predicate::slt, above, size);
  return {below, math.select(hasAbove, above, below), math.sub(position, floor),
          isInside, hasAbove};
}

Value DeformableNest::buildSamples() {
  SmallVector<OpFoldResult> all = {b.getSize(data, dataAxes[0]),
                                   b.getSize(data, dataAxes[1])};
  llvm::append_range(all, kernel);
  llvm::append_range(all, sizes);
  SmallVector<int64_t> dims = getSampleDims();
  SmallVector<OpFoldResult> sampleSizes;
  for (int64_t dim : dims)
    sampleSizes.push_back(all[dim]);
  OpFoldResult channelsPerPart =
      b.floorDiv(all[1], b.getIndexAttr(op.getDeformableGroups()));
  Type from = getElementType(op.getData());
  Type offsetType = getElementType(op.getOffset());

  return b.elements(
      "sample", {}, sampleSizes, type,
      [&](ImplicitLocOpBuilder &body, ValueRange) {
        ElementMath math(body, type);
        SmallVector<Value> at(6);
        for (auto [loop, dim] : llvm::enumerate(dims))
          at[dim] = emitLoopIndex(body, loop);
        // Offsets are (part, kh, kw, axis) along their channels.
        Value part = arith::DivUIOp::create(body, at[1],
                                            emitIndex(body, channelsPerPart));
        Value number = part;
        for (int64_t axis : {0, 1})
          number = arith::AddIOp::create(
              body,
              arith::MulIOp::create(body, number,
                                    emitIndex(body, kernel[axis])),
              at[2 + axis]);
        Place places[2];
        for (int64_t axis : {0, 1}) {
          Value two = arith::ConstantIndexOp::create(body, 2);
          Value which = arith::ConstantIndexOp::create(body, axis);
          SmallVector<Value> source(4);
          source[dataAxes[0]] = at[0];
          source[dataAxes[1]] = arith::AddIOp::create(
              body, arith::MulIOp::create(body, number, two), which);
          source[dataAxes[2]] = at[4];
          source[dataAxes[3]] = at[5];
          Value by =
              math.convertFrom(offsetType, emitExtract(body, offset, source));
          places[axis] = emitPlace(math, axis, at[4 + axis], at[2 + axis], by);
        }
        auto read = [&](Value y, Value x) {
          SmallVector<Value> source(4);
          source[dataAxes[0]] = at[0];
          source[dataAxes[1]] = at[1];
          source[dataAxes[2]] = y;
          source[dataAxes[3]] = x;
          return math.convertFrom(from, emitExtract(body, data, source));
        };
        // What is not there does not count, whatever is read instead.
        auto interpolate = [&](const Place &place, Value below, Value above) {
          Value rest = math.sub(math.one(), place.weight);
          return math.add(math.mul(below, rest),
                          math.select(place.hasAbove,
                                      math.mul(above, place.weight),
                                      math.zero()));
        };
        const Place &y = places[0], &x = places[1];
        auto readRow = [&](Value row) {
          Value below = read(row, x.below), above = read(row, x.above);
          return interpolate(x, below, above);
        };
        Value below = readRow(y.below), above = readRow(y.above);
        Value sample = interpolate(y, below, above);
        Value isInside = arith::AndIOp::create(body, y.isInside, x.isInside);
        return math.select(isInside, sample, math.zero());
      });
}

Value DeformableNest::buildProduct(Value samples) {
  int64_t groups = op.getGroups();
  // Loops n, (g,) o, y, x, c, kh, kw.
  int64_t first = groups > 1 ? 1 : 0, loops = 7 + first;
  AffineExpr n = b.dim(0), g = b.dim(1), o = b.dim(first + 1),
             c = b.dim(first + 4);
  AffineExpr y = b.dim(first + 2), x = b.dim(first + 3);
  AffineExpr taps[] = {b.dim(first + 5), b.dim(first + 6)};
  AffineExpr channel = c, output = o;
  auto weightType = cast<RankedTensorType>(weight.getType());
  int64_t outputs = 0;
  if (groups > 1) {
    outputs = weightType.getDimSize(weightAxes[0]) / groups;
    channel = g * weightType.getDimSize(weightAxes[1]) + c;
    output = g * outputs + o;
  }
  AffineExpr all[] = {n, channel, taps[0], taps[1], y, x};
  SmallVector<AffineExpr> sampleExprs;
  for (int64_t dim : getSampleDims())
    sampleExprs.push_back(all[dim]);
  auto place = [](ArrayRef<int64_t> axes, ArrayRef<AffineExpr> exprs) {
    SmallVector<AffineExpr> placed(axes.size());
    for (auto [axis, expr] : llvm::zip_equal(axes, exprs))
      placed[axis] = expr;
    return placed;
  };
  SmallVector<AffineExpr> weightExprs =
      place(weightAxes, {output, c, taps[0], taps[1]});
  SmallVector<AffineExpr> resultExprs =
      place(resultAxes, {n, groups > 1 ? g : o, y, x});
  SmallVector<OpFoldResult> resultSizes(4);
  resultSizes[resultAxes[0]] = b.getSize(data, dataAxes[0]);
  resultSizes[resultAxes[1]] = b.getSize(weight, weightAxes[0]);
  resultSizes[resultAxes[2]] = sizes[0];
  resultSizes[resultAxes[3]] = sizes[1];
  SmallVector<SmallVector<int64_t, 2>> merged;
  if (groups > 1) {
    // Groups and the channels within are dimensions of their own.
    int64_t axis = resultAxes[1];
    resultExprs.insert(resultExprs.begin() + axis + 1, o);
    resultSizes[axis] = b.getIndexAttr(groups);
    resultSizes.insert(resultSizes.begin() + axis + 1, b.getIndexAttr(outputs));
    for (int64_t dim = 0, next = 0; dim < 4; ++dim) {
      merged.push_back({next++});
      if (dim == axis)
        merged.back().push_back(next++);
    }
  }
  Value result = buildContraction(
      b, {samples, b.map(loops, sampleExprs), type},
      {weight, b.map(loops, weightExprs), getElementType(op.getWeight())},
      resultSizes, b.map(loops, resultExprs), getIterators(4 + first, 3), type);
  if (groups > 1)
    result = buildMerge(b, result, merged);
  Type to = getElementType(op.getResult());
  if (to == type)
    return result;
  return b.elements("convert", {{result, b.identity(4)}}, b.getSizes(result),
                    getSignless(to),
                    [&](ImplicitLocOpBuilder &body, ValueRange args) {
                      return ElementMath(body, to).convertFrom(type, args[0]);
                    });
}

namespace {

struct DeformableToLinalg : OpConversionPattern<NNDeformableConv2dOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNDeformableConv2dOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef outLayout =
        op.getOutLayout().empty() ? op.getDataLayout() : op.getOutLayout();
    FailureOr<SmallVector<int64_t>> dataAxes =
        getAxisPositions(op.getDataLayout(), "NCHW");
    FailureOr<SmallVector<int64_t>> weightAxes =
        getAxisPositions(op.getKernelLayout(), "OIHW");
    FailureOr<SmallVector<int64_t>> resultAxes =
        getAxisPositions(outLayout, "NCHW");
    if (failed(dataAxes) || failed(weightAxes) || failed(resultAxes))
      return rewriter.notifyMatchFailure(
          op, "expects layouts that only permute the axes, but got data \"" +
                  op.getDataLayout() + "\", kernel \"" + op.getKernelLayout() +
                  "\" and result \"" + outLayout + "\"");
    auto dataType = cast<RankedTensorType>(op.getData().getType());
    auto weightType = cast<RankedTensorType>(op.getWeight().getType());
    if (op.getGroups() > 1 && (weightType.isDynamicDim((*weightAxes)[0]) ||
                               weightType.isDynamicDim((*weightAxes)[1])))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects a number of channels that is known when it is "
                      "compiled for a convolution in groups, but got "
                   << weightType;
      });
    for (int64_t axis : ArrayRef(*dataAxes).drop_front(2))
      if (dataType.getDimSize(axis) == 0)
        return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
          diagnostic << "expects data with elements, but got " << dataType;
        });

    LinalgBuilder b(rewriter, op);
    DeformableNest nest(b, op, adaptor, *dataAxes, *weightAxes, *resultAxes);
    nest.assertSizes();
    Value result = nest.buildProduct(nest.buildSamples());
    rewriter.replaceOp(op,
                       b.castTo(result, getTypeConverter()->convertType(
                                            Type(op.getResult().getType()))));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateDeformableConvolutionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<DeformableToLinalg>(converter, patterns.getContext());
}
