//===- EmitValues.cpp - Values on one lane or several ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the emitter for values: each value of the kernel is either the
// same on all lanes, or an index that grows by a constant from lane to lane, or
// a vector (`Lowered` in KernelEmitter.h). A value stays in the first two forms
// for as long as it can, so that a load of consecutive elements is known as
// such, and scalar work is not done on each lane.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Looking up and evaluating
//===----------------------------------------------------------------------===//

Lowered KernelEmitter::lookup(Value value) const {
  auto it = values.find(value);
  assert(it != values.end() && "used before it is emitted");
  return it->second;
}

SmallVector<Lowered> KernelEmitter::lookupAll(ValueRange range) const {
  return llvm::map_to_vector(range, [&](Value value) { return lookup(value); });
}

FailureOr<Lowered> KernelEmitter::evaluate(Value value, Operation *scope) {
  DenseSet<Value> evaluated;
  return evaluate(value, scope, evaluated);
}

FailureOr<Lowered> KernelEmitter::evaluate(Value value, Operation *scope,
                                           DenseSet<Value> &evaluated) {
  if (evaluated.contains(value))
    return lookup(value);
  if (!scope->isProperAncestor(value.getParentBlock()->getParentOp()) &&
      scope != value.getParentBlock()->getParentOp())
    return lookup(value);
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto block = dyn_cast<tir::BlockOp>(arg.getOwner()->getParentOp());
    return block ? evaluate(block.getBindings()[arg.getArgNumber()], scope,
                            evaluated)
                 : FailureOr(lookup(value));
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands()) {
    FailureOr<Lowered> lowered = evaluate(operand, scope, evaluated);
    if (failed(lowered))
      return failure();
    map(operand, *lowered);
  }
  if (failed(emitOp(op)))
    return failure();
  evaluated.insert(value);
  return lookup(value);
}

//===----------------------------------------------------------------------===//
// Constants and vectors
//===----------------------------------------------------------------------===//

Value KernelEmitter::getConstantIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value KernelEmitter::getSteps(Type elementType, int64_t stride) {
  VectorType type = getVectorType(elementType);
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    steps.push_back(builder.getIntegerAttr(elementType, lane * stride));
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, steps));
}

Value KernelEmitter::toVector(Lowered lowered) {
  if (lowered.kind == Lowered::Varying)
    return lowered.value;
  Value vector = vector::BroadcastOp::create(
      builder, loc, getVectorType(lowered.value.getType()), lowered.value);
  if (lowered.kind == Lowered::Linear)
    vector = arith::AddIOp::create(
        builder, loc, vector,
        getSteps(lowered.value.getType(), lowered.stride));
  return vector;
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

static const Lowered &getOperand(AffineExpr expr, unsigned numDims,
                                 ArrayRef<Lowered> operands) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  return operands[numDims + cast<AffineSymbolExpr>(expr).getPosition()];
}

/// A divisor of `value` that is not negative: its magnitude, where there is
/// one.
static int64_t getMagnitude(int64_t value) {
  return value == INT64_MIN ? int64_t(1) << 62 : std::abs(value);
}

int64_t KernelEmitter::getDivisor(Value value) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getMagnitude(*constant);
  if (auto it = divisors.find(value); it != divisors.end())
    return it->second;
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>()) {
    SmallVector<Lowered> operands =
        llvm::map_to_vector(apply.getMapOperands(), Lowered::uniform);
    return getDivisor(apply.getAffineMap().getResult(0),
                      apply.getAffineMap().getNumDims(), operands);
  }
  return 1;
}

/// A divisor of the value in lane 0; 0 if the value is 0.
int64_t KernelEmitter::getDivisor(AffineExpr expr, unsigned numDims,
                                  ArrayRef<Lowered> operands) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getMagnitude(constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    const Lowered &operand = getOperand(expr, numDims, operands);
    return operand.kind == Lowered::Varying ? 1 : getDivisor(operand.value);
  }
  int64_t lhs = getDivisor(binary.getLHS(), numDims, operands);
  int64_t rhs = getDivisor(binary.getRHS(), numDims, operands);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod:
    return std::gcd(lhs, rhs);
  case AffineExprKind::Mul: {
    int64_t product;
    // Each factor divides the product, too.
    return llvm::MulOverflow(lhs, rhs, product) ? std::max(lhs, rhs) : product;
  }
  default:
    if (isa<AffineConstantExpr>(binary.getRHS()) && rhs != 0 && lhs % rhs == 0)
      return lhs / rhs;
    return 1;
  }
}

/// How much the expression grows from lane to lane, if that is constant.
std::optional<int64_t>
KernelEmitter::getStride(AffineExpr expr, unsigned numDims,
                         ArrayRef<Lowered> operands) const {
  if (isa<AffineConstantExpr>(expr))
    return 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    const Lowered &operand = getOperand(expr, numDims, operands);
    if (operand.kind == Lowered::Varying)
      return std::nullopt;
    return operand.stride;
  }
  std::optional<int64_t> lhs = getStride(binary.getLHS(), numDims, operands);
  std::optional<int64_t> rhs = getStride(binary.getRHS(), numDims, operands);
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t stride, reach;
  if (expr.getKind() == AffineExprKind::Add)
    return llvm::AddOverflow(*lhs, *rhs, stride) ? std::nullopt
                                                 : std::optional(stride);
  if (*lhs == 0 && *rhs == 0)
    return 0;
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return std::nullopt;
  int64_t value = constant.getValue();
  if (expr.getKind() == AffineExprKind::Mul)
    return llvm::MulOverflow(*lhs, value, stride) ? std::nullopt
                                                  : std::optional(stride);
  // All lanes lie between two multiples of the divisor if lane 0 starts at a
  // multiple of something that divides it and that the lanes do not reach.
  int64_t start =
      std::gcd(getDivisor(binary.getLHS(), numDims, operands), value);
  if (*lhs < 0 || llvm::MulOverflow(*lhs, lanes.count - 1, reach) ||
      reach >= start)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return 0;
  if (expr.getKind() == AffineExprKind::Mod)
    return *lhs;
  return std::nullopt;
}

Lowered KernelEmitter::evaluate(AffineExpr expr, unsigned numDims,
                                ArrayRef<Lowered> operands) {
  std::optional<int64_t> stride = getStride(expr, numDims, operands);
  if (!stride)
    return Lowered::varying(evaluateOnLanes(expr, numDims, operands));
  return Lowered::linear(evaluateFirstLane(expr, numDims, operands), *stride);
}

Value KernelEmitter::evaluateFirstLane(AffineExpr expr, unsigned numDims,
                                       ArrayRef<Lowered> operands) {
  SmallVector<OpFoldResult> scalars;
  for (const Lowered &operand : operands) {
    // A vector that the expression does not use.
    if (operand.kind == Lowered::Varying)
      scalars.push_back(builder.getIndexAttr(0));
    else
      scalars.push_back(getAsOpFoldResult(operand.value));
  }
  // What MLIR composes it also simplifies, and it makes other numbers of some
  // semi-affine expressions (Access.cpp).
  if (!expr.isPureAffine()) {
    SmallVector<Value> values;
    for (OpFoldResult scalar : scalars)
      values.push_back(getValueOrCreateConstantIndexOp(builder, loc, scalar));
    return affine::expandAffineExpr(builder, loc, expr,
                                    ArrayRef(values).take_front(numDims),
                                    ArrayRef(values).drop_front(numDims));
  }
  OpFoldResult folded = affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(numDims, operands.size() - numDims, expr),
      scalars);
  return getValueOrCreateConstantIndexOp(builder, loc, folded);
}

Value KernelEmitter::evaluateOnLanes(AffineExpr expr, unsigned numDims,
                                     ArrayRef<Lowered> operands) {
  // Parts that are linear are cheaper to compute that way.
  if (getStride(expr, numDims, operands))
    return toVector(evaluate(expr, numDims, operands));
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return toVector(getOperand(expr, numDims, operands));
  Value lhs = evaluateOnLanes(binary.getLHS(), numDims, operands);
  Value rhs = evaluateOnLanes(binary.getRHS(), numDims, operands);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mod: {
    Value quotient = arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    Value product = arith::MulIOp::create(builder, loc, quotient, rhs);
    return arith::SubIOp::create(builder, loc, lhs, product);
  }
  default:
    llvm_unreachable("leaves are handled above");
  }
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// `index`, or the nearest number that is not beyond `limit` or -`limit`.
Value KernelEmitter::clampIndex(Value index, int64_t limit) {
  index = arith::MaxSIOp::create(builder, loc, index, getConstantIndex(-limit));
  return arith::MinSIOp::create(builder, loc, index, getConstantIndex(limit));
}

Lowered KernelEmitter::compareWithZero(Lowered index, bool isEquality) {
  auto predicate =
      isEquality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
  auto compare = [&](Value lhs) -> Value {
    Value zero = arith::ConstantOp::create(builder, loc,
                                           builder.getZeroAttr(lhs.getType()));
    return arith::CmpIOp::create(builder, loc, predicate, lhs, zero);
  };
  if (index.kind == Lowered::Uniform)
    return Lowered::uniform(compare(index.value));
  if (index.kind == Lowered::Varying)
    return Lowered::varying(compare(index.value));
  // Compared in 32 bits: clamped far beyond what the lanes reach.
  constexpr int64_t kFar = 1 << 30;
  if (std::abs(index.stride) * lanes.count >= kFar)
    return Lowered::varying(compare(toVector(index)));
  Value base = clampIndex(index.value, kFar);
  Type i32 = builder.getI32Type();
  base = arith::IndexCastOp::create(builder, loc, i32, base);
  Value vector =
      vector::BroadcastOp::create(builder, loc, getVectorType(i32), base);
  vector =
      arith::AddIOp::create(builder, loc, vector, getSteps(i32, index.stride));
  return Lowered::varying(compare(vector));
}

Lowered KernelEmitter::conjoin(Lowered a, Lowered b) {
  if (a.isUniform() && b.isUniform())
    return Lowered::uniform(
        arith::AndIOp::create(builder, loc, a.value, b.value));
  return Lowered::varying(
      arith::AndIOp::create(builder, loc, toVector(a), toVector(b)));
}

Lowered KernelEmitter::evaluate(IntegerSet set, ArrayRef<Lowered> operands) {
  Lowered result =
      Lowered::uniform(arith::ConstantIntOp::create(builder, loc, 1, 1));
  for (auto [expr, isEquality] :
       llvm::zip(set.getConstraints(), set.getEqFlags()))
    result = conjoin(result,
                     compareWithZero(evaluate(expr, set.getNumDims(), operands),
                                     isEquality));
  return result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Index arithmetic that keeps linear values linear.
bool KernelEmitter::tryEmitIndexArithmetic(Operation *op) {
  MLIRContext *context = op->getContext();
  AffineExpr d0, d1;
  bindDims(context, d0, d1);
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIndex()) {
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (!compare || !compare.getLhs().getType().isIndex())
      return false;
    SmallVector<Lowered> operands = lookupAll(op->getOperands());
    AffineExpr difference;
    bool isEquality = false;
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::eq:
      isEquality = true;
      [[fallthrough]];
    case arith::CmpIPredicate::sge:
      difference = d0 - d1;
      break;
    case arith::CmpIPredicate::sgt:
      difference = d0 - d1 - 1;
      break;
    case arith::CmpIPredicate::sle:
      difference = d1 - d0;
      break;
    case arith::CmpIPredicate::slt:
      difference = d1 - d0 - 1;
      break;
    default:
      return false;
    }
    if (!getStride(difference, 2, operands))
      return false;
    // The difference of numbers from data may wrap.
    if (!isEquality)
      for (Lowered &operand : operands)
        if (operand.kind != Lowered::Varying &&
            !getConstantIntValue(operand.value))
          operand.value = clampIndex(operand.value, int64_t(1) << 61);
    map(op->getResult(0),
        compareWithZero(evaluate(difference, 2, operands), isEquality));
    return true;
  }
  AffineExpr expr;
  if (isa<arith::AddIOp>(op))
    expr = d0 + d1;
  else if (isa<arith::SubIOp>(op))
    expr = d0 - d1;
  else if (isa<arith::MulIOp>(op))
    expr = d0 * d1;
  else
    return false;
  SmallVector<Lowered> operands = lookupAll(op->getOperands());
  if (isa<arith::MulIOp>(op)) {
    // Affine products have a constant factor.
    for (unsigned factor : {1u, 0u}) {
      std::optional<int64_t> constant =
          getConstantIntValue(operands[factor].value);
      if (operands[factor].isUniform() && constant)
        expr = (factor ? d0 : d1) * *constant;
    }
    if (!expr.isPureAffine())
      return false;
  }
  if (!getStride(expr, 2, operands))
    return false;
  map(op->getResult(0), evaluate(expr, 2, operands));
  return true;
}

LogicalResult KernelEmitter::emitElementwise(Operation *op) {
  // Done by the store.
  if (plan.getReduction(op))
    return success();
  bool isUniform = llvm::all_of(op->getOperands(), [&](Value operand) {
    return lookup(operand).isUniform();
  });
  if (isUniform)
    return emitClone(op);
  if (tryEmitIndexArithmetic(op))
    return success();
  // Between integers of the same width, signs are the operation's business.
  if (isa<UnrealizedConversionCastOp>(op))
    return emitClone(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(toVector(lookup(operand)));
  // Inactive lanes hold anything: they must not trap.
  if (lanes.mask &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    Type type = operands[1].getType();
    Value one =
        arith::ConstantOp::create(builder, loc, builder.getOneAttr(type));
    operands[1] =
        arith::SelectOp::create(builder, loc, lanes.mask, operands[1], one);
  }
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(getVectorType(convertType(type)));
  OperationState state(loc, op->getName(), operands, types, op->getAttrs());
  Operation *result = builder.create(state);
  for (auto [from, to] : llvm::zip(op->getResults(), result->getResults()))
    map(from, Lowered::varying(to));
  return success();
}

LogicalResult KernelEmitter::emitClone(Operation *op) {
  if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op);
      cast && cast.getNumOperands() == 1 && cast.getNumResults() == 1 &&
      convertType(cast.getOperand(0).getType()) ==
          convertType(cast.getResult(0).getType())) {
    map(cast.getResult(0), lookup(cast.getOperand(0)));
    return success();
  }
  if (op->getNumSuccessors() != 0)
    return op->emitOpError("expects no branches in a kernel");
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  for (Value operand : op->getOperands())
    state.addOperands(lookup(operand).value);
  for (Type type : op->getResultTypes())
    state.addTypes(convertType(type));
  for (size_t i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  // What is made in a region may ask for the operations around it.
  Operation *clone = builder.create(state);
  for (auto [region, newRegion] :
       llvm::zip_equal(op->getRegions(), clone->getRegions())) {
    for (Block &block : region) {
      OpBuilder::InsertionGuard guard(builder);
      Block *newBlock = builder.createBlock(&newRegion);
      for (BlockArgument arg : block.getArguments())
        map(arg, Lowered::uniform(newBlock->addArgument(
                     convertType(arg.getType()), arg.getLoc())));
      if (failed(emitBody(block)))
        return failure();
    }
  }
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    map(from, Lowered::uniform(to));
  return success();
}

LogicalResult KernelEmitter::emitConditional(Operation *op, Lowered condition,
                                             Region &thenRegion,
                                             Region &elseRegion) {
  // The values that a branch yields, once it is emitted.
  auto emitBranch = [&](Region &region,
                        SmallVectorImpl<Lowered> &yielded) -> LogicalResult {
    if (region.empty())
      return success();
    for (Operation &inner : region.front().without_terminator()) {
      loc = inner.getLoc();
      if (failed(emitOp(&inner)))
        return failure();
    }
    yielded = lookupAll(region.front().getTerminator()->getOperands());
    return success();
  };
  SmallVector<Lowered> thenValues, elseValues;

  if (condition.kind == Lowered::Varying) {
    llvm::SaveAndRestore saved(lanes);
    Value outer = lanes.mask, mask = condition.value;
    auto restrict = [&](Value restricted) {
      lanes.mask = outer
                       ? arith::AndIOp::create(builder, loc, outer, restricted)
                             .getResult()
                       : restricted;
    };
    lanes.mayBeEmpty = true;
    restrict(mask);
    if (failed(emitBranch(thenRegion, thenValues)))
      return failure();
    if (!elseRegion.empty()) {
      Value all = arith::ConstantOp::create(builder, loc,
                                            builder.getOneAttr(mask.getType()));
      restrict(arith::XOrIOp::create(builder, loc, mask, all));
      if (failed(emitBranch(elseRegion, elseValues)))
        return failure();
    }
    for (auto [result, a, b] :
         llvm::zip(op->getResults(), thenValues, elseValues))
      map(result, Lowered::varying(arith::SelectOp::create(
                      builder, loc, mask, toVector(a), toVector(b))));
    return success();
  }

  if (std::optional<int64_t> constant = getConstantIntValue(condition.value)) {
    if (failed(emitBranch(*constant ? thenRegion : elseRegion, thenValues)))
      return failure();
    for (auto [result, value] : llvm::zip(op->getResults(), thenValues))
      map(result, value);
    return success();
  }

  // What kind of value a branch yields is known once it is emitted.
  Region newThen, newElse;
  auto emitInto = [&](Region &from, Region &to,
                      SmallVectorImpl<Lowered> &yielded) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&to);
    return emitBranch(from, yielded);
  };
  if (failed(emitInto(thenRegion, newThen, thenValues)))
    return failure();
  if (!elseRegion.empty() && failed(emitInto(elseRegion, newElse, elseValues)))
    return failure();
  SmallVector<bool> isVector;
  SmallVector<Type> types;
  for (auto [a, b] : llvm::zip(thenValues, elseValues)) {
    isVector.push_back(!a.isUniform() || !b.isUniform());
    Type type = a.isUniform() || a.kind == Lowered::Linear
                    ? a.value.getType()
                    : cast<VectorType>(a.value.getType()).getElementType();
    types.push_back(isVector.back() ? Type(getVectorType(type)) : type);
  }
  auto emitYield = [&](Region &region, ArrayRef<Lowered> yielded) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&region.front());
    SmallVector<Value> operands;
    for (auto [value, asVector] : llvm::zip(yielded, isVector))
      operands.push_back(asVector ? toVector(value) : value.value);
    scf::YieldOp::create(builder, loc, operands);
  };
  emitYield(newThen, thenValues);
  if (!newElse.empty())
    emitYield(newElse, elseValues);
  auto ifOp = scf::IfOp::create(builder, loc, types, condition.value);
  ifOp.getThenRegion().takeBody(newThen);
  ifOp.getElseRegion().takeBody(newElse);
  for (auto [result, value, asVector] :
       llvm::zip(op->getResults(), ifOp.getResults(), isVector))
    map(result, asVector ? Lowered::varying(value) : Lowered::uniform(value));
  return success();
}
