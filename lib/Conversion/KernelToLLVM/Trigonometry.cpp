//===- Trigonometry.cpp - Angles as short vector code ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay::detail;

using Predicate = FloatMath::Predicate;

//===----------------------------------------------------------------------===//
// sin, cos, tan
//===----------------------------------------------------------------------===//

/// Up to here, an angle less its multiple of pi / 2 is right in double
/// precision, with or without fused operations.
static constexpr double kMaxAngle = 1 << 20;

namespace {
/// x = r + quadrant * pi / 2 with |r| <= pi / 4.
struct Angle {
  Value sine, cosine, quadrant;
};
} // namespace

static Type cloneWith(Type type, Type elementType) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(elementType);
  return elementType;
}

static Angle reduceAngle(FloatMath &math, Value x) {
  ImplicitLocOpBuilder &b = math.getBuilder();
  Type wideType = cloneWith(math.getType(), b.getF64Type());
  FloatMath wide(b, wideType);
  Value wideX = arith::ExtFOp::create(b, wideType, x);
  // Adding 1.5 * 2^52 rounds to an integer, which then is in the low bits.
  constexpr double kMagic = 6755399441055744.0;
  // The first part of pi / 2 has so few bits that its product with n is exact.
  constexpr double kHalfPi = 1.57079632673412561417;
  constexpr double kRest = 6.07710050650619224932e-11;
  Value shifted =
      wide.fma(wideX, wide.real(2 / llvm::numbers::pi), wide.real(kMagic));
  Value n = wide.sub(shifted, wide.real(kMagic));
  Value wideR = wide.fma(n, wide.real(-kHalfPi), wideX);
  wideR = wide.fma(n, wide.real(-kRest), wideR);
  Value r = arith::TruncFOp::create(b, math.getType(), wideR);
  Type intType = cloneWith(math.getType(), b.getI32Type());
  Value quadrant = arith::TruncIOp::create(b, intType, wide.bits(shifted));

  Value square = math.mul(r, r);
  // Minimax, relative errors 6e-12 and 2e-10.
  Value p = math.polynomial(
      square, {2.71736653e-06, -0.000198392326, 0.00833332906, -0.166666666});
  Value sine = math.fma(math.mul(square, r), p, r);
  Value q =
      math.polynomial(square, {2.44256789e-05, -0.00138872515, 0.0416666444});
  Value cosine = math.fma(math.mul(square, square), q,
                          math.fma(square, math.real(-0.5), math.real(1.0)));
  return {sine, cosine, quadrant};
}

/// Whether bit `bit` of the quadrant is set.
static Value hasBit(FloatMath &math, Value quadrant, int64_t bit) {
  ImplicitLocOpBuilder &b = math.getBuilder();
  Value masked = math.andBits(quadrant, math.integer(bit));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                               math.integer(0));
}

/// sin of the angle `quarters` quarter turns on.
static Value emitSine(FloatMath &math, const Angle &angle, int64_t quarters) {
  Value quadrant = angle.quadrant;
  if (quarters != 0)
    quadrant = math.addBits(quadrant, math.integer(quarters));
  Value value =
      math.select(hasBit(math, quadrant, 1), angle.cosine, angle.sine);
  // The second bit of the quadrant turns the sign.
  Value sign = math.shiftLeft(math.andBits(quadrant, math.integer(2)), 30);
  return math.fromBits(math.xorBits(math.bits(value), sign));
}

Value mlir::relay::detail::orByElements(
    FloatMath &math, Value isHard, Value result, ValueRange operands,
    llvm::function_ref<Value(ValueRange)> emit) {
  ImplicitLocOpBuilder &b = math.getBuilder();
  auto type = cast<VectorType>(math.getType());
  Value any = vector::ReductionOp::create(b, vector::CombiningKind::OR, isHard);
  auto branch = scf::IfOp::create(b, TypeRange(type), any,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, result);
  b.setInsertionPointToEnd(branch.thenBlock());
  auto lanes = scf::ForOp::create(
      b, arith::ConstantIndexOp::create(b, 0),
      arith::ConstantIndexOp::create(b, type.getNumElements()),
      arith::ConstantIndexOp::create(b, 1), result);
  scf::YieldOp::create(b, lanes.getResults());
  b.setInsertionPointToEnd(lanes.getBody());
  Value lane = lanes.getInductionVar();
  SmallVector<Value> elements =
      llvm::map_to_vector(operands, [&](Value operand) -> Value {
        return vector::ExtractOp::create(b, operand, lane);
      });
  Value updated = vector::InsertOp::create(b, emit(elements),
                                           lanes.getRegionIterArg(0), lane);
  scf::YieldOp::create(b, updated);
  return branch.getResult(0);
}

/// The lanes of enormous angles are left to libm: a path that hardly any
/// program takes.
template <typename OpT>
static Value orByElements(FloatMath &math, OpT op, Value result) {
  ImplicitLocOpBuilder &b = math.getBuilder();
  Value size = math.abs(op.getOperand());
  Value isFinite = math.compare(Predicate::OLT, size, math.infinity());
  Value isLarge = arith::AndIOp::create(
      b, math.compare(Predicate::OGT, size, math.real(kMaxAngle)), isFinite);
  return orByElements(
      math, isLarge, result, op.getOperand(),
      [&](ValueRange args) -> Value { return OpT::create(b, args.front()); });
}

static Value expandSin(FloatMath &math, math::SinOp op) {
  if (!isPlainVector(op.getType()))
    return {};
  Value sine = emitSine(math, reduceAngle(math, op.getOperand()), 0);
  // Of -0 as well.
  sine =
      math.select(math.compare(Predicate::OEQ, op.getOperand(), math.real(0.0)),
                  op.getOperand(), sine);
  return orByElements(math, op, sine);
}

static Value expandCos(FloatMath &math, math::CosOp op) {
  if (!isPlainVector(op.getType()))
    return {};
  return orByElements(math, op,
                      emitSine(math, reduceAngle(math, op.getOperand()), 1));
}

static Value expandTan(FloatMath &math, math::TanOp op) {
  if (!isPlainVector(op.getType()))
    return {};
  Angle angle = reduceAngle(math, op.getOperand());
  // In odd quadrants it is -cos / sin.
  Value isOdd = hasBit(math, angle.quadrant, 1);
  Value above = math.select(isOdd, angle.cosine, angle.sine);
  Value below = math.select(isOdd, angle.sine, angle.cosine);
  Value sign =
      math.shiftLeft(math.andBits(angle.quadrant, math.integer(1)), 31);
  Value ratio = math.div(above, below);
  Value tangent = math.fromBits(math.xorBits(math.bits(ratio), sign));
  tangent =
      math.select(math.compare(Predicate::OEQ, op.getOperand(), math.real(0.0)),
                  op.getOperand(), tangent);
  return orByElements(math, op, tangent);
}

//===----------------------------------------------------------------------===//
// Their inverses
//===----------------------------------------------------------------------===//

static Value expandAtan(FloatMath &math, math::AtanOp op) {
  Value size = math.abs(op.getOperand());
  Value isLarge = math.compare(Predicate::OGT, size, math.real(1.0));
  Value x = math.select(isLarge, math.div(math.real(1.0), size), size);
  Value square = math.mul(x, x);
  // Minimax, relative error 3e-9.
  Value p =
      math.polynomial(square, {-0.00179358907, 0.0109144607, -0.0311775776,
                               0.0579573265, -0.0840343487, 0.109521805,
                               -0.142642407, 0.199985482, -0.333332991});
  Value angle = math.fma(math.mul(square, x), p, x);
  Value rest = math.sub(math.real(llvm::numbers::pi / 2), angle);
  return math.copySign(math.select(isLarge, rest, angle), op.getOperand());
}

namespace {
/// asin of min(|x|, sqrt((1 - |x|) / 2)): itself, or half of the rest to pi/2.
struct ArcSine {
  Value isLarge, angle;
};
} // namespace

static ArcSine emitArcSine(FloatMath &math, Value x) {
  Value size = math.abs(x);
  Value isLarge = math.compare(Predicate::OGT, size, math.real(0.5));
  Value half = math.fma(size, math.real(-0.5), math.real(0.5));
  Value square = math.select(isLarge, half, math.mul(size, size));
  Value root = math.select(isLarge, math.sqrt(half), size);
  // Minimax, relative error 3e-10.
  Value p = math.polynomial(square, {0.0375164968, 0.0144385732, 0.0318077263,
                                     0.0445169543, 0.0750050419, 0.1666666});
  return {isLarge, math.fma(math.mul(square, root), p, root)};
}

static Value expandAsin(FloatMath &math, math::AsinOp op) {
  ArcSine arc = emitArcSine(math, op.getOperand());
  Value rest =
      math.fma(arc.angle, math.real(-2.0), math.real(llvm::numbers::pi / 2));
  return math.copySign(math.select(arc.isLarge, rest, arc.angle),
                       op.getOperand());
}

static Value expandAcos(FloatMath &math, math::AcosOp op) {
  ArcSine arc = emitArcSine(math, op.getOperand());
  // pi / 2 in two parts: the angle may be close to it.
  constexpr double kHigh = 1.57079637050628662109375;
  constexpr double kLow = -4.37113900018624283e-8;
  Value twice = math.mul(arc.angle, math.real(2.0));
  Value opposite =
      math.add(math.sub(math.real(2 * kHigh), twice), math.real(2 * kLow));
  Value isNegative =
      math.compare(Predicate::OLT, op.getOperand(), math.real(0.0));
  Value large = math.select(isNegative, opposite, twice);
  Value angle = math.copySign(arc.angle, op.getOperand());
  Value small = math.sub(math.real(kHigh), math.sub(angle, math.real(kLow)));
  return math.select(arc.isLarge, large, small);
}

void mlir::relay::detail::populateTrigonometryPatterns(
    RewritePatternSet &patterns) {
  patterns.add<ExpandFloatOp<math::SinOp, expandSin>,
               ExpandFloatOp<math::CosOp, expandCos>,
               ExpandFloatOp<math::TanOp, expandTan>,
               ExpandFloatOp<math::AtanOp, expandAtan>,
               ExpandFloatOp<math::AsinOp, expandAsin>,
               ExpandFloatOp<math::AcosOp, expandAcos>>(patterns.getContext());
}
