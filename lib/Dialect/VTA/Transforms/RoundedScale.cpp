//===- RoundedScale.cpp - Changes of scale that round to even -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats of 32 bits have all integers up to 2^24, and their products with
// powers of two are exact. So rounding them to the even neighbour is the same
// function of the integer as a sum and a shift, whose addend depends on the
// last bit of the quotient. Larger integers are rounded when they become
// floats; where all of them are beyond the range of bytes, that does not
// matter.
//
//===----------------------------------------------------------------------===//

#include "RoundedScale.h"

#include "PartFinder.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

/// The one number that a constant has in all elements.
static std::optional<double> getFloat(Value value) {
  std::optional<SmallVector<float>> numbers = getFloats(value);
  if (!numbers || numbers->empty() || !llvm::all_equal(*numbers))
    return std::nullopt;
  return numbers->front();
}

static bool isFloat(Value value, double number) {
  return getFloat(value) == number;
}

/// The operand of an operator of one type, which nobody else takes the result
/// of; null if it is another one.
template <typename OpT>
static OpT getInner(Value value) {
  return value.hasOneUse() ? value.getDefiningOp<OpT>() : OpT();
}

/// Rounding to even as it is decomposed or imported, of `x`, which is used for
/// nothing else: |x - trunc(x)| == 0.5 ? 2 * round(x / 2) : round(x). Adds its
/// operators.
static Value matchRoundToEven(Value x, SmallVectorImpl<Operation *> &ops) {
  WhereOp choice;
  for (Operation *user : x.getUsers())
    if (auto round = dyn_cast<RoundOp>(user); round && round->hasOneUse())
      choice = dyn_cast<WhereOp>(*round->user_begin());
  if (!choice || llvm::range_size(x.getUses()) != 4)
    return {};
  auto isTie = getInner<EqualOp>(choice.getCondition());
  auto twice = getInner<MultiplyOp>(choice.getX());
  auto near = getInner<RoundOp>(choice.getY());
  if (!isTie || !twice || !near || near.getData() != x ||
      !isFloat(isTie.getRhs(), 0.5))
    return {};
  bool isTwoFirst = isFloat(twice.getLhs(), 2);
  if (!isTwoFirst && !isFloat(twice.getRhs(), 2))
    return {};
  auto distance = getInner<AbsOp>(isTie.getLhs());
  auto rest = distance ? getInner<SubtractOp>(distance.getData()) : nullptr;
  auto whole = rest ? getInner<TruncOp>(rest.getRhs()) : nullptr;
  auto even = getInner<RoundOp>(isTwoFirst ? twice.getRhs() : twice.getLhs());
  if (!whole || rest.getLhs() != x || whole.getData() != x || !even)
    return {};
  Operation *half =
      even.getData().hasOneUse() ? even.getData().getDefiningOp() : nullptr;
  if (!isa_and_present<DivideOp, MultiplyOp>(half) ||
      half->getOperand(0) != x ||
      !isFloat(half->getOperand(1), isa<DivideOp>(half) ? 2 : 0.5))
    return {};
  ops.append({whole, rest, distance, isTie, half, even, twice, near, choice});
  return choice.getResult();
}

/// The bounds of a clip, which are bytes.
static bool setRange(ClipOp clip, ScaleChange &scale) {
  double least = clip.getAMin().convertToDouble(),
         most = clip.getAMax().convertToDouble();
  if (least != std::floor(least) || most != std::floor(most) ||
      least < INT8_MIN || most > INT8_MAX || least > most)
    return false;
  scale.least = static_cast<int64_t>(least);
  scale.most = static_cast<int64_t>(most);
  return true;
}

/// What takes the result of the last operator, if that is one operator, which
/// comes after it.
template <typename OpT>
static OpT takeNext(SmallVectorImpl<Operation *> &ops) {
  Operation *last = ops.back();
  if (!last->hasOneUse())
    return {};
  auto next = dyn_cast<OpT>(*last->user_begin());
  if (!next || next->getOperand(0) != last->getResult(0) ||
      getStaticType(next->getResult(0)).getShape() !=
          getStaticType(last->getResult(0)).getShape())
    return {};
  ops.push_back(next);
  return next;
}

std::optional<RoundedScale> vta::findRoundedScale(CastOp toFloats,
                                                  int64_t least, int64_t most) {
  if (!getStaticType(toFloats.getResult()).getElementType().isF32())
    return std::nullopt;
  RoundedScale found;
  found.ops.push_back(toFloats);
  // Zero points of both sides.
  if (auto subtract = takeNext<SubtractOp>(found.ops);
      subtract && !isFloat(subtract.getRhs(), 0))
    return std::nullopt;
  int exponent = 0;
  if (auto multiply = takeNext<MultiplyOp>(found.ops)) {
    std::optional<double> factor = getFloat(multiply.getRhs());
    if (!factor || std::frexp(*factor, &exponent) != 0.5)
      return std::nullopt;
    --exponent;
  }
  Value rounded = matchRoundToEven(found.ops.back()->getResult(0), found.ops);
  if (!rounded)
    return std::nullopt;
  if (auto add = takeNext<AddOp>(found.ops); add && !isFloat(add.getRhs(), 0))
    return std::nullopt;
  auto clip = takeNext<ClipOp>(found.ops);
  if (!clip || !setRange(clip, found.scale))
    return std::nullopt;
  auto toBytes = takeNext<CastOp>(found.ops);
  if (!toBytes ||
      !getStaticType(toBytes.getResult()).getElementType().isSignlessInteger(8))
    return std::nullopt;
  // Integers from 2^24 on are beyond bytes.
  constexpr int64_t kLargestExact = int64_t(1) << 24;
  constexpr int kMostBits = 16;
  if (exponent < -30 || exponent > 30 ||
      (exponent < -kMostBits &&
       (least < -kLargestExact || most > kLargestExact)))
    return std::nullopt;
  if (exponent >= 0) {
    found.scale.factor = int64_t(1) << exponent;
    least *= found.scale.factor;
    most *= found.scale.factor;
  } else {
    found.scale.shift = -exponent;
    found.scale.isToEven = true;
    least -= 1;
    most += int64_t(1) << (-exponent - 1);
  }
  if (least < INT32_MIN || most > INT32_MAX)
    return std::nullopt;
  return found;
}
