//===- RoundToBytes.cpp - Floats to bytes, rounded ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// trunc(fptosi(clip(roundeven(x) + zero point))): bounds of a clip that are
// whole numbers may come before rounding, the zero point after it, and the
// conversion of AVX2 rounds to even. What is beyond 32 bits it makes the lowest
// integer, which is on the right side of the lower bound, but not of the upper
// one. Saturation takes the place of bounds that are those of the bytes.
//
//===----------------------------------------------------------------------===//

#include "RoundToBytes.h"

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

/// Numbers in one register.
static constexpr int64_t kLanes = 8;

static std::optional<double> getNumber(Value value) {
  APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return number.convertToDouble();
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
    bool isNaN =
        predicate == CmpFPredicate::UNO || predicate == CmpFPredicate::UNE;
    bool isNumber =
        predicate == CmpFPredicate::ORD || predicate == CmpFPredicate::OEQ;
    if ((!isNaN && !isNumber) || getNumber(isNaN ? yes : no) != 0.0)
      return std::nullopt;
    replacesNaN = true;
    compared.push_back(left);
    return isNaN ? no : yes;
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

static Value callIntrinsic(ImplicitLocOpBuilder &b, StringRef name, Type type,
                           ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands)
      .getResult(0);
}

static Value slice(ImplicitLocOpBuilder &b, Value vector, int64_t first,
                   int64_t size) {
  return vector::ExtractStridedSliceOp::create(
      b, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{size},
      ArrayRef<int64_t>{1});
}

static int64_t getSize(Value vector) {
  return cast<VectorType>(vector.getType()).getDimSize(0);
}

/// Rounds to even, one register after the other.
static Value convertToIntegers(ImplicitLocOpBuilder &b, Value floats) {
  int64_t size = getSize(floats);
  auto convert = [&](Value part) {
    return callIntrinsic(b, "llvm.x86.avx.cvt.ps2dq.256",
                         VectorType::get(kLanes, b.getI32Type()), part);
  };
  if (size == kLanes)
    return convert(floats);
  auto type = VectorType::get(size, b.getI32Type());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t first = 0; first != size; first += kLanes)
    result = vector::InsertStridedSliceOp::create(
        b, convert(slice(b, floats, first, kLanes)), result,
        ArrayRef<int64_t>{first}, ArrayRef<int64_t>{1});
  return result;
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

/// The last of the operations from `op` on that bound the bytes further; takes
/// their bounds.
static Operation *takeBoundsBehind(Operation *op, RoundedValue &rounded) {
  while (op->hasOneUse()) {
    Operation *user = *op->user_begin();
    DenseIntElementsAttr bound;
    if (!isa<arith::MaxSIOp, arith::MinSIOp>(user) ||
        user->getOperand(0) != op->getResult(0) ||
        !matchPattern(user->getOperand(1), m_Constant(&bound)) ||
        !bound.isSplat())
      break;
    double number = bound.getSplatValue<APInt>().getSExtValue();
    if (isa<arith::MaxSIOp>(user))
      rounded.low = std::min(std::max(rounded.low, number), rounded.high);
    else
      rounded.high = std::max(std::min(rounded.high, number), rounded.low);
    op = user;
  }
  return op;
}

static void rewrite(Operation *op, const RoundedValue &rounded) {
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
  if (rounded.low != lowest || zeroPoint != 0 || makesZero) {
    Value bound = splatFloat(rounded.low - zeroPoint);
    Value isWithin =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, value, bound);
    value = arith::SelectOp::create(b, isWithin, value, bound);
  }
  Value bound = splatFloat(rounded.high - zeroPoint);
  Value isWithin =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, value, bound);
  value = arith::SelectOp::create(b, isWithin, value, bound);
  value = convertToIntegers(b, value);
  if (zeroPoint != 0)
    value = arith::AddIOp::create(
        b, value,
        splat(b.getI32IntegerAttr(static_cast<int32_t>(zeroPoint)), integers));
  if (rounded.replacesNaN && !makesZero) {
    Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO,
                                        rounded.value, rounded.value);
    value = arith::SelectOp::create(
        b, isNaN, splat(b.getI32IntegerAttr(0), integers), value);
  }
  Value result = saturateToBytes(b, value, isUnsigned);
  op->replaceAllUsesWith(ValueRange{result});
}

void mlir::relay::detail::roundToBytes(Operation *root, int64_t maxLanes) {
  SmallVector<arith::TruncIOp> candidates;
  root->walk([&](arith::TruncIOp op) { candidates.push_back(op); });
  for (arith::TruncIOp op : candidates) {
    auto type = dyn_cast<VectorType>(op.getType());
    auto convert = op.getIn().getDefiningOp<arith::FPToSIOp>();
    if (!convert || !type || type.getRank() != 1 || type.isScalable() ||
        !llvm::is_contained({kLanes, 2 * kLanes, 4 * kLanes},
                            type.getDimSize(0)) ||
        type.getDimSize(0) > maxLanes || !type.getElementType().isInteger(8) ||
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
      rewrite(last, *rounded);
  }
}
