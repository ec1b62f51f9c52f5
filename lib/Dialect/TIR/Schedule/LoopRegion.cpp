//===- LoopRegion.cpp - What a loop touches of a buffer ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopRegion.h"

using namespace mlir;
using namespace mlir::tir;

LoopRegion::LoopRegion(IndexSpace &space, ForOp loop) : space(space) {
  for (ForOp outer = loop; outer; outer = outer.getParentLoop())
    outerVars.push_back(outer.getInductionVar());
}

void LoopRegion::add(BlockOp block, AffineMap map, ArrayRef<Value> symbols) {
  SmallVector<AffineExpr> dims, syms;
  for (Value binding : block.getBindings())
    dims.push_back(space.getExpr(binding));
  for (Value symbol : symbols)
    syms.push_back(space.getExpr(symbol));
  SmallVector<std::optional<DimRegion>> access;
  for (AffineExpr expr : map.getResults()) {
    IndexBounds bounds = space.getBounds();
    access.push_back(getRegion(
        bounds.simplify(expr.replaceDimsAndSymbols(dims, syms)), bounds));
  }
  merge(access);
}

void LoopRegion::add(BlockOp block, const BufferAccess &access) {
  if (access.map)
    return add(block, *access.map, access.symbols);
  // A block of blocks runs over loops of its own.
  AffineMap map;
  SmallVector<Value> operands;
  if (auto load = dyn_cast<affine::AffineLoadOp>(access.op)) {
    map = load.getAffineMap();
    operands = load.getMapOperands();
  } else if (auto store = dyn_cast<affine::AffineStoreOp>(access.op)) {
    map = store.getAffineMap();
    operands = store.getMapOperands();
  }
  unsigned rank = cast<MemRefType>(access.buffer.getType()).getRank();
  if (!map || !llvm::is_contained(access.op->getOperands(), access.buffer))
    return addWhole(rank);
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    exprs.push_back(space.getExpr(expr, map.getNumDims(), operands));
  // Data decides where the access goes.
  bool isKnown = llvm::all_of(space.getSymbols(), [&](Value symbol) {
    return !block.getRegion().isAncestor(symbol.getParentRegion());
  });
  if (!isKnown)
    return addWhole(rank);
  SmallVector<AffineExpr> bindings;
  for (Value binding : block.getBindings())
    bindings.push_back(space.getExpr(binding));
  SmallVector<AffineExpr> dims;
  for (auto [index, dim] : llvm::enumerate(space.getDims())) {
    auto arg = cast<BlockArgument>(dim);
    dims.push_back(arg.getOwner() == block.getBody()
                       ? bindings[arg.getArgNumber()]
                       : getAffineDimExpr(index, block.getContext()));
  }
  SmallVector<std::optional<DimRegion>> region;
  for (AffineExpr expr : exprs) {
    IndexBounds bounds = space.getBounds();
    region.push_back(
        getRegion(bounds.simplify(expr.replaceDims(dims)), bounds));
  }
  merge(region);
}

void LoopRegion::addWhole(unsigned rank) {
  merge(SmallVector<std::optional<DimRegion>>(rank));
}

bool LoopRegion::isOuter(AffineExpr dim) const {
  return llvm::is_contained(outerVars, space.getDim(dim));
}

std::optional<DimRegion>
LoopRegion::getRegion(AffineExpr expr, const IndexBounds &bounds) const {
  MLIRContext *context = expr.getContext();
  LinearSum min, extent;
  extent.constant = 1;
  LinearSum sum = LinearSum::get(expr);
  min.constant = sum.constant;
  for (auto [term, coefficient] : sum.terms) {
    bool hasOuter = false, hasInner = false;
    term.walk([&](AffineExpr inner) {
      if (isa<AffineDimExpr>(inner))
        (isOuter(inner) ? hasOuter : hasInner) = true;
    });
    if (!hasInner) {
      min.add(term, coefficient);
      continue;
    }
    IndexRange range = bounds.getRange(term);
    if (hasOuter || !range.min)
      return std::nullopt;
    if (range.max) {
      min.constant += coefficient * (coefficient > 0 ? *range.min : *range.max);
      extent.constant += std::abs(coefficient) * (*range.max - *range.min);
      continue;
    }
    // A loop of dynamic extent.
    auto dim = dyn_cast<AffineDimExpr>(term);
    AffineExpr size = dim && dim.getPosition() < bounds.dimExtents.size()
                          ? bounds.dimExtents[dim.getPosition()]
                          : AffineExpr();
    if (!size || coefficient < 0)
      return std::nullopt;
    extent.add(size - 1, coefficient);
  }
  return DimRegion{min.toExpr(context), extent.toExpr(context)};
}

void LoopRegion::merge(ArrayRef<std::optional<DimRegion>> access) {
  if (!hasRegion) {
    region.assign(access.begin(), access.end());
    hasRegion = true;
    return;
  }
  for (auto [known, added] : llvm::zip(region, access)) {
    if (!known || !added) {
      known = std::nullopt;
      continue;
    }
    if (known->min == added->min && known->extent == added->extent)
      continue;
    // Regions a constant apart have a union; others take the whole.
    MLIRContext *context = known->min.getContext();
    auto offset = dyn_cast<AffineConstantExpr>(
        LinearSum::get(added->min - known->min).toExpr(context));
    auto first = dyn_cast<AffineConstantExpr>(known->extent);
    auto second = dyn_cast<AffineConstantExpr>(added->extent);
    if (!offset || !first || !second) {
      known = std::nullopt;
      continue;
    }
    int64_t begin = std::min<int64_t>(0, offset.getValue());
    int64_t end =
        std::max(first.getValue(), offset.getValue() + second.getValue());
    known = DimRegion{known->min + begin,
                      getAffineConstantExpr(end - begin, context)};
  }
}
