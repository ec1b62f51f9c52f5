//===- Random.cpp - Random floats of random words -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"

#include "relay-mlir/Dialect/Relay/IR/RelayRandomOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::decompositions;

/// The next key, and random words.
static std::pair<Value, Value> generate(Decomposition &d, Value key,
                                        ArrayRef<int64_t> shape) {
  Value pair = d.make<RandomThreefryGenerateOp>(key, shape);
  return {TupleGetItemOp::create(d, pair, 0),
          TupleGetItemOp::create(d, pair, 1)};
}

/// Numbers in [0, 1) from the highest bits of words, or of their low halves,
/// that a float holds.
static Term toUnit(Decomposition &d, Value words, Type type) {
  bool isDouble = type.isF64();
  Type word = d.getIntegerType(isDouble ? 64 : 32, /*isSigned=*/false);
  Term bits = d.castTo(words, word);
  bits = d.make<RightShiftOp>(bits, d.number(isDouble ? 12 : 9, word));
  return d.castTo(bits, type) * (isDouble ? 0x1p-52 : 0x1p-23);
}

static Value makePair(Decomposition &d, Value first, Value second) {
  return TupleOp::create(d, ValueRange{first, second});
}

namespace mlir::relay::decompositions {

static FailureOr<Value> write(RandomUniformOp op, Decomposition &d) {
  auto [next, words] = generate(d, op.getKey(), op.getOutShape());
  Term low = d.term(op.getLow()), range = d.term(op.getHigh()) - low;
  return makePair(d, next, toUnit(d, words, *op.getOutDtype()) * range + low);
}

/// In f64: near multiples of pi, the sine is as exact as the angle.
static FailureOr<Value> write(RandomNormalOp op, Decomposition &d) {
  SmallVector<int64_t> shape = {2};
  llvm::append_range(shape, op.getOutShape());
  auto [next, words] = generate(d, op.getKey(), shape);
  Type type = *op.getOutDtype(), wide = d.getF64Type();
  Term units = d.castTo(toUnit(d, words, type), wide);
  auto getHalf = [&](int64_t half) {
    return d.make<SqueezeOp>(d.slice(units, 0, half, half + 1).get(),
                             d.getDenseI64ArrayAttr(0));
  };
  Term radius = sqrt(log(1 - getHalf(0)) * -2);
  Term sine = d.make<SinOp>(getHalf(1) * 6.283185307179586);
  Term result = radius * sine * d.term(d.castTo(op.getScale(), wide)) +
                d.term(d.castTo(op.getMean(), wide));
  return makePair(d, next, d.castTo(result, type));
}

} // namespace mlir::relay::decompositions

void decompositions::registerRandom(MLIRContext *context) {
  attach<RandomNormalOp, RandomUniformOp>(context);
}
