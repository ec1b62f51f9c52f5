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
  value = callIntrinsic(b, "llvm.x86.avx.cvt.ps2dq.256", integers, value);
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
  auto half = [&](int64_t first) -> Value {
    return vector::ExtractStridedSliceOp::create(
        b, value, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{kLanes / 2},
        ArrayRef<int64_t>{1});
  };
  Value low = half(0), high = half(kLanes / 2);
  Value words =
      callIntrinsic(b, "llvm.x86.sse2.packssdw.128",
                    VectorType::get(kLanes, b.getI16Type()), {low, high});
  Value bytes = callIntrinsic(
      b,
      isUnsigned ? "llvm.x86.sse2.packuswb.128" : "llvm.x86.sse2.packsswb.128",
      VectorType::get(2 * kLanes, b.getI8Type()), {words, words});
  Value result = vector::ExtractStridedSliceOp::create(
      b, bytes, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{kLanes},
      ArrayRef<int64_t>{1});
  op->replaceAllUsesWith(ValueRange{result});
}

void mlir::relay::detail::roundToBytes(Operation *root) {
  SmallVector<arith::TruncIOp> candidates;
  root->walk([&](arith::TruncIOp op) { candidates.push_back(op); });
  for (arith::TruncIOp op : candidates) {
    auto type = dyn_cast<VectorType>(op.getType());
    auto convert = op.getIn().getDefiningOp<arith::FPToSIOp>();
    if (!convert || !type || type.getRank() != 1 || type.isScalable() ||
        type.getDimSize(0) != kLanes || !type.getElementType().isInteger(8) ||
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
