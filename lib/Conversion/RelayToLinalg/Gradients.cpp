//===- Gradients.cpp - Lower gradients of operators to linalg -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a convolution by its weight is a sum of products like the
// convolution. Those of pools go over the windows of each plane, and add to the
// elements of a window, as opaque computations.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "PoolBuilder.h"
#include "PopulatePatterns.h"
#include "ReductionBuilder.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

//===----------------------------------------------------------------------===//
// Sums of what a broadcast repeats
//===----------------------------------------------------------------------===//

/// Dimensions that the other type lacks, or has with size 1, are summed. Two
/// sizes that are not known are taken to be equal, as where elements are
/// repeated.
struct CollapseSumLikeToLinalg : OpConversionPattern<CollapseSumLikeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(CollapseSumLikeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData(), like = adaptor.getCollapseType();
    Type elementType =
        cast<RankedTensorType>(op.getData().getType()).getElementType();
    Type sumType = getAccumulatorType(elementType);
    auto resultType = getTypeConverter()->convertType<RankedTensorType>(
        cast<RankedTensorType>(op.getType()));
    int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
    int64_t leading = rank - resultType.getRank();
    LinalgBuilder b(rewriter, op);
    SmallVector<AffineExpr> result;
    SmallVector<OpFoldResult> sizes;
    Iterators iterators(rank, utils::IteratorType::reduction);
    for (int64_t dim = leading; dim < rank; ++dim) {
      int64_t to = resultType.getDimSize(dim - leading);
      sizes.push_back(b.getSize(like, dim - leading));
      if (to == 1) {
        result.push_back(b.constant(0));
        continue;
      }
      b.assertEqual(b.getSize(data, dim), sizes.back(),
                    "expects a size that is known to be repeated when it is "
                    "compiled");
      result.push_back(b.dim(dim));
      iterators[dim] = utils::IteratorType::parallel;
    }
    std::string name = b.getBlockName().str();
    Value init = b.filled(sizes, getZeroAttr(sumType), name + "_init");
    Value sum = b.nest(
        name, {{data, b.identity(rank)}}, {init, b.map(rank, result)},
        iterators, [&](ImplicitLocOpBuilder &body, ValueRange args) {
          ElementMath math(body, sumType);
          return math.add(args[1], math.convertFrom(elementType, args[0]));
        });
    Value narrow =
        buildNarrow(b, name + "_round", sum, resultType.getElementType());
    rewriter.replaceOp(op, b.castTo(narrow, resultType));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Loops (g, o, c, kh, kw) over the weight and (n, y, x) over the sum.
struct BackwardWeightToLinalg : OpConversionPattern<NNConv2dBackwardWeightOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNConv2dBackwardWeightOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef outLayout =
        op.getOutLayout().empty() ? "OIHW" : op.getOutLayout();
    FailureOr<SmallVector<int64_t>> gradDims =
        getAxisPositions(op.getDataLayout(), "NCHW");
    FailureOr<SmallVector<int64_t>> dataDims =
        getAxisPositions(op.getKernelLayout(), "NCHW");
    FailureOr<SmallVector<int64_t>> resultDims =
        getAxisPositions(outLayout, "OIHW");
    if (failed(gradDims) || failed(dataDims) || failed(resultDims))
      return rewriter.notifyMatchFailure(
          op, "expects layouts that only permute the axes, but got \"" +
                  op.getDataLayout() + "\", \"" + op.getKernelLayout() +
                  "\" and \"" + outLayout + "\"");
    Value grad = adaptor.getGrad(), data = adaptor.getData();
    int64_t groups = op.getGroups();
    auto resultType = getTypeConverter()->convertType<RankedTensorType>(
        cast<RankedTensorType>(op.getType()));
    int64_t outputs = resultType.getDimSize((*resultDims)[0]);
    int64_t inputs = resultType.getDimSize((*resultDims)[1]);
    if (groups > 1 &&
        (ShapedType::isDynamic(outputs) || ShapedType::isDynamic(inputs)))
      return rewriter.notifyMatchFailure(
          op, "expects a number of channels that is known when it is compiled "
              "for a convolution in groups");

    LinalgBuilder b(rewriter, op);
    Window window =
        Window::get(op.getStrides(), op.getDilation(), op.getPadding());
    SmallVector<OpFoldResult> resultSizes(4);
    resultSizes[(*resultDims)[0]] = b.getSize(grad, (*gradDims)[1]);
    resultSizes[(*resultDims)[1]] =
        groups > 1 ? b.getIndexAttr(inputs) : b.getSize(data, (*dataDims)[1]);
    b.assertEqual(b.getSize(grad, (*gradDims)[0]),
                  b.getSize(data, (*dataDims)[0]),
                  "expects a gradient of as many instances as the data");
    for (int64_t axis = 0; axis < 2; ++axis) {
      OpFoldResult kernel = b.getIndexAttr((*op.getKernelSize())[axis]);
      resultSizes[(*resultDims)[2 + axis]] = kernel;
      b.assertEqual(b.getSize(grad, (*gradDims)[2 + axis]),
                    getWindowCount(b, window, axis,
                                   b.getSize(data, (*dataDims)[2 + axis]),
                                   kernel),
                    "expects a gradient with an element for each window");
    }
    Value padded = padAxes(
        b, data, ArrayRef(*dataDims).drop_front(2),
        getAsIndexOpFoldResult(b.getContext(), window.padBefore),
        getAsIndexOpFoldResult(b.getContext(), window.padAfter),
        getZeroAttr(cast<RankedTensorType>(data.getType()).getElementType()));

    // Loops over groups of one channel each do not go over it, too.
    int64_t loops = 0;
    bool hasGroups = groups > 1;
    int64_t within = hasGroups ? outputs / groups : 0;
    AffineExpr g, o, c;
    if (hasGroups)
      g = b.dim(loops++);
    if (!hasGroups || within > 1)
      o = b.dim(loops++);
    if (!hasGroups || inputs > 1)
      c = b.dim(loops++);
    AffineExpr kernel[2] = {b.dim(loops), b.dim(loops + 1)};
    int64_t parallel = loops += 2;
    AffineExpr n = b.dim(loops),
               output[2] = {b.dim(loops + 1), b.dim(loops + 2)};
    loops += 3;
    AffineExpr zero = b.constant(0);
    SmallVector<AffineExpr> gradExprs(4), dataExprs(4), resultExprs(4);
    gradExprs[(*gradDims)[0]] = dataExprs[(*dataDims)[0]] = n;
    gradExprs[(*gradDims)[1]] = hasGroups ? g * within + (o ? o : zero) : o;
    dataExprs[(*dataDims)[1]] = hasGroups ? g * inputs + (c ? c : zero) : c;
    for (int64_t axis = 0; axis < 2; ++axis) {
      gradExprs[(*gradDims)[2 + axis]] = output[axis];
      dataExprs[(*dataDims)[2 + axis]] = output[axis] * window.strides[axis] +
                                         kernel[axis] * window.dilation[axis];
      resultExprs[(*resultDims)[2 + axis]] = kernel[axis];
    }
    resultExprs[(*resultDims)[1]] = c ? c : zero;
    int64_t channelDim = (*resultDims)[0];
    bool isSplit = hasGroups && within > 1;
    resultExprs[channelDim] = hasGroups ? g : o;
    SmallVector<OpFoldResult> sizes(resultSizes);
    if (isSplit) {
      resultExprs.insert(resultExprs.begin() + channelDim + 1, o);
      sizes[channelDim] = b.getIndexAttr(groups);
      sizes.insert(sizes.begin() + channelDim + 1, b.getIndexAttr(within));
    }
    auto getElementType = [](Value tensor) {
      return cast<RankedTensorType>(tensor.getType()).getElementType();
    };
    Value result = buildContraction(
        b, {grad, b.map(loops, gradExprs), getElementType(op.getGrad())},
        {padded, b.map(loops, dataExprs), getElementType(op.getData())}, sizes,
        b.map(loops, resultExprs), getIterators(parallel, loops - parallel),
        cast<RankedTensorType>(op.getType()).getElementType());
    if (isSplit) {
      SmallVector<ReassociationIndices> merged;
      for (int64_t dim = 0, next = 0; dim < 4; ++dim) {
        merged.push_back({next++});
        if (dim == channelDim)
          merged.back().push_back(next++);
      }
      result = tensor::CollapseShapeOp::create(b, result, merged);
    }
    rewriter.replaceOp(op, b.castTo(result, resultType));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// The part of a window along one dimension that lies in the data: taps `first`
/// to `last`, of which tap t reads at `begin` + t * dilation.
struct Taps {
  Value begin, first, last;
};

/// Arithmetic on positions.
class PositionMath {
public:
  explicit PositionMath(ImplicitLocOpBuilder &b) : b(b) {}

  Value number(int64_t value) const {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, int64_t y) const {
    return arith::AddIOp::create(b, x, number(y));
  }
  Value mul(Value x, int64_t y) const {
    return arith::MulIOp::create(b, x, number(y));
  }
  Value sub(Value x, Value y) const { return arith::SubIOp::create(b, x, y); }
  /// The quotient, rounded down; 0 for what is negative.
  Value divide(Value x, int64_t y) const {
    return arith::DivUIOp::create(b, arith::MaxSIOp::create(b, x, number(0)),
                                  number(y));
  }
  Value min(Value x, int64_t y) const {
    return arith::MinSIOp::create(b, x, number(y));
  }

private:
  ImplicitLocOpBuilder &b;
};

/// The windows of a pool's data.
class PoolWindows {
public:
  PoolWindows(const Window &window, ArrayRef<int64_t> kernel)
      : window(window), kernel(kernel) {}

  /// Of window `output` over data of size `size`.
  Taps emitTaps(ImplicitLocOpBuilder &b, int64_t axis, Value output,
                Value size) const {
    PositionMath math(b);
    int64_t dilation = window.dilation[axis];
    Value begin = math.add(math.mul(output, window.strides[axis]),
                           -window.padBefore[axis]);
    Value before = arith::MaxSIOp::create(b, math.sub(math.number(0), begin),
                                          math.number(0));
    Value first = math.divide(math.add(before, dilation - 1), dilation);
    return {begin, first, emitEnd(b, axis, begin, size)};
  }

  /// How many taps of a window count, with those in the padding.
  Value emitPaddedCount(ImplicitLocOpBuilder &b, int64_t axis, const Taps &taps,
                        Value size) const {
    PositionMath math(b);
    return emitEnd(b, axis, taps.begin, math.add(size, window.padAfter[axis]));
  }

  Value emitPosition(ImplicitLocOpBuilder &b, int64_t axis, const Taps &taps,
                     Value tap) const {
    Value offset = PositionMath(b).mul(tap, window.dilation[axis]);
    return arith::AddIOp::create(b, taps.begin, offset);
  }

private:
  /// The first tap at or behind `size`.
  Value emitEnd(ImplicitLocOpBuilder &b, int64_t axis, Value begin,
                Value size) const {
    PositionMath math(b);
    int64_t dilation = window.dilation[axis];
    Value room = math.add(math.sub(size, begin), dilation - 1);
    return math.min(math.divide(room, dilation), kernel[axis]);
  }

  Window window;
  SmallVector<int64_t> kernel;
};

template <typename OpT, Pool pool>
struct PoolGradToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The operands' names are the registered ones, which are swapped.
    Value grad = adaptor.getData(), data = adaptor.getGrad();
    FailureOr<PoolingData> pooling =
        PoolingData::get(op.getGrad(), data, op.getLayout());
    if (failed(pooling))
      return rewriter.notifyMatchFailure(
          op, "expects a layout that the data fits, but got " + op.getLayout());
    Type elementType = pooling->elementType;
    if (!isa<FloatType>(elementType))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects a gradient of floats, but got "
                   << op.getGrad().getType();
      });

    LinalgBuilder b(rewriter, op);
    Window window =
        Window::get(op.getStrides(), op.getDilation(), op.getPadding());
    SmallVector<int64_t> kernel(op.getPoolSize());
    for (int64_t dim : pooling->others)
      b.assertEqual(b.getSize(grad, dim), b.getSize(data, dim),
                    "expects a gradient of as many planes as the data");
    for (auto [axis, dim] : llvm::enumerate(pooling->spatial))
      b.assertEqual(b.getSize(grad, dim),
                    getWindowCount(b, window, axis, b.getSize(data, dim),
                                   b.getIndexAttr(kernel[axis]),
                                   op.getCeilMode()),
                    "expects a gradient with an element for each window");
    Type sumType = getAccumulatorType(elementType);
    PoolWindows windows(window, kernel);
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                    ValueRange inputs, ValueRange destinations) {
      emitPlane(body, op, *pooling, windows, position, inputs,
                destinations.front());
    };
    // Sizes of the gradient follow those of the data.
    int64_t rank = pooling->getRank();
    SmallVector<AffineExpr> gradSizes(rank);
    for (int64_t dim : pooling->others)
      gradSizes[dim] = b.dim(dim);
    for (auto [i, dim] : llvm::enumerate(pooling->spatial))
      gradSizes[dim] = b.dim(rank + i);
    AffineMap dataMap =
        b.select(rank + 2, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    Value zeros = b.filled(b.getSizes(data), getZeroAttr(sumType),
                           (b.getBlockName() + "_init").str());
    Value sums =
        b.opaque(b.getBlockName(), pooling->others, {grad, data}, zeros, emit,
                 {b.map(rank + 2, gradSizes), dataMap, dataMap})
            .front();
    auto resultType =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    Value result = buildNarrow(b, (b.getBlockName() + "_round").str(), sums,
                               resultType.getElementType());
    rewriter.replaceOp(op, b.castTo(result, resultType));
    return success();
  }

private:
  /// All windows of one plane.
  static void emitPlane(ImplicitLocOpBuilder &b, OpT op,
                        const PoolingData &pooling, const PoolWindows &windows,
                        ValueRange plane, ValueRange inputs, Value sums) {
    Type elementType = pooling.elementType;
    Type sumType = getAccumulatorType(elementType);
    ElementMath math(b, sumType);
    SmallVector<Value> position(pooling.getRank());
    for (auto [dim, index] : llvm::zip_equal(pooling.others, plane))
      position[dim] = index;
    SmallVector<Value> gradSizes = emitSizes(b, inputs[0]);
    SmallVector<Value> dataSizes = emitSizes(b, sums);
    int64_t y = pooling.spatial[0], x = pooling.spatial[1];
    auto at = [&](Value row, Value column) {
      SmallVector<Value> result(position);
      result[y] = row;
      result[x] = column;
      return result;
    };
    auto addTo = [&](Value row, Value column, Value value) {
      SmallVector<Value> where = at(row, column);
      Value present = memref::LoadOp::create(b, sums, where);
      memref::StoreOp::create(b, math.add(present, value), sums, where);
    };
    emitLoops(b, {gradSizes[y], gradSizes[x]}, [&](ValueRange output) {
      Value g = math.convertFrom(
          elementType,
          memref::LoadOp::create(b, inputs[0], at(output[0], output[1])));
      Taps rows = windows.emitTaps(b, 0, output[0], dataSizes[y]);
      Taps columns = windows.emitTaps(b, 1, output[1], dataSizes[x]);
      if constexpr (pool == Pool::Max) {
        auto load = [&](Value row, Value column) -> Value {
          return memref::LoadOp::create(b, inputs[1], at(row, column));
        };
        emitMaximum(b, elementType, windows, rows, columns, load,
                    [&](Value row, Value column) { addTo(row, column, g); });
      } else {
        PositionMath positions(b);
        Value height = op.getCountIncludePad()
                           ? windows.emitPaddedCount(b, 0, rows, dataSizes[y])
                           : positions.sub(rows.last, rows.first);
        Value width = op.getCountIncludePad()
                          ? windows.emitPaddedCount(b, 1, columns, dataSizes[x])
                          : positions.sub(columns.last, columns.first);
        Type wide = b.getI64Type();
        Value count = arith::IndexCastOp::create(
            b, wide, arith::MulIOp::create(b, height, width));
        Value share = math.div(g, math.convertFrom(wide, count));
        emitLoop(b, rows.first, rows.last, {},
                 [&](Value row, ValueRange) -> SmallVector<Value> {
                   row = windows.emitPosition(b, 0, rows, row);
                   emitLoop(
                       b, columns.first, columns.last, {},
                       [&](Value column, ValueRange) -> SmallVector<Value> {
                         column = windows.emitPosition(b, 1, columns, column);
                         addTo(row, column, share);
                         return {};
                       });
                   return {};
                 });
      }
    });
  }

  /// Calls `found` for the first maximum of a window, if it has an element.
  static void emitMaximum(ImplicitLocOpBuilder &b, Type elementType,
                          const PoolWindows &windows, const Taps &rows,
                          const Taps &columns,
                          llvm::function_ref<Value(Value, Value)> load,
                          llvm::function_ref<void(Value, Value)> found) {
    ElementMath math(b, elementType);
    Value no = arith::ConstantIntOp::create(b, 0, 1);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    SmallVector<Value> best = {no, math.zero(), zero, zero};
    best = emitLoop(
        b, rows.first, rows.last, best,
        [&](Value row, ValueRange outer) -> SmallVector<Value> {
          row = windows.emitPosition(b, 0, rows, row);
          return emitLoop(
              b, columns.first, columns.last, outer,
              [&](Value column, ValueRange known) -> SmallVector<Value> {
                column = windows.emitPosition(b, 1, columns, column);
                Value value = load(row, column);
                Value isFirst =
                    math.compare(ElementMath::Order::GT, value, known[1]);
                // NaN is the maximum of what has one.
                Value isFirstNaN = arith::AndIOp::create(
                    b, math.isNaN(value),
                    arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          math.isNaN(known[1]), no));
                Value isNone = arith::CmpIOp::create(
                    b, arith::CmpIPredicate::eq, known[0], no);
                Value isBetter = arith::OrIOp::create(
                    b, isNone, arith::OrIOp::create(b, isFirst, isFirstNaN));
                auto choose = [&](Value now, Value before) -> Value {
                  return arith::SelectOp::create(b, isBetter, now, before);
                };
                return {arith::ConstantIntOp::create(b, 1, 1),
                        choose(value, known[1]), choose(row, known[2]),
                        choose(column, known[3])};
              });
        });
    emitWhere(b, best[0], [&] { found(best[2], best[3]); });
  }
};

} // namespace

void mlir::relay::detail::populateGradientPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<CollapseSumLikeToLinalg, BackwardWeightToLinalg,
               PoolGradToLinalg<NNMaxPool2dGradOp, Pool::Max>,
               PoolGradToLinalg<NNAvgPool2dGradOp, Pool::Average>>(
      converter, patterns.getContext());
}
