//===- SizeExprs.cpp - Sizes as functions of arguments --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeExprs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tir;

SizeExprs::SizeExprs(PrimFuncOp kernel) : context(kernel.getContext()) {
  for (BlockArgument arg :
       kernel.getArguments().drop_back(kernel.getNumWorkspaces())) {
    auto type = cast<MemRefType>(arg.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        symbols[{arg, dim}] = symbols.size();
  }
}

AffineExpr SizeExprs::get(OpFoldResult size) const {
  IndexReader reader;
  return get(size, reader);
}

AffineExpr SizeExprs::get(Value size) const { return get(OpFoldResult(size)); }

AffineExpr SizeExprs::get(OpFoldResult size, IndexReader &reader) const {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return getAffineConstantExpr(*constant, context);
  return reader.read(cast<Value>(size),
                     [&](Value value) { return compute(value, reader); });
}

/// True if `expr` is at least 0 for sizes that are, as far as it shows.
static bool isNonNegative(AffineExpr expr) {
  if (!expr)
    return false;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  // The sign of a remainder is that of the divisor.
  return !binary || ((binary.getKind() == AffineExprKind::Mod ||
                      isNonNegative(binary.getLHS())) &&
                     isNonNegative(binary.getRHS()));
}

/// What a sum is at least for sizes that are not negative, as far as its
/// constants say it.
static std::optional<int64_t> getLeast(AffineExpr expr) {
  if (isNonNegative(expr))
    return 0;
  if (auto constant = dyn_cast_if_present<AffineConstantExpr>(expr))
    return constant.getValue();
  auto sum = dyn_cast_if_present<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  std::optional<int64_t> lhs = getLeast(sum.getLHS());
  std::optional<int64_t> rhs = getLeast(sum.getRHS());
  return lhs && rhs ? std::optional(*lhs + *rhs) : std::nullopt;
}

/// Whether a size may not fit.
static bool isNarrow(Value value) {
  return !value.getType().isIndex() &&
         value.getType().getIntOrFloatBitWidth() < 32;
}

/// Whether `condition` says that `value` is negative. It may also say that it
/// is not 0, as where signs are compared.
static bool isNegativeTest(Value condition, Value value) {
  auto compares = [&](Value test, arith::CmpIPredicate predicate) {
    auto compare = test.getDefiningOp<arith::CmpIOp>();
    return compare && compare.getPredicate() == predicate &&
           compare.getLhs() == value &&
           getConstantIntValue(compare.getRhs()) == 0;
  };
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return (compares(both.getLhs(), arith::CmpIPredicate::ne) &&
            isNegativeTest(both.getRhs(), value)) ||
           (compares(both.getRhs(), arith::CmpIPredicate::ne) &&
            isNegativeTest(both.getLhs(), value));
  return compares(condition, arith::CmpIPredicate::slt);
}

namespace {

/// A remainder that is not negative, of a positive constant.
struct FloorMod {
  Value dividend;
  int64_t divisor;
};

} // namespace

/// What `select`, of a remainder to which the divisor is added where it is
/// negative, computes.
static std::optional<FloorMod> matchFloorMod(arith::SelectOp select) {
  auto rem = select.getFalseValue().getDefiningOp<arith::RemSIOp>();
  auto sum = select.getTrueValue().getDefiningOp<arith::AddIOp>();
  if (!rem || !sum || sum.getLhs() != rem.getResult())
    return std::nullopt;
  std::optional<int64_t> divisor = getConstantIntValue(rem.getRhs());
  if (!divisor || *divisor <= 0 ||
      getConstantIntValue(sum.getRhs()) != divisor ||
      !isNegativeTest(select.getCondition(), rem.getResult()))
    return std::nullopt;
  return FloorMod{rem.getLhs(), *divisor};
}

AffineExpr SizeExprs::compute(Value size, IndexReader &reader) const {
  Operation *op = size.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](memref::DimOp dim) { return getDim(dim, reader); })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp,
            arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *binary) { return getBinary(binary, reader); })
      .Case<arith::IndexCastOp, arith::ExtSIOp>(
          [&](Operation *conversion) -> AffineExpr {
            if (isNarrow(conversion->getOperand(0)) ||
                isNarrow(conversion->getResult(0)))
              return {};
            return get(conversion->getOperand(0), reader);
          })
      .Case([&](arith::SelectOp select) -> AffineExpr {
        std::optional<FloorMod> mod = matchFloorMod(select);
        AffineExpr dividend = mod ? get(mod->dividend, reader) : AffineExpr();
        return dividend ? dividend % mod->divisor : AffineExpr();
      })
      .Default([](Operation *) { return AffineExpr(); });
}

AffineExpr SizeExprs::getNumElements(BlockArgument argument) const {
  AffineExpr count = getAffineConstantExpr(1, context);
  auto type = cast<MemRefType>(argument.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    count = count *
            (type.isDynamicDim(dim)
                 ? getAffineSymbolExpr(symbols.lookup({argument, dim}), context)
                 : getAffineConstantExpr(type.getDimSize(dim), context));
  return count;
}

AffineExpr SizeExprs::getDim(memref::DimOp dim, IndexReader &reader) const {
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!index)
    return {};
  if (auto alloc = dim.getSource().getDefiningOp<AllocBufferOp>())
    return get(alloc.getMixedSizes()[*index], reader);
  auto it = symbols.find({dim.getSource(), *index});
  return it == symbols.end() ? AffineExpr()
                             : getAffineSymbolExpr(it->second, context);
}

/// Rounding towards zero rounds down where nothing is negative.
AffineExpr SizeExprs::getBinary(Operation *op, IndexReader &reader) const {
  AffineExpr lhs = get(op->getOperand(0), reader);
  AffineExpr rhs = get(op->getOperand(1), reader);
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  if (isa<arith::MulIOp>(op))
    return lhs * rhs;
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  bool isPositive = divisor ? divisor.getValue() > 0 : isNonNegative(rhs);
  bool isFloor = isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op);
  if (!isPositive || (!isFloor && !isNonNegative(lhs)))
    return {};
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return lhs.ceilDiv(rhs);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return lhs % rhs;
  return lhs.floorDiv(rhs);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

AffineExpr SizeExprs::getUpperBound(Value size) const {
  KnownBounds known;
  return getBounds(OpFoldResult(size), known).upper;
}

SizeExprs::Bounds SizeExprs::getBounds(OpFoldResult size,
                                       KnownBounds &known) const {
  if (AffineExpr exact = get(size))
    return {exact, exact};
  auto value = cast<Value>(size);
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  Bounds bounds = computeBounds(value, known);
  known[value] = bounds;
  return bounds;
}

AffineExpr SizeExprs::getPositivePart(AffineExpr expr) const {
  if (!expr || isNonNegative(expr))
    return expr;
  AffineExpr zero = getAffineConstantExpr(0, context);
  if (isa<AffineConstantExpr>(expr))
    return zero;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (binary.getKind() == AffineExprKind::Add) {
    AffineExpr lhs = getPositivePart(binary.getLHS());
    AffineExpr rhs = getPositivePart(binary.getRHS());
    return lhs && rhs ? lhs + rhs : AffineExpr();
  }
  // A negative multiple.
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  bool isNegated = binary.getKind() == AffineExprKind::Mul && factor &&
                   factor.getValue() < 0 && isNonNegative(binary.getLHS());
  return isNegated ? zero : AffineExpr();
}

/// `expr` divided by a positive number. Terms that are multiples of it come
/// before the quotient, so that sizes that grow and are divided again stay
/// small expressions.
static AffineExpr divide(AffineExprKind kind, AffineExpr expr,
                         AffineConstantExpr divisor) {
  if (!expr)
    return expr;
  AffineExpr multiples = getAffineConstantExpr(0, expr.getContext());
  AffineExpr rest = multiples;
  SmallVector<AffineExpr> terms = {expr};
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    if (term.getKind() == AffineExprKind::Add) {
      auto sum = cast<AffineBinaryOpExpr>(term);
      terms.append({sum.getLHS(), sum.getRHS()});
    } else if (term.isMultipleOf(divisor.getValue())) {
      multiples = multiples + term.floorDiv(divisor);
    } else {
      rest = rest + term;
    }
  }
  return multiples + getAffineBinaryOpExpr(kind, rest, divisor);
}

/// Whether an expression has more than `count` parts.
static bool isLarger(AffineExpr expr, unsigned &count) {
  if (count-- == 0)
    return true;
  auto binary = dyn_cast_if_present<AffineBinaryOpExpr>(expr);
  return binary &&
         (isLarger(binary.getLHS(), count) || isLarger(binary.getRHS(), count));
}

SizeExprs::Bounds SizeExprs::boundBinary(AffineExprKind kind, Bounds lhs,
                                         Bounds rhs) const {
  auto combine = [&](AffineExpr left, AffineExpr right) {
    return left && right ? getAffineBinaryOpExpr(kind, left, right)
                         : AffineExpr();
  };
  if (kind == AffineExprKind::Add)
    return {combine(lhs.lower, rhs.lower), combine(lhs.upper, rhs.upper)};
  if (kind == AffineExprKind::Mul) {
    auto factor = dyn_cast_if_present<AffineConstantExpr>(rhs.upper);
    bool isConstant = factor && rhs.lower == rhs.upper;
    if (isConstant && factor.getValue() < 0)
      std::swap(lhs.lower, lhs.upper);
    if (isConstant)
      return {combine(lhs.lower, factor), combine(lhs.upper, factor)};
  }
  bool isQuotient =
      kind == AffineExprKind::FloorDiv || kind == AffineExprKind::CeilDiv;
  auto divisor = dyn_cast_if_present<AffineConstantExpr>(rhs.upper);
  unsigned maxParts = 32;
  if (isQuotient && divisor && rhs.lower == rhs.upper &&
      divisor.getValue() > 0 && !isLarger(lhs.upper, maxParts))
    return {divide(kind, lhs.lower, divisor), divide(kind, lhs.upper, divisor)};
  if (!isNonNegative(lhs.lower) || !isNonNegative(rhs.lower))
    return {};
  AffineExpr zero = getAffineConstantExpr(0, context);
  if (kind == AffineExprKind::Mul)
    return {zero,
            combine(getPositivePart(lhs.upper), getPositivePart(rhs.upper))};
  // Quotients and remainders are not larger than what is divided.
  return {zero, lhs.upper};
}

SizeExprs::Bounds SizeExprs::boundExpr(AffineExpr expr, ArrayRef<Bounds> dims,
                                       ArrayRef<Bounds> symbols) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (isa<AffineConstantExpr>(expr))
    return {expr, expr};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  return boundBinary(binary.getKind(),
                     boundExpr(binary.getLHS(), dims, symbols),
                     boundExpr(binary.getRHS(), dims, symbols));
}

SizeExprs::Bounds SizeExprs::computeBounds(Value size,
                                           KnownBounds &known) const {
  Operation *op = size.getDefiningOp();
  if (!op)
    return {};
  auto get = [&](unsigned operand) {
    return getBounds(OpFoldResult(op->getOperand(operand)), known);
  };
  AffineExpr zero = getAffineConstantExpr(0, context);
  auto isPositive = [](const Bounds &bounds) {
    return isNonNegative(bounds.lower);
  };
  // The larger of two is not larger than their sum, without negative parts.
  auto getLarger = [&](const Bounds &lhs, const Bounds &rhs) -> AffineExpr {
    AffineExpr left = getPositivePart(lhs.upper);
    AffineExpr right = getPositivePart(rhs.upper);
    return left && right ? left + right : AffineExpr();
  };
  return llvm::TypeSwitch<Operation *, Bounds>(op)
      .Case<memref::DimOp>([&](auto dim) {
        std::optional<int64_t> index = dim.getConstantIndex();
        auto alloc = dim.getSource().template getDefiningOp<AllocBufferOp>();
        return index && alloc ? getBounds(alloc.getMixedSizes()[*index], known)
                              : Bounds();
      })
      .Case<affine::AffineApplyOp>([&](auto apply) {
        SmallVector<Bounds> operands;
        for (unsigned i = 0, e = op->getNumOperands(); i != e; ++i)
          operands.push_back(get(i));
        AffineMap map = apply.getAffineMap();
        return boundExpr(map.getResult(0),
                         ArrayRef(operands).take_front(map.getNumDims()),
                         ArrayRef(operands).drop_front(map.getNumDims()));
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([&](auto) {
        return isNarrow(op->getOperand(0)) || isNarrow(op->getResult(0))
                   ? Bounds()
                   : get(0);
      })
      .Case<arith::SelectOp>([&](auto select) {
        if (std::optional<FloorMod> mod = matchFloorMod(select))
          return Bounds{zero, getAffineConstantExpr(mod->divisor - 1, context)};
        Bounds yes = get(1), no = get(2);
        return Bounds{isPositive(yes) && isPositive(no) ? zero : AffineExpr(),
                      getLarger(yes, no)};
      })
      .Case<arith::MinSIOp>([&](auto) {
        Bounds lhs = get(0), rhs = get(1);
        // A constant is closer more often.
        bool takesRight =
            !lhs.upper || isa_and_present<AffineConstantExpr>(rhs.upper);
        return Bounds{isPositive(lhs) && isPositive(rhs) ? zero : AffineExpr(),
                      takesRight ? rhs.upper : lhs.upper};
      })
      .Case<arith::MaxSIOp>([&](auto) {
        Bounds lhs = get(0), rhs = get(1);
        return Bounds{isPositive(lhs) || isPositive(rhs) ? zero : AffineExpr(),
                      getLarger(lhs, rhs)};
      })
      .Case<arith::AddIOp>([&](auto) {
        return boundBinary(AffineExprKind::Add, get(0), get(1));
      })
      .Case<arith::SubIOp>([&](auto) {
        AffineExpr minusOne = getAffineConstantExpr(-1, context);
        return boundBinary(
            AffineExprKind::Add, get(0),
            boundBinary(AffineExprKind::Mul, get(1), {minusOne, minusOne}));
      })
      .Case<arith::MulIOp>([&](auto) {
        return boundBinary(AffineExprKind::Mul, get(0), get(1));
      })
      .Case<arith::FloorDivSIOp>([&](auto) {
        return boundBinary(AffineExprKind::FloorDiv, get(0), get(1));
      })
      .Case<arith::CeilDivSIOp>([&](auto) {
        return boundBinary(AffineExprKind::CeilDiv, get(0), get(1));
      })
      .Case<arith::DivSIOp>([&](auto) {
        // Rounds down only what is not negative; what is becomes no more than
        // 0, and no less than it does rounded down.
        Bounds dividend = get(0), divisor = get(1);
        Bounds quotient =
            boundBinary(AffineExprKind::FloorDiv, dividend, divisor);
        if (isPositive(dividend))
          return quotient;
        auto constant = dyn_cast_if_present<AffineConstantExpr>(divisor.upper);
        if (!constant || constant.getValue() <= 0 ||
            divisor.lower != divisor.upper)
          return Bounds();
        AffineExpr lower = quotient.lower;
        if (std::optional<int64_t> least = getLeast(dividend.lower))
          lower = getAffineConstantExpr(*least / constant.getValue(), context);
        dividend.upper = getPositivePart(dividend.upper);
        return Bounds{
            lower,
            boundBinary(AffineExprKind::FloorDiv, dividend, divisor).upper};
      })
      .Case<arith::RemSIOp>([&](auto) {
        // Closer to zero than a constant divisor.
        auto divisor = dyn_cast_if_present<AffineConstantExpr>(
            this->get(OpFoldResult(op->getOperand(1))));
        if (!divisor || divisor.getValue() <= 0)
          return Bounds();
        AffineExpr most =
            getAffineConstantExpr(divisor.getValue() - 1, context);
        return Bounds{isPositive(get(0)) ? zero : most * -1, most};
      })
      .Default([](Operation *) { return Bounds(); });
}
