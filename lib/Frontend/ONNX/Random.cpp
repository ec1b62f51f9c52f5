//===- Random.cpp - ONNX operators with random results ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model is a function of its inputs: random numbers are those of a seed, and
// the same in each run. A node without a seed has one of its own, which follows
// from its name and how many nodes had that name before. Each iteration of the
// loops around a node has numbers of its own.
//
//===----------------------------------------------------------------------===//

#include "Random.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayRandomOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

static uint64_t mixSeed(uint64_t seed) {
  return llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(&seed), sizeof(seed)));
}

static uint64_t getSeed(NodeContext &node) {
  // An integer, of this operator only.
  if (node.hasAttr("seed") && node.getOpType() == "Dropout")
    return static_cast<uint64_t>(node.getInt("seed", 0));
  if (node.hasAttr("seed"))
    return llvm::bit_cast<uint32_t>(
        static_cast<float>(node.getFloat("seed", 0)));
  const Node &own = node.getNode();
  StringRef name = own.name.empty() ? own.outputs.front() : own.name;
  unsigned others = node.countRandom(name);
  uint64_t seed = llvm::xxh3_64bits(name);
  return others == 0 ? seed : mixSeed(seed + others);
}

/// Unsigned numbers of 64 bits.
static Value createWords(NodeContext &node, ArrayRef<int64_t> shape,
                         ArrayRef<uint64_t> words) {
  Type type = IntegerType::get(node.getContext(), 64, IntegerType::Unsigned);
  return node.createConstant(
      DenseElementsAttr::get(RankedTensorType::get(shape, type), words));
}

/// `words`, the first of which say where random numbers begin, or which: other
/// ones in each iteration of the loops around the node.
static Value addIterations(NodeContext &node, Value words,
                           ArrayRef<uint64_t> which) {
  ArrayRef<int64_t> shape = node.getType(words).getShape();
  uint64_t factor = 0xD1B54A32D192ED03;
  for (Value number : node.getIterations()) {
    SmallVector<uint64_t> factors = llvm::map_to_vector(
        which, [&](uint64_t flag) { return flag * factor; });
    Value offset = node.create<MultiplyOp>(
        {node.castTo(number, node.getElementType(words)),
         createWords(node, shape, factors)});
    words = node.create<AddOp>({words, offset});
    // Loops in each other count apart.
    factor = mixSeed(factor) | 1;
  }
  return words;
}

/// The key of the node's seed, for the operators relay.random.*.
static Value createKey(NodeContext &node) {
  // An empty path, and the place of its first bit.
  Value key = createWords(
      node, 10, {getSeed(node), 0, 0, 0, 0, 0, 0, 0, uint64_t(1) << 63, 0});
  return addIterations(node, key, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

/// Floats of `shape` in [0, 1), or with a normal distribution, times `scale`
/// plus `offset`. They are f64 where `type` is.
template <typename OpT>
static Value createNumbers(NodeContext &node, ArrayRef<int64_t> shape,
                           double first, double second, Type type) {
  Type wide = type.isF64() ? type : node.getBuilder().getF32Type();
  for (int64_t size : shape)
    if (size < 0) {
      node.emitError() << "expects a shape that is known, but got a size that "
                          "is not";
      return nullptr;
    }
  if (failed(checkTensorLimits([&] { return node.emitError(); },
                               RankedTensorType::get(shape, wide))))
    return node.fail();
  typename OpT::Properties properties;
  properties.out_shape = node.getBuilder().getDenseI64ArrayAttr(shape);
  properties.out_dtype = TypeAttr::get(wide);
  Value numbers =
      node.create<OpT>({createKey(node), node.createScalar(first, wide),
                        node.createScalar(second, wide)},
                       properties);
  return node.castTo(node.getTupleItem(numbers, 1), type);
}

/// The type that `dtype` asks for, a float.
static Type getFloatType(NodeContext &node, Type defaultType) {
  Type type = defaultType;
  if (node.hasAttr("dtype"))
    type = getElementType(node.getContext(),
                          node.getDataType("dtype", DataType::Undefined));
  if (isa_and_present<FloatType>(type) && type.getIntOrFloatBitWidth() >= 16)
    return type;
  node.emitError() << "expects dtype to be a type of floats";
  return nullptr;
}

static Value shiftRight(NodeContext &node, Value words, uint64_t count) {
  return node.create<RightShiftOp>({words, createWords(node, {}, count)});
}

/// An unsigned number of 64 bits for each position, 0, 1, 2, ... as integers of
/// 64 bits: SplitMix64 (Steele, Lea, Flood, 2014) in the order of positions,
/// which is as good in any order. Each `stream` has numbers of its own.
static Value createBits(NodeContext &node, Value positions, uint64_t stream) {
  auto multiply = [&](Value words, uint64_t factor) {
    return node.create<MultiplyOp>({words, createWords(node, {}, factor)});
  };
  auto mix = [&](Value words, uint64_t count) {
    return node.create<BitwiseXorOp>({words, shiftRight(node, words, count)});
  };
  Value start = addIterations(node, createWords(node, {}, mixSeed(stream)), 1);
  Value words = node.castTo(positions, node.getElementType(start));
  words = node.create<AddOp>({multiply(words, 0x9E3779B97F4A7C15), start});
  words = multiply(mix(words, 30), 0xBF58476D1CE4E5B9);
  words = multiply(mix(words, 27), 0x94D049BB133111EB);
  return mix(words, 31);
}

/// Floats of `type` in [0, 1), as createBits has them.
static Value createFractions(NodeContext &node, Value positions,
                             uint64_t stream, Type type) {
  unsigned precision = type.isF64() ? 53 : 24;
  Value bits = createBits(node, positions, stream);
  // What is left is no negative number.
  Value digits = node.castTo(shiftRight(node, bits, 64 - precision),
                             node.getBuilder().getI64Type());
  return node.create<MultiplyOp>(
      {node.castTo(digits, type),
       node.createScalar(std::ldexp(1.0, -int(precision)), type)});
}

/// createNumbers with the sizes of `data`, which may be open: the operators
/// relay.random.* want to know theirs.
template <typename OpT>
static Value createNumbersLike(NodeContext &node, Value data, double first,
                               double second, Type type) {
  RankedTensorType dataType = node.getType(data);
  if (dataType.hasStaticShape())
    return createNumbers<OpT>(node, dataType.getShape(), first, second, type);
  OpBuilder &b = node.getBuilder();
  Type wide = type.isF64() ? type : b.getF32Type();
  Value sizes = node.createSizes(data, 0, node.getRank(data), b.getI64Type());
  Value count = node.create<ProdOp>({sizes});
  Value positions = count ? node.createRange(count, b.getI64Type()) : nullptr;
  uint64_t seed = getSeed(node);
  Value numbers = createFractions(node, positions, seed, wide);
  Value scale;
  if constexpr (std::is_same_v<OpT, RandomNormalOp>) {
    // Box and Muller, 1958. The logarithm is not that of 0.
    Value rest = node.create<SubtractOp>({node.createScalar(1, wide), numbers});
    Value length = node.create<SqrtOp>({node.create<MultiplyOp>(
        {node.create<LogOp>({rest}), node.createScalar(-2, wide)})});
    Value angle = node.create<MultiplyOp>(
        {createFractions(node, positions, ~seed, wide),
         node.createScalar(2 * llvm::numbers::pi, wide)});
    numbers = node.create<MultiplyOp>({length, node.create<CosOp>({angle})});
    scale = node.createScalar(second, wide);
  } else {
    scale = node.createScalar(second - first, wide);
  }
  numbers = node.create<AddOp>({node.create<MultiplyOp>({numbers, scale}),
                                node.createScalar(first, wide)});
  DynReshapeOp::Properties properties;
  properties.allowzero = b.getBoolAttr(true);
  numbers =
      node.refineDims(node.create<DynReshapeOp>({numbers, sizes}, properties),
                      node.getDims(data));
  return node.castTo(numbers, type);
}

template <typename OpT>
static LogicalResult convertRandom(NodeContext &node, StringRef first,
                                   StringRef second, double firstDefault) {
  Type type = getFloatType(node, node.getBuilder().getF32Type());
  std::optional<ArrayRef<int64_t>> shape = node.getInts("shape");
  if (!type)
    return failure();
  if (!shape && !node.hasAttr("shape"))
    return node.emitError() << "expects attribute \"shape\"";
  for (int64_t size : shape.value_or(ArrayRef<int64_t>()))
    if (size < 0)
      return node.emitError() << "expects sizes, but got " << size;
  return node.setResult(createNumbers<OpT>(
      node, shape.value_or(ArrayRef<int64_t>()),
      node.getFloat(first, firstDefault), node.getFloat(second, 1), type));
}

template <typename OpT>
static LogicalResult convertRandomLike(NodeContext &node, StringRef first,
                                       StringRef second, double firstDefault) {
  Type own = node.getInputType(0).getElementType();
  Type type = getFloatType(node, own);
  if (!type)
    return failure();
  return node.setResult(createNumbersLike<OpT>(
      node, node.getInput(0), node.getFloat(first, firstDefault),
      node.getFloat(second, 1), type));
}

/// 1 where a number in [0, 1) is less than the probability.
static LogicalResult convertBernoulli(NodeContext &node) {
  Value data = node.getInput(0);
  Type type = node.getInputType(0).getElementType();
  Type result = type;
  if (node.hasAttr("dtype"))
    result = getElementType(node.getContext(),
                            node.getDataType("dtype", DataType::Undefined));
  if (!result || !result.isIntOrFloat())
    return node.emitError() << "expects dtype to be a type of numbers";
  data = node.widen(data);
  if (!data)
    return failure();
  Value numbers = createNumbersLike<RandomUniformOp>(node, data, 0, 1,
                                                     node.getElementType(data));
  return node.setResult(
      node.castTo(node.create<LessOp>({numbers, data}), result));
}

/// Classes, `count` for each row of `shares` (batch, classes), whose sizes are
/// open: the first one up to which the shares add up to more than a number in
/// [0, their sum).
static Value createSamples(NodeContext &node, Value shares, int64_t count) {
  OpBuilder &b = node.getBuilder();
  Type i64 = b.getI64Type();
  CumsumOp::Properties along;
  along.axis = b.getI64IntegerAttr(1);
  Value sums = node.create<CumsumOp>({shares}, along);
  if (!sums)
    return nullptr;
  // A number for each sample: what is taken is only as large.
  FullOp::Properties zeros;
  zeros.shape = b.getDenseI64ArrayAttr(count);
  Value like =
      node.take(sums, node.create<FullOp>({node.createScalar(0, i64)}, zeros),
                /*axis=*/1);
  Value numbers =
      createNumbersLike<RandomUniformOp>(node, like, 0, 1, b.getF32Type());
  Value last = node.create<SubtractOp>(
      {node.createSize(shares, 1), node.createScalar(1, i64)});
  Value total = node.expandDims(node.take(sums, last, /*axis=*/1), 1, 1);
  numbers = node.create<MultiplyOp>({numbers, total});
  Value isBefore = node.create<LessEqualOp>(
      {node.expandDims(sums, 1, 1), node.expandDims(numbers, 2, 1)});
  SumOp::Properties properties;
  properties.axis = b.getDenseI64ArrayAttr(2);
  Value places = node.create<SumOp>({node.castTo(isBefore, i64)}, properties);
  return node.create<MinimumOp>({places, last});
}

/// Classes with the probabilities that are the exponentials of the data.
static LogicalResult convertMultinomial(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  if (node.getRank(data) != 2)
    return node.emitError()
           << "expects data (batch, classes), but got " << data.getType();
  int64_t count = node.getInt("sample_size", 1);
  if (count < 1 || count > std::numeric_limits<int32_t>::max())
    return node.emitError()
           << "expects sample_size to be positive, but got " << count;
  DataType dtype = node.getDataType("dtype", DataType::Int32);
  if (dtype != DataType::Int32 && dtype != DataType::Int64)
    return node.emitError() << "expects dtype INT32 or INT64, but got "
                            << getDataTypeName(dtype);
  NNSoftmaxOp::Properties softmax;
  softmax.axis = b.getI64IntegerAttr(-1);
  Value shares =
      node.create<NNSoftmaxOp>({node.castTo(data, b.getF32Type())}, softmax);
  Type type = getElementType(node.getContext(), dtype);
  if (shares && !node.getType(shares).hasStaticShape())
    return node.setResult(
        node.castTo(createSamples(node, shares, count), type));
  RandomMultinomialOp::Properties properties;
  properties.num_samples = b.getI64IntegerAttr(count);
  Value samples =
      node.create<RandomMultinomialOp>({createKey(node), shares}, properties);
  return node.setResult(node.castTo(node.getTupleItem(samples, 1), type));
}

Value mlir::relay::onnx::createDropoutMask(NodeContext &node, Value data,
                                           Value ratio) {
  Type f32 = node.getBuilder().getF32Type();
  Value numbers = createNumbersLike<RandomUniformOp>(node, data, 0, 1, f32);
  return node.create<GreaterEqualOp>({numbers, node.castTo(ratio, f32)});
}

void mlir::relay::onnx::addRandomOps(OpTable &table) {
  auto normal = [](NodeContext &node) {
    return convertRandom<RandomNormalOp>(node, "mean", "scale", 0);
  };
  auto uniform = [](NodeContext &node) {
    return convertRandom<RandomUniformOp>(node, "low", "high", 0);
  };
  auto normalLike = [](NodeContext &node) {
    return convertRandomLike<RandomNormalOp>(node, "mean", "scale", 0);
  };
  auto uniformLike = [](NodeContext &node) {
    return convertRandomLike<RandomUniformOp>(node, "low", "high", 0);
  };
  table.add({"Bernoulli"}, {convertBernoulli, 15});
  table.add({"Multinomial"}, {convertMultinomial, 7});
  table.add({"RandomNormal"}, {normal, kOldestOpset, kNewestOpset, 0, 0});
  table.add({"RandomNormalLike"}, {normalLike});
  table.add({"RandomUniform"}, {uniform, kOldestOpset, kNewestOpset, 0, 0});
  table.add({"RandomUniformLike"}, {uniformLike});
}
