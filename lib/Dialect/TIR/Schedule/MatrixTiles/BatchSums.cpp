//===- BatchSums.cpp - Products whose batches are added up ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a sum over the batches comes after a product, as over blocks of a
// weight that have scales of their own, the results of a batch need not go to
// memory: a tile of columns has all batches pass by, whose results are added to
// what is in the first cache. The data of all batches is split ahead.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleSupport.h"
#include "MatrixEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

void MatrixEmitter::emitBatchSums() {
  // What else the sum reads is there by then.
  rewriter.setInsertionPoint(getOutermostLoop(batchSum));
  allocatePieces();
  auto buildLoop = [&](int64_t extent) {
    return buildLoops(rewriter, loc,
                      OpFoldResult(rewriter.getIndexAttr(extent)))
        .front();
  };
  ForOp panels = buildLoop(plan.numPanels);
  emitSplit(panels.getInductionVar());
  rewriter.setInsertionPointAfter(panels);
  ForOp columns = buildLoop(plan.getNumColumnTiles());
  if (isParallel)
    columns.setKind(ForKind::Parallel);
  Value columnIndex = columns.getInductionVar();
  {
    OpBuilder::InsertionGuard insertion(rewriter);
    ForOp starts = buildLoop(plan.getTilesPerPanel());
    emitResults(rewriter, starts.getInductionVar(), columnIndex,
                /*tile=*/Value());
  }
  ForOp tiles = buildLoop(plan.numPanels * plan.getTilesPerPanel());
  emitTile(tiles.getInductionVar(), columnIndex);
  rewriter.eraseOp(getOutermostLoop(batchSum));
}

/// The variables of the sum, of `vars`, those of the results.
SmallVector<Value> MatrixEmitter::getPlaceOfSum(OpBuilder &builder,
                                                ValueRange vars) const {
  BlockNest sum = BlockNest::getWithoutLoops(batchSum);
  BlockNest result = BlockNest::getWithoutLoops(resultBlock);
  const BufferAccess &written = *result.getStore();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  SmallVector<Value> place(sum.getNumVars(), zero);
  for (const BufferAccess &access : sum.accesses) {
    if (access.buffer != written.buffer)
      continue;
    for (auto [index, source] :
         llvm::zip_equal(access.map->getResults(), written.map->getResults()))
      if (auto var = dyn_cast<AffineDimExpr>(index))
        if (auto known = dyn_cast<AffineDimExpr>(source))
          place[var.getPosition()] = vars[known.getPosition()];
  }
  return place;
}

void MatrixEmitter::startBatchSum(OpBuilder &builder, ValueRange vars) {
  IRMapping mapping;
  mapping.map(batchSum.getIterVars(), getPlaceOfSum(builder, vars));
  for (Operation &op :
       batchSum.getInit().getRegion().front().without_terminator())
    builder.clone(op, mapping);
}

void MatrixEmitter::addToBatchSum(OpBuilder &builder, Value result,
                                  ValueRange vars) {
  Value results = getWrittenBuffers(resultBlock).front();
  IRMapping mapping;
  mapping.map(batchSum.getIterVars(), getPlaceOfSum(builder, vars));
  for (Operation &op : batchSum.getBody()->without_terminator()) {
    auto load = dyn_cast<affine::AffineLoadOp>(op);
    if (load && load.getMemRef() == results)
      mapping.map(load.getResult(), result);
    else if (!isa<InitOp>(op))
      builder.clone(op, mapping);
  }
}
