//===- TensorView.cpp - Tensors seen as buffers -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorView.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"

using namespace mlir;
using namespace mlir::tir;

TensorView TensorView::ofBuffer(Value buffer, ArrayRef<OpFoldResult> sizes) {
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(sizes.size(), buffer.getContext());
  return {buffer, Value(), identity, {}, llvm::to_vector(sizes)};
}

TensorView TensorView::ofScalar(Value scalar, ArrayRef<OpFoldResult> sizes,
                                MLIRContext *context) {
  AffineMap identity = AffineMap::getMultiDimIdentityMap(sizes.size(), context);
  return {Value(), scalar, identity, {}, llvm::to_vector(sizes)};
}

TensorView TensorView::compose(AffineMap inner, ValueRange innerSymbols,
                               ArrayRef<OpFoldResult> newSizes) const {
  TensorView view = *this;
  view.map = map.compose(inner);
  llvm::append_range(view.symbols, innerSymbols);
  view.sizes = llvm::to_vector(newSizes);
  return view;
}

/// `size` as a constant or a symbol of `result`.
static AffineExpr getSizeExpr(OpFoldResult size, SizedMap &result,
                              MLIRContext *context) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return getAffineConstantExpr(*constant, context);
  result.symbols.push_back(cast<Value>(size));
  return getAffineSymbolExpr(result.symbols.size() - 1, context);
}

SizedMap mlir::tir::getCollapsedIndex(ArrayRef<SmallVector<int64_t, 2>> groups,
                                      ArrayRef<OpFoldResult> expandedSizes,
                                      MLIRContext *context) {
  SizedMap result;
  SmallVector<AffineExpr> exprs;
  for (ArrayRef<int64_t> group : groups) {
    AffineExpr index = getAffineConstantExpr(0, context);
    for (auto [position, dim] : llvm::enumerate(group)) {
      if (position != 0)
        index = index * getSizeExpr(expandedSizes[dim], result, context);
      index = index + getAffineDimExpr(dim, context);
    }
    exprs.push_back(index);
  }
  result.map = AffineMap::get(expandedSizes.size(), result.symbols.size(),
                              exprs, context);
  return result;
}

SizedMap mlir::tir::getExpandedIndex(ArrayRef<SmallVector<int64_t, 2>> groups,
                                     ArrayRef<OpFoldResult> expandedSizes,
                                     MLIRContext *context) {
  SizedMap result;
  SmallVector<AffineExpr> exprs(expandedSizes.size(),
                                getAffineConstantExpr(0, context));
  for (auto [source, group] : llvm::enumerate(groups)) {
    // Peel the innermost dimension off the running quotient.
    AffineExpr rest = getAffineDimExpr(source, context);
    for (int64_t position = group.size() - 1; position > 0; --position) {
      AffineExpr size =
          getSizeExpr(expandedSizes[group[position]], result, context);
      exprs[group[position]] = rest % size;
      rest = rest.floorDiv(size);
    }
    if (!group.empty())
      exprs[group.front()] = rest;
  }
  result.map =
      AffineMap::get(groups.size(), result.symbols.size(), exprs, context);
  return result;
}

/// The map of `view` at `index`, simplified over the domain.
static AffineMap getElementMap(const TensorView &view, AffineMap index,
                               Domain domain) {
  AffineMap map = view.map.compose(index);
  IndexBounds bounds;
  for (OpFoldResult extent : domain.extents) {
    std::optional<int64_t> constant = getConstantIntValue(extent);
    bounds.dims.push_back(constant ? IndexRange::fromExtent(*constant)
                                   : IndexRange::nonNegative());
    AffineExpr symbol;
    if (!constant)
      if (const auto *it = llvm::find(view.symbols, cast<Value>(extent));
          it != view.symbols.end())
        symbol =
            getAffineSymbolExpr(it - view.symbols.begin(), map.getContext());
    bounds.dimExtents.push_back(symbol);
  }
  return bounds.simplify(map);
}

Value mlir::tir::loadElement(OpBuilder &builder, Location loc,
                             const TensorView &view, AffineMap index,
                             Domain domain) {
  if (view.scalar)
    return view.scalar;
  return createLoad(builder, loc, view.buffer,
                    getElementMap(view, index, domain), domain.iterVars,
                    view.symbols);
}

void mlir::tir::storeElement(OpBuilder &builder, Location loc, Value value,
                             const TensorView &view, AffineMap index,
                             Domain domain) {
  createStore(builder, loc, value, view.buffer,
              getElementMap(view, index, domain), domain.iterVars,
              view.symbols);
}
