//===- CacheIndex.cpp - Tables of indices ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index that a block computes anew in every instance may be read from a
// table, which another block fills first.
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

/// An index over the iteration variables, and the loads that use it.
struct CachedIndex {
  AffineExpr expr;
  int64_t numUses = 0;
  /// The variables in it, which index the table.
  SmallVector<unsigned> used;
  Value table;
};

} // namespace

/// The indices of loads in the body that need arithmetic, at least `minUses`
/// times.
static SmallVector<CachedIndex> collectIndices(BlockOp block, int64_t minUses) {
  SmallVector<CachedIndex> indices;
  for (const BufferAccess &access : collectAccesses(block)) {
    if (access.isWrite || !access.map || !access.symbols.empty() ||
        !isa<affine::AffineLoadOp>(access.op))
      continue;
    for (AffineExpr expr : access.map->getResults()) {
      if (isa<AffineDimExpr, AffineConstantExpr>(expr))
        continue;
      auto *known = llvm::find_if(indices, [&](const CachedIndex &index) {
        return index.expr == expr;
      });
      if (known == indices.end()) {
        CachedIndex index;
        index.expr = expr;
        for (unsigned iter = 0, e = block.getNumIters(); iter != e; ++iter)
          if (expr.isFunctionOfDim(iter))
            index.used.push_back(iter);
        indices.push_back(index);
        known = std::prev(indices.end());
      }
      ++known->numUses;
    }
  }
  llvm::erase_if(indices, [&](const CachedIndex &index) {
    return index.numUses < minUses;
  });
  return indices;
}

size_t mlir::tir::countCachedIndices(BlockOp block, int64_t minUses) {
  return collectIndices(block, minUses).size();
}

/// Creates the table of `index` and the block that fills it, before `nest`.
static BlockOp createTable(RewriterBase &rewriter, BlockOp block,
                           CachedIndex &index, relay::MemoryAttr memory,
                           StringRef name) {
  Location loc = block.getLoc();
  SmallVector<OpFoldResult> extents;
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  SmallVector<AffineExpr> dims(block.getNumIters(),
                               rewriter.getAffineConstantExpr(0));
  for (auto [position, iter] : llvm::enumerate(index.used)) {
    extents.push_back(block.getExtents()[iter]);
    dispatchIndexOpFoldResult(extents.back(), sizes, shape);
    dims[iter] = rewriter.getAffineDimExpr(position);
  }
  unsigned rank = index.used.size();
  Type element = rewriter.getI64Type();
  index.table = AllocBufferOp::create(
      rewriter, loc, getBufferType(shape, element, memory), sizes);
  AffineMap value =
      AffineMap::get(rank, 0, index.expr.replaceDims(dims), block.getContext());
  return buildBlockNest(
      rewriter, loc, name, SmallVector<IterKind>(rank, IterKind::Spatial),
      extents, [&](OpBuilder &body, BlockOp fill) {
        Value result =
            affine::AffineApplyOp::create(body, loc, value, fill.getIterVars());
        createStore(
            body, loc, arith::IndexCastOp::create(body, loc, element, result),
            index.table, body.getMultiDimIdentityMap(rank), fill.getIterVars());
      });
}

/// Lets the loads of `block` take indices from tables.
static void useTables(RewriterBase &rewriter, BlockOp block,
                      ArrayRef<CachedIndex> indices) {
  for (const BufferAccess &access : collectAccesses(block)) {
    auto load = dyn_cast<affine::AffineLoadOp>(access.op);
    if (access.isWrite || !load || !access.map || !access.symbols.empty())
      continue;
    auto find = [&](AffineExpr expr) {
      return llvm::find_if(indices, [&](const CachedIndex &index) {
        return index.expr == expr;
      });
    };
    if (llvm::none_of(access.map->getResults(), [&](AffineExpr expr) {
          return find(expr) != indices.end();
        }))
      continue;
    Location loc = load.getLoc();
    rewriter.setInsertionPoint(load);
    SmallVector<Value> operands;
    for (AffineExpr expr : access.map->getResults()) {
      const auto *index = find(expr);
      if (index == indices.end()) {
        AffineMap map = AffineMap::get(block.getNumIters(), 0, expr);
        SmallVector<Value> used(block.getIterVars().begin(),
                                block.getIterVars().end());
        dropUnusedOperands(map, used);
        operands.push_back(
            affine::AffineApplyOp::create(rewriter, loc, map, used));
        continue;
      }
      SmallVector<Value> used;
      for (unsigned iter : index->used)
        used.push_back(block.getIterVars()[iter]);
      Value entry =
          createLoad(rewriter, loc, index->table,
                     rewriter.getMultiDimIdentityMap(used.size()), used);
      operands.push_back(arith::IndexCastOp::create(
          rewriter, loc, rewriter.getIndexType(), entry));
    }
    rewriter.replaceOpWithNewOp<memref::LoadOp>(load, load.getMemRef(),
                                                operands);
  }
}

DiagnosedSilenceableFailure
mlir::tir::cacheIndex(RewriterBase &rewriter, BlockOp block, StringRef scope,
                      int64_t minUses, SmallVectorImpl<BlockOp> &tables) {
  relay::MemoryAttr memory;
  DiagnosedSilenceableFailure found =
      findMemory(block, scope, /*hasStaticShape=*/true, memory);
  if (!found.succeeded())
    return found;
  if (minUses < 0)
    return refuse(block) << "expects a number of uses that is not negative, "
                            "but got "
                         << minUses;
  SmallVector<CachedIndex> indices = collectIndices(block, minUses);
  if (indices.empty())
    return refuse(block) << "expects loads in block @" << block.getName()
                         << " that share an index to compute, at least "
                         << std::max<int64_t>(minUses, 1) << " times";
  Operation *nest = getNest(block);
  for (const CachedIndex &index : indices)
    for (unsigned iter : index.used) {
      auto extent = dyn_cast<Value>(block.getExtents()[iter]);
      if (!extent)
        continue;
      if (!isDefinedOutside(extent, nest))
        return refuse(block) << "expects extents from outside the nest of @"
                             << block.getName();
      if (memory)
        return findMemory(block, scope, /*hasStaticShape=*/false, memory);
    }

  OpBuilder::InsertionGuard insertion(rewriter);
  PrimFuncOp function = block.getFunction();
  for (CachedIndex &index : indices) {
    rewriter.setInsertionPoint(nest);
    tables.push_back(createTable(
        rewriter, block, index, memory,
        function.getUniqueBlockName((block.getName() + "_index").str())));
  }
  useTables(rewriter, block, indices);
  normalizeAccesses(rewriter, block);
  return DiagnosedSilenceableFailure::success();
}
