//===- Convolution.cpp - Convolutions -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel for one to three spatial dimensions and every layout: data is
// brought to NCDHW and weights to OIDHW. Sums are in double, or in integers
// that wrap, and are rounded once.
//
//===----------------------------------------------------------------------===//

#include "Convolution.h"
#include "Evaluators.h"
#include "Layout.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <array>

using namespace mlir;
using namespace mlir::relay;

namespace {

/// One value for each of the dimensions D, H and W.
using Spatial = std::array<int64_t, 3>;

struct ConvolutionParams {
  Spatial strides = {1, 1, 1};
  Spatial dilation = {1, 1, 1};
  Spatial padBefore = {0, 0, 0};
  Spatial padAfter = {0, 0, 0};
  int64_t groups = 1;
};

} // namespace

/// Pads `values` of the last dimensions with `fill` in front.
static Spatial getSpatial(ArrayRef<int64_t> values, int64_t fill) {
  Spatial result = {fill, fill, fill};
  llvm::copy(values, result.end() - values.size());
  return result;
}

/// `padding`: one value for all sides, one per dimension, or all before and
/// then all after.
static void setPadding(ConvolutionParams &params, ArrayRef<int64_t> padding,
                       size_t spatialRank) {
  SmallVector<int64_t> before, after;
  for (size_t dim = 0; dim < spatialRank; ++dim) {
    bool isFull = padding.size() == 2 * spatialRank;
    before.push_back(padding.size() == 1 ? padding[0] : padding[dim]);
    after.push_back(isFull ? padding[spatialRank + dim] : before.back());
  }
  params.padBefore = getSpatial(before, 0);
  params.padAfter = getSpatial(after, 0);
}

/// Inserts dimensions of size one so that three spatial ones remain.
static Tensor toThreeSpatial(const Tensor &tensor) {
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin() + 2, 5 - shape.size(), 1);
  return tensor.reshape(shape);
}

//===----------------------------------------------------------------------===//
// Kernels on NCDHW data and OIDHW (transposed: IODHW) weights
//===----------------------------------------------------------------------===//

/// Copies the channels of one group of one batch item, widened, into a zero
/// image of the padded size.
template <typename W>
static std::vector<W>
getPaddedImage(const Tensor &data, int64_t firstChannel, int64_t channels,
               int64_t batch, const Spatial &padded, const Spatial &before) {
  ArrayRef<int64_t> shape = data.getShape();
  std::vector<W> image(channels * padded[0] * padded[1] * padded[2]);
  auto copyRange = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c)
      for (int64_t z = 0; z < shape[2]; ++z)
        for (int64_t y = 0; y < shape[3]; ++y) {
          int64_t pz = z + before[0], py = y + before[1];
          // Negative padding cuts rows off.
          if (pz < 0 || pz >= padded[0] || py < 0 || py >= padded[1])
            continue;
          int64_t first = std::max<int64_t>(0, -before[2]);
          int64_t last = std::min(shape[4], padded[2] - before[2]);
          if (first >= last)
            continue;
          int64_t channel = batch * shape[1] + firstChannel + c;
          int64_t from = ((channel * shape[2] + z) * shape[3] + y) * shape[4];
          int64_t to = ((c * padded[0] + pz) * padded[1] + py) * padded[2];
          data.load(from + first, 1, last - first,
                    image.data() + to + before[2] + first);
        }
  };
  forEachRange(data.getContext(), channels, shape[2] * shape[3] * shape[4],
               copyRange);
  return image;
}

/// Adds weight * image row to an output row for every kernel position.
template <typename W>
static void accumulateChannel(const W *image, const W *weight, W *sums,
                              const Spatial &padded, const Spatial &kernel,
                              const Spatial &out,
                              const ConvolutionParams &params) {
  const Spatial &s = params.strides, &d = params.dilation;
  for (int64_t kz = 0; kz < kernel[0]; ++kz)
    for (int64_t ky = 0; ky < kernel[1]; ++ky)
      for (int64_t kx = 0; kx < kernel[2]; ++kx) {
        W factor = *weight++;
        for (int64_t z = 0; z < out[0]; ++z)
          for (int64_t y = 0; y < out[1]; ++y) {
            const W *from =
                image +
                ((z * s[0] + kz * d[0]) * padded[1] + (y * s[1] + ky * d[1])) *
                    padded[2] +
                kx * d[2];
            W *to = sums + (z * out[1] + y) * out[2];
            if (s[2] == 1)
              for (int64_t x = 0; x < out[2]; ++x)
                to[x] += factor * from[x];
            else
              for (int64_t x = 0; x < out[2]; ++x)
                to[x] += factor * from[x * s[2]];
          }
      }
}

template <typename W>
static Tensor convolve(const Tensor &data, const Tensor &weight,
                       const ConvolutionParams &params, Type elementType) {
  ArrayRef<int64_t> dataShape = data.getShape();
  ArrayRef<int64_t> weightShape = weight.getShape();
  int64_t groups = params.groups;
  int64_t channels = dataShape[1] / groups;
  int64_t outChannels = weightShape[0], groupOut = outChannels / groups;
  Spatial kernel, padded, out;
  for (int dim = 0; dim < 3; ++dim) {
    kernel[dim] = weightShape[2 + dim];
    padded[dim] = std::max<int64_t>(
        0, dataShape[2 + dim] + params.padBefore[dim] + params.padAfter[dim]);
    int64_t reach = (kernel[dim] - 1) * params.dilation[dim] + 1;
    out[dim] = padded[dim] < reach
                   ? 0
                   : (padded[dim] - reach) / params.strides[dim] + 1;
  }
  int64_t outSize = getProduct(out), kernelSize = getProduct(kernel);
  Tensor result = Tensor::allocate(
      {dataShape[0], outChannels, out[0], out[1], out[2]}, elementType);
  if (result.getNumElements() == 0)
    return result;
  // One long row instead of many short ones, where rows are read as they are.
  bool isPointwise = kernelSize == 1 && params.strides == Spatial{1, 1, 1};

  for (int64_t batch = 0; batch < dataShape[0]; ++batch)
    for (int64_t group = 0; group < groups; ++group) {
      std::vector<W> image = getPaddedImage<W>(data, group * channels, channels,
                                               batch, padded, params.padBefore);
      auto convolveRange = [&](int64_t begin, int64_t end) {
        std::vector<W> factors(channels * kernelSize), sums(outSize);
        for (int64_t o = begin; o < end; ++o) {
          int64_t channel = group * groupOut + o;
          weight.load(channel * channels * kernelSize, 1, factors.size(),
                      factors.data());
          llvm::fill(sums, W(0));
          for (int64_t c = 0; c < channels; ++c)
            accumulateChannel(
                image.data() + c * getProduct(padded),
                factors.data() + c * kernelSize, sums.data(),
                isPointwise ? Spatial{1, 1, outSize} : padded, kernel,
                isPointwise ? Spatial{1, 1, outSize} : out, params);
          result.store((batch * outChannels + channel) * outSize, outSize,
                       sums.data());
        }
      };
      forEachRange(data.getContext(), groupOut, channels * kernelSize * outSize,
                   convolveRange);
    }
  return result;
}

template <typename W>
static Tensor convolveTransposed(const Tensor &data, const Tensor &weight,
                                 const ConvolutionParams &params,
                                 const Spatial &outputPadding,
                                 Type elementType) {
  ArrayRef<int64_t> dataShape = data.getShape();
  ArrayRef<int64_t> weightShape = weight.getShape();
  int64_t groups = params.groups, channels = dataShape[1] / groups;
  int64_t groupOut = weightShape[1], outChannels = groupOut * groups;
  const Spatial &s = params.strides, &d = params.dilation;
  Spatial in, kernel, out;
  for (int dim = 0; dim < 3; ++dim) {
    in[dim] = dataShape[2 + dim];
    kernel[dim] = weightShape[2 + dim];
    out[dim] = std::max<int64_t>(
        0, s[dim] * (in[dim] - 1) + (kernel[dim] - 1) * d[dim] + 1 -
               params.padBefore[dim] - params.padAfter[dim] +
               outputPadding[dim]);
  }
  int64_t inSize = getProduct(in), outSize = getProduct(out);
  int64_t kernelSize = getProduct(kernel);
  Tensor result = Tensor::allocate(
      {dataShape[0], outChannels, out[0], out[1], out[2]}, elementType);
  if (result.getNumElements() == 0)
    return result;

  auto convolveRange = [&](int64_t begin, int64_t end) {
    std::vector<W> factors(kernelSize), sums(outSize), image(inSize);
    for (int64_t i = begin; i < end; ++i) {
      int64_t batch = i / outChannels, channel = i % outChannels;
      int64_t group = channel / groupOut, o = channel % groupOut;
      llvm::fill(sums, W(0));
      for (int64_t c = group * channels; c < (group + 1) * channels; ++c) {
        weight.load((c * groupOut + o) * kernelSize, 1, kernelSize,
                    factors.data());
        data.load((batch * dataShape[1] + c) * inSize, 1, inSize, image.data());
        // Each element of the data is spread over a window of the result.
        const W *value = image.data();
        for (int64_t z = 0; z < in[0]; ++z)
          for (int64_t y = 0; y < in[1]; ++y)
            for (int64_t x = 0; x < in[2]; ++x, ++value) {
              const W *factor = factors.data();
              for (int64_t kz = 0; kz < kernel[0]; ++kz)
                for (int64_t ky = 0; ky < kernel[1]; ++ky)
                  for (int64_t kx = 0; kx < kernel[2]; ++kx, ++factor) {
                    int64_t oz = z * s[0] + kz * d[0] - params.padBefore[0];
                    int64_t oy = y * s[1] + ky * d[1] - params.padBefore[1];
                    int64_t ox = x * s[2] + kx * d[2] - params.padBefore[2];
                    if (oz >= 0 && oz < out[0] && oy >= 0 && oy < out[1] &&
                        ox >= 0 && ox < out[2])
                      sums[(oz * out[1] + oy) * out[2] + ox] +=
                          *value * *factor;
                  }
            }
      }
      result.store(i * outSize, outSize, sums.data());
    }
  };
  forEachRange(data.getContext(), dataShape[0] * outChannels,
               channels * kernelSize * inSize, convolveRange);
  return result;
}

//===----------------------------------------------------------------------===//
// Evaluators
//===----------------------------------------------------------------------===//

/// Calls `fn` with double or uint64_t, the type of sums for `elementType`. Sums
/// of signed integers have the same bits as those of unsigned ones.
template <typename Fn>
static Tensor dispatchSumType(Type elementType, Fn fn) {
  return isa<FloatType>(elementType) ? fn(double()) : fn(uint64_t());
}

/// What a convolution with `spatialRank` spatial dimensions reads and writes.
template <typename OpT>
static FailureOr<Tensor>
evaluateLike(OpT op, ArrayRef<Tensor> operands, StringRef dataLayout,
             StringRef weightLayout, ConvolutionParams params,
             function_ref<FailureOr<Tensor>(const Tensor &, const Tensor &,
                                            const ConvolutionParams &)>
                 kernel) {
  size_t spatialRank = dataLayout.size() - 2;
  FailureOr<Tensor> data =
      transformLayout(op, operands[0], op.getDataLayout(), dataLayout);
  if (failed(data))
    return failure();
  FailureOr<Tensor> weight =
      transformLayout(op, operands[1], op.getKernelLayout(), weightLayout);
  if (failed(weight))
    return failure();
  params.groups = op.getGroups();
  params.strides = getSpatial(op.getStrides(), 1);
  params.dilation = getSpatial(op.getDilation(), 1);
  setPadding(params, op.getPadding(), spatialRank);

  FailureOr<Tensor> result =
      kernel(toThreeSpatial(*data), toThreeSpatial(*weight), params);
  if (failed(result))
    return failure();
  SmallVector<int64_t> shape(result->getShape());
  shape.erase(shape.begin() + 2, shape.end() - spatialRank);
  StringRef outLayout =
      op.getOutLayout().empty() ? op.getDataLayout() : op.getOutLayout();
  result = transformLayout(op, result->reshape(shape), dataLayout, outLayout);
  return result;
}

static FailureOr<Tensor> checkAndConvolve(Operation *op, const Tensor &data,
                                          Tensor weight,
                                          const ConvolutionParams &params) {
  int64_t groups = params.groups;
  // The results of each channel of a depthwise convolution may be in dimension
  // 1 of its weight; they are consecutive output channels.
  if (groups > 1 && data.getDimSize(1) == groups &&
      weight.getDimSize(0) == groups && weight.getDimSize(1) > 1) {
    SmallVector<int64_t> shape(weight.getShape());
    shape[0] *= std::exchange(shape[1], 1);
    weight = weight.reshape(shape);
  }
  int64_t channels = weight.getDimSize(1) * groups;
  if (data.getDimSize(1) != channels)
    return op->emitOpError("expects ")
           << channels << " input channels, but got " << data.getDimSize(1);
  if (weight.getDimSize(0) % groups)
    return op->emitOpError("expects output channels in ")
           << groups << " groups, but got " << weight.getDimSize(0);
  Type elementType = getResultElementType(op);
  return dispatchSumType(elementType, [&](auto sum) {
    return convolve<decltype(sum)>(data, weight, params, elementType);
  });
}

FailureOr<Tensor> mlir::relay::evaluateConvolution(
    Operation *op, const Tensor &data, const Tensor &weight,
    ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
    ArrayRef<int64_t> dilation, int64_t groups) {
  ConvolutionParams params;
  params.groups = groups;
  params.strides = getSpatial(strides, 1);
  params.dilation = getSpatial(dilation, 1);
  setPadding(params, padding, data.getRank() - 2);
  FailureOr<Tensor> result = checkAndConvolve(op, toThreeSpatial(data),
                                              toThreeSpatial(weight), params);
  if (failed(result))
    return failure();
  SmallVector<int64_t> shape(result->getShape());
  shape.erase(shape.begin() + 2, shape.end() - (data.getRank() - 2));
  return result->reshape(shape);
}

template <typename OpT>
static void addConvolution(EvaluatorTable &table, StringRef dataLayout,
                           StringRef weightLayout) {
  table.add<OpT>([=](OpT op, ArrayRef<Tensor> operands) {
    auto kernel = [&](const Tensor &data, const Tensor &weight,
                      const ConvolutionParams &params) {
      return checkAndConvolve(op, data, weight, params);
    };
    return evaluateLike(op, operands, dataLayout, weightLayout, {}, kernel);
  });
}

template <typename OpT>
static void addTransposedConvolution(EvaluatorTable &table,
                                     StringRef dataLayout,
                                     StringRef weightLayout) {
  size_t spatialRank = dataLayout.size() - 2;
  table.add<OpT>([=](OpT op, ArrayRef<Tensor> operands) {
    Spatial outputPadding =
        getSpatial(op.getOutputPadding().take_front(spatialRank), 0);
    auto kernel = [&](const Tensor &data, const Tensor &weight,
                      const ConvolutionParams &params) -> FailureOr<Tensor> {
      if (data.getDimSize(1) != weight.getDimSize(0) ||
          data.getDimSize(1) % params.groups)
        return op.emitOpError("expects ")
               << weight.getDimSize(0) << " input channels in " << params.groups
               << " groups, but got " << data.getDimSize(1);
      Type elementType = getResultElementType(op);
      return dispatchSumType(elementType, [&](auto sum) {
        return convolveTransposed<decltype(sum)>(data, weight, params,
                                                 outputPadding, elementType);
      });
    };
    return evaluateLike(op, operands, dataLayout, weightLayout, {}, kernel);
  });
}

void relay::detail::populateConvolutionEvaluators(EvaluatorTable &table) {
  addConvolution<NNConv1dOp>(table, "NCW", "OIW");
  addConvolution<NNConv2dOp>(table, "NCHW", "OIHW");
  addConvolution<NNConv3dOp>(table, "NCDHW", "OIDHW");
  addTransposedConvolution<NNConv1dTransposeOp>(table, "NCW", "IOW");
  addTransposedConvolution<NNConv2dTransposeOp>(table, "NCHW", "IOHW");
  addTransposedConvolution<NNConv3dTransposeOp>(table, "NCDHW", "IODHW");
}
