//===- Pooling.cpp - Pools of ONNX ---------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "OpTable.h"
#include "Products.h"
#include "Window.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Support/FormatNumber.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// A pool, with its window and what it does at the end of the data.
struct Pool {
  /// What the node gets, and the same with what padding has to be part of it.
  Value source, data;
  Window window;
  bool ceilMode;

  /// `padNumber` stands for padding that has to be part of the data.
  static FailureOr<Pool> get(NodeContext &node, Value data,
                             double padNumber = 0);

  template <typename OpT>
  typename OpT::Properties getProperties(NodeContext &node) const {
    typename OpT::Properties properties;
    properties.pool_size =
        node.getBuilder().getDenseI64ArrayAttr(window.kernel);
    properties.strides = window.getStridesAttr(node);
    properties.dilation = window.getDilationsAttr(node);
    properties.padding = window.getPaddingAttr(node);
    properties.ceil_mode = node.getBuilder().getBoolAttr(ceilMode);
    return properties;
  }

  Value createMax(NodeContext &node) const;
  Value createAverage(NodeContext &node, bool countIncludePad) const;
  Value createAverageOfKernels(NodeContext &node) const;
  Value createIndices(NodeContext &node, Value maxima,
                      bool isColumnMajor) const;

private:
  Value trim(NodeContext &node, Value result) const;
  Value trimOpenAxis(NodeContext &node, Value result, int64_t axis) const;
  Value leaveOutPads(NodeContext &node, Value result) const;
  Value createFlatPositions(NodeContext &node, bool isColumnMajor) const;
};

} // namespace

FailureOr<Pool> Pool::get(NodeContext &node, Value data, double padNumber) {
  if (!data)
    return failure();
  Pool pool;
  pool.source = pool.data = data;
  int64_t rank = node.getRank(pool.data);
  if (rank < 3 || rank > 5) {
    node.emitError() << "expects data of rank 3 to 5, but got "
                     << pool.data.getType();
    return failure();
  }
  std::optional<ArrayRef<int64_t>> kernel = node.getInts("kernel_shape");
  if (!kernel || int64_t(kernel->size()) != rank - 2) {
    node.emitError() << "expects attribute \"kernel_shape\" with " << rank - 2
                     << " entries";
    return failure();
  }
  FailureOr<Window> window = Window::get(node, *kernel);
  if (failed(window))
    return failure();
  pool.data = window->resolveAutoPad(node, pool.data, padNumber);
  if (!pool.data)
    return failure();
  pool.window = *window;
  // With auto_pad, the sizes come out even.
  pool.ceilMode = node.getBool("ceil_mode", false) &&
                  window->autoPad == Window::AutoPad::None;
  return pool;
}

/// The windows along an open axis that start before its end: one for each
/// stride in the data and the padding before it.
Value Pool::trimOpenAxis(NodeContext &node, Value result, int64_t axis) const {
  int64_t dim = axis + 2, before = window.padding[axis];
  int64_t after = window.padding[window.getRank() + axis];
  int64_t stride = window.strides[axis];
  // Else a window that starts behind the data is not counted.
  if (after + stride <= window.getExtent(axis))
    return result;
  Value starts = node.pad(node.createLine(data, dim, node.getElementType(data)),
                          0, before, 0, 0);
  starts = node.dropFirst(starts, 0, 0, stride);
  starts = node.expandDims(starts, 0, dim);
  starts = node.expandDims(starts, dim + 1, node.getRank(data) - dim - 1);
  SliceLikeOp::Properties properties;
  properties.axes = node.getBuilder().getDenseI64ArrayAttr(dim);
  return node.create<SliceLikeOp>({result, starts}, properties);
}

/// ONNX drops a last window that would start behind the data, in the padding;
/// relay keeps it.
Value Pool::trim(NodeContext &node, Value result) const {
  if (!result || !ceilMode)
    return result;
  int64_t rank = window.getRank();
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t size = node.getType(data).getDimSize(axis + 2);
    int64_t count = node.getType(result).getDimSize(axis + 2);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(count)) {
      result = trimOpenAxis(node, result, axis);
      if (!result)
        return nullptr;
      continue;
    }
    int64_t start = (count - 1) * window.strides[axis];
    if (count > 1 && start >= size + window.padding[axis])
      result = node.slice(result, axis + 2, 0, count - 1);
    if (!result)
      return nullptr;
  }
  return result;
}

Value Pool::createMax(NodeContext &node) const {
  Value result;
  switch (window.getRank()) {
  case 1:
    result =
        node.create<NNMaxPool1dOp>({data}, getProperties<NNMaxPool1dOp>(node));
    break;
  case 2:
    result =
        node.create<NNMaxPool2dOp>({data}, getProperties<NNMaxPool2dOp>(node));
    break;
  default:
    result =
        node.create<NNMaxPool3dOp>({data}, getProperties<NNMaxPool3dOp>(node));
  }
  return trim(node, result);
}

Value Pool::createAverage(NodeContext &node, bool countIncludePad) const {
  BoolAttr include = node.getBuilder().getBoolAttr(countIncludePad);
  auto create = [&](auto properties, auto build) {
    properties.count_include_pad = include;
    return build(properties);
  };
  Value result;
  switch (window.getRank()) {
  case 1:
    result = create(getProperties<NNAvgPool1dOp>(node), [&](auto properties) {
      return node.create<NNAvgPool1dOp>({data}, properties);
    });
    break;
  case 2:
    result = create(getProperties<NNAvgPool2dOp>(node), [&](auto properties) {
      return node.create<NNAvgPool2dOp>({data}, properties);
    });
    break;
  default:
    result = create(getProperties<NNAvgPool3dOp>(node), [&](auto properties) {
      return node.create<NNAvgPool3dOp>({data}, properties);
    });
  }
  if (!countIncludePad)
    result = leaveOutPads(node, result);
  return trim(node, result);
}

/// Each sum is divided by the size of the kernel, also that of a last window
/// that reaches past the padding: what it lacks is padding, too.
Value Pool::createAverageOfKernels(NodeContext &node) const {
  Pool padded = *this;
  padded.ceilMode = false;
  if (ceilMode)
    for (int64_t axis = 0; axis < window.getRank(); ++axis)
      padded.window.padding[window.getRank() + axis] +=
          window.strides[axis] - 1;
  return trim(node, padded.createAverage(node, /*countIncludePad=*/true));
}

/// Divides means over windows by which part of them is no padding, where that
/// is in the data.
Value Pool::leaveOutPads(NodeContext &node, Value result) const {
  OpBuilder &b = node.getBuilder();
  for (auto [axis, filled] : llvm::enumerate(window.filledParts)) {
    if (!filled || !result)
      continue;
    NNAvgPool1dOp::Properties properties;
    properties.pool_size = b.getDenseI64ArrayAttr(window.kernel[axis]);
    properties.strides = b.getDenseI64ArrayAttr(window.strides[axis]);
    properties.dilation = b.getDenseI64ArrayAttr(window.dilations[axis]);
    properties.padding = b.getDenseI64ArrayAttr({0, 0});
    Value part =
        node.create<NNAvgPool1dOp>({node.expandDims(filled, 0, 2)}, properties);
    part = node.expandDims(part, 2, axis);
    part = node.expandDims(part, axis + 3, window.getRank() - axis - 1);
    result = node.create<DivideOp>(
        {result, node.castTo(part, node.getElementType(result))});
  }
  return result;
}

/// The smallest number of `type`.
static double getLowest(Type type) {
  if (isa<FloatType>(type))
    return -std::numeric_limits<double>::infinity();
  if (type.isUnsignedInteger())
    return 0;
  return -std::ldexp(1.0, int(type.getIntOrFloatBitWidth()) - 1);
}

/// Where each element of `data` lies in the flat form of `source`; with
/// `isColumnMajor`, the first spatial dimension is the innermost one.
Value Pool::createFlatPositions(NodeContext &node, bool isColumnMajor) const {
  Type type = node.getBuilder().getI64Type();
  SmallVector<ShapeScalar> dims = node.getDims(data);
  auto rank = static_cast<int64_t>(dims.size());
  SmallVector<int64_t> order = {0, 1};
  for (int64_t axis = 2; axis < rank; ++axis)
    order.push_back(isColumnMajor ? rank + 1 - axis : axis);
  Value result = node.createScalar(0, type);
  for (int64_t axis : order) {
    Value size = node.createSize(source, axis);
    Value line =
        axis >= 2 && !window.places.empty() ? window.places[axis - 2] : Value();
    if (!line)
      line = node.createPositions(dims[axis], type);
    line = node.expandDims(line, 1, rank - 1 - axis);
    result =
        node.create<AddOp>({node.create<MultiplyOp>({result, size}), line});
  }
  return node.expandRank(result, rank);
}

/// The position of the maximum of each window, of which there are as many as
/// `maxima`: the first one, where several are equal. One axis after the other,
/// the last one first, which keeps that order.
Value Pool::createIndices(NodeContext &node, Value maxima,
                          bool isColumnMajor) const {
  if (!maxima)
    return nullptr;
  int64_t steps = 0;
  for (int64_t size : window.kernel)
    steps += size;
  constexpr int64_t maxSteps = 1024;
  if (steps > maxSteps) {
    node.emitError() << "expects windows whose sizes add up to at most "
                     << maxSteps << " for the indices of maxima, but got "
                     << steps;
    return nullptr;
  }
  double lowest = getLowest(node.getElementType(data));
  Value best = data;
  Value indices = createFlatPositions(node, isColumnMajor);
  for (int64_t axis = window.getRank() - 1; axis >= 0; --axis) {
    int64_t dim = axis + 2, before = window.padding[axis];
    int64_t stride = window.strides[axis];
    bool isOpen = node.getType(best).isDynamicDim(dim);
    int64_t last =
        isOpen ? 0 : (node.getType(maxima).getDimSize(dim) - 1) * stride;
    // Enough for the last window, which may begin in what ceil_mode adds.
    int64_t after = isOpen ? window.padding[window.getRank() + axis] + stride
                           : last + window.getExtent(axis) - before -
                                 node.getType(best).getDimSize(dim);
    auto takeStep = [&](Value value, int64_t begin) -> Value {
      if (!isOpen)
        return node.slice(value, dim, begin, begin + last + 1, stride);
      SliceLikeOp::Properties properties;
      properties.axes = node.getBuilder().getDenseI64ArrayAttr(dim);
      return node.create<SliceLikeOp>(
          {node.dropFirst(value, dim, begin, stride), maxima}, properties);
    };
    Value values =
        node.pad(best, dim, before, std::max<int64_t>(after, 0), lowest);
    // In the padding, the nearest element: where all are the lowest number.
    Value places = node.pad(indices, dim, before, std::max<int64_t>(after, 0),
                            /*number=*/0, "edge");
    best = indices = nullptr;
    for (int64_t i = 0; i < window.kernel[axis]; ++i) {
      int64_t begin = i * window.dilations[axis];
      Value value = takeStep(values, begin);
      Value place = takeStep(places, begin);
      Value isGreater = i == 0 ? value : node.create<GreaterOp>({value, best});
      best = i == 0 ? value : node.create<WhereOp>({isGreater, value, best});
      indices =
          i == 0 ? place : node.create<WhereOp>({isGreater, place, indices});
      if (!best || !indices)
        return nullptr;
    }
  }
  return indices;
}

static FailureOr<Pool> getMaxPool(NodeContext &node, Value data) {
  if (!data)
    return failure();
  return Pool::get(node, data, getLowest(node.getElementType(data)));
}

Value mlir::relay::onnx::createMaxPool(NodeContext &node, Value data) {
  FailureOr<Pool> pool = getMaxPool(node, data);
  return failed(pool) ? nullptr : pool->createMax(node);
}

static LogicalResult convertMaxPool(NodeContext &node) {
  FailureOr<Pool> pool = getMaxPool(node, node.getInput(0));
  if (failed(pool))
    return failure();
  Value maxima = pool->createMax(node);
  if (node.wantsOutput(1) &&
      failed(node.setOutput(
          1, pool->createIndices(node, maxima,
                                 node.getBool("storage_order", false)))))
    return failure();
  return node.setResult(maxima);
}

static Value createAveragePool(NodeContext &node, Value data) {
  FailureOr<Pool> pool = Pool::get(node, data);
  if (failed(pool))
    return nullptr;
  return pool->createAverage(node, node.getBool("count_include_pad", false));
}

Value mlir::relay::onnx::createQLinearAveragePool(NodeContext &node,
                                                  Value data) {
  FailureOr<Pool> pool = Pool::get(node, data);
  if (failed(pool))
    return nullptr;
  return node.getBool("count_include_pad", false)
             ? pool->createAverageOfKernels(node)
             : pool->createAverage(node, /*countIncludePad=*/false);
}

static LogicalResult convertAveragePool(NodeContext &node) {
  return node.setResult(createAveragePool(node, node.getInput(0)));
}

/// |x|^p.
static Value createPower(NodeContext &node, Value data, double p) {
  Value magnitude = node.create<AbsOp>({data});
  if (p == 1 || !magnitude)
    return magnitude;
  if (p == 2)
    return node.create<MultiplyOp>({data, data});
  return node.create<PowerOp>(
      {magnitude, node.createScalar(p, node.getElementType(data))});
}

static Value createRoot(NodeContext &node, Value sum, double p) {
  if (!sum || p == 1)
    return sum;
  if (p == 2)
    return node.create<SqrtOp>({sum});
  return node.create<PowerOp>(
      {sum, node.createScalar(1 / p, node.getElementType(sum))});
}

/// The exponent, which was a float once.
static double getExponent(NodeContext &node) {
  if (node.getOpset() < 2)
    return node.getFloat("p", 2);
  return static_cast<double>(node.getInt("p", 2));
}

static LogicalResult convertLpPool(NodeContext &node) {
  FailureOr<Pool> pool = Pool::get(node, node.getInput(0));
  if (failed(pool))
    return failure();
  double p = getExponent(node);
  // Also false for NaN.
  if (!(p > 0))
    return node.emitError()
           << "expects p to be positive, but got " << formatNumber(p);
  pool->data = createPower(node, pool->data, p);
  if (!pool->data)
    return failure();
  // The mean over whole windows, times their size, is the sum.
  double count = 1;
  for (int64_t size : pool->window.kernel)
    count *= static_cast<double>(size);
  Value mean = pool->createAverageOfKernels(node);
  if (!mean)
    return failure();
  Value sum = node.create<MultiplyOp>(
      {mean, node.createScalar(count, node.getElementType(mean))});
  return node.setResult(createRoot(node, sum, p));
}

//===----------------------------------------------------------------------===//
// Global pools
//===----------------------------------------------------------------------===//

/// Reduces all spatial dimensions of `data` to 1.
template <typename OpT>
static Value reduceSpatial(NodeContext &node, Value data) {
  if (!data)
    return nullptr;
  typename OpT::Properties properties;
  properties.axis = node.getBuilder().getDenseI64ArrayAttr(
      llvm::to_vector(llvm::seq<int64_t>(2, node.getRank(data))));
  properties.keepdims = node.getBuilder().getBoolAttr(true);
  return node.create<OpT>({data}, properties);
}

template <typename Pool2dT, typename ReduceT>
static LogicalResult convertGlobalPool(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  if (rank == 4)
    return node.setResult(node.create<Pool2dT>({data}));
  if (rank < 3)
    return node.emitError()
           << "expects data of rank 3 or more, but got " << data.getType();
  return node.setResult(reduceSpatial<ReduceT>(node, data));
}

static LogicalResult convertGlobalLpPool(NodeContext &node) {
  double p = getExponent(node);
  // Also false for NaN.
  if (!(p > 0))
    return node.emitError()
           << "expects p to be positive, but got " << formatNumber(p);
  Value data = node.getInput(0);
  if (node.getRank(data) < 3)
    return node.emitError()
           << "expects data of rank 3 or more, but got " << data.getType();
  Value sum = reduceSpatial<SumOp>(node, createPower(node, data, p));
  return node.setResult(createRoot(node, sum, p));
}

static LogicalResult convertLpNormalization(NodeContext &node) {
  Value data = node.getInput(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), node.getRank(data));
  double p = node.getInt("p", 2);
  if (failed(axis))
    return failure();
  if (p != 1 && p != 2)
    return node.emitError() << "expects p to be 1 or 2, but got " << p;
  SumOp::Properties properties;
  properties.axis = node.getBuilder().getDenseI64ArrayAttr(*axis);
  properties.keepdims = node.getBuilder().getBoolAttr(true);
  Value sum = node.create<SumOp>({createPower(node, data, p)}, properties);
  Value norm = createRoot(node, sum, p);
  if (!norm)
    return failure();
  // A zero vector stays one.
  Type type = node.getElementType(norm);
  Value isZero = node.create<EqualOp>({norm, node.createScalar(0, type)});
  Value divisor =
      node.create<WhereOp>({isZero, node.createScalar(1, type), norm});
  return node.setResult(node.create<DivideOp>({data, divisor}));
}

void mlir::relay::onnx::addPoolingOps(OpTable &table) {
  table.add({"AveragePool"}, {convertAveragePool});
  table.add({"GlobalAveragePool"},
            {convertGlobalPool<NNGlobalAvgPool2dOp, MeanOp>});
  table.add({"GlobalLpPool"}, {convertGlobalLpPool});
  table.add({"GlobalMaxPool"}, {convertGlobalPool<NNGlobalMaxPool2dOp, MaxOp>});
  table.add({"LpNormalization"}, {convertLpNormalization});
  table.add({"LpPool"}, {convertLpPool});
  table.add({"MaxPool"}, {convertMaxPool});
}
