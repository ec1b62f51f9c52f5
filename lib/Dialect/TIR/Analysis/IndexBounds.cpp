//===- IndexBounds.cpp - Bounds of index expressions ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intervals and simplification of index expressions, from what is known of
// their dimensions and symbols. Expressions are looked at as sums of terms with
// constant coefficients, because MLIR's own simplifier does not know that a
// loop variable is below its extent: with i in [0, 4) and j in [0, 16), (i * 16
// + j) floordiv 16 is i here. Each part of an expression is visited once,
// however often it occurs.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tir;

//===----------------------------------------------------------------------===//
// LinearSum
//===----------------------------------------------------------------------===//

LinearSum LinearSum::get(AffineExpr expr) {
  LinearSum sum;
  sum.add(expr, 1);
  return sum;
}

void LinearSum::add(AffineExpr expr, int64_t coefficient) {
  if (coefficient == 0)
    return;
  // What does not fit 64 bits stays a term, of which nothing is known.
  if (auto constantExpr = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t product, total;
    if (!llvm::MulOverflow(coefficient, constantExpr.getValue(), product) &&
        !llvm::AddOverflow(constant, product, total)) {
      constant = total;
      return;
    }
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    if (binary.getKind() == AffineExprKind::Add) {
      add(binary.getLHS(), coefficient);
      add(binary.getRHS(), coefficient);
      return;
    }
    if (binary.getKind() == AffineExprKind::Mul) {
      int64_t product;
      auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (factor &&
          !llvm::MulOverflow(coefficient, factor.getValue(), product)) {
        add(binary.getLHS(), product);
        return;
      }
    }
  }
  for (auto *it = terms.begin(); it != terms.end(); ++it) {
    int64_t total;
    if (it->first != expr || llvm::AddOverflow(it->second, coefficient, total))
      continue;
    it->second = total;
    if (it->second == 0)
      terms.erase(it);
    return;
  }
  terms.emplace_back(expr, coefficient);
}

AffineExpr LinearSum::toExpr(MLIRContext *context) const {
  AffineExpr expr = getAffineConstantExpr(0, context);
  for (auto [term, coefficient] : terms)
    expr = expr + term * coefficient;
  return expr + constant;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

using Bound = std::optional<int64_t>;

static Bound add(Bound a, Bound b) {
  int64_t result;
  if (!a || !b || llvm::AddOverflow(*a, *b, result))
    return std::nullopt;
  return result;
}

static Bound multiply(Bound a, int64_t factor) {
  int64_t result;
  if (!a || llvm::MulOverflow(*a, factor, result))
    return std::nullopt;
  return result;
}

static IndexRange scale(IndexRange range, int64_t factor) {
  Bound low = multiply(range.min, factor), high = multiply(range.max, factor);
  return factor >= 0 ? IndexRange{low, high} : IndexRange{high, low};
}

namespace {

/// One look at an expression, which comes to each of its parts once however
/// often that part occurs.
class Simplifier {
public:
  explicit Simplifier(const IndexBounds &bounds) : bounds(bounds) {}

  IndexRange getRange(AffineExpr expr);
  IndexRange getSumRange(const LinearSum &sum);
  AffineExpr simplify(AffineExpr expr);

private:
  IndexRange computeRange(AffineExpr expr);
  AffineExpr computeSimplified(AffineExpr expr);
  AffineExpr simplifyDivision(AffineExpr lhs, int64_t divisor, bool isMod);
  AffineExpr simplifySymbolicDivision(AffineExpr lhs, AffineExpr divisor,
                                      bool isMod) const;

  const IndexBounds &bounds;
  llvm::SmallDenseMap<AffineExpr, IndexRange> ranges;
  llvm::SmallDenseMap<AffineExpr, AffineExpr> simplified;
};

} // namespace

IndexRange Simplifier::getSumRange(const LinearSum &sum) {
  IndexRange range = IndexRange::constant(sum.constant);
  for (auto [term, coefficient] : sum.terms) {
    IndexRange scaled = scale(getRange(term), coefficient);
    range.min = add(range.min, scaled.min);
    range.max = add(range.max, scaled.max);
  }
  return range;
}

static bool isNonNegative(IndexRange range) {
  return range.min && *range.min >= 0;
}

IndexRange IndexBounds::getRange(AffineExpr expr) const {
  return Simplifier(*this).getRange(expr);
}

IndexRange Simplifier::getRange(AffineExpr expr) {
  auto it = ranges.find(expr);
  if (it != ranges.end())
    return it->second;
  IndexRange range = computeRange(expr);
  ranges[expr] = range;
  return range;
}

IndexRange Simplifier::computeRange(AffineExpr expr) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return IndexRange::constant(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId: {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    return position < bounds.dims.size() ? bounds.dims[position]
                                         : IndexRange::unknown();
  }
  case AffineExprKind::SymbolId: {
    unsigned position = cast<AffineSymbolExpr>(expr).getPosition();
    return position < bounds.symbols.size() ? bounds.symbols[position]
                                            : IndexRange::unknown();
  }
  case AffineExprKind::Add:
    return getSumRange(LinearSum::get(expr));
  default:
    break;
  }

  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexRange lhs = getRange(binary.getLHS());
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul) {
    if (constant)
      return scale(lhs, constant.getValue());
    IndexRange rhs = getRange(binary.getRHS());
    if (::isNonNegative(lhs) && ::isNonNegative(rhs))
      return {multiply(lhs.min, *rhs.min),
              rhs.max ? multiply(lhs.max, *rhs.max) : std::nullopt};
    return IndexRange::unknown();
  }
  if (!constant || constant.getValue() <= 0) {
    // A symbolic divisor is a size: positive.
    if (expr.getKind() == AffineExprKind::Mod)
      return IndexRange::nonNegative();
    return ::isNonNegative(lhs) ? IndexRange{0, lhs.max}
                                : IndexRange::unknown();
  }
  int64_t divisor = constant.getValue();
  auto map = [&](Bound bound, auto fn) -> Bound {
    return bound ? Bound(fn(*bound, divisor)) : std::nullopt;
  };
  auto floorDiv = [](int64_t a, int64_t b) {
    return llvm::divideFloorSigned(a, b);
  };
  auto ceilDiv = [](int64_t a, int64_t b) {
    return llvm::divideCeilSigned(a, b);
  };
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
    return {map(lhs.min, floorDiv), map(lhs.max, floorDiv)};
  case AffineExprKind::CeilDiv:
    return {map(lhs.min, ceilDiv), map(lhs.max, ceilDiv)};
  default:
    if (::isNonNegative(lhs) && lhs.max && *lhs.max < divisor)
      return lhs;
    return IndexRange::fromExtent(divisor);
  }
}

/// An expression of the symbols that `expr` never exceeds (`isUpper`) or never
/// falls below; null if there is none.
static AffineExpr getSymbolicBound(AffineExpr expr, bool isUpper,
                                   const IndexBounds &bounds) {
  MLIRContext *context = expr.getContext();
  if (expr.isSymbolicOrConstant())
    return expr;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    IndexRange range = bounds.getRange(dim);
    if (Bound bound = isUpper ? range.max : range.min)
      return getAffineConstantExpr(*bound, context);
    bool hasExtent = dim.getPosition() < bounds.dimExtents.size() &&
                     bounds.dimExtents[dim.getPosition()];
    return isUpper && hasExtent ? bounds.dimExtents[dim.getPosition()] - 1
                                : AffineExpr();
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mul: {
    LinearSum sum = LinearSum::get(expr);
    if (sum.terms.size() == 1 && sum.terms.front().first == expr)
      return {};
    AffineExpr total = getAffineConstantExpr(sum.constant, context);
    for (auto [term, coefficient] : sum.terms) {
      AffineExpr bound =
          getSymbolicBound(term, coefficient > 0 ? isUpper : !isUpper, bounds);
      if (!bound)
        return {};
      total = total + bound * coefficient;
    }
    return total;
  }
  case AffineExprKind::FloorDiv: {
    if (!constant || constant.getValue() <= 0)
      return {};
    AffineExpr bound = getSymbolicBound(binary.getLHS(), isUpper, bounds);
    return bound ? bound.floorDiv(constant.getValue()) : AffineExpr();
  }
  case AffineExprKind::Mod:
    if (!isUpper)
      return getAffineConstantExpr(0, context);
    return binary.getRHS() - 1;
  default:
    return {};
  }
}

bool IndexBounds::isNonNegative(AffineExpr expr) const {
  AffineExpr simplified = simplify(expr);
  if (::isNonNegative(getRange(simplified)))
    return true;
  AffineExpr lower = getSymbolicBound(simplified, /*isUpper=*/false, *this);
  if (!lower)
    return false;
  LinearSum sum = LinearSum::get(simplify(lower));
  if (::isNonNegative(Simplifier(*this).getSumRange(sum)))
    return true;
  // c * (e floordiv c) is at most e: lets a sum with both ends cancel.
  LinearSum relaxed;
  relaxed.constant = sum.constant;
  for (auto [term, coefficient] : sum.terms) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(term);
    auto divisor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                          : AffineConstantExpr();
    if (coefficient < 0 && divisor &&
        binary.getKind() == AffineExprKind::FloorDiv &&
        coefficient % divisor.getValue() == 0)
      relaxed.add(binary.getLHS(), coefficient / divisor.getValue());
    else
      relaxed.add(term, coefficient);
  }
  return ::isNonNegative(Simplifier(*this).getSumRange(relaxed));
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

/// Splits `sum` into the terms whose coefficients `divisor` divides and the
/// rest.
static std::pair<LinearSum, LinearSum> splitByDivisor(const LinearSum &sum,
                                                      int64_t divisor) {
  LinearSum multiple, rest;
  for (auto [term, coefficient] : sum.terms) {
    LinearSum &part = coefficient % divisor == 0 ? multiple : rest;
    part.terms.emplace_back(term, coefficient);
  }
  rest.constant = llvm::mod(sum.constant, divisor);
  multiple.constant = sum.constant - rest.constant;
  return {multiple, rest};
}

static LinearSum divideExactly(LinearSum sum, int64_t divisor) {
  for (auto &term : sum.terms)
    term.second /= divisor;
  sum.constant /= divisor;
  return sum;
}

/// lhs floordiv divisor, or lhs mod divisor, both parts simplified already.
AffineExpr Simplifier::simplifyDivision(AffineExpr lhs, int64_t divisor,
                                        bool isMod) {
  MLIRContext *context = lhs.getContext();
  LinearSum sum = LinearSum::get(lhs);
  auto [multiple, rest] = splitByDivisor(sum, divisor);
  IndexRange range = getSumRange(rest);
  if (range.min && range.max) {
    int64_t quotient = llvm::divideFloorSigned(*range.min, divisor);
    if (quotient == llvm::divideFloorSigned(*range.max, divisor))
      return isMod
                 ? rest.toExpr(context) - quotient * divisor
                 : divideExactly(multiple, divisor).toExpr(context) + quotient;
  }

  // (g * a + r) with 0 <= r < g and g dividing the divisor.
  for (auto [term, coefficient] : sum.terms) {
    int64_t group = std::abs(coefficient);
    if (group <= 1 || group >= divisor || divisor % group != 0)
      continue;
    auto [outer, inner] = splitByDivisor(sum, group);
    IndexRange innerRange = getSumRange(inner);
    if (!::isNonNegative(innerRange) || !innerRange.max ||
        *innerRange.max >= group)
      continue;
    AffineExpr quotient = simplifyDivision(
        divideExactly(outer, group).toExpr(context), divisor / group, isMod);
    return isMod ? quotient * group + inner.toExpr(context) : quotient;
  }

  // Whole multiples leave a division, and vanish from a remainder.
  if (isMod)
    return rest.toExpr(context) % divisor;
  if (auto inner = dyn_cast<AffineBinaryOpExpr>(rest.toExpr(context)))
    if (inner.getKind() == AffineExprKind::FloorDiv) {
      int64_t product;
      auto factor = dyn_cast<AffineConstantExpr>(inner.getRHS());
      if (factor && !llvm::MulOverflow(factor.getValue(), divisor, product))
        return divideExactly(multiple, divisor).toExpr(context) +
               inner.getLHS().floorDiv(product);
    }
  return divideExactly(multiple, divisor).toExpr(context) +
         rest.toExpr(context).floorDiv(divisor);
}

/// Division by a size: resolves if lhs = divisor * a + d with d below it.
AffineExpr Simplifier::simplifySymbolicDivision(AffineExpr lhs,
                                                AffineExpr divisor,
                                                bool isMod) const {
  MLIRContext *context = lhs.getContext();
  LinearSum quotient, rest;
  LinearSum sum = LinearSum::get(lhs);
  rest.constant = sum.constant;
  for (auto [term, coefficient] : sum.terms) {
    auto product = dyn_cast<AffineBinaryOpExpr>(term);
    if (product && product.getKind() == AffineExprKind::Mul &&
        product.getRHS() == divisor)
      quotient.add(product.getLHS(), coefficient);
    else if (product && product.getKind() == AffineExprKind::Mul &&
             product.getLHS() == divisor)
      quotient.add(product.getRHS(), coefficient);
    else
      rest.add(term, coefficient);
  }
  if (rest.constant == 0 && rest.terms.empty())
    return isMod ? getAffineConstantExpr(0, context) : quotient.toExpr(context);
  if (rest.constant == 0 && rest.terms.size() == 1 &&
      rest.terms.front().second == 1)
    if (auto dim = dyn_cast<AffineDimExpr>(rest.terms.front().first))
      if (dim.getPosition() < bounds.dimExtents.size() &&
          bounds.dimExtents[dim.getPosition()] == divisor)
        return isMod ? AffineExpr(dim) : quotient.toExpr(context);
  return isMod ? lhs % divisor : lhs.floorDiv(divisor);
}

/// (e mod c) + c * (e floordiv c) -> e, for any common coefficient.
static void recombine(LinearSum &sum) {
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    auto [term, coefficient] = sum.terms[i];
    auto mod = dyn_cast<AffineBinaryOpExpr>(term);
    if (!mod || mod.getKind() != AffineExprKind::Mod)
      continue;
    auto divisor = dyn_cast<AffineConstantExpr>(mod.getRHS());
    if (!divisor)
      continue;
    AffineExpr quotient = mod.getLHS().floorDiv(divisor.getValue());
    // A digit in the middle: what is above it is one division.
    if (auto inner = dyn_cast<AffineBinaryOpExpr>(mod.getLHS());
        inner && inner.getKind() == AffineExprKind::FloorDiv)
      if (auto below = dyn_cast<AffineConstantExpr>(inner.getRHS()))
        quotient =
            inner.getLHS().floorDiv(below.getValue() * divisor.getValue());
    int64_t wanted = coefficient * divisor.getValue();
    auto *it = llvm::find(sum.terms, std::make_pair(quotient, wanted));
    if (it == sum.terms.end())
      continue;
    int64_t common = coefficient;
    AffineExpr whole = mod.getLHS();
    sum.terms.erase(it);
    sum.terms.erase(llvm::find(sum.terms, std::make_pair(term, common)));
    sum.add(whole, common);
    return recombine(sum);
  }
}

AffineExpr IndexBounds::simplify(AffineExpr expr) const {
  return Simplifier(*this).simplify(expr);
}

AffineExpr Simplifier::simplify(AffineExpr expr) {
  auto it = simplified.find(expr);
  if (it != simplified.end())
    return it->second;
  AffineExpr result = computeSimplified(expr);
  simplified[expr] = result;
  return result;
}

AffineExpr Simplifier::computeSimplified(AffineExpr expr) {
  IndexRange range = getRange(expr);
  if (range.min && range.min == range.max)
    return getAffineConstantExpr(*range.min, expr.getContext());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr lhs = simplify(binary.getLHS());
  AffineExpr rhs = simplify(binary.getRHS());
  auto constant = dyn_cast<AffineConstantExpr>(rhs);
  switch (expr.getKind()) {
  case AffineExprKind::Add: {
    LinearSum sum = LinearSum::get(lhs + rhs);
    recombine(sum);
    return sum.toExpr(expr.getContext());
  }
  case AffineExprKind::Mul:
    // Distribute, so that sums with other terms cancel.
    return constant ? LinearSum::get(lhs * rhs).toExpr(expr.getContext())
                    : lhs * rhs;
  case AffineExprKind::CeilDiv:
    if (!constant || constant.getValue() <= 0)
      return lhs.ceilDiv(rhs);
    return simplifyDivision(lhs + (constant.getValue() - 1),
                            constant.getValue(), /*isMod=*/false);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod: {
    bool isMod = expr.getKind() == AffineExprKind::Mod;
    if (constant && constant.getValue() > 0)
      return simplifyDivision(lhs, constant.getValue(), isMod);
    return simplifySymbolicDivision(lhs, rhs, isMod);
  }
  default:
    return expr;
  }
}

AffineMap IndexBounds::simplify(AffineMap map) const {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    results.push_back(simplify(result));
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        map.getContext());
}

SmallVector<AffineBinaryOpExpr> mlir::tir::getDivisions(AffineMap map) {
  SmallVector<AffineBinaryOpExpr> divisions;
  map.walkExprs([&](AffineExpr expr) {
    if (expr.getKind() == AffineExprKind::FloorDiv ||
        expr.getKind() == AffineExprKind::Mod)
      divisions.push_back(cast<AffineBinaryOpExpr>(expr));
  });
  return divisions;
}
