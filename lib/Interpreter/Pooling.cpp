//===- Pooling.cpp - Pooling ----------------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel for one to three spatial dimensions: each operator says where a
// window begins and ends along each of them.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Layout.h"
#include "Quantized.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;
using namespace mlir::relay;

namespace {

/// The elements of a window along one dimension: `begin`, `begin + step`, ...
/// below `end`, all inside the data. `size` counts padding as well.
struct Window {
  int64_t begin, end, step, size;
};

/// The windows along one dimension. They are listed where there are elements
/// to pool: a dimension of an empty tensor may be larger than any memory.
struct AxisWindows {
  int64_t count;
  std::function<Window(int64_t position)> get;

  SmallVector<Window> list() const {
    SmallVector<Window> windows;
    for (int64_t i = 0; i < count; ++i)
      windows.push_back(get(i));
    return windows;
  }
};

/// The windows along each spatial dimension.
using Windows = std::array<AxisWindows, 3>;

enum class PoolKind { Max, Average, AverageWithPadding };

} // namespace

//===----------------------------------------------------------------------===//
// Kernel on NCDHW data
//===----------------------------------------------------------------------===//

/// What the maximum of a window begins with: where one may miss the data, the
/// smallest number, which padding has, else -inf for floats.
static double getLowest(Type type, bool mayMissData) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    return mayMissData ? llvm::APFloat::getLargest(semantics, /*Negative=*/true)
                             .convertToDouble()
                       : -std::numeric_limits<double>::infinity();
  }
  if (type.isUnsignedInteger() || type.isInteger(1))
    return 0;
  return -std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1);
}

/// The fold of a window; a maximum begins with `first`.
template <typename W>
static W poolWindow(const W *plane, ArrayRef<int64_t> shape, const Window &z,
                    const Window &y, const Window &x, PoolKind kind, W first) {
  // Sums of integers wrap, and need no more digits than they have.
  using Sum = std::conditional_t<std::is_same_v<W, double>, double, uint64_t>;
  W best = first;
  Sum sum = 0;
  int64_t count = 0;
  for (int64_t i = z.begin; i < z.end; i += z.step)
    for (int64_t j = y.begin; j < y.end; j += y.step)
      for (int64_t k = x.begin; k < x.end; k += x.step) {
        W value = plane[(i * shape[3] + j) * shape[4] + k];
        if (value != value || value > best)
          best = value;
        sum += static_cast<Sum>(value);
        ++count;
      }
  if (kind == PoolKind::Max)
    return best;
  if (kind == PoolKind::AverageWithPadding)
    count = z.size * y.size * x.size;
  // A window may lie in the padding as a whole.
  return count ? static_cast<W>(sum) / static_cast<W>(count) : W(0);
}

template <typename W>
static Tensor pool(const Tensor &data, const Windows &windows, PoolKind kind,
                   bool mayMissData) {
  auto first = static_cast<W>(getLowest(data.getElementType(), mayMissData));
  ArrayRef<int64_t> shape = data.getShape();
  SmallVector<int64_t> resultShape = {shape[0], shape[1]};
  int64_t windowSize = 1;
  for (const AxisWindows &along : windows)
    resultShape.push_back(along.count);
  Tensor result = Tensor::allocate(resultShape, data.getElementType());
  if (result.getNumElements() == 0)
    return result;
  std::array<SmallVector<Window>, 3> lists;
  for (auto [list, along] : llvm::zip_equal(lists, windows)) {
    list = along.list();
    windowSize *= list.front().size;
  }
  int64_t planes = shape[0] * shape[1];
  int64_t planeSize = shape[2] * shape[3] * shape[4];
  int64_t resultSize = getProduct(ArrayRef(resultShape).drop_front(2));
  auto poolRange = [&](int64_t begin, int64_t end) {
    std::vector<W> plane(planeSize), pooled(resultSize);
    for (int64_t i = begin; i < end; ++i) {
      data.load(i * planeSize, 1, planeSize, plane.data());
      W *to = pooled.data();
      for (const Window &z : lists[0])
        for (const Window &y : lists[1])
          for (const Window &x : lists[2])
            *to++ = poolWindow(plane.data(), shape, z, y, x, kind, first);
      result.store(i * resultSize, resultSize, pooled.data());
    }
  };
  forEachRange(data.getContext(), planes, resultSize * windowSize, poolRange);
  return result;
}

//===----------------------------------------------------------------------===//
// Evaluators
//===----------------------------------------------------------------------===//

static StringRef getCanonicalLayout(size_t spatialRank) {
  static constexpr StringRef layouts[] = {"NCW", "NCHW", "NCDHW"};
  return layouts[spatialRank - 1];
}

/// Pools with windows that depend on the size of each spatial dimension.
template <typename OpT>
static FailureOr<Tensor>
evaluatePool(OpT op, const Tensor &operand, size_t spatialRank, PoolKind kind,
             function_ref<AxisWindows(size_t dim, int64_t size)> getWindows,
             bool mayMissData = false) {
  StringRef canonical = getCanonicalLayout(spatialRank);
  FailureOr<Tensor> data =
      transformLayout(op, operand, op.getLayout(), canonical);
  if (failed(data))
    return failure();
  SmallVector<int64_t> shape(data->getShape());
  shape.insert(shape.begin() + 2, 3 - spatialRank, 1);
  Windows windows;
  for (size_t dim = 0; dim < 3; ++dim) {
    // Dimensions in front that the operator does not have.
    if (dim < 3 - spatialRank)
      windows[dim] = {1, [](int64_t) { return Window{0, 1, 1, 1}; }};
    else
      windows[dim] = getWindows(dim + spatialRank - 3, shape[2 + dim]);
  }

  Tensor result = dispatchWideType(data->getElementType(), [&](auto wide) {
    return pool<decltype(wide)>(data->reshape(shape), windows, kind,
                                mayMissData);
  });
  SmallVector<int64_t> resultShape(result.getShape());
  resultShape.erase(resultShape.begin() + 2, resultShape.end() - spatialRank);
  StringRef outLayout =
      op.getOutLayout().empty() ? op.getLayout() : op.getOutLayout();
  FailureOr<Tensor> moved =
      transformLayout(op, result.reshape(resultShape), canonical, outLayout);
  return moved;
}

/// Windows of a size, at a stride, over padded data.
static AxisWindows getSlidingWindows(int64_t size, int64_t pool, int64_t stride,
                                     int64_t dilation, int64_t before,
                                     int64_t after, bool ceilMode) {
  int64_t room = size + before + after - ((pool - 1) * dilation + 1);
  if (ceilMode)
    room += stride - 1;
  auto getWindow = [=](int64_t position) -> Window {
    int64_t begin = position * stride - before;
    int64_t end = std::min(begin + pool * dilation, size);
    // What ceil_mode adds beyond the padding does not count.
    int64_t paddedEnd = std::min(begin + pool * dilation, size + after);
    int64_t counted =
        std::max<int64_t>(0, (paddedEnd - begin + dilation - 1) / dilation);
    if (begin < 0)
      begin += (-begin + dilation - 1) / dilation * dilation;
    return {begin, end, dilation, counted};
  };
  return {room < 0 ? 0 : room / stride + 1, getWindow};
}

template <typename OpT>
static FailureOr<Tensor> evaluateSliding(OpT op, const Tensor &data,
                                         PoolKind kind) {
  ArrayRef<int64_t> poolSize = op.getPoolSize();
  Padding padding = *expandPadding(op.getPadding(), poolSize.size());
  auto getWindows = [&](size_t dim, int64_t size) {
    return getSlidingWindows(size, poolSize[dim], op.getStrides()[dim],
                             op.getDilation()[dim], padding.before[dim],
                             padding.after[dim], op.getCeilMode());
  };
  return evaluatePool(op, data, poolSize.size(), kind, getWindows,
                      mayMissData(poolSize, padding.before, padding.after,
                                  op.getDilation(), op.getCeilMode()));
}

template <typename OpT>
static FailureOr<Tensor> evaluateMaxPool(OpT op, ArrayRef<Tensor> operands) {
  return evaluateSliding(op, operands[0], PoolKind::Max);
}

template <typename OpT>
static FailureOr<Tensor> evaluateAvgPool(OpT op, ArrayRef<Tensor> operands) {
  return evaluateSliding(op, operands[0],
                         op.getCountIncludePad() ? PoolKind::AverageWithPadding
                                                 : PoolKind::Average);
}

/// Averages int32 values that have the result's scale and zero point.
static FailureOr<Tensor> evaluateQnnAvgPool(QNNAvgPool2dOp op,
                                            ArrayRef<Tensor> operands) {
  if (operands[3].loadAll<double>().front() == 0)
    return op.emitOpError("expects an output_scale other than 0");
  Tensor data = requantizeToInt32(operands[0], operands[1], operands[2], -1,
                                  operands[3], operands[4]);
  FailureOr<Tensor> result = evaluateAvgPool(op, data);
  if (failed(result))
    return failure();
  return saturateTo(*result, getResultElementType(op));
}

template <typename OpT, PoolKind kind>
static FailureOr<Tensor> evaluateGlobalPool(OpT op, ArrayRef<Tensor> operands) {
  return evaluatePool(op, operands[0], 2, kind, [](size_t, int64_t size) {
    return AxisWindows{1, [=](int64_t) { return Window{0, size, 1, size}; }};
  });
}

template <typename OpT, PoolKind kind, size_t spatialRank>
static FailureOr<Tensor> evaluateAdaptivePool(OpT op,
                                              ArrayRef<Tensor> operands) {
  ArrayRef<int64_t> outputSize = op.getOutputSize();
  auto getWindows = [&](size_t dim, int64_t size) {
    int64_t count = outputSize.empty()       ? size
                    : outputSize.size() == 1 ? outputSize[0]
                                             : outputSize[dim];
    return AxisWindows{count, [=](int64_t i) {
                         int64_t begin = i * size / count;
                         int64_t end = ((i + 1) * size + count - 1) / count;
                         return Window{begin, end, 1, end - begin};
                       }};
  };
  return evaluatePool(op, operands[0], spatialRank, kind, getWindows);
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Adds `grad` to the first maximum of a window of a plane of width `width`.
static void addToMaximum(const double *plane, int64_t width, const Window &y,
                         const Window &x, double grad, double *sums) {
  int64_t best = -1;
  for (int64_t j = y.begin; j < y.end; j += y.step)
    for (int64_t k = x.begin; k < x.end; k += x.step) {
      int64_t i = j * width + k;
      if (best < 0 || plane[i] > plane[best] ||
          (plane[i] != plane[i] && plane[best] == plane[best]))
        best = i;
    }
  if (best >= 0)
    sums[best] += grad;
}

/// Adds an equal share of `grad` to each element of a window.
static void addToAll(int64_t width, const Window &y, const Window &x,
                     int64_t count, double grad, double *sums) {
  for (int64_t j = y.begin; j < y.end; j += y.step)
    for (int64_t k = x.begin; k < x.end; k += x.step)
      sums[j * width + k] += grad / count;
}

static int64_t countElements(const Window &window) {
  return window.begin >= window.end
             ? 0
             : (window.end - window.begin + window.step - 1) / window.step;
}

/// Spreads the gradient of a pool's result, operand 0, over the pool's data.
template <typename OpT>
static FailureOr<Tensor> evaluatePoolGrad(OpT op, ArrayRef<Tensor> operands,
                                          PoolKind kind) {
  FailureOr<Tensor> grad =
      transformLayout(op, operands[0], op.getLayout(), "NCHW");
  FailureOr<Tensor> data =
      transformLayout(op, operands[1], op.getLayout(), "NCHW");
  if (failed(grad) || failed(data))
    return failure();
  Padding padding = *expandPadding(op.getPadding(), 2);
  std::array<SmallVector<Window>, 2> windows;
  for (size_t dim = 0; dim < 2; ++dim) {
    windows[dim] =
        getSlidingWindows(data->getDimSize(2 + dim), op.getPoolSize()[dim],
                          op.getStrides()[dim], op.getDilation()[dim],
                          padding.before[dim], padding.after[dim],
                          op.getCeilMode())
            .list();
    if (grad->getDimSize(2 + dim) != static_cast<int64_t>(windows[dim].size()))
      return op.emitOpError("expects a gradient of size ")
             << windows[dim].size() << " along spatial dimension " << dim
             << ", but got " << operands[0].getType();
  }
  int64_t planes = data->getDimSize(0) * data->getDimSize(1);
  if (grad->getDimSize(0) * grad->getDimSize(1) != planes)
    return op.emitOpError("expects a gradient of ")
           << planes << " planes as of the data, but got "
           << operands[0].getType();
  int64_t width = data->getDimSize(3), size = data->getDimSize(2) * width;
  int64_t gradSize = windows[0].size() * windows[1].size();
  Tensor result = Tensor::allocate(data->getShape(), data->getElementType());
  std::vector<double> plane(size), grads(gradSize);
  for (int64_t i = 0; i < planes; ++i) {
    data->load(i * size, 1, size, plane.data());
    grad->load(i * gradSize, 1, gradSize, grads.data());
    std::vector<double> sums(size);
    const double *from = grads.data();
    for (const Window &y : windows[0])
      for (const Window &x : windows[1]) {
        if (kind == PoolKind::Max)
          addToMaximum(plane.data(), width, y, x, *from++, sums.data());
        else
          addToAll(width, y, x,
                   kind == PoolKind::AverageWithPadding
                       ? y.size * x.size
                       : countElements(y) * countElements(x),
                   *from++, sums.data());
      }
    result.store(i * size, size, sums.data());
  }
  return transformLayout(op, result, "NCHW", op.getLayout());
}

static FailureOr<Tensor> evaluateMaxPoolGrad(NNMaxPool2dGradOp op,
                                             ArrayRef<Tensor> operands) {
  return evaluatePoolGrad(op, operands, PoolKind::Max);
}

static FailureOr<Tensor> evaluateAvgPoolGrad(NNAvgPool2dGradOp op,
                                             ArrayRef<Tensor> operands) {
  return evaluatePoolGrad(op, operands,
                          op.getCountIncludePad() ? PoolKind::AverageWithPadding
                                                  : PoolKind::Average);
}

template <typename OpT, PoolKind kind, size_t spatialRank>
static void addAdaptivePool(EvaluatorTable &table) {
  table.add<OpT>(evaluateAdaptivePool<OpT, kind, spatialRank>);
}

void relay::detail::populatePoolingEvaluators(EvaluatorTable &table) {
  table.add<NNMaxPool1dOp>(evaluateMaxPool<NNMaxPool1dOp>);
  table.add<NNMaxPool2dOp>(evaluateMaxPool<NNMaxPool2dOp>);
  table.add<NNMaxPool3dOp>(evaluateMaxPool<NNMaxPool3dOp>);
  table.add<NNAvgPool1dOp>(evaluateAvgPool<NNAvgPool1dOp>);
  table.add<NNAvgPool2dOp>(evaluateAvgPool<NNAvgPool2dOp>);
  table.add<NNAvgPool3dOp>(evaluateAvgPool<NNAvgPool3dOp>);
  table.add<QNNAvgPool2dOp>(evaluateQnnAvgPool);
  table.add<NNGlobalMaxPool2dOp>(
      evaluateGlobalPool<NNGlobalMaxPool2dOp, PoolKind::Max>);
  table.add<NNGlobalAvgPool2dOp>(
      evaluateGlobalPool<NNGlobalAvgPool2dOp, PoolKind::Average>);
  addAdaptivePool<NNAdaptiveAvgPool1dOp, PoolKind::Average, 1>(table);
  addAdaptivePool<NNAdaptiveAvgPool2dOp, PoolKind::Average, 2>(table);
  addAdaptivePool<NNAdaptiveAvgPool3dOp, PoolKind::Average, 3>(table);
  addAdaptivePool<NNAdaptiveMaxPool1dOp, PoolKind::Max, 1>(table);
  addAdaptivePool<NNAdaptiveMaxPool2dOp, PoolKind::Max, 2>(table);
  addAdaptivePool<NNAdaptiveMaxPool3dOp, PoolKind::Max, 3>(table);
  table.add<NNMaxPool2dGradOp>(evaluateMaxPoolGrad);
  table.add<NNAvgPool2dGradOp>(evaluateAvgPoolGrad);
}
