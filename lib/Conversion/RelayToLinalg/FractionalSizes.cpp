//===- FractionalSizes.cpp - Sizes computed in floats ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters write math.ceil(n / 128) as it is: a conversion to float, a
// division, a ceiling, and a conversion back. Here a float is a fraction of
// integers, whose denominator is a constant. For integers below 2^24, which
// float32 has, the results are the same; above, they are those without
// rounding.
//
//===----------------------------------------------------------------------===//

#include "FractionalSizes.h"

#include "relay-mlir/Support/Fraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numeric>
#include <optional>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// A fraction whose numerator is an i64 of the program.
struct OpenFraction {
  Value numerator;
  int64_t denominator;
};

/// Conversions of floats to integers compare with numbers that are too large
/// for those.
constexpr double kTooLarge = 4e18;

class FractionConverter {
public:
  explicit FractionConverter(func::FuncOp function)
      : function(function), b(function.getLoc(), function.getContext()) {}

  void run();

private:
  std::optional<OpenFraction> get(Value value);
  std::optional<OpenFraction> compute(Operation *op);
  std::optional<OpenFraction> computeBinary(Operation *op);
  std::optional<OpenFraction> round(Operation *op, bool up);
  void convertCompare(arith::CmpFOp op);
  void convertToInteger(arith::FPToSIOp op);

  Value getNumber(int64_t number) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(number));
  }
  Value multiply(Value value, int64_t factor) {
    return factor == 1
               ? value
               : Value(arith::MulIOp::create(b, value, getNumber(factor)));
  }

  func::FuncOp function;
  ImplicitLocOpBuilder b;
  DenseMap<Value, std::optional<OpenFraction>> known;
};

} // namespace

static std::optional<Fraction> getConstant(Value value) {
  FloatAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return Fraction::get(attr.getValueAsDouble());
}

std::optional<OpenFraction> FractionConverter::get(Value value) {
  Operation *op = value.getDefiningOp();
  // Not in loops, and no vectors: what they compute are no sizes.
  if (!op || op->getParentOp() != function || !isa<FloatType>(value.getType()))
    return std::nullopt;
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(op);
  b.setLoc(op->getLoc());
  std::optional<OpenFraction> fraction = compute(op);
  if (fraction && fraction->denominator > Fraction::kMaxNumber)
    fraction.reset();
  known[value] = fraction;
  return fraction;
}

std::optional<OpenFraction> FractionConverter::round(Operation *op, bool up) {
  std::optional<OpenFraction> whole = get(op->getOperand(0));
  if (!whole || whole->denominator == 1)
    return whole;
  Value divisor = getNumber(whole->denominator);
  Value quotient =
      up ? Value(arith::CeilDivSIOp::create(b, whole->numerator, divisor))
         : Value(arith::FloorDivSIOp::create(b, whole->numerator, divisor));
  return OpenFraction{quotient, 1};
}

std::optional<OpenFraction> FractionConverter::computeBinary(Operation *op) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (isa<arith::MulFOp>(op) && getConstant(left))
    std::swap(left, right);
  std::optional<OpenFraction> lhs = get(left);
  std::optional<Fraction> constant = getConstant(right);
  if (lhs && constant && isa<arith::MulFOp, arith::DivFOp>(op)) {
    auto [up, down] = *constant;
    if (isa<arith::DivFOp>(op))
      std::swap(up, down);
    if (down <= 0 || up == 0)
      return std::nullopt;
    int64_t common = std::gcd(up, lhs->denominator);
    return OpenFraction{multiply(lhs->numerator, up / common),
                        lhs->denominator / common * down};
  }
  if (!isa<arith::AddFOp, arith::SubFOp>(op))
    return std::nullopt;
  std::optional<OpenFraction> rhs = get(right);
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t common = std::lcm(lhs->denominator, rhs->denominator);
  Value a = multiply(lhs->numerator, common / lhs->denominator);
  Value c = multiply(rhs->numerator, common / rhs->denominator);
  return OpenFraction{isa<arith::AddFOp>(op)
                          ? Value(arith::AddIOp::create(b, a, c))
                          : Value(arith::SubIOp::create(b, a, c)),
                      common};
}

std::optional<OpenFraction> FractionConverter::compute(Operation *op) {
  using Result = std::optional<OpenFraction>;
  if (std::optional<Fraction> constant = getConstant(op->getResult(0)))
    return OpenFraction{getNumber(constant->numerator), constant->denominator};
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::SIToFPOp>([&](auto convert) -> Result {
        Value integer = convert.getIn();
        unsigned width = integer.getType().getIntOrFloatBitWidth();
        // A condition that holds is -1.
        if (width < 8 || width > 64)
          return std::nullopt;
        if (width < 64)
          integer = arith::ExtSIOp::create(b, b.getI64Type(), integer);
        return OpenFraction{integer, 1};
      })
      .Case<arith::ExtFOp>([&](auto extend) { return get(extend.getIn()); })
      .Case<arith::NegFOp>([&](auto negate) -> Result {
        Result operand = get(negate.getOperand());
        if (operand)
          operand->numerator = multiply(operand->numerator, -1);
        return operand;
      })
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(
          [&](auto) { return computeBinary(op); })
      .Case<math::FloorOp>([&](auto) { return round(op, /*up=*/false); })
      .Case<math::CeilOp>([&](auto) { return round(op, /*up=*/true); })
      .Case<arith::SelectOp>([&](auto select) -> Result {
        return matchPattern(select.getCondition(), m_Zero())
                   ? get(select.getFalseValue())
                   : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Fractions are numbers, and none is too large for an integer.
void FractionConverter::convertCompare(arith::CmpFOp op) {
  using Predicate = arith::CmpFPredicate;
  FloatAttr bound;
  bool hasBound = matchPattern(op.getRhs(), m_Constant(&bound));
  double number = hasBound ? bound.getValueAsDouble() : 0;
  bool never = op.getPredicate() == Predicate::UNO
                   ? hasBound || op.getLhs() == op.getRhs()
               : op.getPredicate() == Predicate::OGE ? number >= kTooLarge
               : op.getPredicate() == Predicate::OLT ? number <= -kTooLarge
                                                     : false;
  if (!never || std::isnan(number) || !get(op.getLhs()))
    return;
  b.setInsertionPoint(op);
  b.setLoc(op.getLoc());
  op.replaceAllUsesWith(
      arith::ConstantOp::create(b, b.getBoolAttr(false)).getResult());
}

void FractionConverter::convertToInteger(arith::FPToSIOp op) {
  std::optional<OpenFraction> fraction = get(op.getIn());
  if (!fraction || op.getType().getIntOrFloatBitWidth() > 64)
    return;
  b.setInsertionPoint(op);
  b.setLoc(op.getLoc());
  Value result = fraction->numerator;
  // Towards zero, as the conversion.
  if (fraction->denominator != 1)
    result =
        arith::DivSIOp::create(b, result, getNumber(fraction->denominator));
  if (!op.getType().isInteger(64))
    result = arith::TruncIOp::create(b, op.getType(), result);
  op.replaceAllUsesWith(result);
}

void FractionConverter::run() {
  SmallVector<Operation *> ops;
  for (Block &block : function.getBody())
    for (Operation &op : block)
      if (isa<arith::CmpFOp, arith::FPToSIOp>(op))
        ops.push_back(&op);
  for (Operation *op : ops) {
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      convertCompare(compare);
    else
      convertToInteger(cast<arith::FPToSIOp>(op));
  }
}

void mlir::relay::detail::convertFractionalSizes(func::FuncOp function) {
  FractionConverter(function).run();
}
