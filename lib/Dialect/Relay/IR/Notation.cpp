//===- Notation.cpp - Notations inside attributes -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Notation.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// EinsumEquation
//===----------------------------------------------------------------------===//

namespace {
/// A term: the letters before and after `...`.
struct EinsumTerm {
  SmallVector<int> before, after;
  bool hasEllipsis = false;
};
} // namespace

static FailureOr<EinsumTerm> parseTerm(StringRef text, std::string &error) {
  EinsumTerm term;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      if (std::exchange(term.hasEllipsis, true)) {
        error = "expects at most one '...' in a term of equation";
        return failure();
      }
      continue;
    }
    char c = text.front();
    text = text.drop_front();
    if (c == ' ')
      continue;
    if (!llvm::isAlpha(c)) {
      error = (Twine("expects letters and '...' in equation, but got '") +
               Twine(c) + "'")
                  .str();
      return failure();
    }
    (term.hasEllipsis ? term.after : term.before).push_back(c);
  }
  return term;
}

/// The labels of a term whose `...` stands for `count` dimensions.
static SmallVector<int> getLabels(const EinsumTerm &term, int64_t count) {
  SmallVector<int> labels = term.before;
  for (int64_t i = count; i > 0; --i)
    labels.push_back(-i);
  llvm::append_range(labels, term.after);
  return labels;
}

FailureOr<EinsumEquation> EinsumEquation::parse(StringRef text,
                                                ArrayRef<int64_t> ranks,
                                                std::string &error) {
  auto [inputs, output] = text.split("->");
  bool isExplicit = text.contains("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  if (terms.size() != ranks.size()) {
    error = "expects a term of equation for each of " +
            std::to_string(ranks.size()) + " operands, but got " +
            std::to_string(terms.size());
    return failure();
  }

  EinsumEquation equation;
  int64_t broadcastRank = 0;
  std::map<int, int> occurrences; // In the order of letters.
  for (auto [termText, rank] : llvm::zip_equal(terms, ranks)) {
    FailureOr<EinsumTerm> term = parseTerm(termText, error);
    if (failed(term))
      return failure();
    int64_t rest = rank - static_cast<int64_t>(term->before.size()) -
                   static_cast<int64_t>(term->after.size());
    if (rest < 0 || (rest > 0 && !term->hasEllipsis)) {
      error = ("expects a tensor of rank " +
               Twine(term->before.size() + term->after.size()) +
               (term->hasEllipsis ? " or more" : "") + " for term \"" +
               termText.trim() + "\" of equation, but got rank " + Twine(rank))
                  .str();
      return failure();
    }
    broadcastRank = std::max(broadcastRank, rest);
    equation.operands.push_back(getLabels(*term, rest));
    for (int label : equation.operands.back())
      if (label > 0)
        ++occurrences[label];
  }

  if (!isExplicit) {
    EinsumTerm result;
    for (auto [label, count] : occurrences)
      if (count == 1)
        result.after.push_back(label);
    equation.result = getLabels(result, broadcastRank);
    return equation;
  }
  FailureOr<EinsumTerm> result = parseTerm(output, error);
  if (failed(result))
    return failure();
  if (broadcastRank && !result->hasEllipsis) {
    error = "expects '...' in the result of equation, as in its terms";
    return failure();
  }
  equation.result = getLabels(*result, broadcastRank);
  for (auto [i, label] : llvm::enumerate(equation.result)) {
    if (label < 0)
      continue;
    if (!occurrences.count(label) ||
        llvm::is_contained(ArrayRef(equation.result).take_front(i), label)) {
      error = (Twine("expects letters of the terms in the result of equation, "
                     "each once, but got '") +
               Twine(static_cast<char>(label)) + "'")
                  .str();
      return failure();
    }
  }
  return equation;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

char LayoutAxis::getPrimal() const { return llvm::toUpper(letter); }

FailureOr<Layout> Layout::parse(StringRef text) {
  Layout layout;
  while (!text.empty()) {
    LayoutAxis axis;
    bool hasFactor = llvm::isDigit(text.front());
    if (hasFactor && (text.consumeInteger(10, axis.factor) || axis.factor <= 0))
      return failure();
    if (text.empty() || !llvm::isAlpha(text.front()))
      return failure();
    axis.letter = text.front();
    text = text.drop_front();
    if (llvm::isLower(axis.letter) != hasFactor)
      return failure();
    layout.axes.push_back(axis);
  }
  auto isOnce = [&](LayoutAxis axis) {
    return llvm::count(layout.getPrimals(), axis.getPrimal()) == 1;
  };
  if (layout.axes.empty() || !llvm::all_of(layout.axes, isOnce))
    return failure();
  return layout;
}

SmallVector<int64_t, 2> Layout::getParts(char primal) const {
  SmallVector<int64_t, 2> parts;
  for (bool isInner : {false, true})
    for (auto [position, axis] : llvm::enumerate(axes))
      if (axis.getPrimal() == primal && axis.isInner() == isInner)
        parts.push_back(position);
  return parts;
}

int64_t Layout::getFactor(char primal) const {
  int64_t factor = 1;
  for (LayoutAxis axis : axes)
    if (axis.isInner() && axis.getPrimal() == primal)
      factor *= axis.factor;
  return factor;
}

std::string Layout::getPrimals() const {
  std::string letters;
  for (LayoutAxis axis : axes)
    if (!axis.isInner())
      letters += axis.letter;
  return letters;
}

bool Layout::hasSameAxes(const Layout &other) const {
  std::string letters = getPrimals(), others = other.getPrimals();
  llvm::sort(letters);
  llvm::sort(others);
  return letters == others;
}

static FailureOr<SmallVector<int64_t>> getUndividedAxes(const Layout &layout,
                                                        StringRef letters) {
  SmallVector<int64_t> dims;
  for (char letter : letters) {
    SmallVector<int64_t, 2> parts = layout.getParts(letter);
    if (parts.size() != 1)
      return failure();
    dims.push_back(parts.front());
  }
  return dims;
}

FailureOr<SmallVector<int64_t>>
mlir::relay::getUndividedAxes(StringRef text, StringRef letters) {
  FailureOr<Layout> layout = Layout::parse(text);
  if (failed(layout))
    return failure();
  return ::getUndividedAxes(*layout, letters);
}

FailureOr<SmallVector<int64_t>>
mlir::relay::getAxisPositions(StringRef text, StringRef letters) {
  FailureOr<Layout> layout = Layout::parse(text);
  if (failed(layout) ||
      layout->getRank() != static_cast<int64_t>(letters.size()))
    return failure();
  return ::getUndividedAxes(*layout, letters);
}

//===----------------------------------------------------------------------===//
// TiledLayout
//===----------------------------------------------------------------------===//

FailureOr<TiledLayout> TiledLayout::parse(StringRef text) {
  TiledLayout layout;
  while (!text.empty()) {
    int64_t size;
    if (!llvm::isDigit(text.front()) || text.consumeInteger(10, size) ||
        size < 1)
      return failure();
    StringRef axis =
        text.take_while([](char c) { return llvm::isAlpha(c) || c == '_'; });
    if (axis.empty())
      return failure();
    layout.sizes.push_back(size);
    layout.axes.push_back(axis);
    text = text.drop_front(axis.size());
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Index maps
//===----------------------------------------------------------------------===//

namespace {
/// The least and the greatest value of an expression.
struct Bounds {
  int64_t low, high;
};
} // namespace

static std::optional<Bounds> getBounds(AffineExpr expr,
                                       ArrayRef<int64_t> shape);

static std::optional<Bounds> getBinaryBounds(AffineBinaryOpExpr expr,
                                             ArrayRef<int64_t> shape) {
  std::optional<Bounds> lhs = getBounds(expr.getLHS(), shape);
  std::optional<Bounds> rhs = getBounds(expr.getRHS(), shape);
  if (!lhs || !rhs)
    return std::nullopt;
  Bounds result;
  if (expr.getKind() == AffineExprKind::Add) {
    if (llvm::AddOverflow(lhs->low, rhs->low, result.low) ||
        llvm::AddOverflow(lhs->high, rhs->high, result.high))
      return std::nullopt;
    return result;
  }
  // All others have a constant on the right.
  int64_t factor = rhs->low;
  if (rhs->high != factor)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul) {
    int64_t a, b;
    if (llvm::MulOverflow(lhs->low, factor, a) ||
        llvm::MulOverflow(lhs->high, factor, b))
      return std::nullopt;
    return Bounds{std::min(a, b), std::max(a, b)};
  }
  if (factor < 1)
    return std::nullopt;
  int64_t first = llvm::divideFloorSigned(lhs->low, factor);
  int64_t last = llvm::divideFloorSigned(lhs->high, factor);
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
    return Bounds{first, last};
  case AffineExprKind::CeilDiv:
    return Bounds{llvm::divideCeilSigned(lhs->low, factor),
                  llvm::divideCeilSigned(lhs->high, factor)};
  case AffineExprKind::Mod:
    if (first == last)
      return Bounds{lhs->low - first * factor, lhs->high - first * factor};
    return Bounds{0, factor - 1};
  default:
    return std::nullopt;
  }
}

static std::optional<Bounds> getBounds(AffineExpr expr,
                                       ArrayRef<int64_t> shape) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Bounds{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return Bounds{0, shape[dim.getPosition()] - 1};
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
    return getBinaryBounds(binary, shape);
  return std::nullopt; // A symbol.
}

FailureOr<SmallVector<int64_t>> mlir::relay::mapShape(AffineMap map,
                                                      ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result;
  for (AffineExpr expr : map.getResults()) {
    std::optional<Bounds> bounds = getBounds(expr, shape);
    if (!bounds || bounds->low < 0)
      return failure();
    result.push_back(bounds->high + 1);
  }
  return result;
}
