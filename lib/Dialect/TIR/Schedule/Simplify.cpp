//===- Simplify.cpp - Simplify a scheduled kernel ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "relay-mlir/Dialect/TIR/Analysis/ConstantTable.h"

using namespace mlir;
using namespace mlir::tir;

/// Replaces a loop that runs once by its body.
static void inlineTrivialLoop(RewriterBase &rewriter, ForOp loop) {
  IndexSpace space(loop.getContext());
  AffineExpr only = space.getExpr(loop.getLowerBound());
  rewriter.setInsertionPoint(loop);
  Value value = space.materializeValue(rewriter, loop.getLoc(), only);
  Block *body = loop.getBody();
  rewriter.eraseOp(body->getTerminator());
  rewriter.inlineBlockBefore(body, loop, value);
  rewriter.eraseOp(loop);
}

/// Whether nothing in a loop ever runs. Where a reduction is over nothing, its
/// init may still be moved out of the loop.
static bool neverRuns(ForOp loop) {
  auto hasInit = [&] {
    return loop.walk([](InitOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  return loop.getConstantExtent() == 0 && !hasInit();
}

/// Erases nests that never run, and buffers that nothing else uses. The sizes
/// of such buffers need not follow from those of inputs.
static void eraseEmptyNests(RewriterBase &rewriter, Operation *root) {
  SmallVector<Operation *> loops;
  root->walk<WalkOrder::PreOrder>([&](ForOp loop) {
    if (loop == root || !neverRuns(loop))
      return WalkResult::advance();
    loops.push_back(loop);
    return WalkResult::skip();
  });
  for (Operation *loop : loops) {
    Operation *parent = loop->getParentOp();
    rewriter.eraseOp(loop);
    // Only the terminator is left.
    while (parent != root && isa<ForOp>(parent) &&
           llvm::hasSingleElement(*cast<ForOp>(parent).getBody())) {
      Operation *empty = parent;
      parent = parent->getParentOp();
      rewriter.eraseOp(empty);
    }
  }
  if (loops.empty())
    return;
  SmallVector<AllocBufferOp> buffers;
  root->walk([&](AllocBufferOp buffer) { buffers.push_back(buffer); });
  for (AllocBufferOp buffer : buffers)
    if (buffer.getBuffer().use_empty())
      rewriter.eraseOp(buffer);
}

/// Erases constants that nothing reads any more.
static void eraseUnreadTables(RewriterBase &rewriter, Operation *root) {
  SmallVector<AllocBufferOp> buffers;
  root->walk([&](AllocBufferOp buffer) { buffers.push_back(buffer); });
  for (AllocBufferOp buffer : buffers) {
    if (!getReaders(buffer.getBuffer()).empty() ||
        failed(ConstantTable::get(buffer.getBuffer())))
      continue;
    BlockOp writer = getWriters(buffer.getBuffer()).front();
    if (getWrittenBuffers(writer).size() != 1)
      continue;
    rewriter.eraseOp(writer);
    rewriter.eraseOp(buffer);
  }
}

void mlir::tir::simplifyIndices(RewriterBase &rewriter, Operation *root) {
  OpBuilder::InsertionGuard insertion(rewriter);
  eraseEmptyNests(rewriter, root);
  SmallVector<ForOp> trivial;
  root->walk([&](ForOp loop) {
    bool isPlain = loop.getKind() == ForKind::Serial ||
                   loop.getKind() == ForKind::Unrolled;
    if (loop != root && isPlain && loop.getConstantExtent() == 1)
      trivial.push_back(loop);
  });
  for (ForOp loop : trivial)
    inlineTrivialLoop(rewriter, loop);
  simplifyBindings(rewriter, root);
  SmallVector<BlockOp> blocks;
  root->walk([&](BlockOp block) { blocks.push_back(block); });
  for (BlockOp block : blocks)
    normalizeAccesses(rewriter, block);
  eraseUnreadTables(rewriter, root);
}
