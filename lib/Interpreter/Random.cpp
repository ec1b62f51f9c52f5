//===- Random.cpp - Random numbers ----------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threefry as Relay defines it: a generator that counts, and that splits by a
// path of bits. A key is ten words: the key proper (0 to 3), the path (4, 5),
// the counter (6, 7) and a single bit at the place of the path's next one
// (8, 9), none when the path is full.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/RelayRandomOps.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::relay;

using Key = std::array<uint64_t, 10>;
using Words = std::array<uint64_t, 4>;

//===----------------------------------------------------------------------===//
// Threefry
//===----------------------------------------------------------------------===//

static uint64_t rotateLeft(uint64_t word, int count) {
  return (word << count) | (word >> (64 - count));
}

/// Hashes four words with the first four of `key`.
static Words hash(const Key &key, Words words) {
  static constexpr int rotations[8][2] = {{14, 16}, {52, 57}, {23, 40},
                                          {5, 37},  {25, 33}, {46, 12},
                                          {58, 22}, {32, 32}};
  uint64_t schedule[5] = {key[0], key[1], key[2], key[3],
                          0x1BD11BDAA9FC1A22 ^ key[0] ^ key[1] ^ key[2] ^
                              key[3]};
  for (int round = 0; round < 20; ++round) {
    if (round % 4 == 0) {
      uint64_t step = round / 4;
      for (int i = 0; i < 4; ++i)
        words[i] += schedule[(step + i) % 5];
      words[3] += step;
    }
    for (int pair = 0; pair < 2; ++pair) {
      uint64_t &a = words[2 * pair], &b = words[2 * pair + 1];
      a += b;
      b = a ^ rotateLeft(b, rotations[round % 8][pair]);
    }
    std::swap(words[1], words[3]);
  }
  return words;
}

/// The place of the next bit after that of `key`.
static void advancePath(const Key &key, Key &result) {
  result[8] = key[8] >> 1;
  result[9] = key[8] ? (key[8] == 1 ? uint64_t(1) << 63 : 0) : key[9] >> 1;
}

static bool isPathFull(const Key &key) { return key[8] == 0 && key[9] == 0; }

/// Adds a 1 to the path.
static Key appendOne(const Key &key) {
  Key result = key;
  result[4] |= key[8];
  result[5] |= key[9];
  advancePath(key, result);
  return result;
}

/// A generator whose key is a hash of `words`, with an empty path.
static Key rehash(const Key &key, const Words &words) {
  Words fresh = hash(key, words);
  return {fresh[0], fresh[1], fresh[2], fresh[3],          0,
          0,        0,        0,        uint64_t(1) << 63, 0};
}

static std::pair<Key, std::vector<uint64_t>> generate(Key key, int64_t count) {
  if (key[7] >= ~uint64_t(0) - static_cast<uint64_t>(count)) {
    if (isPathFull(key)) {
      uint64_t ones = ~uint64_t(0);
      key = rehash(key, {ones, ones, ones, ones});
    } else {
      key = appendOne(key);
      key[6] = key[7] = 0;
    }
  }
  std::vector<uint64_t> result;
  auto addWords = [&](uint64_t offset) {
    Words words = {key[4] + offset, key[5] + offset, key[6] + offset,
                   key[7] + offset};
    for (uint64_t word : hash(key, words))
      if (static_cast<int64_t>(result.size()) < count)
        result.push_back(word);
  };
  for (int64_t i = 0; i < count / 4; ++i)
    addWords(i);
  // The counter grows before the words that are not all used.
  key[7] += count / 4 * 4;
  if (count % 4) {
    addWords(0);
    key[7] += 4;
  }
  key[6] = 0;
  return {key, result};
}

static std::pair<Key, Key> split(const Key &key) {
  if (isPathFull(key)) {
    Key fresh = rehash(key, {key[4], key[5], key[6], key[7]});
    Key left = fresh;
    advancePath(fresh, left);
    return {left, appendOne(fresh)};
  }
  Key left = key;
  advancePath(key, left);
  return {left, appendOne(key)};
}

//===----------------------------------------------------------------------===//
// Evaluators
//===----------------------------------------------------------------------===//

static FailureOr<Key> getKey(Operation *op, const Tensor &tensor) {
  if (tensor.getNumElements() != 10)
    return op->emitOpError("expects a key of 10 words, but got ")
           << tensor.getNumElements();
  Key key;
  llvm::copy(tensor.getElements<uint64_t>(), key.begin());
  return key;
}

static Tensor toTensor(MLIRContext *context, ArrayRef<int64_t> shape,
                       ArrayRef<uint64_t> words) {
  Tensor tensor = Tensor::allocate(
      shape, IntegerType::get(context, 64, IntegerType::Unsigned));
  llvm::copy(words, tensor.getMutableElements<uint64_t>().begin());
  return tensor;
}

static InterpreterValue makePair(Tensor first, Tensor second) {
  return InterpreterValue(
      std::vector<InterpreterValue>{std::move(first), std::move(second)});
}

static FailureOr<InterpreterValue> evaluateGenerate(RandomThreefryGenerateOp op,
                                                    ArrayRef<Tensor> operands) {
  FailureOr<Key> key = getKey(op, operands[0]);
  if (failed(key))
    return failure();
  auto [next, words] = generate(*key, getProduct(op.getOutShape()));
  return makePair(toTensor(op.getContext(), {10}, next),
                  toTensor(op.getContext(), op.getOutShape(), words));
}

static FailureOr<InterpreterValue> evaluateSplit(RandomThreefrySplitOp op,
                                                 ArrayRef<Tensor> operands) {
  FailureOr<Key> key = getKey(op, operands[0]);
  if (failed(key))
    return failure();
  auto [left, right] = split(*key);
  return makePair(toTensor(op.getContext(), {10}, left),
                  toTensor(op.getContext(), {10}, right));
}

/// A number in [0, 1) from the highest bits of a word that a float holds.
static double toUnit(uint64_t word, bool isDouble) {
  if (isDouble)
    return std::ldexp(static_cast<double>(word >> 12), -52);
  return std::ldexp(static_cast<double>(static_cast<uint32_t>(word) >> 9), -23);
}

static FailureOr<InterpreterValue> evaluateUniform(RandomUniformOp op,
                                                   ArrayRef<Tensor> operands) {
  FailureOr<Key> key = getKey(op, operands[0]);
  if (failed(key))
    return failure();
  Type elementType = *op.getOutDtype();
  bool isDouble = elementType.isF64();
  double low = operands[1].loadAll<double>().front();
  double range = operands[2].loadAll<double>().front() - low;
  if (!isDouble)
    range = static_cast<float>(range);
  auto [next, words] = generate(*key, getProduct(op.getOutShape()));
  SmallVector<double> values;
  for (uint64_t word : words) {
    double product = toUnit(word, isDouble) * range;
    // Rounded after each step, so that the result is the same on any machine.
    values.push_back((isDouble ? product : static_cast<float>(product)) + low);
  }
  Tensor result = Tensor::allocate(op.getOutShape(), elementType);
  result.store<double>(0, values.size(), values.data());
  return makePair(toTensor(op.getContext(), {10}, next), result);
}

static FailureOr<InterpreterValue> evaluateNormal(RandomNormalOp op,
                                                  ArrayRef<Tensor> operands) {
  FailureOr<Key> key = getKey(op, operands[0]);
  if (failed(key))
    return failure();
  Type elementType = *op.getOutDtype();
  double mean = operands[1].loadAll<double>().front();
  double scale = operands[2].loadAll<double>().front();
  int64_t count = getProduct(op.getOutShape());
  auto [next, words] = generate(*key, 2 * count);
  SmallVector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    double u = toUnit(words[i], elementType.isF64());
    double v = toUnit(words[count + i], elementType.isF64());
    constexpr double twoPi = 6.283185307179586;
    values.push_back(
        std::sqrt(-2 * std::log(1 - u)) * std::sin(twoPi * v) * scale + mean);
  }
  Tensor result = Tensor::allocate(op.getOutShape(), elementType);
  result.store<double>(0, count, values.data());
  return makePair(toTensor(op.getContext(), {10}, next), result);
}

/// The index of the smallest sum above `u`; sums do not fall. Where rounding
/// left none above, the first one.
static int64_t selectIndex(ArrayRef<float> sums, double u) {
  for (auto [index, sum] : llvm::enumerate(sums))
    if (sum > u)
      return index;
  return 0;
}

static FailureOr<InterpreterValue>
evaluateMultinomial(RandomMultinomialOp op, ArrayRef<Tensor> operands) {
  FailureOr<Key> key = getKey(op, operands[0]);
  if (failed(key))
    return failure();
  const Tensor &probs = operands[1];
  int64_t columns = probs.getShape().back(), samples = op.getNumSamples();
  int64_t rows = getProduct(probs.getShape().drop_back());
  if (columns == 0)
    return op.emitOpError("expects probs that are not empty");
  auto [next, words] = generate(*key, rows * samples);
  SmallVector<int64_t> indices;
  SmallVector<double> row(columns);
  for (int64_t i = 0; i < rows; ++i) {
    probs.load(i * columns, 1, columns, row.data());
    float total = 0, sum = 0;
    for (double &value : row) {
      value = std::fmax(static_cast<float>(value), 0.0f);
      total += static_cast<float>(value);
    }
    SmallVector<float> sums;
    for (double value : row) {
      sum += static_cast<float>(value) / total;
      sums.push_back(sum);
    }
    for (int64_t sample = 0; sample < samples; ++sample)
      indices.push_back(selectIndex(
          sums, toUnit(words[i * samples + sample], /*isDouble=*/false)));
  }
  SmallVector<int64_t> shape(probs.getShape());
  shape.back() = samples;
  Tensor result =
      Tensor::allocate(shape, IntegerType::get(op.getContext(), 32));
  result.store<int64_t>(0, indices.size(), indices.data());
  return makePair(toTensor(op.getContext(), {10}, next), result);
}

void relay::detail::populateRandomEvaluators(EvaluatorTable &table) {
  table.add<RandomThreefryGenerateOp>(evaluateGenerate);
  table.add<RandomThreefrySplitOp>(evaluateSplit);
  table.add<RandomUniformOp>(evaluateUniform);
  table.add<RandomNormalOp>(evaluateNormal);
  table.add<RandomMultinomialOp>(evaluateMultinomial);
}
