//===- LoopNest.cpp - Building loop nests -----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

SmallVector<ForOp> mlir::tir::buildLoops(OpBuilder &builder, Location loc,
                                         ArrayRef<OpFoldResult> extents) {
  SmallVector<ForOp> loops;
  for (OpFoldResult extent : extents) {
    auto loop = ForOp::create(builder, loc, extent);
    loops.push_back(loop);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  }
  return loops;
}

BlockOp
mlir::tir::buildBlockNest(OpBuilder &builder, Location loc, StringRef name,
                          ArrayRef<IterKind> kinds,
                          ArrayRef<OpFoldResult> extents,
                          function_ref<void(OpBuilder &, BlockOp)> buildBody) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> bindings;
  for (ForOp loop : buildLoops(builder, loc, extents))
    bindings.push_back(loop.getInductionVar());
  auto block = BlockOp::create(builder, loc, name, kinds, bindings, extents);
  builder.setInsertionPoint(block.getBody()->getTerminator());
  buildBody(builder, block);
  block.updateAccessRegions();
  return block;
}
