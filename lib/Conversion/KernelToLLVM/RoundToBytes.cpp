//===- RoundToBytes.cpp - Floats to bytes, rounded ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// trunc(fptosi(clip(roundeven(x) + zero point))): bounds of a clip that are
// whole numbers may come before rounding, the zero point after it, and the
// conversion of AVX2 and AVX-512 rounds to even. What is beyond 32 bits it
// makes the lowest integer, which is on the right side of the lower bound, but
// not of the upper one. Saturation takes the place of bounds that are those of
// the bytes.
//
//===----------------------------------------------------------------------===//

#include "RoundToBytes.h"
#include "X86Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace mlir;
using namespace mlir::relay::detail;

std::optional<double> relay::detail::getNumber(Value value) {
  APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return number.convertToDouble();
}

std::optional<NaNAsZero> NaNAsZero::match(Value value) {
  using arith::CmpFPredicate;
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getLhs() != compare.getRhs())
    return std::nullopt;
  CmpFPredicate predicate = compare.getPredicate();
  bool isNaN =
      predicate == CmpFPredicate::UNO || predicate == CmpFPredicate::UNE;
  bool isNumber =
      predicate == CmpFPredicate::ORD || predicate == CmpFPredicate::OEQ;
  Value yes = select.getTrueValue(), no = select.getFalseValue();
  if ((!isNaN && !isNumber) || getNumber(isNaN ? yes : no) != 0.0)
    return std::nullopt;
  return NaNAsZero{isNaN ? no : yes, compare.getLhs()};
}

namespace {

/// What becomes of `value` on its way to an integer.
struct RoundedValue {
  /// What is rounded.
  Value value;
  double zeroPoint = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// NaN becomes 0.
  bool replacesNaN = false;

  static std::optional<RoundedValue> match(Value value);

private:
  std::optional<Value> takeSelect(arith::SelectOp op);

  /// What is compared with itself to find NaN.
  SmallVector<Value> compared;
};

} // namespace

/// Takes a bound, or the test for NaN; returns the value before it.
std::optional<Value> RoundedValue::takeSelect(arith::SelectOp op) {
  using arith::CmpFPredicate;
  auto compare = op.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return std::nullopt;
  CmpFPredicate predicate = compare.getPredicate();
  Value left = compare.getLhs(), right = compare.getRhs();
  Value yes = op.getTrueValue(), no = op.getFalseValue();
  if (left == right) {
    std::optional<NaNAsZero> replaced = NaNAsZero::match(op);
    if (!replaced)
      return std::nullopt;
    replacesNaN = true;
    compared.push_back(replaced->compared);
    return replaced->value;
  }
  std::optional<double> bound = getNumber(yes);
  if (!bound || std::trunc(*bound) != *bound)
    return std::nullopt;
  bool isSwapped = left == yes && right == no;
  if (!isSwapped && (left != no || right != yes))
    return std::nullopt;
  // Where a value is beyond the bound, in either order.
  if (predicate == (isSwapped ? CmpFPredicate::OGT : CmpFPredicate::OLT)) {
    // An upper bound behind a lower one that is above it would win.
    low = std::max(low, std::min(*bound, high));
  } else if (predicate ==
             (isSwapped ? CmpFPredicate::OLT : CmpFPredicate::OGT)) {
    high = std::min(high, std::max(*bound, low));
  } else {
    return std::nullopt;
  }
  return no;
}

std::optional<RoundedValue> RoundedValue::match(Value value) {
  RoundedValue result;
  bool hasZeroPoint = false;
  SmallVector<Value> passed;
  while (true) {
    passed.push_back(value);
    Operation *op = value.getDefiningOp();
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
      std::optional<Value> before = result.takeSelect(select);
      // Bounds before the zero point would move with it.
      if (!before || hasZeroPoint)
        return std::nullopt;
      value = *before;
    } else if (auto add = dyn_cast_or_null<arith::AddFOp>(op)) {
      std::optional<double> number = getNumber(add.getRhs());
      constexpr double kLargest = 1 << 15;
      if (hasZeroPoint || !number || std::trunc(*number) != *number ||
          std::abs(*number) > kLargest)
        return std::nullopt;
      hasZeroPoint = true;
      result.zeroPoint = *number;
      value = add.getLhs();
    } else if (auto round = dyn_cast_or_null<math::RoundEvenOp>(op)) {
      result.value = round.getOperand();
      break;
    } else {
      return std::nullopt;
    }
  }
  // All of these are NaN where the value is.
  for (Value each : result.compared)
    if (each != result.value && !llvm::is_contained(passed, each))
      return std::nullopt;
  return result;
}

/// Integers as bytes with a sign, with the nearest one for those that are none.
static Value saturateToBytesWide(ImplicitLocOpBuilder &b, Value integers) {
  auto type = VectorType::get(kWideLanes, b.getI8Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return joinRegisters(
      b, VectorType::get(getSize(integers), b.getI8Type()), kWideLanes,
      [&](int64_t first) {
        return callIntrinsic(
            b, "llvm.x86.avx512.mask.pmovs.db.512", type,
            {slice(b, integers, first, kWideLanes), zero,
             arith::ConstantOp::create(b, b.getI16IntegerAttr(-1))});
      });
}

/// The integers as bytes, with the nearest one for those that are none.
static Value saturateToBytes(ImplicitLocOpBuilder &b, Value integers,
                             bool isUnsigned) {
  constexpr int64_t kHalf = kLanes / 2;
  auto words = VectorType::get(kLanes, b.getI16Type());
  auto bytes = VectorType::get(2 * kLanes, b.getI8Type());
  auto wideWords = VectorType::get(2 * kLanes, b.getI16Type());
  auto wideBytes = VectorType::get(4 * kLanes, b.getI8Type());
  auto pack = [&](StringRef width, VectorType type, Value low, Value high) {
    bool isSSE = width == "128";
    std::string name = isSSE ? "llvm.x86.sse2." : "llvm.x86.avx2.";
    name += type.getElementType().isInteger(16) ? "packssdw"
            : isUnsigned                        ? "packuswb"
                                                : "packsswb";
    return callIntrinsic(b, isSSE ? name + ".128" : name, type, {low, high});
  };
  auto packPair = [&](int64_t first) {
    return pack("256", wideWords, slice(b, integers, first, kLanes),
                slice(b, integers, first + kLanes, kLanes));
  };
  // Instructions on 256 bits pack each half by itself: groups of four bytes
  // come in another order.
  auto arrange = [&](Value packed, ArrayRef<int64_t> order) -> Value {
    auto type = VectorType::get(order.size(), b.getI32Type());
    Value groups = vector::BitCastOp::create(b, type, packed);
    groups = vector::ShuffleOp::create(b, groups, groups, order);
    return vector::BitCastOp::create(b, packed.getType(), groups);
  };
  switch (getSize(integers)) {
  case kLanes: {
    Value packed = pack("128", words, slice(b, integers, 0, kHalf),
                        slice(b, integers, kHalf, kHalf));
    return slice(b, pack("128", bytes, packed, packed), 0, kLanes);
  }
  case 2 * kLanes: {
    Value packed = packPair(0);
    packed = pack("128", bytes, slice(b, packed, 0, kLanes),
                  slice(b, packed, kLanes, kLanes));
    return arrange(packed, {0, 2, 1, 3});
  }
  default: {
    Value low = packPair(0), high = packPair(2 * kLanes);
    return arrange(pack("256", wideBytes, low, high), {0, 4, 1, 5, 2, 6, 3, 7});
  }
  }
}

namespace {

/// An operation that holds integers above or below a bound.
struct IntegerBound {
  Operation *op;
  Value bound;
  bool isLower;

  /// What all uses of `value` are, if they are that.
  static std::optional<IntegerBound> match(Value value);
};

} // namespace

std::optional<IntegerBound> IntegerBound::match(Value value) {
  if (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (!isa<arith::MaxSIOp, arith::MinSIOp>(user) ||
        user->getOperand(0) != value)
      return std::nullopt;
    return IntegerBound{user, user->getOperand(1), isa<arith::MaxSIOp>(user)};
  }
  // A comparison with the bound, and what selects by it.
  arith::CmpIOp compare;
  arith::SelectOp select;
  for (Operation *user : value.getUsers()) {
    if (!compare && isa<arith::CmpIOp>(user))
      compare = cast<arith::CmpIOp>(user);
    else if (!select && isa<arith::SelectOp>(user))
      select = cast<arith::SelectOp>(user);
    else
      return std::nullopt;
  }
  if (!compare || !select || compare.getLhs() != value ||
      select.getCondition() != compare || select.getFalseValue() != value ||
      select.getTrueValue() != compare.getRhs())
    return std::nullopt;
  bool isLower = compare.getPredicate() == arith::CmpIPredicate::slt;
  if (!isLower && compare.getPredicate() != arith::CmpIPredicate::sgt)
    return std::nullopt;
  return IntegerBound{select, compare.getRhs(), isLower};
}

/// The last of the operations from `op` on that bound the bytes further; takes
/// their bounds.
static Operation *takeBoundsBehind(Operation *op, RoundedValue &rounded) {
  while (auto next = IntegerBound::match(op->getResult(0))) {
    DenseIntElementsAttr bound;
    if (!matchPattern(next->bound, m_Constant(&bound)) || !bound.isSplat())
      break;
    double number = bound.getSplatValue<APInt>().getSExtValue();
    if (next->isLower)
      rounded.low = std::min(std::max(rounded.low, number), rounded.high);
    else
      rounded.high = std::max(std::min(rounded.high, number), rounded.low);
    op = next->op;
  }
  return op;
}

static void rewrite(Operation *op, const RoundedValue &rounded,
                    bool hasAVX512) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto floats = cast<VectorType>(rounded.value.getType());
  auto integers = floats.clone(b.getI32Type());
  auto splat = [&](TypedAttr number, VectorType type) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, Attribute(number)));
  };
  auto splatFloat = [&](double number) {
    return splat(b.getF32FloatAttr(static_cast<float>(number)), floats);
  };
  bool isUnsigned = rounded.low >= 0;
  double zeroPoint = rounded.zeroPoint, lowest = isUnsigned ? 0 : -128;
  Value value = rounded.value;
  // A zero point that is added to the lowest integer could wrap. Of NaN the
  // comparison makes the bound.
  bool makesZero = rounded.replacesNaN && rounded.low == 0;
  bool isWide = hasAVX512 && getSize(value) >= kWideLanes;
  // AVX-512 saturates to bytes without a sign from integers without one.
  if (rounded.low != lowest || zeroPoint != 0 || makesZero ||
      (isWide && isUnsigned)) {
    Value bound = splatFloat(rounded.low - zeroPoint);
    Value isWithin =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, value, bound);
    value = arith::SelectOp::create(b, isWithin, value, bound);
  }
  Value bound = splatFloat(rounded.high - zeroPoint);
  Value isWithin =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, value, bound);
  value = arith::SelectOp::create(b, isWithin, value, bound);
  // With a zero point, what is 0 for NaN comes after it.
  bool makesZeroHere = rounded.replacesNaN && !makesZero && zeroPoint == 0;
  Value isNumber;
  if (makesZeroHere)
    isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD,
                                     rounded.value, rounded.value);
  value = convertRounded(b, value, hasAVX512, isNumber);
  if (zeroPoint != 0)
    value = arith::AddIOp::create(
        b, value,
        splat(b.getI32IntegerAttr(static_cast<int32_t>(zeroPoint)), integers));
  if (rounded.replacesNaN && !makesZero && !makesZeroHere) {
    Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO,
                                        rounded.value, rounded.value);
    value = arith::SelectOp::create(
        b, isNaN, splat(b.getI32IntegerAttr(0), integers), value);
  }
  Value result;
  if (!isWide)
    result = saturateToBytes(b, value, isUnsigned);
  else if (isUnsigned)
    result = arith::TruncIOp::create(
        b, VectorType::get(getSize(value), b.getI8Type()), value);
  else
    result = saturateToBytesWide(b, value);
  op->replaceAllUsesWith(ValueRange{result});
}

void mlir::relay::detail::roundToBytes(Operation *root, bool hasAVX512) {
  int64_t maxLanes = 4 * (hasAVX512 ? kWideLanes : kLanes);
  SmallVector<arith::TruncIOp> candidates;
  root->walk([&](arith::TruncIOp op) { candidates.push_back(op); });
  for (arith::TruncIOp op : candidates) {
    auto type = dyn_cast<VectorType>(op.getType());
    auto convert = op.getIn().getDefiningOp<arith::FPToSIOp>();
    if (!convert || !type || type.getRank() != 1 || type.isScalable() ||
        !llvm::isPowerOf2_64(type.getDimSize(0)) ||
        type.getDimSize(0) < kLanes || type.getDimSize(0) > maxLanes ||
        !type.getElementType().isInteger(8) ||
        !getElementTypeOrSelf(convert.getIn().getType()).isF32())
      continue;
    std::optional<RoundedValue> rounded = RoundedValue::match(convert.getIn());
    if (!rounded || rounded->low > rounded->high)
      continue;
    bool isByte = (rounded->low >= -128 && rounded->high <= 127) ||
                  (rounded->low >= 0 && rounded->high <= 255);
    if (!isByte)
      continue;
    // Bytes of more than 127 are negative there. What is replaced has no users,
    // and goes with them.
    Operation *last = rounded->high <= 127 ? takeBoundsBehind(op, *rounded)
                                           : op.getOperation();
    // The 0 of NaN is within the bounds, too.
    if (!rounded->replacesNaN || (rounded->low <= 0 && rounded->high >= 0))
      rewrite(last, *rounded, hasAVX512);
  }
}
