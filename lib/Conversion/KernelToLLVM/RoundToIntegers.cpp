//===- RoundToIntegers.cpp - Floats to i32, rounded -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float of 2^31 or more is selected away before its conversion, and the
// largest integer for it after. The conversion that rounds makes the lowest
// integer of what is beyond the integers on either side, so that only the upper
// one is left to be mended, and NaN.
//
//===----------------------------------------------------------------------===//

#include "RoundToIntegers.h"
#include "RoundToBytes.h"
#include "X86Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay::detail;

/// The value that `select` has where it is no more than, or no less than, a
/// bound: `select(compare(value, bound), otherwise, value)`.
static Value takeBound(Value value, arith::CmpFPredicate predicate,
                       double bound, double otherwise) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getPredicate() != predicate ||
      compare.getLhs() != select.getFalseValue() ||
      getNumber(compare.getRhs()) != bound ||
      getNumber(select.getTrueValue()) != otherwise)
    return {};
  return compare.getLhs();
}

/// What `value` rounds to even.
static Value takeRounded(Value value) {
  // Which zero it is makes no difference to integers.
  if (auto add = value.getDefiningOp<arith::AddFOp>();
      add && getNumber(add.getRhs()) == 0.0)
    value = add.getLhs();
  auto round = value.getDefiningOp<math::RoundEvenOp>();
  return round ? round.getOperand() : Value();
}

/// Whether a float is a byte times a number that keeps it below 2^31, as the
/// other side of a sum of quantized values.
static bool isSmallMultipleOfByte(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  constexpr double kLargestByte = 255, kBeyond = 2147483648.0;
  std::optional<double> factor =
      product ? getNumber(product.getRhs()) : std::nullopt;
  if (!factor || !(std::abs(*factor) * kLargestByte < kBeyond))
    return false;
  Operation *convert = product.getLhs().getDefiningOp();
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(convert))
    return false;
  Value number = convert->getOperand(0);
  if (Operation *widen = number.getDefiningOp();
      isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(widen))
    number = widen->getOperand(0);
  return getElementTypeOrSelf(number.getType()).isInteger(8);
}

/// The float of which `op` is the nearest integer, if it is that.
static Value match(arith::SelectOp op) {
  constexpr double kBeyond = 2147483648.0;
  auto isHigh = op.getCondition().getDefiningOp<arith::CmpFOp>();
  auto convert = op.getFalseValue().getDefiningOp<arith::FPToSIOp>();
  DenseIntElementsAttr largest;
  if (!isHigh || !convert ||
      isHigh.getPredicate() != arith::CmpFPredicate::OGE ||
      getNumber(isHigh.getRhs()) != kBeyond ||
      !matchPattern(op.getTrueValue(), m_Constant(&largest)) ||
      !largest.isSplat() || !largest.getSplatValue<APInt>().isMaxSignedValue())
    return {};
  std::optional<NaNAsZero> number = NaNAsZero::match(convert.getIn());
  if (!number || number->value != number->compared)
    return {};
  Value value =
      takeBound(number->value, arith::CmpFPredicate::OLT, -kBeyond, -kBeyond);
  if (value)
    value = takeBound(value, arith::CmpFPredicate::OGE, kBeyond, 0);
  if (!value || value != isHigh.getLhs())
    return {};
  return takeRounded(value);
}

void mlir::relay::detail::roundToIntegers(Operation *root, bool hasAVX512) {
  SmallVector<arith::SelectOp> candidates;
  root->walk([&](arith::SelectOp op) { candidates.push_back(op); });
  for (arith::SelectOp op : candidates) {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isInteger(32) || type.getDimSize(0) % kLanes ||
        (hasAVX512 && type.getDimSize(0) > kLanes &&
         type.getDimSize(0) % kWideLanes))
      continue;
    Value value = match(op);
    if (!value || !getElementTypeOrSelf(value.getType()).isF32())
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    if (isSmallMultipleOfByte(value)) {
      op->replaceAllUsesWith(ValueRange{convertRounded(b, value, hasAVX512)});
      continue;
    }
    Value isNumber =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, value, value);
    Value integers = convertRounded(b, value, hasAVX512, isNumber);
    Value bound =
        cast<arith::CmpFOp>(op.getCondition().getDefiningOp()).getRhs();
    Value isHigh =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, value, bound);
    Value result =
        arith::SelectOp::create(b, isHigh, op.getTrueValue(), integers);
    op->replaceAllUsesWith(ValueRange{result});
  }
}
