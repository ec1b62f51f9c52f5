//===- SymbolicExpr.h - Arithmetic on shape expressions ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape expressions are (semi-)affine expressions over symbols that are not
// negative. Products of symbols occur in sizes, so upstream's simplifier for
// linear forms does not decide equality; here expressions are polynomials over
// symbols and quotients.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_IR_SYMBOLICEXPR_H
#define RELAY_MLIR_DIALECT_RELAX_IR_SYMBOLICEXPR_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>

namespace mlir::relax {

class ShapeAttr;

/// A sum of products of atoms with integer coefficients. An atom is a symbol, a
/// floordiv or a mod; ceildiv is written as floordiv. Coefficients that do not
/// fit 64 bits are the largest ones that do (Support/SaturatingMath.h): a size
/// never becomes smaller than it is.
class Polynomial {
public:
  /// The atoms of a product in ascending order; empty for the constant term.
  using Monomial = SmallVector<AffineExpr, 2>;

  /// Higher degree first, so that the constant term comes last.
  struct MonomialLess {
    bool operator()(const Monomial &lhs, const Monomial &rhs) const;
  };

  explicit Polynomial(MLIRContext *context, int64_t constant = 0);
  explicit Polynomial(AffineExpr expr);

  /// The canonical expression of this value.
  AffineExpr getExpr() const;
  std::optional<int64_t> getConstant() const;

  /// True if the value is provably at least zero. The coefficients of a
  /// canonical floordiv's dividend are not negative, so this succeeds for the
  /// usual convolution and pooling sizes.
  bool isNonNegative() const;

  /// The largest integer that divides all coefficients; 0 for the value zero.
  int64_t getContent() const;

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  Polynomial floorDiv(const Polynomial &other) const;
  Polynomial mod(const Polynomial &other) const;

private:
  void add(const Monomial &monomial, int64_t coefficient);
  static Polynomial ofAtom(AffineExpr atom);

  /// this / other if that is a polynomial.
  std::optional<Polynomial> divideExactly(const Polynomial &other) const;

  MLIRContext *context;
  std::map<Monomial, int64_t, MonomialLess> terms;
};

/// Returns the canonical form of `expr`.
AffineExpr canonicalizeSymbolicExpr(AffineExpr expr);

/// True if `lhs >= rhs` for all values of the symbols, as far as the
/// polynomial difference shows.
bool isProvablyGreaterEqual(AffineExpr lhs, AffineExpr rhs);

/// The product of all expressions.
AffineExpr getSymbolicProduct(ArrayRef<AffineExpr> exprs, MLIRContext *context);

/// Numbers the symbols of a function, so that expressions from different
/// attributes can be combined.
class SymbolScope {
public:
  explicit SymbolScope(MLIRContext *context) : context(context) {}

  /// The expression for the symbol called `name`.
  AffineExpr getSymbol(StringAttr name);

  /// The number of the symbol called `name`.
  unsigned getPosition(StringAttr name);

  /// The expressions of `shape` over the symbols of this scope.
  SmallVector<AffineExpr> import(ShapeAttr shape);
  AffineExpr import(ShapeAttr shape, size_t index);

  /// The attribute for expressions over the symbols of this scope.
  ShapeAttr makeShape(ArrayRef<AffineExpr> exprs) const;

  ArrayRef<StringAttr> getNames() const { return names; }
  MLIRContext *getContext() const { return context; }

private:
  MLIRContext *context;
  SmallVector<StringAttr> names;
  llvm::DenseMap<StringAttr, unsigned> positions;
};

} // namespace mlir::relax

#endif // RELAY_MLIR_DIALECT_RELAX_IR_SYMBOLICEXPR_H
