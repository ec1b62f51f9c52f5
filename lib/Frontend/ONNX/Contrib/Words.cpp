//===- Words.cpp - Words and hashes of ONNX Runtime -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Formula.h"
#include "../StringMaps.h"
#include "Contrib.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// WordConvEmbedding
//===----------------------------------------------------------------------===//

/// Checks attribute `name`, which is a size that is known otherwise.
static LogicalResult expectAttr(NodeContext &node, StringRef name,
                                int64_t size) {
  int64_t wanted = node.getInt(name, -1);
  if (wanted == -1 || wanted == size)
    return success();
  return node.emitError() << "expects " << name << " = " << size
                          << ", as the weights have, but got " << wanted;
}

/// A vector for each word: the maxima of a convolution over its characters. A
/// word is the positive characters of a row; of one that begins with none, the
/// vector is 0.
static LogicalResult convertWordConvEmbedding(NodeContext &node) {
  enum { Words, Weight, Bias, Characters };
  RankedTensorType words = node.getInputType(Words);
  RankedTensorType weight = node.getInputType(Weight);
  RankedTensorType table = node.getInputType(Characters);
  if (words.getRank() != 2 || weight.getRank() != 4 || table.getRank() != 2 ||
      !weight.hasStaticShape() || weight.getDimSize(1) != 1 ||
      words.isDynamicDim(1))
    return node.emitError()
           << "expects words (words, characters), a weight (filters, 1, "
              "window, features) and a table (characters, features), but got "
           << words << ", " << weight << " and " << table;
  int64_t filters = weight.getDimSize(0), window = weight.getDimSize(2);
  int64_t features = weight.getDimSize(3), length = words.getDimSize(1);
  if (failed(expectAttr(node, "embedding_size", filters)) ||
      failed(expectAttr(node, "conv_window_size", window)) ||
      failed(expectAttr(node, "char_embedding_size", features)))
    return failure();
  if (window < 1 || window > length)
    return node.emitError() << "expects a window of 1 to " << length
                            << " characters, but got " << weight;
  OpBuilder &b = node.getBuilder();
  Type i32 = b.getI32Type();
  Value sequence = node.getInput(Words);
  Value lookup = node.expectSize(node.getInput(Characters), 1, features);
  // (word, features, characters).
  Value data =
      node.transpose(node.take(lookup, sequence, 0, "fast"), {0, 2, 1});
  Value kernel =
      node.transpose(node.squeeze(node.getInput(Weight), {1}), {0, 2, 1});
  NNConv1dOp::Properties properties;
  properties.strides = b.getDenseI64ArrayAttr(1);
  properties.padding = b.getDenseI64ArrayAttr({0, 0});
  properties.dilation = b.getDenseI64ArrayAttr(1);
  properties.groups = b.getI64IntegerAttr(1);
  properties.channels = b.getI64IntegerAttr(filters);
  properties.kernel_size = b.getDenseI64ArrayAttr(window);
  Value sums = node.create<NNConv1dOp>({data, kernel}, properties);
  if (!sums)
    return failure();
  Formula f(node, sums);
  Value results = f.tanh(f.add(sums, node.expandDims(node.getInput(Bias), 1)));

  // Windows that end behind a word do not count, but for the first one.
  Value zero = node.createScalar(0, i32);
  Value isCharacter = node.create<GreaterOp>({sequence, zero});
  SumOp::Properties sum;
  sum.axis = b.getDenseI64ArrayAttr(1);
  sum.keepdims = b.getBoolAttr(true);
  Value count = node.create<SumOp>({node.castTo(isCharacter, i32)}, sum);
  Value isWord = node.slice(isCharacter, 1, 0, 1);
  Value last = node.create<MaximumOp>(
      {node.create<SubtractOp>({count, node.createScalar(double(window), i32)}),
       zero});
  Value places =
      node.createPositions(ShapeScalar::get(length - window + 1), i32);
  Value isInside = node.create<LessEqualOp>({places, last});
  MaxOp::Properties max;
  max.axis = b.getDenseI64ArrayAttr(2);
  Value maxima = node.create<MaxOp>(
      {f.select(node.expandDims(isInside, 1), results, f.number(-1e12))}, max);
  return node.setResult(f.select(isWord, maxima, f.number(0)));
}

//===----------------------------------------------------------------------===//
// MurmurHash3
//===----------------------------------------------------------------------===//

namespace {

/// Arithmetic on unsigned integers of 32 bits, which wraps around.
class Hash {
public:
  explicit Hash(NodeContext &node)
      : node(node), type(node.getBuilder().getIntegerType(32, false)) {}

  Type getType() const { return type; }
  Value number(uint32_t value) const { return node.createScalar(value, type); }
  Value mul(Value a, uint32_t b) const {
    return node.create<MultiplyOp>({a, number(b)});
  }
  Value exclusiveOr(Value a, Value b) const {
    return node.create<BitwiseXorOp>({a, b});
  }
  Value shiftRight(Value a, uint32_t bits) const {
    return node.create<RightShiftOp>({a, number(bits)});
  }
  Value rotate(Value a, uint32_t bits) const {
    Value high = node.create<LeftShiftOp>({a, number(bits)});
    return node.create<BitwiseOrOp>({high, shiftRight(a, 32 - bits)});
  }
  /// `hash` with one more word of the key.
  Value add(Value hash, Value word) const {
    Value mixed = mul(rotate(mul(word, 0xcc9e2d51), 15), 0x1b873593);
    Value turned = mul(rotate(exclusiveOr(hash, mixed), 13), 5);
    return node.create<AddOp>({turned, number(0xe6546b64)});
  }
  Value finish(Value hash, uint32_t length) const {
    hash = exclusiveOr(hash, number(length));
    hash = mul(exclusiveOr(hash, shiftRight(hash, 16)), 0x85ebca6b);
    hash = mul(exclusiveOr(hash, shiftRight(hash, 13)), 0xc2b2ae35);
    return exclusiveOr(hash, shiftRight(hash, 16));
  }

private:
  NodeContext &node;
  Type type;
};

} // namespace

/// The hash of the bytes of each element.
static LogicalResult convertMurmurHash3(NodeContext &node) {
  Value data = node.getInput(0);
  OpBuilder &b = node.getBuilder();
  Type own = node.getElementType(data);
  unsigned width = own.getIntOrFloatBitWidth();
  int64_t seed = node.getInt("seed", 0);
  bool isPositive = node.getBool("positive", true);
  if (seed < 0 || seed > std::numeric_limits<uint32_t>::max())
    return node.emitError()
           << "expects seed to be of 32 bits, but got " << seed;
  if (isStringType(own))
    return node.setResult(
        node.castTo(createStringMap(node, "hash", data, seed),
                    isPositive ? b.getIntegerType(32, /*isSigned=*/false)
                               : b.getI32Type()));
  if (width != 32 && width != 64)
    return node.emitError()
           << "expects elements of 32 or 64 bits, but got " << data.getType();
  Type bitsType = b.getIntegerType(width, /*isSigned=*/false);
  auto reinterpret = [&](Value value, Type type) {
    if (node.getElementType(value) == type)
      return value;
    ReinterpretOp::Properties properties;
    properties.dtype = TypeAttr::get(type);
    return node.create<ReinterpretOp>({value}, properties);
  };
  Hash hash(node);
  Value bits = reinterpret(data, bitsType);
  Value result = hash.number(static_cast<uint32_t>(seed));
  if (width == 64) {
    Value shift = node.createScalar(32, bitsType);
    // The lower half comes first.
    Value low =
        node.castTo(node.create<BitwiseAndOp>(
                        {bits, node.createScalar(4294967295.0, bitsType)}),
                    hash.getType());
    Value high =
        node.castTo(node.create<RightShiftOp>({bits, shift}), hash.getType());
    result = hash.add(hash.add(result, low), high);
  } else {
    result = hash.add(result, bits);
  }
  result = hash.finish(result, width / 8);
  if (!result)
    return failure();
  return node.setResult(isPositive ? result
                                   : reinterpret(result, b.getI32Type()));
}

void mlir::relay::onnx::addContribWordOps(OpTable &table) {
  addContrib(table, "MurmurHash3", convertMurmurHash3, {0}, 1,
             /*isComposed=*/false);
  addContrib(table, "WordConvEmbedding", convertWordConvEmbedding, {0, 1, 2, 3},
             4);
}
