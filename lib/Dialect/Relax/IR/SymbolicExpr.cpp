//===- SymbolicExpr.cpp - Arithmetic on shape expressions -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/IR/SymbolicExpr.h"

#include "mlir/IR/AffineMap.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Support/SaturatingMath.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relax;
using relay::saturate;
using relay::saturatingAdd;
using relay::saturatingMultiply;

//===----------------------------------------------------------------------===//
// Polynomial
//===----------------------------------------------------------------------===//

/// A total order on expressions that does not depend on addresses.
static int compareExprs(AffineExpr lhs, AffineExpr rhs) {
  if (lhs == rhs)
    return 0;
  // Symbols come before quotients.
  auto rank = [](AffineExpr expr) { return -static_cast<int>(expr.getKind()); };
  if (lhs.getKind() != rhs.getKind())
    return rank(lhs) < rank(rhs) ? -1 : 1;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(lhs))
    return symbol.getPosition() < cast<AffineSymbolExpr>(rhs).getPosition() ? -1
                                                                            : 1;
  if (auto dim = dyn_cast<AffineDimExpr>(lhs))
    return dim.getPosition() < cast<AffineDimExpr>(rhs).getPosition() ? -1 : 1;
  if (auto constant = dyn_cast<AffineConstantExpr>(lhs))
    return constant.getValue() < cast<AffineConstantExpr>(rhs).getValue() ? -1
                                                                          : 1;
  auto lhsBinary = cast<AffineBinaryOpExpr>(lhs);
  auto rhsBinary = cast<AffineBinaryOpExpr>(rhs);
  if (int order = compareExprs(lhsBinary.getLHS(), rhsBinary.getLHS()))
    return order;
  return compareExprs(lhsBinary.getRHS(), rhsBinary.getRHS());
}

bool Polynomial::MonomialLess::operator()(const Monomial &lhs,
                                          const Monomial &rhs) const {
  if (lhs.size() != rhs.size())
    return lhs.size() > rhs.size();
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    if (int order = compareExprs(left, right))
      return order < 0;
  return false;
}

Polynomial::Polynomial(MLIRContext *context, int64_t constant)
    : context(context) {
  add({}, constant);
}

Polynomial::Polynomial(AffineExpr expr) : context(expr.getContext()) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    add({}, constant.getValue());
    return;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    add({expr}, 1);
    return;
  }
  Polynomial lhs(binary.getLHS());
  Polynomial rhs(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    *this = lhs + rhs;
    return;
  case AffineExprKind::Mul:
    *this = lhs * rhs;
    return;
  case AffineExprKind::Mod:
    *this = lhs.mod(rhs);
    return;
  case AffineExprKind::FloorDiv:
    *this = lhs.floorDiv(rhs);
    return;
  case AffineExprKind::CeilDiv:
    *this = (lhs + rhs - Polynomial(context, 1)).floorDiv(rhs);
    return;
  default:
    llvm_unreachable("not a binary expression");
  }
}

Polynomial Polynomial::ofAtom(AffineExpr atom) {
  Polynomial result(atom.getContext());
  result.add({atom}, 1);
  return result;
}

void Polynomial::add(const Monomial &monomial, int64_t coefficient) {
  if (coefficient == 0)
    return;
  coefficient = saturate(coefficient);
  auto [it, inserted] = terms.try_emplace(monomial, coefficient);
  if (inserted)
    return;
  it->second = saturatingAdd(it->second, coefficient);
  if (it->second == 0)
    terms.erase(it);
}

AffineExpr Polynomial::getExpr() const {
  AffineExpr sum;
  for (const auto &[monomial, coefficient] : terms) {
    AffineExpr product;
    for (AffineExpr atom : monomial)
      product = product ? product * atom : atom;
    product = product ? product * coefficient
                      : getAffineConstantExpr(coefficient, context);
    sum = sum ? sum + product : product;
  }
  return sum ? sum : getAffineConstantExpr(0, context);
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

/// Symbols are sizes. A quotient or remainder is not negative when both of its
/// operands are so.
static bool isNonNegativeAtom(AffineExpr atom) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(atom);
  return !binary || (Polynomial(binary.getLHS()).isNonNegative() &&
                     Polynomial(binary.getRHS()).isNonNegative());
}

bool Polynomial::isNonNegative() const {
  return llvm::all_of(terms, [](const auto &term) {
    return term.second >= 0 && llvm::all_of(term.first, isNonNegativeAtom);
  });
}

int64_t Polynomial::getContent() const {
  int64_t content = 0;
  for (const auto &term : terms)
    content = std::gcd(content, term.second);
  return content;
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    result.add(monomial, coefficient);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  Polynomial result = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    result.add(monomial, -coefficient);
  return result;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result(context);
  for (const auto &[lhs, lhsCoefficient] : terms) {
    for (const auto &[rhs, rhsCoefficient] : other.terms) {
      Monomial product = lhs;
      llvm::append_range(product, rhs);
      llvm::sort(product, [](AffineExpr a, AffineExpr b) {
        return compareExprs(a, b) < 0;
      });
      result.add(product, saturatingMultiply(lhsCoefficient, rhsCoefficient));
    }
  }
  return result;
}

std::optional<Polynomial>
Polynomial::divideExactly(const Polynomial &other) const {
  if (other.terms.size() != 1)
    return std::nullopt;
  const auto &[divisor, divisorCoefficient] = *other.terms.begin();
  Polynomial result(context);
  for (const auto &[monomial, coefficient] : terms) {
    if (coefficient % divisorCoefficient != 0)
      return std::nullopt;
    Monomial quotient = monomial;
    for (AffineExpr atom : divisor) {
      auto *it = llvm::find(quotient, atom);
      if (it == quotient.end())
        return std::nullopt;
      quotient.erase(it);
    }
    result.add(quotient, coefficient / divisorCoefficient);
  }
  return result;
}

Polynomial Polynomial::floorDiv(const Polynomial &other) const {
  if (std::optional<Polynomial> quotient = divideExactly(other))
    return *quotient;
  std::optional<int64_t> divisor = other.getConstant();
  if (!divisor || *divisor <= 0)
    return ofAtom(getAffineBinaryOpExpr(AffineExprKind::FloorDiv, getExpr(),
                                        other.getExpr()));

  // Monomials are integers, so whole multiples of the divisor move out and the
  // coefficients that stay lie in [0, divisor).
  Polynomial quotient(context), rest(context);
  int64_t constant = 0, common = *divisor;
  for (const auto &[monomial, coefficient] : terms) {
    int64_t remainder = llvm::mod(coefficient, *divisor);
    quotient.add(monomial, (coefficient - remainder) / *divisor);
    if (monomial.empty()) {
      constant = remainder;
      continue;
    }
    rest.add(monomial, remainder);
    common = std::gcd(common, remainder);
  }
  if (rest.terms.empty())
    return quotient;

  // (g * x + c) floordiv (g * d) = (x + c floordiv g) floordiv d.
  Polynomial dividend(context, constant / common);
  for (const auto &[monomial, coefficient] : rest.terms)
    dividend.add(monomial, coefficient / common);
  int64_t reduced = *divisor / common;
  if (reduced == 1)
    return quotient + dividend;

  // (x floordiv a + c) floordiv b = (x + a * c) floordiv (a * b).
  const auto &[monomial, coefficient] = *dividend.terms.begin();
  if (coefficient == 1 && monomial.size() == 1 &&
      monomial[0].getKind() == AffineExprKind::FloorDiv &&
      (dividend.terms.size() == 1 ||
       (dividend.terms.size() == 2 &&
        std::next(dividend.terms.begin())->first.empty()))) {
    auto inner = cast<AffineBinaryOpExpr>(monomial[0]);
    auto innerDivisor = dyn_cast<AffineConstantExpr>(inner.getRHS());
    if (innerDivisor && innerDivisor.getValue() > 0) {
      // Unless the divisor would be too large a number.
      int64_t factor = innerDivisor.getValue(), addend, product;
      if (!llvm::MulOverflow(factor, constant / common, addend) &&
          !llvm::MulOverflow(factor, reduced, product)) {
        Polynomial merged =
            Polynomial(inner.getLHS()) + Polynomial(context, addend);
        return quotient + merged.floorDiv(Polynomial(context, product));
      }
    }
  }
  return quotient + ofAtom(getAffineBinaryOpExpr(
                        AffineExprKind::FloorDiv, dividend.getExpr(),
                        getAffineConstantExpr(reduced, context)));
}

Polynomial Polynomial::mod(const Polynomial &other) const {
  if (divideExactly(other))
    return Polynomial(context);
  std::optional<int64_t> divisor = other.getConstant();
  if (!divisor || *divisor <= 0)
    return ofAtom(
        getAffineBinaryOpExpr(AffineExprKind::Mod, getExpr(), other.getExpr()));
  Polynomial rest(context);
  for (const auto &[monomial, coefficient] : terms)
    rest.add(monomial, llvm::mod(coefficient, *divisor));
  if (rest.getConstant())
    return rest;
  return ofAtom(getAffineBinaryOpExpr(AffineExprKind::Mod, rest.getExpr(),
                                      other.getExpr()));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

AffineExpr relax::canonicalizeSymbolicExpr(AffineExpr expr) {
  // Building the expression may recognise a mod (x - x floordiv c * c), which
  // is a different atom; the second round settles that.
  for (int round = 0; round < 4; ++round) {
    AffineExpr next = Polynomial(expr).getExpr();
    if (next == expr)
      break;
    expr = next;
  }
  return expr;
}

bool relax::isProvablyGreaterEqual(AffineExpr lhs, AffineExpr rhs) {
  return lhs == rhs || (Polynomial(lhs) - Polynomial(rhs)).isNonNegative();
}

AffineExpr relax::getSymbolicProduct(ArrayRef<AffineExpr> exprs,
                                     MLIRContext *context) {
  Polynomial product(context, 1);
  for (AffineExpr expr : exprs)
    product = product * Polynomial(expr);
  return product.getExpr();
}

//===----------------------------------------------------------------------===//
// SymbolScope
//===----------------------------------------------------------------------===//

unsigned SymbolScope::getPosition(StringAttr name) {
  auto [it, inserted] = positions.try_emplace(name, names.size());
  if (inserted)
    names.push_back(name);
  return it->second;
}

AffineExpr SymbolScope::getSymbol(StringAttr name) {
  return getAffineSymbolExpr(getPosition(name), context);
}

AffineExpr SymbolScope::import(ShapeAttr shape, size_t index) {
  SmallVector<AffineExpr> symbols = llvm::map_to_vector(
      shape.getSymbols(), [&](StringAttr name) { return getSymbol(name); });
  return shape.getExprs()[index].replaceSymbols(symbols);
}

SmallVector<AffineExpr> SymbolScope::import(ShapeAttr shape) {
  SmallVector<AffineExpr> exprs;
  for (size_t i = 0, e = shape.size(); i < e; ++i)
    exprs.push_back(import(shape, i));
  return exprs;
}

ShapeAttr SymbolScope::makeShape(ArrayRef<AffineExpr> exprs) const {
  return ShapeAttr::get(context, names, exprs);
}
