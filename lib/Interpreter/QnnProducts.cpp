//===- QnnProducts.cpp - Convolutions and products of quantized tensors ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is the product of the operands less their zero points, in integers that
// wrap at the result's width, written out as the sum that defines it.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Layout.h"
#include "Quantized.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// All elements of `data` less their zero points, which are a scalar or lie
/// along dimension `axis`.
static SmallVector<int64_t> loadShifted(const Tensor &data,
                                        const Tensor &zeroPoint, int64_t axis) {
  Tensor shifted = mapElements<int64_t>(
      {data, alignParam(zeroPoint, axis, data.getRank())}, data.getShape(),
      IntegerType::get(data.getContext(), 64),
      [](const int64_t *x) { return x[0] - x[1]; });
  return shifted.loadAll<int64_t>();
}

/// Fails unless a zero point or scale has one value, or one for each channel.
static LogicalResult checkChannels(Operation *op, ArrayRef<Tensor> params,
                                   int64_t channels) {
  for (const Tensor &param : params)
    if (param.getNumElements() != 1 && param.getNumElements() != channels)
      return op->emitOpError("expects a weight's scale and zero point of ")
             << channels << " values, but got " << param.getNumElements();
  return success();
}

/// Fails unless the data's zero point and scale are one value each.
static LogicalResult checkSingle(Operation *op, ArrayRef<Tensor> params) {
  for (const Tensor &param : params)
    if (param.getNumElements() != 1)
      return op->emitOpError(
                 "expects one scale and zero point of the data, but "
                 "got ")
             << param.getNumElements();
  return success();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// The sizes along one spatial dimension.
struct SpatialDim {
  int64_t in, kernel, out, stride, dilation, before;
};

struct ConvolutionDims {
  int64_t batch, inChannels, outChannels, groups;
  SpatialDim y, x;
};

} // namespace

/// data is NCHW. weight(o, i, ky, kx) tells the factor of input channel i of
/// the group of o. For a transposed convolution the roles of the positions are
/// swapped: an output position meets the kernel positions from which the data
/// reaches it.
static Tensor
convolve(ArrayRef<int64_t> data, const ConvolutionDims &dims, bool isTransposed,
         Type elementType,
         function_ref<int64_t(int64_t, int64_t, int64_t, int64_t)> weight) {
  const SpatialDim &y = dims.y, &x = dims.x;
  Tensor result = Tensor::allocate({dims.batch, dims.outChannels, y.out, x.out},
                                   elementType);
  int64_t inPerGroup = dims.inChannels / dims.groups;
  int64_t outPerGroup = dims.outChannels / dims.groups;
  // The data's position that kernel position k of output position o reads.
  auto getPosition = [&](const SpatialDim &dim, int64_t o,
                         int64_t k) -> int64_t {
    if (!isTransposed) {
      int64_t position = o * dim.stride + k * dim.dilation - dim.before;
      return position < dim.in ? position : -1;
    }
    int64_t scaled = o + dim.before - k * dim.dilation;
    if (scaled < 0 || scaled % dim.stride || scaled / dim.stride >= dim.in)
      return -1;
    return scaled / dim.stride;
  };
  auto computePlanes = [&](int64_t begin, int64_t end) {
    std::vector<uint64_t> sums(y.out * x.out);
    for (int64_t plane = begin; plane < end; ++plane) {
      int64_t n = plane / dims.outChannels, o = plane % dims.outChannels;
      int64_t group = o / outPerGroup;
      llvm::fill(sums, 0);
      for (int64_t i = 0; i < inPerGroup; ++i) {
        const int64_t *image =
            data.data() +
            (n * dims.inChannels + group * inPerGroup + i) * y.in * x.in;
        for (int64_t ky = 0; ky < y.kernel; ++ky)
          for (int64_t kx = 0; kx < x.kernel; ++kx) {
            auto factor = static_cast<uint64_t>(weight(o, i, ky, kx));
            for (int64_t oy = 0; oy < y.out; ++oy) {
              int64_t iy = getPosition(y, oy, ky);
              if (iy < 0)
                continue;
              for (int64_t ox = 0; ox < x.out; ++ox) {
                int64_t ix = getPosition(x, ox, kx);
                if (ix >= 0)
                  sums[oy * x.out + ox] +=
                      factor * static_cast<uint64_t>(image[iy * x.in + ix]);
              }
            }
          }
      }
      result.store<uint64_t>(plane * y.out * x.out, y.out * x.out, sums.data());
    }
  };
  forEachRange(result.getContext(), dims.batch * dims.outChannels,
               inPerGroup * y.kernel * x.kernel * y.out * x.out, computePlanes);
  return result;
}

/// Reads sizes; the output's is computed by `getOut` of each dimension.
template <typename OpT>
static std::pair<SpatialDim, SpatialDim> getSpatialDims(
    OpT op, const Tensor &data, const Tensor &weight,
    function_ref<int64_t(int64_t dim, const SpatialDim &, int64_t after)>
        getOut) {
  Padding padding = *expandPadding(op.getPadding(), 2);
  SpatialDim dims[2];
  for (int64_t i = 0; i < 2; ++i) {
    dims[i] = {
        data.getDimSize(2 + i), weight.getDimSize(2 + i), 0,
        op.getStrides()[i],     op.getDilation()[i],      padding.before[i]};
    dims[i].out = std::max<int64_t>(getOut(i, dims[i], padding.after[i]), 0);
  }
  return {dims[0], dims[1]};
}

template <typename OpT>
static FailureOr<Tensor> toOutLayout(OpT op, const Tensor &result) {
  StringRef layout =
      op.getOutLayout().empty() ? op.getDataLayout() : op.getOutLayout();
  return transformLayout(op, result, "NCHW", layout);
}

static FailureOr<Tensor> evaluateConv2d(QNNConv2dOp op,
                                        ArrayRef<Tensor> operands) {
  FailureOr<Tensor> data =
      transformLayout(op, operands[0], op.getDataLayout(), "NCHW");
  if (failed(data))
    return failure();
  FailureOr<Tensor> weight =
      transformLayout(op, operands[1], op.getKernelLayout(), "OIHW");
  if (failed(weight))
    return failure();
  int64_t groups = op.getGroups(), channels = data->getDimSize(1);
  const Tensor &zeroPoint = operands[3];
  SmallVector<int64_t> factors;
  // A depthwise weight may count outputs per input channel.
  if (groups > 1 && weight->getDimSize(0) == groups && channels == groups &&
      weight->getDimSize(1) > 1) {
    if (zeroPoint.getNumElements() == groups)
      factors = loadShifted(*weight, zeroPoint, 0);
    weight = weight->reshape({weight->getDimSize(0) * weight->getDimSize(1), 1,
                              weight->getDimSize(2), weight->getDimSize(3)});
  }
  int64_t outChannels = weight->getDimSize(0), inner = weight->getDimSize(1);
  if (inner * groups != channels || outChannels % groups)
    return op.emitOpError("expects ")
           << inner * groups << " input channels in " << groups
           << " groups, but got " << channels;
  if (failed(checkChannels(op, operands[5], outChannels)))
    return failure();
  if (factors.empty()) {
    if (failed(checkChannels(op, zeroPoint, outChannels)))
      return failure();
    factors = loadShifted(*weight, zeroPoint, 0);
  }
  auto [y, x] = getSpatialDims(
      op, *data, *weight,
      [](int64_t, const SpatialDim &dim, int64_t after) -> int64_t {
        int64_t room =
            dim.in + dim.before + after - ((dim.kernel - 1) * dim.dilation + 1);
        return room < 0 ? 0 : room / dim.stride + 1;
      });
  SmallVector<int64_t> shifted = loadShifted(*data, operands[2], 0);
  int64_t height = y.kernel, width = x.kernel;
  Tensor result = convolve(
      shifted, {data->getDimSize(0), channels, outChannels, groups, y, x},
      /*isTransposed=*/false, *op.getOutDtype(),
      [&](int64_t o, int64_t i, int64_t ky, int64_t kx) {
        return factors[((o * inner + i) * height + ky) * width + kx];
      });
  return toOutLayout(op, result);
}

static FailureOr<Tensor> evaluateConv2dTranspose(QNNConv2dTransposeOp op,
                                                 ArrayRef<Tensor> operands) {
  FailureOr<Tensor> data =
      transformLayout(op, operands[0], op.getDataLayout(), "NCHW");
  if (failed(data))
    return failure();
  // Output channels first, so that zero points lie along a dimension.
  FailureOr<Tensor> weight =
      transformLayout(op, operands[1], op.getKernelLayout(), "IOHW");
  if (failed(weight))
    return failure();
  int64_t groups = op.getGroups(), channels = data->getDimSize(1);
  int64_t perGroup = weight->getDimSize(1), outChannels = perGroup * groups;
  if (weight->getDimSize(0) != channels || channels % groups)
    return op.emitOpError("expects ")
           << weight->getDimSize(0) << " input channels in " << groups
           << " groups, but got " << channels;
  if (failed(checkChannels(op, {operands[3], operands[5]}, outChannels)) ||
      failed(checkSingle(op, {operands[2], operands[4]})))
    return failure();
  auto [y, x] = getSpatialDims(
      op, *data, *weight,
      [&](int64_t i, const SpatialDim &dim, int64_t after) -> int64_t {
        return dim.stride * (dim.in - 1) + (dim.kernel - 1) * dim.dilation + 1 -
               dim.before - after + op.getOutputPadding()[i];
      });
  SmallVector<int64_t> shifted = loadShifted(*data, operands[2], 0);
  SmallVector<int64_t> factors = weight->loadAll<int64_t>();
  SmallVector<int64_t> zeroPoints = operands[3].loadAll<int64_t>();
  int64_t height = y.kernel, width = x.kernel, inPerGroup = channels / groups;
  Tensor result = convolve(
      shifted, {data->getDimSize(0), channels, outChannels, groups, y, x},
      /*isTransposed=*/true, *op.getOutDtype(),
      [&](int64_t o, int64_t i, int64_t ky, int64_t kx) {
        int64_t in = o / perGroup * inPerGroup + i;
        int64_t zeroPoint = zeroPoints[zeroPoints.size() == 1 ? 0 : o];
        return factors[((in * perGroup + o % perGroup) * height + ky) * width +
                       kx] -
               zeroPoint;
      });
  return toOutLayout(op, result);
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// result[batch, m, n] = sum over k of a[batch, m, k] * b[batch, n, k], where a
/// batch of one is used for all.
static Tensor multiply(const Tensor &a, ArrayRef<int64_t> shiftedA,
                       const Tensor &b, ArrayRef<int64_t> shiftedB,
                       Type elementType) {
  int64_t batches = std::max(a.getDimSize(0), b.getDimSize(0));
  if (a.getDimSize(0) == 0 || b.getDimSize(0) == 0)
    batches = 0;
  int64_t m = a.getDimSize(1), n = b.getDimSize(1), size = a.getDimSize(2);
  Tensor result = Tensor::allocate({batches, m, n}, elementType);
  forEachRange(
      a.getContext(), batches * m, n * size, [&](int64_t begin, int64_t end) {
        std::vector<uint64_t> sums(n);
        for (int64_t row = begin; row < end; ++row) {
          int64_t batch = row / m;
          int64_t rowOfA = a.getDimSize(0) == 1 ? row % m : row;
          int64_t batchOfB = b.getDimSize(0) == 1 ? 0 : batch;
          for (int64_t column = 0; column < n; ++column) {
            const int64_t *x = shiftedA.data() + rowOfA * size;
            const int64_t *y = shiftedB.data() + (batchOfB * n + column) * size;
            uint64_t sum = 0;
            for (int64_t k = 0; k < size; ++k)
              sum += static_cast<uint64_t>(x[k]) * static_cast<uint64_t>(y[k]);
            sums[column] = sum;
          }
          result.store<uint64_t>(row * n, n, sums.data());
        }
      });
  return result;
}

/// data (..., K) times a weight (N, K).
static FailureOr<Tensor> evaluateRows(Operation *op, const Tensor &data,
                                      const Tensor &weight,
                                      ArrayRef<Tensor> params, int64_t units) {
  int64_t n = weight.getDimSize(0), size = weight.getDimSize(1);
  if (data.getShape().back() != size)
    return op->emitOpError("expects a reduced size of ")
           << size << " as of the weight, but got " << data.getShape().back();
  if (n != units)
    return op->emitOpError("expects a weight for ")
           << units << " units, but got " << n;
  if (failed(checkChannels(op, {params[1], params[3]}, n)))
    return failure();
  int64_t rows = getProduct(data.getShape().drop_back());
  Tensor a = data.reshape({1, rows, size}), b = weight.reshape({1, n, size});
  Tensor result =
      multiply(a, loadShifted(a, params[0], 0), b, loadShifted(b, params[1], 1),
               getResultElementType(op));
  SmallVector<int64_t> shape(data.getShape());
  shape.back() = n;
  return result.reshape(shape);
}

static FailureOr<Tensor> evaluateDense(QNNDenseOp op,
                                       ArrayRef<Tensor> operands) {
  return evaluateRows(op, operands[0], operands[1], operands.drop_front(2),
                      op.getUnits().value_or(operands[1].getDimSize(0)));
}

static FailureOr<Tensor> evaluateDensePack(QNNContribDensePackOp op,
                                           ArrayRef<Tensor> operands) {
  // Blocks (N / n, K / k, n, k) to rows.
  const Tensor &packed = operands[1];
  ArrayRef<int64_t> shape = packed.getShape();
  Tensor weight = transpose(packed, {0, 2, 1, 3})
                      .reshape({shape[0] * shape[2], shape[1] * shape[3]});
  return evaluateRows(op, operands[0], weight, operands.drop_front(2),
                      op.getUnits().value_or(weight.getDimSize(0)));
}

static FailureOr<Tensor> evaluateBatchMatmul(QNNBatchMatmulOp op,
                                             ArrayRef<Tensor> operands) {
  Tensor x =
      op.getTransposeA() ? transpose(operands[0], {0, 2, 1}) : operands[0];
  Tensor y =
      op.getTransposeB() ? operands[1] : transpose(operands[1], {0, 2, 1});
  int64_t batchOfX = x.getDimSize(0), batchOfY = y.getDimSize(0);
  if (x.getDimSize(2) != y.getDimSize(2) ||
      (batchOfX != batchOfY && batchOfX != 1 && batchOfY != 1))
    return op.emitOpError("expects matrices that multiply, but got ")
           << operands[0].getType() << " and " << operands[1].getType();
  return multiply(x, loadShifted(x, operands[2], 0), y,
                  loadShifted(y, operands[3], 0), getResultElementType(op));
}

void relay::detail::populateQnnProductEvaluators(EvaluatorTable &table) {
  table.add<QNNConv2dOp>(evaluateConv2d);
  table.add<QNNConv2dTransposeOp>(evaluateConv2dTranspose);
  table.add<QNNDenseOp>(evaluateDense);
  table.add<QNNContribDensePackOp>(evaluateDensePack);
  table.add<QNNBatchMatmulOp>(evaluateBatchMatmul);
}
