//===- Winograd.cpp - Convolutions by Winograd's algorithm ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See relay-mlir/Support/Winograd.h for the algorithm.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Layout.h"
#include "Strided.h"

#include "mlir/IR/Threading.h"
#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"
#include "relay-mlir/Support/Winograd.h"

using namespace mlir;
using namespace mlir::relay;

static WinogradNumbers getNumbers(Type elementType) {
  return isa<FloatType>(elementType) ? WinogradNumbers::Floats
                                     : WinogradNumbers::Integers;
}

/// Multiplies each run of `matrix.columns` elements along `dim` by `matrix`.
static Tensor transformRuns(const Tensor &tensor, int64_t dim,
                            const WinogradMatrix &matrix) {
  SmallVector<int64_t> shape(tensor.getShape());
  int64_t inner = getProduct(tensor.getShape().drop_front(dim + 1));
  int64_t runs = shape[dim] / matrix.columns;
  shape[dim] = runs * matrix.rows;
  runs *= getProduct(tensor.getShape().take_front(dim));
  SmallVector<double> from = tensor.loadAll<double>();
  std::vector<double> to(runs * matrix.rows * inner);
  for (int64_t run = 0; run < runs; ++run)
    for (int64_t i = 0; i < matrix.rows; ++i)
      for (int64_t k = 0; k < matrix.columns; ++k)
        for (int64_t j = 0; j < inner; ++j)
          to[(run * matrix.rows + i) * inner + j] +=
              matrix(i, k) * from[(run * matrix.columns + k) * inner + j];
  Tensor result = Tensor::allocate(shape, tensor.getElementType());
  result.store(0, to.size(), to.data());
  return result;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static bool isDepthTransformed(int64_t depth) { return depth > 2 && depth < 8; }

/// Transforms the spatial dimensions of an (O, I, spatial...) weight in double
/// and moves them to the front; a depth that is not transformed comes last.
static Tensor transformWeight(const Tensor &weight, int64_t tile) {
  Type f64 = Float64Type::get(weight.getContext());
  Tensor result = castTo(weight, f64);
  int64_t rank = weight.getRank();
  SmallVector<int64_t> permutation;
  bool skipsDepth = rank == 5 && !isDepthTransformed(weight.getDimSize(2));
  for (int64_t dim = 2 + skipsDepth; dim < rank; ++dim) {
    result = transformRuns(
        result, dim, getWinogradFilterTransform(tile, weight.getDimSize(dim)));
    permutation.push_back(dim);
  }
  if (skipsDepth)
    permutation.push_back(2);
  permutation.append({0, 1});
  return transpose(result, permutation);
}

/// `transformWeight` for weights of two dimensions, which whole networks have:
/// (O, I, H, W) to planes of (O, I), many filters at once.
static Tensor transformPlanes(const Tensor &weight, int64_t tile, Type type) {
  int64_t kh = weight.getDimSize(2), kw = weight.getDimSize(3);
  WinogradNumbers numbers = getNumbers(type);
  WinogradMatrix rows = getWinogradFilterTransform(tile, kh, numbers);
  WinogradMatrix columns = getWinogradFilterTransform(tile, kw, numbers);
  int64_t filters = weight.getDimSize(0) * weight.getDimSize(1);
  int64_t taps = kh * kw;
  Tensor result = Tensor::allocate(
      {rows.rows, columns.rows, weight.getDimSize(0), weight.getDimSize(1)},
      type);
  // So many filters at a time that runs of a plane are long; what is computed
  // from them stays in a cache. Filters are the inner dimension, so that loops
  // are over vectors of them.
  constexpr int64_t kBlock = 256;
  auto transformBlock = [&](int64_t first) {
    int64_t count = std::min(kBlock, filters - first);
    std::vector<double> filter(count * taps), tap(taps * kBlock);
    std::vector<double> half(rows.rows * kw * kBlock), value(kBlock);
    weight.load(first * taps, 1, count * taps, filter.data());
    for (int64_t f = 0; f < count; ++f)
      for (int64_t t = 0; t < taps; ++t)
        tap[t * kBlock + f] = filter[f * taps + t];
    // sum[f] = sum over k of factor(k) * from[k * stride + f]
    auto multiply = [&](int64_t size, auto factor, const double *from,
                        int64_t stride, double *sum) {
      std::fill_n(sum, kBlock, 0.0);
      for (int64_t k = 0; k < size; ++k) {
        double scale = factor(k);
        for (int64_t f = 0; f < kBlock; ++f)
          sum[f] += scale * from[k * stride + f];
      }
    };
    for (int64_t a = 0; a < rows.rows; ++a)
      for (int64_t x = 0; x < kw; ++x)
        multiply(
            kh, [&](int64_t y) { return rows(a, y); }, &tap[x * kBlock],
            kw * kBlock, &half[(a * kw + x) * kBlock]);
    for (int64_t a = 0; a < rows.rows; ++a)
      for (int64_t b = 0; b < columns.rows; ++b) {
        multiply(
            kw, [&](int64_t x) { return columns(b, x); },
            &half[a * kw * kBlock], kBlock, value.data());
        result.store((a * columns.rows + b) * filters + first, count,
                     value.data());
      }
  };
  parallelFor(weight.getContext(), 0, llvm::divideCeil(filters, kBlock),
              [&](size_t block) { transformBlock(block * kBlock); });
  return result;
}

template <typename OpT>
static FailureOr<Tensor> evaluateWeightTransform(OpT op,
                                                 ArrayRef<Tensor> operands) {
  for (int64_t size : operands[0].getShape().drop_front(2))
    if (size < 1 || size > 8)
      return op.emitOpError(
                 "expects kernel sizes in the range [1, 8], but got ")
             << operands[0].getType();
  if (operands[0].getRank() == 4)
    return transformPlanes(operands[0], op.getTileSize(),
                           getResultElementType(op));
  return castTo(transformWeight(operands[0], op.getTileSize()),
                getResultElementType(op));
}

static FailureOr<Tensor>
evaluateNnpackTransform(NNContribConv2dWinogradNnpackWeightTransformOp op,
                        ArrayRef<Tensor> operands) {
  if (operands[0].getDimSize(2) != 3 || operands[0].getDimSize(3) != 3)
    return op.emitOpError("expects a weight of 3x3, but got ")
           << operands[0].getType();
  Tensor transformed = transpose(transformWeight(operands[0], 6), {2, 3, 0, 1});
  return castTo(transformed, getResultElementType(op));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Sums products over channels (and the kernel's depth, where that is not
/// transformed). `data` is (N, C, D, H, W) of runs; `weight` (KD, H, W, O, I).
static Tensor multiply(const Tensor &data, const Tensor &weight,
                       bool depthTransformed) {
  int64_t batch = data.getDimSize(0), channels = data.getDimSize(1);
  int64_t kd = weight.getDimSize(0), kh = weight.getDimSize(1);
  int64_t kw = weight.getDimSize(2), out = weight.getDimSize(3);
  int64_t depth = data.getDimSize(2) - (depthTransformed ? 0 : kd - 1);
  int64_t height = data.getDimSize(3), width = data.getDimSize(4);
  SmallVector<double> values = data.loadAll<double>();
  SmallVector<double> factors = weight.loadAll<double>();
  std::vector<double> sums(batch * out * depth * height * width);
  double *sum = sums.data();
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t o = 0; o < out; ++o)
      for (int64_t z = 0; z < depth; ++z)
        for (int64_t y = 0; y < height; ++y)
          for (int64_t x = 0; x < width; ++x, ++sum)
            for (int64_t k = 0; k < (depthTransformed ? 1 : kd); ++k)
              for (int64_t c = 0; c < channels; ++c) {
                int64_t plane = (n * channels + c) * data.getDimSize(2) + z + k;
                int64_t tap = depthTransformed ? z % kd : k;
                int64_t row = (tap * kh + y % kh) * kw + x % kw;
                *sum += values[(plane * height + y) * width + x] *
                        factors[(row * out + o) * channels + c];
              }
  Tensor result = Tensor::allocate({batch, out, depth, height, width},
                                   data.getElementType());
  result.store(0, sums.size(), sums.data());
  return result;
}

/// Results of integers, whose upper bits get lost.
static void divide(Tensor &products, const WinogradDivision &division) {
  SmallVector<double> values = products.loadAll<double>();
  for (double &value : values) {
    uint32_t bits = static_cast<uint32_t>(static_cast<int64_t>(value));
    value = static_cast<int32_t>(bits * division.inverse) >> division.shift;
  }
  products.store(0, values.size(), values.data());
}

template <typename OpT>
static FailureOr<Tensor> evaluateWinograd(OpT op, ArrayRef<Tensor> operands,
                                          StringRef canonical) {
  FailureOr<Tensor> operand =
      transformLayout(op, operands[0], op.getDataLayout(), canonical);
  if (failed(operand))
    return failure();
  // What integers there are, f64 has all.
  Type f64 = Float64Type::get(op.getContext());
  WinogradNumbers numbers = getNumbers(getResultElementType(op));
  int64_t rank = canonical.size() - 2, tile = op.getTileSize();
  Padding padding = *expandPadding(op.getPadding(), rank);
  SmallVector<int64_t> kernel(*op.getKernelSize());
  SmallVector<int64_t> shape(operand->getShape());
  if (rank == 2) { // As a volume of depth 1.
    kernel.insert(kernel.begin(), 1);
    padding.before.insert(padding.before.begin(), 0);
    padding.after.insert(padding.after.begin(), 0);
    shape.insert(shape.begin() + 2, 1);
  }
  bool depthTransformed = isDepthTransformed(kernel[0]);
  Tensor data = castTo(*operand, f64).reshape(shape);
  Tensor weight = castTo(operands[1], f64);
  if (rank == 2) {
    SmallVector<int64_t> weightShape(weight.getShape());
    weightShape.insert(weightShape.begin(), 1);
    weight = weight.reshape(weightShape);
  } else if (!depthTransformed) {
    weight = transpose(weight, {2, 0, 1, 3, 4});
  }

  // Lay out the runs that each tile reads, and find what they give.
  int64_t steps[3], runs[3];
  SmallVector<int64_t> runShape(data.getShape().take_front(2));
  SmallVector<int64_t> outs;
  for (int64_t dim = 0; dim < 3; ++dim) {
    int64_t size = data.getDimSize(2 + dim);
    int64_t padded = size + padding.before[dim] + padding.after[dim];
    int64_t out = padded - kernel[dim] + 1;
    if (out < 1)
      return op.emitOpError("expects padded data of at least ")
             << kernel[dim] << " along a dimension, but got "
             << operands[0].getType();
    bool isTransformed = dim > 0 || depthTransformed;
    steps[dim] = isTransformed ? tile : padded;
    runs[dim] = isTransformed ? tile + kernel[dim] - 1 : padded;
    int64_t numTiles = isTransformed ? llvm::divideCeil(out, tile) : 1;
    runShape.push_back(numTiles * runs[dim]);
    outs.push_back(out);
  }
  double zero = 0;
  Tensor fill = Tensor::allocate(ArrayRef<int64_t>(), f64);
  fill.store(0, 1, &zero);
  Tensor transformed = gatherDimensions(
      data, runShape,
      [&](int64_t dim, int64_t i) {
        if (dim < 2)
          return i;
        int64_t run = runs[dim - 2];
        int64_t position =
            i / run * steps[dim - 2] + i % run - padding.before[dim - 2];
        return position < data.getDimSize(dim) ? position : -1;
      },
      &fill);
  for (int64_t dim = 0; dim < 3; ++dim)
    if (dim > 0 || depthTransformed)
      transformed = transformRuns(
          transformed, 2 + dim,
          getWinogradDataTransform(tile + kernel[dim] - 1, numbers));
  if (weight.getDimSize(3) != *op.getChannels() ||
      weight.getDimSize(4) != data.getDimSize(1))
    return op.emitOpError("expects a weight of ")
           << *op.getChannels() << " and " << data.getDimSize(1)
           << " channels, but got " << operands[1].getType();
  for (int64_t dim = 0; dim < 3; ++dim) {
    bool isTransformed = dim > 0 || depthTransformed;
    if (weight.getDimSize(dim) != kernel[dim] + (isTransformed ? tile - 1 : 0))
      return op.emitOpError("expects the transform of a weight for tiles of ")
             << tile << ", but got " << operands[1].getType();
  }
  Tensor products = multiply(transformed, weight, depthTransformed);
  for (int64_t dim = 0; dim < 3; ++dim)
    if (dim > 0 || depthTransformed)
      products =
          transformRuns(products, 2 + dim,
                        getWinogradResultTransform(tile, kernel[dim], numbers));
  if (numbers == WinogradNumbers::Integers)
    divide(products, getWinogradDivision(tile + kernel.back() - 1));
  SmallVector<int64_t> resultShape(products.getShape().take_front(2));
  llvm::append_range(resultShape, outs);
  // What tiles have beyond the result is left out.
  Tensor result = gatherDimensions(products, resultShape,
                                   [](int64_t, int64_t i) { return i; });

  shape.assign(result.getShape().begin(), result.getShape().end());
  shape.erase(shape.begin() + 2, shape.end() - rank);
  StringRef outLayout =
      op.getOutLayout().empty() ? op.getDataLayout() : op.getOutLayout();
  return transformLayout(
      op, castTo(result.reshape(shape), getResultElementType(op)), canonical,
      outLayout);
}

template <typename OpT>
static void addWinograd(EvaluatorTable &table, StringRef canonical) {
  table.add<OpT>([canonical](OpT op, ArrayRef<Tensor> operands) {
    return evaluateWinograd(op, operands, canonical);
  });
}

void relay::detail::populateWinogradEvaluators(EvaluatorTable &table) {
  using Transform2d = NNContribConv2dWinogradWeightTransformOp;
  using Transform3d = NNContribConv3dWinogradWeightTransformOp;
  table.add<Transform2d>(evaluateWeightTransform<Transform2d>);
  table.add<Transform3d>(evaluateWeightTransform<Transform3d>);
  table.add<NNContribConv2dWinogradNnpackWeightTransformOp>(
      evaluateNnpackTransform);
  addWinograd<NNContribConv2dWinogradWithoutWeightTransformOp>(table, "NCHW");
  addWinograd<NNContribConv3dWinogradWithoutWeightTransformOp>(table, "NCDHW");
}
