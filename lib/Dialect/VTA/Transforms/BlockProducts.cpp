//===- BlockProducts.cpp - Layers as convolutions of blocks ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GEMM multiplies a block of input channels with a block for each output
// channel. Groups that are no whole blocks are joined: the weight of several
// is on the diagonal of a block, and zero elsewhere. ALU would need products of
// two registers, which published implementations do not agree on, and is
// slower: its two operands take two cycles, and its sum two more.
//
// A transposed convolution is one convolution for each phase of its result:
//
//   result[s * i + k - p] += data[i] * weight[k]
//
// so that results at s * q + r take the elements k = t, t + s, t + 2 s, ... of
// the kernel, t = (r + p) mod s.
//
//===----------------------------------------------------------------------===//

#include "BlockProducts.h"

#include "PartFinder.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <utility>

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

namespace {

/// Weights of a layer by their four indices.
class Weight {
public:
  static std::optional<Weight> get(Value value) {
    value = getUncast(value);
    std::optional<SmallVector<int64_t>> numbers = getIntegers(value);
    RankedTensorType type = getStaticType(value);
    if (!numbers)
      return std::nullopt;
    Weight weight;
    weight.shape = type.getShape();
    weight.numbers = std::move(*numbers);
    // One number stands for all.
    weight.isUniform =
        static_cast<int64_t>(weight.numbers.size()) != type.getNumElements();
    if (llvm::any_of(weight.numbers,
                     [](int64_t number) { return !llvm::isInt<8>(number); }))
      return std::nullopt;
    return weight;
  }
  int8_t at(int64_t index) const {
    return static_cast<int8_t>(numbers[isUniform ? 0 : index]);
  }
  int8_t at(int64_t a, int64_t b, int64_t c, int64_t d) const {
    return at(((a * shape[1] + b) * shape[2] + c) * shape[3] + d);
  }

private:
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> numbers;
  bool isUniform = false;
};

/// One phase of the result along one axis, with the elements of the kernel in
/// the order of a convolution. Those before and behind the kernel are zeros.
struct PhaseAxis {
  int64_t taps, padBefore, padAfter;
  /// The element of the kernel of the first tap; each one after it is `stride`
  /// before that.
  int64_t first, stride;

  static PhaseAxis get(int64_t size, int64_t kernel, int64_t stride,
                       int64_t pad, int64_t resultSize, int64_t phase) {
    PhaseAxis axis;
    int64_t position = phase + pad;
    int64_t rest = position % stride, shift = position / stride;
    axis.stride = stride;
    axis.taps =
        std::max<int64_t>(llvm::divideCeilSigned(kernel - rest, stride), 1);
    axis.first = rest + (axis.taps - 1) * stride;
    axis.padBefore = axis.taps - 1 - shift;
    // Zeros in place of what is not read.
    if (axis.padBefore < 0) {
      axis.taps -= axis.padBefore;
      axis.first -= axis.padBefore * stride;
      axis.padBefore = 0;
    }
    int64_t count = llvm::divideCeil(resultSize, stride);
    axis.padAfter = count - size - axis.padBefore + axis.taps - 1;
    if (axis.padAfter < 0) {
      axis.taps -= axis.padAfter;
      axis.padAfter = 0;
    }
    return axis;
  }
  int64_t getKernelElement(int64_t tap) const { return first - tap * stride; }
};

} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// How many groups are one, so that it has whole blocks of both channels.
static int64_t getNumJoined(int64_t groups, int64_t inputs, int64_t outputs,
                            int64_t block) {
  int64_t joined = std::lcm(block / std::gcd(block, inputs),
                            block / std::gcd(block, outputs));
  // Channels of the last one are padded as those of the model are.
  auto isPadded = [&](int64_t channels) {
    return llvm::alignTo(groups, joined) * channels ==
           llvm::alignTo(groups * channels, block);
  };
  if (joined < groups && isPadded(inputs) && isPadded(outputs))
    return joined;
  // Otherwise products with zeros, of few groups, are less than to copy data
  // that is to have more blocks.
  return groups <= block ? groups : joined;
}

/// Joins the groups of a product, whose weights are those of all outputs and of
/// the inputs of one group.
static BlockProduct joinGroups(BlockProduct product, int64_t groups,
                               int64_t block) {
  std::array<int64_t, 4> shape = product.weightShape;
  int64_t outputs = shape[0] / groups, inputs = shape[1];
  int64_t joined = getNumJoined(groups, inputs, outputs, block);
  std::vector<int8_t> single = std::move(product.weight);
  product.groups = llvm::divideCeil(groups, joined);
  product.weightShape = {product.groups * joined * outputs, joined * inputs,
                         shape[2], shape[3]};
  int64_t window = shape[2] * shape[3];
  product.weight.assign(
      product.weightShape[0] * product.weightShape[1] * window, 0);
  for (int64_t o = 0; o < shape[0]; ++o)
    for (int64_t i = 0; i < inputs; ++i)
      for (int64_t tap = 0; tap < window; ++tap) {
        int64_t column = (o / outputs) % joined * inputs + i;
        product.weight[(o * product.weightShape[1] + column) * window + tap] =
            single[(o * inputs + i) * window + tap];
      }
  return product;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

static std::optional<BlockProducts> splitPhases(NNConv2dTransposeOp conv,
                                                int64_t block) {
  std::optional<Weight> weight = Weight::get(conv.getWeight());
  ArrayRef<int64_t> kernel = getStaticType(conv.getWeight()).getShape();
  ArrayRef<int64_t> data = getStaticType(conv.getData()).getShape();
  ArrayRef<int64_t> result = getStaticType(conv.getResult()).getShape();
  FailureOr<Padding> padding = expandPadding(conv.getPadding(), 2);
  if (!weight || failed(padding) ||
      llvm::any_of(padding->before, [](int64_t pad) { return pad < 0; }) ||
      llvm::any_of(conv.getDilation(), [](int64_t step) { return step != 1; }))
    return std::nullopt;
  BlockProducts all;
  all.phases = {conv.getStrides()[0], conv.getStrides()[1]};
  auto groups = static_cast<int64_t>(conv.getGroups());
  // Of all groups, and of one.
  int64_t outputs = kernel[1] * groups, inputs = kernel[0] / groups;
  for (int64_t row = 0; row < all.phases[0]; ++row)
    for (int64_t column = 0; column < all.phases[1]; ++column) {
      PhaseAxis y = PhaseAxis::get(data[2], kernel[2], all.phases[0],
                                   padding->before[0], result[2], row);
      PhaseAxis x = PhaseAxis::get(data[3], kernel[3], all.phases[1],
                                   padding->before[1], result[3], column);
      BlockProduct product;
      product.weightShape = {outputs, inputs, y.taps, x.taps};
      product.padding = {y.padBefore, x.padBefore, y.padAfter, x.padAfter};
      auto at = [&](int64_t o, int64_t i, int64_t u, int64_t v) -> int8_t {
        int64_t h = y.getKernelElement(u), w = x.getKernelElement(v);
        bool isThere = h >= 0 && h < kernel[2] && w >= 0 && w < kernel[3];
        return isThere
                   ? weight->at(o / kernel[1] * inputs + i, o % kernel[1], h, w)
                   : 0;
      };
      for (int64_t o = 0; o < outputs; ++o)
        for (int64_t i = 0; i < inputs; ++i)
          for (int64_t u = 0; u < y.taps; ++u)
            for (int64_t v = 0; v < x.taps; ++v)
              product.weight.push_back(at(o, i, u, v));
      if (groups != 1)
        product = joinGroups(std::move(product), groups, block);
      all.products.push_back(std::move(product));
    }
  return all;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Weights that are changed, or have another type than bytes, as bytes.
static bool takeBytes(Value value, bool isChanged, BlockProduct &product) {
  RankedTensorType type = getStaticType(getUncast(value));
  if (!isChanged && type.getElementType().isInteger(8))
    return true;
  std::optional<Weight> weight = Weight::get(value);
  if (!weight)
    return false;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    product.weight.push_back(weight->at(i));
  return true;
}

static bool isNCHW(StringRef data, StringRef result) {
  return data == "NCHW" && (result.empty() || result == "NCHW");
}

Value vta::getUncast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && getStaticType(value) &&
                 getStaticType(value).getElementType().isInteger(32)
             ? cast.getData()
             : value;
}

/// The window of a convolution, whose shape of weights is `weight`; nullopt if
/// it has another layout. One of one dimension is one of one row.
static std::optional<BlockProduct> getConvolution(NNConv2dOp conv,
                                                  ArrayRef<int64_t> weight) {
  FailureOr<Padding> padding = expandPadding(conv.getPadding(), 2);
  if (!isNCHW(conv.getDataLayout(), conv.getOutLayout()) ||
      conv.getKernelLayout() != "OIHW" || failed(padding))
    return std::nullopt;
  BlockProduct product;
  product.padding = {padding->before[0], padding->before[1], padding->after[0],
                     padding->after[1]};
  llvm::copy(conv.getStrides(), product.strides.begin());
  llvm::copy(conv.getDilation(), product.dilation.begin());
  llvm::copy(weight, product.weightShape.begin());
  product.groups = static_cast<int64_t>(conv.getGroups());
  return product;
}

static std::optional<BlockProduct> getConvolution(NNConv1dOp conv,
                                                  ArrayRef<int64_t> weight) {
  FailureOr<Padding> padding = expandPadding(conv.getPadding(), 1);
  StringRef result = conv.getOutLayout();
  if (conv.getDataLayout() != "NCW" || conv.getKernelLayout() != "OIW" ||
      (!result.empty() && result != "NCW") || failed(padding))
    return std::nullopt;
  BlockProduct product;
  product.padding = {0, padding->before[0], 0, padding->after[0]};
  product.strides[1] = conv.getStrides()[0];
  product.dilation[1] = conv.getDilation()[0];
  product.weightShape = {weight[0], weight[1], 1, weight[2]};
  product.groups = static_cast<int64_t>(conv.getGroups());
  return product;
}

/// A layer that is one convolution, with the groups that it has.
static std::optional<BlockProduct> getProduct(Operation *root) {
  ArrayRef<int64_t> weight = getStaticType(root->getOperand(1)).getShape();
  if (auto conv = dyn_cast<NNConv2dOp>(root))
    return getConvolution(conv, weight);
  if (auto conv = dyn_cast<NNConv1dOp>(root))
    return getConvolution(conv, weight);
  auto dense = dyn_cast<NNDenseOp>(root);
  if (!dense || getStaticType(dense.getData()).getRank() != 2)
    return std::nullopt;
  BlockProduct product;
  product.weightShape = {weight[0], weight[1], 1, 1};
  return product;
}

std::optional<BlockProducts> vta::getBlockProducts(Operation *root,
                                                   int64_t block) {
  if (auto conv = dyn_cast<NNConv2dTransposeOp>(root)) {
    if (!isNCHW(conv.getDataLayout(), conv.getOutLayout()) ||
        conv.getKernelLayout() != "IOHW")
      return std::nullopt;
    return splitPhases(conv, block);
  }
  std::optional<BlockProduct> product = getProduct(root);
  if (!product)
    return std::nullopt;
  int64_t groups = std::exchange(product->groups, 1);
  if (!takeBytes(root->getOperand(1), /*isChanged=*/groups != 1, *product))
    return std::nullopt;
  if (groups != 1)
    product = joinGroups(std::move(*product), groups, block);
  BlockProducts all;
  all.products.push_back(std::move(*product));
  return all;
}
