//===- NNSpatial.cpp - Less common spatial operators ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Layout.h"
#include "Strided.h"
#include "WideTensor.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Blocks, padding and shifting
//===----------------------------------------------------------------------===//

/// A rank-0 tensor of a value.
static Tensor getFill(const APFloat &value, Type elementType) {
  WideTensor<double> fill(ArrayRef<int64_t>(), value.convertToDouble());
  return castTo(fill.toTensor(Float64Type::get(elementType.getContext())),
                elementType);
}

static FailureOr<Tensor> evaluateSpaceToBatch(NNSpaceToBatchNdOp op,
                                              ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  ArrayRef<int64_t> blocks = op.getBlockShape(), paddings = op.getPaddings();
  SmallVector<int64_t> begins(data.getRank(), 0);
  SmallVector<int64_t> paddedShape(data.getShape());
  for (size_t i = 0; i < blocks.size(); ++i) {
    begins[i + 1] = paddings[2 * i];
    int64_t &size = paddedShape[i + 1];
    size += paddings[2 * i] + paddings[2 * i + 1];
    if (size % blocks[i] != 0)
      return op.emitOpError("expects a padded size divisible by ")
             << blocks[i] << " along dimension " << i + 1 << ", but got "
             << size;
  }
  Tensor fill = getFill(op.getPadValue(), data.getElementType());
  Tensor padded = gatherDimensions(
      data, paddedShape,
      [&](int64_t dim, int64_t i) {
        int64_t position = i - begins[dim];
        return position < data.getDimSize(dim) ? position : -1;
      },
      &fill);

  // (n, y1, b1, y2, b2, ..., rest) -> (b1, b2, ..., n, y1, y2, ..., rest).
  SmallVector<int64_t> split = {padded.getDimSize(0)}, inner, outer = {0};
  SmallVector<int64_t> shape = {padded.getDimSize(0)};
  for (auto [i, block] : llvm::enumerate(blocks)) {
    split.append({padded.getDimSize(i + 1) / block, block});
    outer.push_back(2 * i + 1);
    inner.push_back(2 * i + 2);
    shape[0] *= block;
    shape.push_back(padded.getDimSize(i + 1) / block);
  }
  SmallVector<int64_t> permutation = inner;
  llvm::append_range(permutation, outer);
  for (int64_t size : padded.getShape().drop_front(blocks.size() + 1)) {
    permutation.push_back(split.size());
    split.push_back(size);
    shape.push_back(size);
  }
  return transpose(padded.reshape(split), permutation).reshape(shape);
}

static FailureOr<Tensor> evaluateBatchToSpace(NNBatchToSpaceNdOp op,
                                              ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  ArrayRef<int64_t> blocks = op.getBlockShape(), crops = op.getCrops();
  int64_t count = blocks.size(), product = getProduct(blocks);
  if (data.getDimSize(0) % product != 0)
    return op.emitOpError("expects a batch divisible by ")
           << product << ", but got " << data.getType();

  // (b1, b2, ..., n, y1, y2, ..., rest) -> (n, y1, b1, y2, b2, ..., rest).
  SmallVector<int64_t> split(blocks), permutation = {count};
  split.push_back(data.getDimSize(0) / product);
  llvm::append_range(split, data.getShape().drop_front());
  SmallVector<int64_t> shape = {data.getDimSize(0) / product};
  for (int64_t i = 0; i < count; ++i) {
    permutation.append({count + 1 + i, i});
    shape.push_back(data.getDimSize(i + 1) * blocks[i]);
  }
  for (int64_t dim = count + 1; dim < data.getRank(); ++dim) {
    permutation.push_back(count + dim);
    shape.push_back(data.getDimSize(dim));
  }
  Tensor whole = transpose(data.reshape(split), permutation).reshape(shape);
  SmallVector<int64_t> begins(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t size = shape[i + 1];
    if (crops[2 * i] + crops[2 * i + 1] > size)
      return op.emitOpError("expects crops of at most ")
             << size << " along dimension " << i + 1 << ", but got "
             << crops[2 * i] << " and " << crops[2 * i + 1];
    begins[i + 1] = crops[2 * i];
    shape[i + 1] -= crops[2 * i] + crops[2 * i + 1];
  }
  return gatherDimensions(
      whole, shape, [&](int64_t dim, int64_t i) { return begins[dim] + i; });
}

static FailureOr<Tensor> evaluateMirrorPad(NNMirrorPadOp op,
                                           ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  // How far the mirror is from the middle of the outermost element.
  int64_t skip = op.getMode() == "REFLECT" ? 1 : 0;
  ArrayRef<int64_t> widths = op.getPadWidth();
  SmallVector<int64_t> shape(data.getShape());
  for (int64_t dim = 0; dim < data.getRank(); ++dim) {
    int64_t size = data.getDimSize(dim);
    int64_t before = widths[2 * dim], after = widths[2 * dim + 1];
    int64_t most = std::max<int64_t>(0, size - skip);
    if (before > most || after > most)
      return op.emitOpError("expects pad_width of at most ")
             << most << " along dimension " << dim << ", but got " << before
             << " and " << after;
    shape[dim] += before + after;
  }
  return gatherDimensions(data, shape, [&](int64_t dim, int64_t position) {
    int64_t i = position - widths[2 * dim], size = data.getDimSize(dim);
    return i < 0 ? skip - 1 - i : i >= size ? 2 * size - 1 - skip - i : i;
  });
}

static FailureOr<Tensor> evaluateDilate(NNDilateOp op,
                                        ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  ArrayRef<int64_t> strides = op.getStrides();
  SmallVector<int64_t> shape(data.getShape());
  for (auto [size, stride] : llvm::zip_equal(shape, strides))
    if (size)
      size = (size - 1) * stride + 1;
  Tensor fill = getFill(op.getDilationValue(), data.getElementType());
  return gatherDimensions(
      data, shape,
      [&](int64_t dim, int64_t i) {
        return i % strides[dim] ? -1 : i / strides[dim];
      },
      &fill);
}

static FailureOr<Tensor> evaluateFifoBuffer(NNFifoBufferOp op,
                                            ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0], &buffer = operands[1];
  int64_t axis = normalizeAxis(op.getAxis(), buffer.getRank());
  for (int64_t dim = 0; dim < buffer.getRank(); ++dim)
    if (dim != axis && data.getDimSize(dim) != buffer.getDimSize(dim))
      return op.emitOpError("expects data and buffer of the same sizes but "
                            "along axis, but got ")
             << data.getType() << " and " << buffer.getType();
  Tensor all = concatenate({buffer, data}, axis);
  int64_t begin = all.getDimSize(axis) - buffer.getDimSize(axis);
  SmallVector<int64_t> shape(all.getShape());
  shape[axis] = buffer.getDimSize(axis);
  return gatherDimensions(all, shape, [&](int64_t dim, int64_t i) {
    return dim == axis ? begin + i : i;
  });
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateCorrelation(NNCorrelationOp op,
                                             ArrayRef<Tensor> operands) {
  if (operands[0].getShape() != operands[1].getShape())
    return op.emitOpError("expects operands of one shape, but got ")
           << operands[0].getType() << " and " << operands[1].getType();
  WideTensor<double> first(operands[0]), second(operands[1]);
  Padding padding = *expandPadding(op.getPadding(), 2);
  int64_t kernel = op.getKernelSize(), reach = op.getMaxDisplacement();
  int64_t border = reach + (kernel - 1) / 2, radius = reach / op.getStride2();
  int64_t displacements = 2 * radius + 1, stride = op.getStride1();
  int64_t channels = first.size(1), sizes[2];
  for (int64_t i = 0; i < 2; ++i) {
    int64_t room =
        first.size(2 + i) + padding.before[i] + padding.after[i] - 2 * border;
    if (room < 1)
      return op.emitOpError("expects padded data of at least ")
             << 2 * border + 1 << " along dimension " << 2 + i << ", but got "
             << room + 2 * border;
    sizes[i] = (room + stride - 1) / stride;
  }
  auto read = [&](const WideTensor<double> &data, int64_t n, int64_t c,
                  int64_t y, int64_t x) {
    y -= padding.before[0];
    x -= padding.before[1];
    bool isInside = y >= 0 && y < data.size(2) && x >= 0 && x < data.size(3);
    return isInside ? data(n, c, y, x) : 0.0;
  };
  WideTensor<double> result(
      {first.size(0), displacements * displacements, sizes[0], sizes[1]});
  for (int64_t n = 0; n < result.size(0); ++n)
    for (int64_t q = 0; q < result.size(1); ++q)
      for (int64_t y = 0; y < sizes[0]; ++y)
        for (int64_t x = 0; x < sizes[1]; ++x) {
          int64_t dy = (q / displacements - radius) * op.getStride2();
          int64_t dx = (q % displacements - radius) * op.getStride2();
          double sum = 0;
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t ky = 0; ky < kernel; ++ky)
              for (int64_t kx = 0; kx < kernel; ++kx) {
                int64_t py = y * stride + reach + ky;
                int64_t px = x * stride + reach + kx;
                double a = read(first, n, c, py, px);
                double b = read(second, n, c, py + dy, px + dx);
                sum += op.getIsMultiply() ? a * b : std::abs(a - b);
              }
          result(n, q, y, x) = sum / (kernel * kernel * channels);
        }
  return result.toTensor(operands[0].getElementType());
}

/// Interpolates plane (n, c) bilinearly; what lies outside is 0.
static double sample(const WideTensor<double> &data, int64_t n, int64_t c,
                     double y, double x) {
  int64_t height = data.size(2), width = data.size(3);
  if (!(y >= 0 && y < height && x >= 0 && x < width))
    return 0;
  int64_t y0 = std::floor(y), x0 = std::floor(x);
  double sum = 0;
  for (int64_t py : {y0, y0 + 1})
    for (int64_t px : {x0, x0 + 1})
      if (py < height && px < width)
        sum += (1 - std::abs(y - py)) * (1 - std::abs(x - px)) *
               data(n, c, py, px);
  return sum;
}

static FailureOr<Tensor> evaluateDeformableConv2d(NNDeformableConv2dOp op,
                                                  ArrayRef<Tensor> operands) {
  StringRef layout = op.getDataLayout();
  auto dataTensor = transformLayout(op, operands[0], layout, "NCHW");
  auto offsetTensor = transformLayout(op, operands[1], layout, "NCHW");
  auto weightTensor =
      transformLayout(op, operands[2], op.getKernelLayout(), "OIHW");
  if (failed(dataTensor) || failed(offsetTensor) || failed(weightTensor))
    return failure();
  WideTensor<double> data(*dataTensor), offset(*offsetTensor);
  WideTensor<double> weight(*weightTensor);
  int64_t groups = op.getGroups(), parts = op.getDeformableGroups();
  int64_t kh = weight.size(2), kw = weight.size(3);
  int64_t channels = data.size(1), perGroup = weight.size(1);
  if (channels != perGroup * groups || weight.size(0) % groups ||
      channels % parts || offset.size(0) != data.size(0) ||
      offset.size(1) != 2 * parts * kh * kw)
    return op.emitOpError("expects data, offset and weight that fit, but got ")
           << operands[0].getType() << ", " << operands[1].getType() << " and "
           << operands[2].getType();
  Padding padding = *expandPadding(op.getPadding(), 2);
  ArrayRef<int64_t> strides = op.getStrides(), dilation = op.getDilation();
  int64_t sizes[2], kernel[2] = {kh, kw};
  for (int64_t i = 0; i < 2; ++i) {
    sizes[i] = (data.size(2 + i) + padding.before[i] + padding.after[i] -
                (kernel[i] - 1) * dilation[i] - 1) /
                   strides[i] +
               1;
    if (offset.size(2 + i) != sizes[i])
      return op.emitOpError("expects an offset of size ")
             << sizes[i] << " along spatial dimension " << i << ", but got "
             << operands[1].getType();
  }
  WideTensor<double> result({data.size(0), weight.size(0), sizes[0], sizes[1]});
  int64_t outPerGroup = weight.size(0) / groups;
  for (int64_t n = 0; n < data.size(0); ++n)
    for (int64_t y = 0; y < sizes[0]; ++y)
      for (int64_t x = 0; x < sizes[1]; ++x)
        for (int64_t c = 0; c < channels; ++c)
          for (int64_t i = 0; i < kh; ++i)
            for (int64_t j = 0; j < kw; ++j) {
              int64_t tap = (c / (channels / parts) * kh + i) * kw + j;
              double value =
                  sample(data, n, c,
                         y * strides[0] - padding.before[0] + i * dilation[0] +
                             offset(n, 2 * tap, y, x),
                         x * strides[1] - padding.before[1] + j * dilation[1] +
                             offset(n, 2 * tap + 1, y, x));
              int64_t group = c / perGroup;
              for (int64_t o = group * outPerGroup;
                   o < (group + 1) * outPerGroup; ++o)
                result(n, o, y, x) += value * weight(o, c % perGroup, i, j);
            }
  StringRef outLayout = op.getOutLayout().empty() ? layout : op.getOutLayout();
  return transformLayout(op, result.toTensor(getResultElementType(op)), "NCHW",
                         outLayout);
}

template <typename W>
static Tensor getWeightGradient(NNConv2dBackwardWeightOp op,
                                const Tensor &gradTensor,
                                const Tensor &dataTensor) {
  WideTensor<W> grad(gradTensor), data(dataTensor);
  Padding padding = *expandPadding(op.getPadding(), 2);
  ArrayRef<int64_t> kernel = *op.getKernelSize();
  int64_t groups = op.getGroups(), out = grad.size(1);
  int64_t perGroup = data.size(1) / groups;
  WideTensor<W> result({out, perGroup, kernel[0], kernel[1]});
  for (int64_t o = 0; o < out; ++o)
    for (int64_t i = 0; i < perGroup; ++i)
      for (int64_t kh = 0; kh < kernel[0]; ++kh)
        for (int64_t kw = 0; kw < kernel[1]; ++kw) {
          int64_t c = o / (out / groups) * perGroup + i;
          W sum = 0;
          for (int64_t n = 0; n < grad.size(0); ++n)
            for (int64_t y = 0; y < grad.size(2); ++y)
              for (int64_t x = 0; x < grad.size(3); ++x) {
                int64_t dy = y * op.getStrides()[0] + kh * op.getDilation()[0] -
                             padding.before[0];
                int64_t dx = x * op.getStrides()[1] + kw * op.getDilation()[1] -
                             padding.before[1];
                if (dy >= 0 && dy < data.size(2) && dx >= 0 &&
                    dx < data.size(3))
                  sum += grad(n, o, y, x) * data(n, c, dy, dx);
              }
          result(o, i, kh, kw) = sum;
        }
  return result.toTensor(getResultElementType(op));
}

static FailureOr<Tensor> evaluateBackwardWeight(NNConv2dBackwardWeightOp op,
                                                ArrayRef<Tensor> operands) {
  auto grad = transformLayout(op, operands[0], op.getDataLayout(), "NCHW");
  auto data = transformLayout(op, operands[1], op.getKernelLayout(), "NCHW");
  if (failed(grad) || failed(data))
    return failure();
  int64_t groups = op.getGroups();
  if (grad->getDimSize(0) != data->getDimSize(0) ||
      grad->getDimSize(1) % groups || data->getDimSize(1) % groups)
    return op.emitOpError("expects grad and data that fit, but got ")
           << operands[0].getType() << " and " << operands[1].getType();
  // Sums of signed integers have the same bits as those of unsigned ones.
  Tensor result = isa<FloatType>(getResultElementType(op))
                      ? getWeightGradient<double>(op, *grad, *data)
                      : getWeightGradient<uint64_t>(op, *grad, *data);
  return transformLayout(op, result, "OIHW",
                         op.getOutLayout().empty() ? "OIHW"
                                                   : op.getOutLayout());
}

void relay::detail::populateNNSpatialEvaluators(EvaluatorTable &table) {
  table.add<NNSpaceToBatchNdOp>(evaluateSpaceToBatch);
  table.add<NNBatchToSpaceNdOp>(evaluateBatchToSpace);
  table.add<NNMirrorPadOp>(evaluateMirrorPad);
  table.add<NNDilateOp>(evaluateDilate);
  table.add<NNFifoBufferOp>(evaluateFifoBuffer);
  table.add<NNCorrelationOp>(evaluateCorrelation);
  table.add<NNDeformableConv2dOp>(evaluateDeformableConv2d);
  table.add<NNConv2dBackwardWeightOp>(evaluateBackwardWeight);
}
