//===- NNContrib.cpp - Operators on packed data and on bits ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convolution.h"
#include "Evaluators.h"
#include "Layout.h"
#include "Strided.h"
#include "WideTensor.h"

#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Packed layouts
//===----------------------------------------------------------------------===//

template <typename OpT>
static FailureOr<Tensor> evaluateConvNCHWc(OpT op, ArrayRef<Tensor> operands) {
  auto data = transformLayout(op, operands[0], op.getDataLayout(), "NCHW");
  auto weight = transformLayout(op, operands[1], op.getKernelLayout(), "OIHW");
  if (failed(data) || failed(weight))
    return failure();
  FailureOr<Tensor> result =
      evaluateConvolution(op, *data, *weight, op.getStrides(), op.getPadding(),
                          op.getDilation(), op.getGroups());
  if (failed(result))
    return failure();
  StringRef outLayout =
      op.getOutLayout().empty() ? op.getDataLayout() : op.getOutLayout();
  return transformLayout(op, *result, "NCHW", outLayout);
}

/// Multiplies rows of `data` with rows of `weight`, both matrices.
static FailureOr<Tensor> multiplyRows(Operation *op, const Tensor &data,
                                      const Tensor &weight) {
  int64_t m = data.getDimSize(0), k = data.getDimSize(1);
  int64_t n = weight.getDimSize(0);
  if (weight.getDimSize(1) != k)
    return op->emitOpError("expects equal sizes to sum over, but got ")
           << k << " and " << weight.getDimSize(1);
  // A convolution of images of one pixel.
  FailureOr<Tensor> result =
      evaluateConvolution(op, data.reshape({m, k, 1, 1}),
                          weight.reshape({n, k, 1, 1}), {1, 1}, {0}, {1, 1}, 1);
  if (failed(result))
    return failure();
  return result->reshape({m, n});
}

static FailureOr<Tensor> evaluateDensePack(NNContribDensePackOp op,
                                           ArrayRef<Tensor> operands) {
  const Tensor &packed = operands[1];
  int64_t n = packed.getDimSize(0) * packed.getDimSize(2);
  // (N / t, K, t), or (N / t, K / u, t, u).
  Tensor weight = packed.getRank() == 3 ? transpose(packed, {0, 2, 1})
                                        : transpose(packed, {0, 2, 1, 3});
  int64_t k = n ? weight.getNumElements() / n : 0;
  return multiplyRows(op, operands[0], weight.reshape({n, k}));
}

//===----------------------------------------------------------------------===//
// Matrix multiplication
//===----------------------------------------------------------------------===//

/// Whether tiles are (N, K), as 8-bit integers are multiplied.
static bool areTilesTransposed(Type elementType) {
  return isa<IntegerType>(elementType) &&
         elementType.getIntOrFloatBitWidth() == 8;
}

static FailureOr<Tensor>
evaluateGemmWeightTransform(NNContribConv2dGemmWeightTransformOp op,
                            ArrayRef<Tensor> operands) {
  ArrayRef<int64_t> shape = operands[0].getShape();
  int64_t k = shape[0] * shape[1] * shape[2], n = shape[3];
  int64_t tileN = op.getTile_N(), tileK = op.getTile_K();
  int64_t paddedK = llvm::alignTo(k, 4 * tileK);
  int64_t paddedN = llvm::alignTo(n, tileN);
  Tensor zero =
      Tensor::allocateZeros(ArrayRef<int64_t>(), operands[0].getElementType());
  Tensor matrix = operands[0].reshape({k, n});
  Tensor padded = gatherDimensions(
      matrix, {paddedK, paddedN},
      [&](int64_t dim, int64_t i) {
        return i < matrix.getDimSize(dim) ? i : -1;
      },
      &zero);
  Tensor tiles =
      padded.reshape({paddedK / tileK, tileK, paddedN / tileN, tileN});
  return areTilesTransposed(operands[0].getElementType())
             ? transpose(tiles, {2, 0, 3, 1})
             : transpose(tiles, {2, 0, 1, 3});
}

static FailureOr<Tensor>
evaluateConvolutionByGemm(NNContribConv2dGemmWithoutWeightTransformOp op,
                          ArrayRef<Tensor> operands) {
  auto data = transformLayout(op, operands[0], op.getDataLayout(), "NCHW");
  if (failed(data))
    return failure();
  int64_t kh = (*op.getKernelSize())[0], kw = (*op.getKernelSize())[1];
  int64_t in = data->getDimSize(1), out = *op.getChannels();
  const Tensor &tiles = operands[1];
  Tensor matrix = areTilesTransposed(tiles.getElementType())
                      ? transpose(tiles, {1, 3, 0, 2})
                      : transpose(tiles, {1, 2, 0, 3});
  int64_t paddedK = matrix.getDimSize(0) * matrix.getDimSize(1);
  int64_t paddedN = matrix.getDimSize(2) * matrix.getDimSize(3);
  if (paddedK < kh * kw * in || paddedN < out)
    return op.emitOpError("expects tiles of a matrix of at least ")
           << kh * kw * in << "x" << out << ", but got " << tiles.getType();
  Tensor rows =
      copyStrided(matrix.reshape({paddedK, paddedN}), {kh, kw, in, out},
                  {kw * in * paddedN, in * paddedN, paddedN, 1});
  FailureOr<Tensor> result = evaluateConvolution(
      op, *data, transpose(rows, {3, 2, 0, 1}), op.getStrides(),
      op.getPadding(), op.getDilation(), 1);
  if (failed(result))
    return failure();
  return transformLayout(op, *result, "NCHW",
                         op.getOutLayout().empty() ? op.getDataLayout()
                                                   : op.getOutLayout());
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateBitpack(NNBitpackOp op,
                                         ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t rank = data.getRank(), bits = op.getBits();
  int64_t packAxis = normalizeAxis(op.getPackAxis(), rank);
  int64_t bitAxis = normalizeAxis(op.getBitAxis(), rank + 1);
  int64_t width = op.getPackType()->getIntOrFloatBitWidth();
  if (data.getDimSize(packAxis) % width != 0)
    return op.emitOpError("expects a size divisible by ")
           << width << " along pack_axis, but got " << data.getType();

  // Words last, so that each is a row of consecutive elements.
  SmallVector<int64_t> permutation = getAxesLastPermutation(rank, packAxis);
  Tensor moved = transpose(data, permutation);
  SmallVector<int64_t> shape(moved.getShape());
  shape.back() /= width;
  SmallVector<uint64_t> elements = moved.loadAll<uint64_t>();
  int64_t count = elements.size() / width;
  std::vector<uint64_t> words(bits * count);
  for (int64_t b = 0; b < bits; ++b)
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < width; ++k) {
        uint64_t &word = words[b * count + i];
        word = (word << 1) | ((elements[i * width + k] >> b) & 1);
      }
  // (bits, others..., packed) -> the data's order with bits at their axis.
  shape.insert(shape.begin(), bits);
  Tensor result = Tensor::allocate(shape, *op.getPackType());
  result.store(0, words.size(), words.data());
  SmallVector<int64_t> order;
  for (int64_t dim : invertPermutation(permutation))
    order.push_back(dim + 1);
  order.insert(order.begin() + bitAxis, 0);
  return transpose(result, order);
}

/// Applies `fn` to the bits of each element; the result is of i64.
static Tensor mapBits(const Tensor &data,
                      function_ref<int64_t(uint64_t bits)> fn) {
  SmallVector<uint64_t> values = data.loadAll<uint64_t>();
  std::vector<int64_t> mapped;
  for (uint64_t value : values)
    mapped.push_back(fn(value));
  Tensor result = Tensor::allocate(data.getShape(),
                                   IntegerType::get(data.getContext(), 64));
  result.store(0, mapped.size(), mapped.data());
  return result;
}

static uint64_t getLowBits(uint64_t value, int64_t bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

/// What the bits of a weight count: an unsigned integer, or with `unipolar` 2^b
/// for each bit that is set and -2^b for each that is clear.
static int64_t getWeight(uint64_t value, int64_t bits, bool unipolar) {
  uint64_t low = getLowBits(value, bits);
  return unipolar ? 2 * low - getLowBits(~uint64_t(0), bits) : low;
}

/// Undoes nn.bitpack along `axis` with the bits along `bitAxis`: the integers,
/// of i64, without the latter dimension.
static Tensor unpackBits(const Tensor &packed, int64_t axis, int64_t bitAxis) {
  int64_t rank = packed.getRank();
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis && dim != bitAxis)
      permutation.push_back(dim);
  permutation.append({axis, bitAxis});
  Tensor moved = transpose(packed, permutation);
  int64_t width = packed.getElementType().getIntOrFloatBitWidth();
  int64_t bits = packed.getDimSize(bitAxis);
  SmallVector<uint64_t> words = moved.loadAll<uint64_t>();
  std::vector<int64_t> values;
  for (size_t i = 0; i < words.size(); i += bits)
    for (int64_t k = 0; k < width; ++k) {
      uint64_t value = 0;
      for (int64_t b = 0; b < bits; ++b)
        value |= ((words[i + b] >> (width - 1 - k)) & 1) << b;
      values.push_back(value);
    }
  SmallVector<int64_t> shape(moved.getShape().drop_back());
  shape.back() *= width;
  Tensor result =
      Tensor::allocate(shape, IntegerType::get(packed.getContext(), 64));
  result.store(0, values.size(), values.data());
  // `axis` goes back to its place among the dimensions but the bits.
  int64_t place = axis - (bitAxis < axis ? 1 : 0);
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    order.push_back(dim);
  order.insert(order.begin() + place, rank - 2);
  return transpose(result, order);
}

static FailureOr<Tensor> evaluateBitserialConv2d(NNBitserialConv2dOp op,
                                                 ArrayRef<Tensor> operands) {
  auto data = transformLayout(op, operands[0], op.getDataLayout(), "NCHW");
  if (failed(data))
    return failure();
  bool isNHWC = op.getDataLayout() == "NHWC";
  Tensor weight = operands[1];
  if (weight.getRank() == 5)
    weight = unpackBits(weight, isNHWC ? 2 : 1, /*bitAxis=*/4);
  if (isNHWC)
    weight = transpose(weight, {3, 2, 0, 1});
  weight = mapBits(weight, [&](uint64_t value) {
    return getWeight(value, op.getWeightBits(), op.getUnipolar());
  });
  Tensor activations = mapBits(*data, [&](uint64_t value) -> int64_t {
    return getLowBits(value, op.getActivationBits());
  });
  FailureOr<Tensor> result = evaluateConvolution(
      op, activations, weight, op.getStrides(), op.getPadding(), {1, 1}, 1);
  if (failed(result))
    return failure();
  return transformLayout(op, *result, "NCHW", op.getDataLayout());
}

static FailureOr<Tensor> evaluateBitserialDense(NNBitserialDenseOp op,
                                                ArrayRef<Tensor> operands) {
  Tensor weight = operands[1];
  if (weight.getRank() == 3)
    weight = unpackBits(weight, /*axis=*/2, /*bitAxis=*/1);
  weight = mapBits(weight, [&](uint64_t value) {
    return getWeight(value, op.getWeightBits(), op.getUnipolar());
  });
  Tensor data = mapBits(operands[0], [&](uint64_t value) -> int64_t {
    return getLowBits(value, op.getDataBits());
  });
  return multiplyRows(op, data, weight);
}

void relay::detail::populateNNContribEvaluators(EvaluatorTable &table) {
  using Depthwise = NNContribDepthwiseConv2dNCHWcOp;
  table.add<NNContribConv2dNCHWcOp>(evaluateConvNCHWc<NNContribConv2dNCHWcOp>);
  table.add<Depthwise>(evaluateConvNCHWc<Depthwise>);
  table.add<NNContribDensePackOp>(evaluateDensePack);
  table.add<NNContribConv2dGemmWeightTransformOp>(evaluateGemmWeightTransform);
  table.add<NNContribConv2dGemmWithoutWeightTransformOp>(
      evaluateConvolutionByGemm);
  table.add<NNBitpackOp>(evaluateBitpack);
  table.add<NNBitserialConv2dOp>(evaluateBitserialConv2d);
  table.add<NNBitserialDenseOp>(evaluateBitserialDense);
}
