//===- ElementTiles.cpp - Tiles of what VTA's ALU computes ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tir;
using relay_vta::Memory;

std::optional<WindowMaximum> WindowMaximum::get(const BlockNest &nest) {
  BlockOp block = nest.block;
  if (!block.getInit() || !nest.isReduction())
    return std::nullopt;
  SmallVector<affine::AffineStoreOp> stores(
      block.getBody()->getOps<affine::AffineStoreOp>());
  if (stores.size() != 1)
    return std::nullopt;
  auto max = stores.front().getValueToStore().getDefiningOp<arith::MaxSIOp>();
  if (!max || !max.getType().isSignlessInteger(8))
    return std::nullopt;
  auto lhs = max.getLhs().getDefiningOp<affine::AffineLoadOp>();
  auto rhs = max.getRhs().getDefiningOp<affine::AffineLoadOp>();
  if (!lhs || !rhs)
    return std::nullopt;
  if (lhs.getMemRef() != stores.front().getMemRef())
    std::swap(lhs, rhs);
  const BufferAccess *data = nest.getAccess(rhs);
  const BufferAccess *out = nest.getAccess(stores.front());
  if (lhs.getMemRef() != stores.front().getMemRef() ||
      rhs.getMemRef() == lhs.getMemRef() || !data || !out || !data->map ||
      !out->map)
    return std::nullopt;
  return WindowMaximum{*data, *out};
}

/// How many elements of VTA a tile accesses, if there are no gaps.
static int64_t countElements(const BufferAccess &access, ArrayRef<int64_t> tile,
                             int64_t numLanes) {
  int64_t lanes = 1;
  for (AffineExpr expr : access.map->getResults()) {
    int64_t span = 1;
    for (auto [var, size] : llvm::enumerate(tile)) {
      AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
      SmallVector<AffineExpr> at(tile.size(), zero);
      AffineExpr first = expr.replaceDims(at);
      at[var] = getAffineConstantExpr(1, expr.getContext());
      if (auto step =
              dyn_cast<AffineConstantExpr>(expr.replaceDims(at) - first))
        span += std::abs(step.getValue()) * (size - 1);
    }
    lanes *= span;
  }
  return llvm::divideCeil(lanes, numLanes);
}

std::optional<SmallVector<int64_t>>
mlir::tir::findElementTile(const BlockNest &nest, const BufferAccess &out,
                           const ElementTileNeeds &needs,
                           const relay_vta::Config &config) {
  auto numLanes = static_cast<int64_t>(config.getLanes(Memory::Acc));
  // The least that a tile has of each variable: lanes of one element.
  SmallVector<int64_t> tile;
  SmallVector<std::pair<int64_t, unsigned>> order;
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    std::optional<int64_t> extent = nest.getExtent(var);
    std::optional<int64_t> stride = getStride(out, var);
    if (!extent || !stride)
      return std::nullopt;
    if (nest.isReduce(var) || *extent == 1) {
      tile.push_back(*extent);
      continue;
    }
    if (nest.kinds[var] != IterKind::Spatial || *stride <= 0)
      return std::nullopt;
    int64_t granule = 1;
    if (*stride < numLanes) {
      if (numLanes % *stride != 0)
        return std::nullopt;
      granule = std::min(*extent, numLanes / *stride);
      if (*extent % granule != 0)
        return std::nullopt;
    } else if (*stride % numLanes != 0) {
      return std::nullopt;
    }
    tile.push_back(granule);
    order.emplace_back(*stride, var);
  }
  auto fits = [&](ArrayRef<int64_t> sizes, int64_t copies) {
    int64_t results = countElements(out, sizes, numLanes);
    int64_t data =
        needs.window ? countElements(*needs.window, sizes, numLanes) : 0;
    return copies * (needs.accTiles * results + data) <=
               static_cast<int64_t>(config.getDepth(Memory::Acc)) &&
           copies * (needs.inpTiles * results + data) <=
               static_cast<int64_t>(config.getDepth(Memory::Inp));
  };
  int64_t copies = fits(tile, 2) ? 2 : 1;
  // Rows before columns: runs in memory are long.
  llvm::sort(order);
  for (auto [stride, var] : order) {
    int64_t granule = tile[var], most = *nest.getExtent(var) / granule;
    for (int64_t size = most; size > 1; --size) {
      if (most % size != 0)
        continue;
      tile[var] = granule * size;
      if (fits(tile, copies))
        break;
      tile[var] = granule;
    }
  }
  return tile;
}
