//===- DecomposeReduction.cpp - Init and update of a reduction --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tir;

/// Whether `loop` feeds an iteration variable of `block` that is (not) a
/// reduction. `bindings` are those of the block over `space`.
static bool feeds(ForOp loop, BlockOp block, IndexSpace &space,
                  ArrayRef<AffineExpr> bindings, bool isReduce) {
  for (auto [index, expr] : llvm::enumerate(bindings))
    if ((block.getIterKind(index) == IterKind::Reduce) == isReduce &&
        space.dependsOn(expr, loop.getInductionVar()))
      return true;
  return false;
}

/// Repeats the loops from `loop` inwards that the spatial variables of `block`
/// need, maps their variables, and leaves `rewriter` inside them.
static void copySpatialLoops(RewriterBase &rewriter, BlockOp block, ForOp loop,
                             IndexSpace &space, ArrayRef<AffineExpr> bindings,
                             IRMapping &mapping) {
  auto mapBound = [&](OpFoldResult bound) -> OpFoldResult {
    if (auto operand = dyn_cast<Value>(bound))
      return mapping.lookupOrDefault(operand);
    return bound;
  };
  for (ForOp inner : block.getLoops()) {
    if (!loop->isAncestor(inner) ||
        !feeds(inner, block, space, bindings, /*isReduce=*/false))
      continue;
    auto copy =
        ForOp::create(rewriter, block.getLoc(), mapBound(inner.getLowerBound()),
                      mapBound(inner.getUpperBound()), inner.getKind());
    copy.setThreadTagAttr(inner.getThreadTagAttr());
    mapping.map(inner.getInductionVar(), copy.getInductionVar());
    rewriter.setInsertionPoint(copy.getBody()->getTerminator());
  }
}

/// Creates the block of the init, over the spatial variables of `block`.
static BlockOp createInitBlock(RewriterBase &rewriter, BlockOp block,
                               IndexSpace &space, ArrayRef<AffineExpr> bindings,
                               IRMapping &mapping) {
  Location loc = block.getLoc();
  IndexSpace newSpace(block.getContext());
  SmallVector<AffineExpr> dims, symbols;
  for (Value dim : space.getDims())
    dims.push_back(newSpace.getExpr(mapping.lookupOrDefault(dim)));
  for (Value symbol : space.getSymbols())
    symbols.push_back(newSpace.getExpr(symbol));

  SmallVector<IterKind> kinds;
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> newBindings;
  SmallVector<BlockArgument> iterVars;
  for (auto [index, extent] : llvm::enumerate(block.getExtents())) {
    if (block.getIterKind(index) == IterKind::Reduce)
      continue;
    kinds.push_back(block.getIterKind(index));
    extents.push_back(extent);
    iterVars.push_back(block.getIterVars()[index]);
    newBindings.push_back(newSpace.materializeValue(
        rewriter, loc, bindings[index].replaceDimsAndSymbols(dims, symbols)));
  }
  std::string name =
      block.getFunction().getUniqueBlockName((block.getName() + "_init").str());
  auto init = BlockOp::create(rewriter, loc, name, kinds, newBindings, extents);
  for (auto [old, created] : llvm::zip(iterVars, init.getIterVars()))
    mapping.map(old, created);
  return init;
}

DiagnosedSilenceableFailure
mlir::tir::decomposeReduction(RewriterBase &rewriter, BlockOp block, ForOp loop,
                              BlockOp &init) {
  InitOp oldInit = block.getInit();
  if (!oldInit)
    return refuse(block) << "expects block @" << block.getName()
                         << " to have an init";
  // Its guard, which keeps older elements, is not that of an init.
  if (llvm::any_of(block.getWrites(), isRolling))
    return refuse(block) << "expects block @" << block.getName()
                         << " to write no rolling buffer";
  if (!loop->isAncestor(block))
    return refuse(block) << "expects a loop around block @" << block.getName();
  IndexSpace space(block.getContext());
  SmallVector<AffineExpr> bindings;
  for (Value binding : block.getBindings())
    bindings.push_back(space.getExpr(binding));
  for (ForOp outer = loop.getParentLoop(); outer; outer = outer.getParentLoop())
    if (feeds(outer, block, space, bindings, /*isReduce=*/true))
      return refuse(loop) << "expects a loop around all of the reduction @"
                          << block.getName();

  OpBuilder::InsertionGuard insertion(rewriter);
  rewriter.setInsertionPoint(loop);
  IRMapping mapping;
  copySpatialLoops(rewriter, block, loop, space, bindings, mapping);
  init = createInitBlock(rewriter, block, space, bindings, mapping);
  rewriter.setInsertionPoint(init.getBody()->getTerminator());
  // What nothing uses may refer to reduce variables, which the init block does
  // not have.
  for (Operation &op : oldInit.getBody()->without_terminator())
    if (!isOpTriviallyDead(&op))
      rewriter.clone(op, mapping);
  init.updateAccessRegions();
  IndexSpace guardSpace(block.getContext());
  SmallVector<AffineExpr> constraints = getDomainConstraints(init, guardSpace);
  addGuard(init, guardSpace, constraints);
  rewriter.eraseOp(oldInit);
  rewriter.modifyOpInPlace(block, [&] { block.updateAccessRegions(); });
  return DiagnosedSilenceableFailure::success();
}
