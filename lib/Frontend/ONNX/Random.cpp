//===- Random.cpp - ONNX operators with random results ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model is a function of its inputs: random numbers are those of a seed, and
// the same in each run. A node without a seed has one of its own, which follows
// from its name.
//
//===----------------------------------------------------------------------===//

#include "Random.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayRandomOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// The key of the node's seed, for the operators relay.random.*.
static Value createKey(NodeContext &node) {
  uint64_t seed = 0;
  if (node.hasAttr("seed") && node.getOpType() == "Dropout") {
    // An integer, of this operator only.
    seed = static_cast<uint64_t>(node.getInt("seed", 0));
  } else if (node.hasAttr("seed")) {
    seed =
        llvm::bit_cast<uint32_t>(static_cast<float>(node.getFloat("seed", 0)));
  } else {
    const Node &own = node.getNode();
    seed = llvm::xxh3_64bits(own.name.empty() ? own.outputs.front() : own.name);
  }
  // An empty path, and the place of its first bit.
  uint64_t words[] = {seed, 0, 0, 0, 0, 0, 0, 0, uint64_t(1) << 63, 0};
  Type type = IntegerType::get(node.getContext(), 64, IntegerType::Unsigned);
  return node.createConstant(DenseElementsAttr::get(
      RankedTensorType::get({10}, type), ArrayRef<uint64_t>(words)));
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

/// The shape of the data, which is known.
static FailureOr<ArrayRef<int64_t>> getStaticShape(NodeContext &node) {
  RankedTensorType type = node.getInputType(0);
  if (type.hasStaticShape())
    return type.getShape();
  return node.emitError()
         << "expects known sizes, as random numbers are made for them, but got "
         << type;
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
  FailureOr<ArrayRef<int64_t>> shape = getStaticShape(node);
  if (!type || failed(shape))
    return failure();
  return node.setResult(createNumbers<OpT>(node, *shape,
                                           node.getFloat(first, firstDefault),
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
  FailureOr<ArrayRef<int64_t>> shape = getStaticShape(node);
  if (failed(shape))
    return failure();
  data = node.widen(data);
  if (!data)
    return failure();
  Value numbers = createNumbers<RandomUniformOp>(node, *shape, 0, 1,
                                                 node.getElementType(data));
  return node.setResult(
      node.castTo(node.create<LessOp>({numbers, data}), result));
}

/// Classes with the probabilities that are the exponentials of the data.
static LogicalResult convertMultinomial(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  if (node.getRank(data) != 2)
    return node.emitError()
           << "expects data (batch, classes), but got " << data.getType();
  if (failed(getStaticShape(node)))
    return failure();
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
  RandomMultinomialOp::Properties properties;
  properties.num_samples = b.getI64IntegerAttr(count);
  Value samples =
      node.create<RandomMultinomialOp>({createKey(node), shares}, properties);
  return node.setResult(node.castTo(node.getTupleItem(samples, 1),
                                    getElementType(node.getContext(), dtype)));
}

Value mlir::relay::onnx::createDropoutMask(NodeContext &node, Value data,
                                           Value ratio) {
  RankedTensorType type = node.getType(data);
  if (!type.hasStaticShape()) {
    node.emitError() << "expects known sizes for dropout in training, but got "
                     << type;
    return nullptr;
  }
  Type f32 = node.getBuilder().getF32Type();
  Value numbers =
      createNumbers<RandomUniformOp>(node, type.getShape(), 0, 1, f32);
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
