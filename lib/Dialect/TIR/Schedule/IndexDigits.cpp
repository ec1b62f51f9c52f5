//===- IndexDigits.cpp - Digits of indices --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index maps that split dimensions into digits and put digits together, such as
// (i) -> (i floordiv 4, i mod 4) and (i, j) -> (i * 8 + j). Here such maps are
// recognised, shown to be one to one, and inverted; changes of layout and of
// block variables rest on that.
//
//===----------------------------------------------------------------------===//

#include "IndexDigits.h"

#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tir;

std::optional<IndexDigit> mlir::tir::matchIndexDigit(AffineExpr expr) {
  IndexDigit digit;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && binary.getKind() == AffineExprKind::Mod) {
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!divisor)
      return std::nullopt;
    digit.base = divisor.getValue();
    expr = binary.getLHS();
    binary = dyn_cast<AffineBinaryOpExpr>(expr);
  }
  if (binary && binary.getKind() == AffineExprKind::FloorDiv) {
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!divisor)
      return std::nullopt;
    digit.stride = divisor.getValue();
    expr = binary.getLHS();
  }
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim || digit.stride <= 0)
    return std::nullopt;
  digit.dim = dim.getPosition();
  return digit;
}

/// The number of values that `digit` takes; dynamic if it is not known.
static int64_t getNumValues(const IndexDigit &digit, ArrayRef<int64_t> shape) {
  int64_t extent = shape[digit.dim];
  if (ShapedType::isDynamic(extent))
    return digit.base > 0 ? digit.base : ShapedType::kDynamic;
  int64_t count = llvm::divideCeil(extent, digit.stride);
  return digit.base > 0 ? std::min(count, digit.base) : count;
}

FailureOr<SmallVector<std::pair<AffineExpr, int64_t>>>
mlir::tir::splitPlaces(AffineExpr expr, ArrayRef<int64_t> shape) {
  LinearSum sum = LinearSum::get(expr);
  SmallVector<std::pair<AffineExpr, int64_t>> terms(sum.terms.begin(),
                                                    sum.terms.end());
  if (sum.constant != 0)
    return failure();
  llvm::sort(terms,
             [](const auto &a, const auto &b) { return a.second < b.second; });
  // What the terms before can sum up to.
  int64_t reach = 0;
  for (auto [index, place] : llvm::enumerate(terms)) {
    auto [term, coefficient] = place;
    std::optional<IndexDigit> digit = matchIndexDigit(term);
    if (!digit || coefficient <= reach)
      return failure();
    int64_t count = getNumValues(*digit, shape);
    bool isLast = index + 1 == terms.size();
    if (isLast)
      break;
    int64_t span;
    if (ShapedType::isDynamic(count) ||
        llvm::MulOverflow(std::max<int64_t>(count - 1, 0), coefficient, span) ||
        llvm::AddOverflow(reach, span, reach))
      return failure();
  }
  return terms;
}

namespace {

/// A digit, and how it is computed from the new indices.
struct Place {
  IndexDigit digit;
  int64_t count;
  AffineExpr value;
};

} // namespace

/// Whether `expr` is dimension `dim`, and no other result of `map` uses it.
static bool isAlone(AffineMap map, AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim && llvm::count_if(map.getResults(), [&](AffineExpr result) {
                  return result.isFunctionOfDim(dim.getPosition());
                }) == 1;
}

/// The old index `dim` from its digits, which must cover it exactly.
static AffineExpr joinDigits(unsigned dim, int64_t extent,
                             SmallVectorImpl<Place> &places,
                             MLIRContext *context) {
  llvm::sort(places, [](const Place &a, const Place &b) {
    return a.digit.stride < b.digit.stride;
  });
  AffineExpr expr = getAffineConstantExpr(0, context);
  int64_t covered = 1;
  for (const Place &place : places) {
    if (place.count == 1)
      continue;
    if (place.digit.stride != covered)
      return {};
    covered *= place.count;
    expr = expr + place.value * place.digit.stride;
  }
  return covered == extent ? expr : AffineExpr();
}

LogicalResult mlir::tir::invertIndexMap(AffineMap map, ArrayRef<int64_t> shape,
                                        SmallVectorImpl<int64_t> &newShape,
                                        AffineMap &inverse,
                                        std::string &error) {
  MLIRContext *context = map.getContext();
  IndexBounds bounds;
  for (int64_t extent : shape)
    bounds.dims.push_back(ShapedType::isDynamic(extent)
                              ? IndexRange::nonNegative()
                              : IndexRange::fromExtent(extent));
  SmallVector<SmallVector<Place>> places(shape.size());
  SmallVector<AffineExpr> whole(shape.size());
  for (auto [index, result] : llvm::enumerate(map.getResults())) {
    AffineExpr variable = getAffineDimExpr(index, context);
    AffineExpr expr = bounds.simplify(result);
    std::string which = "result " + std::to_string(index);
    if (isAlone(map, expr)) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      whole[dim] = variable;
      newShape.push_back(shape[dim]);
      continue;
    }
    auto terms = splitPlaces(expr, shape);
    if (failed(terms)) {
      error = which + " is not a sum of digits of the old indices, each in a "
                      "place of its own";
      return failure();
    }
    int64_t extent = 1;
    for (auto [position, term] : llvm::enumerate(*terms)) {
      IndexDigit digit = *matchIndexDigit(term.first);
      int64_t count = getNumValues(digit, shape);
      if (ShapedType::isDynamic(shape[digit.dim])) {
        error = "index " + std::to_string(digit.dim) +
                ", whose extent is not constant, is not a result by itself";
        return failure();
      }
      if (term.second != extent) {
        error = which + " leaves out values";
        return failure();
      }
      AffineExpr value = variable.floorDiv(extent);
      bool isLast = position + 1 == terms->size();
      places[digit.dim].push_back(
          {digit, count, isLast ? value : value % count});
      extent *= count;
    }
    newShape.push_back(extent);
  }

  SmallVector<AffineExpr> old;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    AffineExpr expr = whole[dim];
    if (!expr && !ShapedType::isDynamic(extent))
      expr = joinDigits(dim, extent, places[dim], context);
    if (!expr) {
      error = "the digits of index " + std::to_string(dim) +
              " do not make up its values exactly once";
      return failure();
    }
    old.push_back(expr);
  }
  inverse = AffineMap::get(map.getNumResults(), 0, old, context);
  return success();
}
