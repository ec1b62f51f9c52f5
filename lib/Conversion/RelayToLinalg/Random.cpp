//===- Random.cpp - Lower random numbers to linalg ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threefry as Relay defines it (RelayRandomOps.td). A key is ten words: the key
// proper (0 to 3), the path (4, 5), the counter (6, 7) and a single bit at the
// place of the path's next one (8, 9), none when the path is full. What happens
// when one of them has no room is computed always, and selected: it is one more
// hash beside those of all words.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/RelayRandomOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Predicate = arith::CmpIPredicate;

/// Words of a key, and of what is hashed with it at a time.
static constexpr int64_t kKeyWords = 10, kBlockWords = 4;
static constexpr uint64_t kHighestBit = uint64_t(1) << 63;

namespace {

/// Threefry in the body of an opaque computation.
class Threefry {
public:
  using Words = SmallVector<Value>;

  explicit Threefry(ImplicitLocOpBuilder &builder) : b(builder) {}

  Value word(uint64_t value) const {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(b.getI64Type(), APInt(64, value)));
  }
  Value add(Value lhs, Value rhs) const {
    return arith::AddIOp::create(b, lhs, rhs);
  }

  Words loadKey(Value buffer) const;
  void store(ArrayRef<Value> words, Value buffer) const;

  /// Hashes four words with the first four of `key`.
  Words hash(ArrayRef<Value> key, Words words) const;
  /// `key` with a 0 and with a 1 added to its path. There is room for it.
  std::pair<Words, Words> splitPath(ArrayRef<Value> key) const;
  std::pair<Words, Words> split(ArrayRef<Value> key) const;
  /// The key that makes the next `count` words: `key`, if its counter has room.
  Words makeRoom(ArrayRef<Value> key, Value count) const;
  /// The words in the rows that `count` words take.
  Value roundUp(Value count) const {
    return arith::AndIOp::create(b, add(count, word(kBlockWords - 1)),
                                 word(~uint64_t(kBlockWords - 1)));
  }

private:
  Value compare(Predicate predicate, Value lhs, Value rhs) const {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  Value select(Value condition, Value whenTrue, Value whenFalse) const {
    return arith::SelectOp::create(b, condition, whenTrue, whenFalse);
  }
  Words select(Value condition, ArrayRef<Value> whenTrue,
               ArrayRef<Value> whenFalse) const;
  Value rotateLeft(Value value, int64_t count) const;
  Value isPathFull(ArrayRef<Value> key) const;
  /// A generator whose key is a hash of `words`, with an empty path.
  Words rehash(ArrayRef<Value> key, Words words) const;

  ImplicitLocOpBuilder &b;
};

} // namespace

//===----------------------------------------------------------------------===//
// Threefry
//===----------------------------------------------------------------------===//

Threefry::Words Threefry::loadKey(Value buffer) const {
  Words key;
  for (int64_t i = 0; i < kKeyWords; ++i) {
    Value position = arith::ConstantIndexOp::create(b, i);
    key.push_back(memref::LoadOp::create(b, buffer, position));
  }
  return key;
}

void Threefry::store(ArrayRef<Value> words, Value buffer) const {
  for (auto [i, value] : llvm::enumerate(words)) {
    Value position = arith::ConstantIndexOp::create(b, i);
    memref::StoreOp::create(b, value, buffer, position);
  }
}

Threefry::Words Threefry::select(Value condition, ArrayRef<Value> whenTrue,
                                 ArrayRef<Value> whenFalse) const {
  Words result;
  for (auto [lhs, rhs] : llvm::zip_equal(whenTrue, whenFalse))
    result.push_back(select(condition, lhs, rhs));
  return result;
}

Value Threefry::rotateLeft(Value value, int64_t count) const {
  return arith::OrIOp::create(
      b, arith::ShLIOp::create(b, value, word(count)),
      arith::ShRUIOp::create(b, value, word(64 - count)));
}

Threefry::Words Threefry::hash(ArrayRef<Value> key, Words words) const {
  static constexpr int kRotations[8][2] = {{14, 16}, {52, 57}, {23, 40},
                                           {5, 37},  {25, 33}, {46, 12},
                                           {58, 22}, {32, 32}};
  static constexpr int kRounds = 20, kRoundsPerKey = 4;
  Words schedule(key.take_front(kBlockWords));
  Value parity = word(0x1BD11BDAA9FC1A22);
  for (Value part : key.take_front(kBlockWords))
    parity = arith::XOrIOp::create(b, parity, part);
  schedule.push_back(parity);
  for (int round = 0; round < kRounds; ++round) {
    if (round % kRoundsPerKey == 0) {
      int step = round / kRoundsPerKey;
      for (int i = 0; i < kBlockWords; ++i)
        words[i] = add(words[i], schedule[(step + i) % schedule.size()]);
      words[3] = add(words[3], word(step));
    }
    for (int pair = 0; pair < 2; ++pair) {
      Value &first = words[2 * pair], &second = words[2 * pair + 1];
      first = add(first, second);
      second = arith::XOrIOp::create(
          b, first, rotateLeft(second, kRotations[round % 8][pair]));
    }
    std::swap(words[1], words[3]);
  }
  return words;
}

Value Threefry::isPathFull(ArrayRef<Value> key) const {
  return compare(Predicate::eq, arith::OrIOp::create(b, key[8], key[9]),
                 word(0));
}

std::pair<Threefry::Words, Threefry::Words>
Threefry::splitPath(ArrayRef<Value> key) const {
  Value none = word(0), one = word(1);
  Words left(key);
  left[8] = arith::ShRUIOp::create(b, key[8], one);
  Value carried =
      select(compare(Predicate::eq, key[8], one), word(kHighestBit), none);
  left[9] = select(compare(Predicate::ne, key[8], none), carried,
                   arith::ShRUIOp::create(b, key[9], one));
  Words right = left;
  right[4] = arith::OrIOp::create(b, key[4], key[8]);
  right[5] = arith::OrIOp::create(b, key[5], key[9]);
  return {left, right};
}

Threefry::Words Threefry::rehash(ArrayRef<Value> key, Words words) const {
  Words result = hash(key, std::move(words));
  result.append(4, word(0));
  result.push_back(word(kHighestBit));
  result.push_back(word(0));
  return result;
}

std::pair<Threefry::Words, Threefry::Words>
Threefry::split(ArrayRef<Value> key) const {
  Words fresh = rehash(key, Words(key.slice(4, kBlockWords)));
  return splitPath(select(isPathFull(key), fresh, key));
}

Threefry::Words Threefry::makeRoom(ArrayRef<Value> key, Value count) const {
  Value most = arith::SubIOp::create(b, word(~uint64_t(0)), count);
  Value isUsedUp = compare(Predicate::uge, key[7], most);
  Words fresh = rehash(key, Words(kBlockWords, word(~uint64_t(0))));
  Words longer = splitPath(key).second;
  longer[6] = longer[7] = word(0);
  return select(isUsedUp, select(isPathFull(key), fresh, longer), key);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static void assertKey(LinalgBuilder &b, Value key) {
  b.assertEqual(b.getSize(key, 0), b.getIndexAttr(kKeyWords),
                "expects a key of 10 words");
}

/// The elements of a vector of i64 in the body of an opaque computation.
static Value emitLoad(ImplicitLocOpBuilder &b, Value vector, int64_t index) {
  Value position = arith::ConstantIndexOp::create(b, index);
  return memref::LoadOp::create(b, vector, position);
}

/// The next key, and the `count` words that the key `key` makes, in rows of
/// four. What is behind the last one is made as well.
static std::pair<Value, Value> buildWords(LinalgBuilder &b, Value key,
                                          OpFoldResult count) {
  assertKey(b, key);
  Type i64 = b.getI64Type();
  // The number of words, and of those in rows of which all are wanted.
  OpFoldResult numRows =
      b.apply((b.dim(0) + (kBlockWords - 1)).floorDiv(kBlockWords), count);
  SmallVector<Value> numbers;
  for (AffineExpr expr :
       {b.dim(0), b.dim(0).floorDiv(kBlockWords) * kBlockWords})
    numbers.push_back(
        arith::IndexCastOp::create(b, i64, b.toValue(b.apply(expr, count))));
  Value counts = tensor::FromElementsOp::create(b, numbers);

  Value keyInit = b.empty({b.getIndexAttr(kKeyWords)}, i64);
  SmallVector<Value> keys =
      b.opaque((b.getBlockName() + "_key").str(), /*along=*/{}, {key, counts},
               {keyInit, keyInit},
               [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                   ValueRange destinations) {
                 Threefry threefry(body);
                 Value wanted = emitLoad(body, inputs[1], 0);
                 Threefry::Words used =
                     threefry.makeRoom(threefry.loadKey(inputs[0]), wanted);
                 threefry.store(used, destinations[0]);
                 // The counter grows by whole rows.
                 Value rounded = threefry.roundUp(wanted);
                 used[6] = threefry.word(0);
                 used[7] = threefry.add(used[7], rounded);
                 threefry.store(used, destinations[1]);
               });

  Value init = b.empty({numRows, b.getIndexAttr(kBlockWords)}, i64);
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange destinations) {
    Threefry threefry(body);
    Threefry::Words used = threefry.loadKey(inputs[0]);
    Value row = arith::IndexCastOp::create(body, i64, position.front());
    // In a last row that is cut off, the counter alone has grown.
    Value before = arith::MulIOp::create(body, row, threefry.word(kBlockWords));
    Value isCut = arith::CmpIOp::create(body, Predicate::uge, before,
                                        emitLoad(body, inputs[1], 1));
    Threefry::Words words;
    for (int64_t i = 0; i < kBlockWords; ++i) {
      Value grown = i + 1 == kBlockWords ? before : threefry.word(0);
      words.push_back(threefry.add(
          used[4 + i], arith::SelectOp::create(body, isCut, grown, row)));
    }
    for (auto [i, value] : llvm::enumerate(threefry.hash(used, words))) {
      Value column = arith::ConstantIndexOp::create(body, i);
      memref::StoreOp::create(body, value, destinations.front(),
                              ValueRange{position.front(), column});
    }
  };
  Value words =
      b.opaque(b.getBlockName(), /*along=*/{0}, {keys[0], counts}, init, emit)
          .front();
  return {keys[1], words};
}

/// The word at a place, in the body of a nest or an opaque computation.
static SmallVector<Value> emitWordPosition(ImplicitLocOpBuilder &b,
                                           Value place) {
  Value four = arith::ConstantIndexOp::create(b, kBlockWords);
  return {arith::DivUIOp::create(b, place, four),
          arith::RemUIOp::create(b, place, four)};
}

/// Where the position `indices` of a tensor is in row-major order.
static Value emitLinear(ImplicitLocOpBuilder &b, ValueRange indices,
                        ValueRange sizes) {
  Value place = arith::ConstantIndexOp::create(b, 0);
  for (auto [index, size] : llvm::zip_equal(indices, sizes))
    place =
        arith::AddIOp::create(b, arith::MulIOp::create(b, place, size), index);
  return place;
}

namespace {

struct GenerateToLinalg : OpConversionPattern<RandomThreefryGenerateOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(RandomThreefryGenerateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    ArrayRef<int64_t> shape = op.getOutShape();
    auto [next, words] = buildWords(b, adaptor.getKey(),
                                    b.getIndexAttr(llvm::product_of(shape)));
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(b.getContext(), shape);
    Value result = b.elements(
        (b.getBlockName() + "_result").str(), {}, sizes, b.getI64Type(),
        [&, words = words](ImplicitLocOpBuilder &body, ValueRange) {
          SmallVector<Value> extents;
          for (OpFoldResult size : sizes)
            extents.push_back(emitIndex(body, size));
          Value place =
              emitLinear(body, emitLoopIndices(body, shape.size()), extents);
          return emitExtract(body, words, emitWordPosition(body, place));
        });
    rewriter.replaceOpWithMultiple(op, {{next, result}});
    return success();
  }
};

struct SplitToLinalg : OpConversionPattern<RandomThreefrySplitOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(RandomThreefrySplitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    assertKey(b, adaptor.getKey());
    Value init = b.empty({b.getIndexAttr(kKeyWords)}, b.getI64Type());
    SmallVector<Value> keys =
        b.opaque(b.getBlockName(), /*along=*/{}, adaptor.getKey(), {init, init},
                 [](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                    ValueRange destinations) {
                   Threefry threefry(body);
                   auto [left, right] =
                       threefry.split(threefry.loadKey(inputs.front()));
                   threefry.store(left, destinations[0]);
                   threefry.store(right, destinations[1]);
                 });
    rewriter.replaceOpWithMultiple(op, {keys});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// Adds up the probabilities of each row, from the front, so that a sample is
/// the same on any machine, and looks for samples among the sums by halves.
struct MultinomialToLinalg : OpConversionPattern<RandomMultinomialOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(RandomMultinomialOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  /// Writes the sums of the row at `position` of `probs` to `sums`.
  static void emitSums(ImplicitLocOpBuilder &b, Type type, Value probs,
                       Value sums, ValueRange position, Value numColumns);
  /// The first of the sums that is above `number`; 0 where none is.
  static Value emitSearch(ImplicitLocOpBuilder &b, Value sums,
                          ValueRange position, Value numColumns, Value number);
};

} // namespace

/// A number in [0, 1) from the highest bits of the low half of a word that a
/// float holds.
static Value emitUnit(ImplicitLocOpBuilder &b, Value word) {
  Type i32 = b.getI32Type();
  Value bits = arith::ShRUIOp::create(
      b, arith::TruncIOp::create(b, i32, word),
      arith::ConstantOp::create(b, b.getI32IntegerAttr(9)));
  ElementMath math(b, b.getF32Type());
  return math.mul(arith::UIToFPOp::create(b, b.getF32Type(), bits),
                  math.number(0x1p-23));
}

static SmallVector<Value> append(ValueRange position, Value last) {
  SmallVector<Value> result = llvm::to_vector(position);
  result.push_back(last);
  return result;
}

void MultinomialToLinalg::emitSums(ImplicitLocOpBuilder &b, Type type,
                                   Value probs, Value sums, ValueRange position,
                                   Value numColumns) {
  ElementMath single(b, b.getF32Type()), wide(b, b.getF64Type());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  auto load = [&](Value column) {
    Value value = memref::LoadOp::create(b, probs, append(position, column));
    value = single.convertFrom(wide.getType(), wide.convertFrom(type, value));
    // Also false for what is no number.
    Value isPositive =
        single.compare(ElementMath::Order::GT, value, single.zero());
    return single.select(isPositive, value, single.zero());
  };
  auto scan = [&](llvm::function_ref<Value(Value column, Value sum)> next) {
    return emitLoop(b, zero, numColumns, single.zero(),
                    [&](Value column, ValueRange sum) -> SmallVector<Value> {
                      return {next(column, sum.front())};
                    })
        .front();
  };
  Value total = scan(
      [&](Value column, Value sum) { return single.add(sum, load(column)); });
  scan([&](Value column, Value sum) {
    sum = single.add(sum, single.div(load(column), total));
    memref::StoreOp::create(b, sum, sums, append(position, column));
    return sum;
  });
}

Value MultinomialToLinalg::emitSearch(ImplicitLocOpBuilder &b, Value sums,
                                      ValueRange position, Value numColumns,
                                      Value number) {
  ElementMath single(b, b.getF32Type());
  Value isTrue = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value found = emitPartitionPoint(b, numColumns, [&](Value column) -> Value {
    Value sum = memref::LoadOp::create(b, sums, append(position, column));
    Value isAbove = single.compare(ElementMath::Order::GT, sum, number);
    return arith::XOrIOp::create(b, isAbove, isTrue);
  });
  Value isFound = arith::CmpIOp::create(b, Predicate::slt, found, numColumns);
  return arith::SelectOp::create(b, isFound, found, emitConstant(b, 0));
}

LogicalResult MultinomialToLinalg::matchAndRewrite(
    RandomMultinomialOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  auto type = cast<RankedTensorType>(op.getProbs().getType());
  int64_t last = type.getRank() - 1;
  if (type.getDimSize(last) == 0)
    return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
      diagnostic << "expects probs that are not empty, but got " << type;
    });
  LinalgBuilder b(rewriter, op);
  Value probs = adaptor.getProbs();
  SmallVector<OpFoldResult> sumSizes = b.getSizes(probs), sizes = sumSizes;
  b.assertAtLeast(sizes[last], 1, "expects probs that are not empty");
  sizes[last] = b.getIndexAttr(op.getNumSamples());
  OpFoldResult count = b.getIndexAttr(1);
  for (OpFoldResult size : sizes)
    count = b.multiply(count, size);
  auto [next, words] = buildWords(b, adaptor.getKey(), count);
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange destinations) {
    Value sums = destinations[1];
    Value numColumns = emitSizes(body, sums)[last];
    emitSums(body, type.getElementType(), inputs[0], sums, position,
             numColumns);
    SmallVector<Value> extents = emitSizes(body, destinations[0]);
    emitLoop(body, arith::ConstantIndexOp::create(body, 0), extents[last], {},
             [&](Value sample, ValueRange) -> SmallVector<Value> {
               SmallVector<Value> at = append(position, sample);
               Value word = memref::LoadOp::create(
                   body, inputs[1],
                   emitWordPosition(body, emitLinear(body, at, extents)));
               Value found = emitSearch(body, sums, position, numColumns,
                                        emitUnit(body, word));
               found =
                   arith::IndexCastOp::create(body, body.getI32Type(), found);
               memref::StoreOp::create(body, found, destinations[0], at);
               return {};
             });
  };
  SmallVector<int64_t> rows = llvm::to_vector(llvm::seq<int64_t>(0, last));
  Value result =
      b.opaque(
           (b.getBlockName() + "_result").str(), rows, {probs, words},
           {b.empty(sizes, b.getI32Type()), b.empty(sumSizes, b.getF32Type())},
           emit)
          .front();
  rewriter.replaceOpWithMultiple(op, {{next, result}});
  return success();
}

void mlir::relay::detail::populateRandomPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<GenerateToLinalg, MultinomialToLinalg, SplitToLinalg>(
      converter, patterns.getContext());
}
