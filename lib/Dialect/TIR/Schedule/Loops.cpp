//===- Loops.cpp - Split, fuse and reorder ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

DiagnosedSilenceableFailure mlir::tir::checkPlainLoop(ForOp loop) {
  if (loop.getKind() != ForKind::Serial)
    return refuse(loop) << "expects a serial loop, but got kind "
                        << stringifyForKind(loop.getKind());
  if (loop.getConstantLowerBound() != 0)
    return refuse(loop) << "expects a loop from 0";
  return DiagnosedSilenceableFailure::success();
}

/// The ops of a loop body without its terminator.
static SmallVector<Operation *> getBodyOps(ForOp loop) {
  return llvm::map_to_vector(loop.getBody()->without_terminator(),
                             [](Operation &op) { return &op; });
}

//===----------------------------------------------------------------------===//
// split
//===----------------------------------------------------------------------===//

static constexpr int64_t kMaxIterations = int64_t(1) << 48;

/// Computes the extents of the loops that `split` makes, and the product of the
/// factors that are given.
static DiagnosedSilenceableFailure
planSplit(ForOp loop, ArrayRef<int64_t> factors, TailStrategy tail,
          IndexSpace &space, SmallVectorImpl<AffineExpr> &extents,
          int64_t &product) {
  if (factors.empty())
    return refuse(loop) << "expects at least one factor";
  int inferred = -1;
  product = 1;
  for (auto [index, factor] : llvm::enumerate(factors)) {
    if (factor != kInferFactor) {
      if (factor <= 0)
        return refuse(loop) << "expects positive factors, but got " << factor;
      // More iterations than anybody waits for; their number must not overflow.
      if (factor > kMaxIterations / product)
        return refuse(loop) << "expects factors with a product of at most "
                            << kMaxIterations << ", but got more";
      product *= factor;
      continue;
    }
    if (inferred >= 0)
      return refuse(loop) << "expects at most one factor to infer";
    inferred = index;
  }

  std::optional<int64_t> constant = loop.getConstantUpperBound();
  if (inferred < 0) {
    if (!constant)
      return refuse(loop) << "expects one factor to infer, because the extent "
                             "is not constant";
    if (product < *constant)
      return refuse(loop) << "expects factors with a product of at least "
                          << *constant << ", but got " << product;
  }
  bool isPartition = tail == TailStrategy::Partition;
  if (isPartition) {
    if (inferred != 0)
      return refuse(loop) << "expects the first factor to be inferred to "
                             "partition the loop";
    if (constant && *constant < product)
      return refuse(loop) << "expects an extent of at least " << product
                          << " to partition the loop, but got " << *constant;
  }
  AffineExpr extent = space.getExpr(loop.getUpperBound());
  AffineExpr rest =
      isPartition ? extent.floorDiv(product) : extent.ceilDiv(product);
  for (int64_t factor : factors)
    extents.push_back(factor == kInferFactor
                          ? rest
                          : getAffineConstantExpr(factor, loop.getContext()));
  return DiagnosedSilenceableFailure::success();
}

/// Clones `loop` behind itself for the iterations from `begin` on.
static ForOp createTail(RewriterBase &rewriter, ForOp loop,
                        OpFoldResult begin) {
  rewriter.setInsertionPointAfter(loop);
  auto tail = cast<ForOp>(rewriter.clone(*loop));
  tail.setLowerBound(begin);
  auto function = loop->getParentOfType<PrimFuncOp>();
  tail.walk([&](BlockOp block) {
    std::string name = (block.getName() + "_tail").str();
    block.setName(function.getUniqueBlockName(name));
  });
  return tail;
}

DiagnosedSilenceableFailure mlir::tir::separateInits(RewriterBase &rewriter,
                                                     ForOp loop) {
  for (BlockOp block : loop.getBlocks()) {
    if (!block.getInit())
      continue;
    IndexSpace space(loop.getContext());
    ForOp outermost;
    bool isFed = false;
    SmallVector<ForOp, 6> loops = block.getLoops();
    for (ForOp outer : llvm::reverse(loops))
      for (auto [index, binding] : llvm::enumerate(block.getBindings()))
        if (block.getIterKind(index) == IterKind::Reduce &&
            space.dependsOn(space.getExpr(binding), outer.getInductionVar())) {
          outermost = outer;
          isFed |= outer == loop;
        }
    BlockOp init;
    if (!isFed)
      continue;
    DiagnosedSilenceableFailure separated =
        decomposeReduction(rewriter, block, outermost, init);
    if (!separated.succeeded())
      return separated;
  }
  return DiagnosedSilenceableFailure::success();
}

/// The outermost loop around and including `loop` before which `size` is known.
/// Sizes computed there do not come between the loops of a nest.
static ForOp getOutermostBefore(ForOp loop, OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  while (auto parent = dyn_cast<ForOp>(loop->getParentOp())) {
    if (value && parent.getRegion().isAncestor(value.getParentRegion()))
      break;
    loop = parent;
  }
  return loop;
}

DiagnosedSilenceableFailure mlir::tir::split(RewriterBase &rewriter, ForOp loop,
                                             ArrayRef<int64_t> factors,
                                             TailStrategy tail,
                                             SmallVectorImpl<ForOp> &results,
                                             ForOp *tailLoop) {
  if (tailLoop)
    *tailLoop = nullptr;
  DiagnosedSilenceableFailure plain = checkPlainLoop(loop);
  if (!plain.succeeded())
    return plain;
  IndexSpace sizes(loop.getContext());
  SmallVector<AffineExpr> extentExprs;
  int64_t product;
  DiagnosedSilenceableFailure planned =
      planSplit(loop, factors, tail, sizes, extentExprs, product);
  if (!planned.succeeded())
    return planned;

  OpBuilder::InsertionGuard insertion(rewriter);
  Location loc = loop.getLoc();
  OpFoldResult oldExtent = loop.getUpperBound();
  std::optional<int64_t> constant = loop.getConstantUpperBound();
  rewriter.setInsertionPoint(getOutermostBefore(loop, oldExtent));
  SmallVector<OpFoldResult> extents;
  for (AffineExpr extent : extentExprs)
    extents.push_back(sizes.materialize(rewriter, loc, extent));

  bool isPartition = tail == TailStrategy::Partition;
  if (isPartition && (!constant || *constant % product != 0)) {
    DiagnosedSilenceableFailure separated = separateInits(rewriter, loop);
    if (!separated.succeeded())
      return separated;
    AffineExpr begin = sizes.getExpr(oldExtent).floorDiv(product) * product;
    rewriter.setInsertionPoint(loop);
    OpFoldResult lowerBound = sizes.materialize(rewriter, loc, begin);
    ForOp created = createTail(rewriter, loop, lowerBound);
    if (tailLoop)
      *tailLoop = created;
  }

  // The loop stays as the outermost; the innermost takes over its body.
  SmallVector<Operation *> bodyOps = getBodyOps(loop);
  rewriter.modifyOpInPlace(loop, [&] { loop.setUpperBound(extents.front()); });
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<ForOp> inner =
      buildLoops(rewriter, loc, ArrayRef(extents).drop_front());
  results.push_back(loop);
  llvm::append_range(results, inner);
  ForOp innermost = results.back();
  if (!inner.empty())
    for (Operation *op : bodyOps)
      rewriter.moveOpBefore(op, innermost.getBody()->getTerminator());

  Value variable = loop.getInductionVar();
  IndexSpace space(loop.getContext());
  AffineExpr index = space.getExpr(variable);
  for (ForOp nested : inner)
    index = index * space.getExpr(nested.getUpperBound()) +
            space.getExpr(nested.getInductionVar());
  rewriter.setInsertionPointToStart(innermost.getBody());
  Value value = space.materializeValue(rewriter, loc, index);
  if (value != variable)
    rewriter.replaceUsesWithIf(variable, value, [&](OpOperand &use) {
      return use.getOwner() != value.getDefiningOp();
    });

  if (!isPartition)
    loop.walk([&](BlockOp block) {
      IndexSpace guardSpace(loop.getContext());
      AffineExpr last = guardSpace.getExpr(oldExtent) - 1;
      AffineExpr inside = last - guardSpace.getExpr(value);
      rewriter.modifyOpInPlace(block,
                               [&] { addGuard(block, guardSpace, inside); });
    });
  simplifyBindings(rewriter, loop);
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// fuse
//===----------------------------------------------------------------------===//

static DiagnosedSilenceableFailure checkFusable(ArrayRef<ForOp> loops) {
  for (auto [index, loop] : llvm::enumerate(loops)) {
    DiagnosedSilenceableFailure plain = checkPlainLoop(loop);
    if (!plain.succeeded())
      return plain;
    ForOp next = index + 1 < loops.size() ? loops[index + 1] : ForOp();
    if (next && ForOp(loop).getOnlyChildLoop() != next) {
      DiagnosedSilenceableFailure failure =
          refuse(loops[index]) << "expects the next loop to fuse to be all "
                                  "that this loop holds";
      failure.attachNote(next.getLoc()) << "next loop";
      return failure;
    }
    Value upper = ForOp(loop).getDynamicUpperBound();
    if (upper && !isDefinedOutside(upper, loops.front()))
      return refuse(loop)
             << "expects an extent that does not depend on the fused loops";
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::fuse(RewriterBase &rewriter, ArrayRef<ForOp> loops, ForOp &result) {
  assert(!loops.empty() && "nothing to fuse");
  DiagnosedSilenceableFailure fusable = checkFusable(loops);
  if (!fusable.succeeded())
    return fusable;

  OpBuilder::InsertionGuard insertion(rewriter);
  ForOp outer = loops.front(), innermost = loops.back();
  Location loc = outer.getLoc();
  IndexSpace sizes(outer.getContext());
  SmallVector<OpFoldResult> extents;
  AffineExpr product = rewriter.getAffineConstantExpr(1);
  for (ForOp loop : loops) {
    extents.push_back(loop.getUpperBound());
    product = product * sizes.getExpr(extents.back());
  }
  rewriter.setInsertionPoint(outer);
  OpFoldResult extent = sizes.materialize(rewriter, loc, product);
  rewriter.modifyOpInPlace(outer, [&] { outer.setUpperBound(extent); });
  if (loops.size() > 1)
    for (Operation *op : getBodyOps(innermost))
      rewriter.moveOpBefore(op, outer.getBody()->getTerminator());

  // Peel the old loop variables off the fused one, innermost first.
  IndexSpace space(outer.getContext());
  AffineExpr rest = space.getExpr(outer.getInductionVar());
  rewriter.setInsertionPointToStart(outer.getBody());
  SmallVector<Value> values(loops.size());
  SmallPtrSet<Operation *, 4> definitions;
  for (int i = loops.size() - 1; i >= 0; --i) {
    AffineExpr size = space.getExpr(extents[i]);
    values[i] =
        space.materializeValue(rewriter, loc, i == 0 ? rest : rest % size);
    if (Operation *definition = values[i].getDefiningOp())
      definitions.insert(definition);
    rest = rest.floorDiv(size);
  }
  for (auto [loop, value] : llvm::zip(loops, values))
    if (ForOp(loop).getInductionVar() != value)
      rewriter.replaceUsesWithIf(ForOp(loop).getInductionVar(), value,
                                 [&](OpOperand &use) {
                                   return !definitions.contains(use.getOwner());
                                 });
  if (loops.size() > 1)
    rewriter.eraseOp(loops[1]);
  simplifyBindings(rewriter, outer);
  result = outer;
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// reorder
//===----------------------------------------------------------------------===//

/// The perfect nest from the outermost to the innermost of `loops`, or an empty
/// list if something else lies between them.
static SmallVector<ForOp> getChain(ArrayRef<ForOp> loops) {
  ForOp outermost = loops.front();
  for (ForOp loop : loops)
    if (loop->isProperAncestor(outermost))
      outermost = loop;
  SmallVector<ForOp> chain;
  size_t found = 0;
  for (ForOp loop = outermost; loop; loop = loop.getOnlyChildLoop()) {
    chain.push_back(loop);
    found += llvm::is_contained(loops, loop);
    if (found == loops.size())
      return chain;
  }
  return {};
}

static DiagnosedSilenceableFailure checkReorderable(ArrayRef<ForOp> chain) {
  for (ForOp loop : chain)
    for (Value bound : loop->getOperands())
      if (!isDefinedOutside(bound, chain.front()))
        return refuse(loop)
               << "expects bounds that do not depend on the loops to reorder";

  // With one block any order of its instances is right. Several blocks pass
  // values to each other, so all loops must only feed spatial variables.
  SmallVector<BlockOp, 6> blocks = ForOp(chain.front()).getBlocks();
  for (BlockOp block : blocks)
    for (auto [index, binding] : llvm::enumerate(block.getBindings())) {
      IterKind kind = block.getIterKind(index);
      if (kind == IterKind::Spatial ||
          (kind == IterKind::Reduce && blocks.size() == 1))
        continue;
      IndexSpace space(block.getContext());
      AffineExpr expr = space.getExpr(binding);
      for (ForOp loop : chain)
        if (space.dependsOn(expr, loop.getInductionVar()))
          return refuse(loop)
                 << "expects loops that feed spatial variables only, but got "
                 << stringifyIterKind(kind) << " variable " << index
                 << " of block @" << block.getName();
    }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure mlir::tir::reorder(RewriterBase &rewriter,
                                               ArrayRef<ForOp> loops) {
  assert(!loops.empty() && "nothing to reorder");
  SmallPtrSet<Operation *, 8> unique(loops.begin(), loops.end());
  if (unique.size() != loops.size())
    return refuse(loops.front()) << "expects each loop once";
  SmallVector<ForOp> chain = getChain(loops);
  if (chain.empty())
    return refuse(loops.front())
           << "expects loops of one nest with nothing between them";
  DiagnosedSilenceableFailure reorderable = checkReorderable(chain);
  if (!reorderable.succeeded())
    return reorderable;

  // The listed loops permute among the places that they have.
  SmallVector<ForOp> order;
  const ForOp *next = loops.begin();
  for (ForOp loop : chain)
    order.push_back(llvm::is_contained(loops, loop) ? *next++ : loop);
  if (order == chain)
    return DiagnosedSilenceableFailure::success();

  Block *parent = chain.front()->getBlock();
  Block::iterator place = std::next(chain.front()->getIterator());
  SmallVector<Operation *> bodyOps = getBodyOps(chain.back());
  for (Operation *op : bodyOps)
    op->remove();
  for (ForOp loop : llvm::reverse(chain))
    loop->remove();
  parent->getOperations().insert(place, order.front());
  for (unsigned i = 1, e = order.size(); i != e; ++i)
    order[i - 1].getBody()->push_front(order[i]);
  Block *body = order.back().getBody();
  for (Operation *op : bodyOps)
    body->getOperations().insert(body->getTerminator()->getIterator(), op);
  return DiagnosedSilenceableFailure::success();
}
