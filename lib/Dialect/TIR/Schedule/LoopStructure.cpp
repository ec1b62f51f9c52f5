//===- LoopStructure.cpp - Reverse, partition, merge loops ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tir;

/// Lets everything in `loop` that uses its variable use `expr` of it instead.
static void replaceVariable(RewriterBase &rewriter, ForOp loop,
                            IndexSpace &space, AffineExpr expr) {
  Value variable = loop.getInductionVar();
  rewriter.setInsertionPointToStart(loop.getBody());
  Value value = space.materializeValue(rewriter, loop.getLoc(), expr);
  if (value != variable)
    rewriter.replaceUsesWithIf(variable, value, [&](OpOperand &use) {
      return use.getOwner() != value.getDefiningOp();
    });
}

//===----------------------------------------------------------------------===//
// reverse
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure mlir::tir::reverse(RewriterBase &rewriter,
                                               ForOp loop) {
  for (BlockOp block : loop.getBlocks()) {
    if (!block.getInit())
      continue;
    IndexSpace space(loop.getContext());
    for (auto [index, binding] : llvm::enumerate(block.getBindings()))
      if (block.getIterKind(index) == IterKind::Reduce &&
          space.dependsOn(space.getExpr(binding), loop.getInductionVar())) {
        DiagnosedSilenceableFailure failure =
            refuse(loop) << "expects no init in the reduction @"
                         << block.getName()
                         << ", which the first iteration starts";
        failure.attachNote(block.getLoc())
            << "decompose_reduction takes the init out";
        return failure;
      }
  }
  DiagnosedSilenceableFailure apart = checkIterationsApart(loop);
  if (!apart.succeeded())
    return apart;

  OpBuilder::InsertionGuard insertion(rewriter);
  IndexSpace space(loop.getContext());
  AffineExpr mirrored = space.getExpr(loop.getLowerBound()) +
                        space.getExpr(loop.getUpperBound()) - 1 -
                        space.getExpr(loop.getInductionVar());
  replaceVariable(rewriter, loop, space, mirrored);
  simplifyBindings(rewriter, loop);
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// loop_partition
//===----------------------------------------------------------------------===//

static DiagnosedSilenceableFailure
planPartition(ForOp loop, ArrayRef<int64_t> sizes,
              SmallVectorImpl<int64_t> &extents) {
  DiagnosedSilenceableFailure plain = checkPlainLoop(loop);
  if (!plain.succeeded())
    return plain;
  std::optional<int64_t> extent = loop.getConstantUpperBound();
  if (!extent)
    return refuse(loop) << "expects a constant extent to partition";
  if (sizes.empty())
    return refuse(loop) << "expects at least one size";
  int64_t total = 0;
  int64_t *inferred = nullptr;
  extents.assign(sizes.begin(), sizes.end());
  for (int64_t &size : extents) {
    if (size != kInferFactor) {
      if (size <= 0)
        return refuse(loop) << "expects positive sizes, but got " << size;
      if (size > *extent)
        return refuse(loop) << "expects sizes of at most " << *extent
                            << ", but got " << size;
      total += size;
      continue;
    }
    if (inferred)
      return refuse(loop) << "expects at most one size to infer";
    inferred = &size;
  }
  bool fits = inferred ? total < *extent : total == *extent;
  if (!fits)
    return refuse(loop) << "expects sizes that add up to "
                        << (inferred ? "less than " : "") << *extent
                        << ", but got " << total;
  if (inferred)
    *inferred = *extent - total;
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::loopPartition(RewriterBase &rewriter, ForOp loop,
                         ArrayRef<int64_t> sizes,
                         SmallVectorImpl<ForOp> &results) {
  SmallVector<int64_t> extents;
  DiagnosedSilenceableFailure planned = planPartition(loop, sizes, extents);
  if (!planned.succeeded())
    return planned;
  if (extents.size() > 1) {
    DiagnosedSilenceableFailure separated = separateInits(rewriter, loop);
    if (!separated.succeeded())
      return separated;
  }

  OpBuilder::InsertionGuard insertion(rewriter);
  auto function = loop->getParentOfType<PrimFuncOp>();
  results.push_back(loop);
  for (size_t i = 1; i < extents.size(); ++i) {
    rewriter.setInsertionPointAfter(results.back());
    auto part = cast<ForOp>(rewriter.clone(*loop));
    part.walk([&](BlockOp block) {
      std::string name = (block.getName() + "_part").str();
      block.setName(function.getUniqueBlockName(name));
    });
    results.push_back(part);
  }
  int64_t begin = 0;
  for (size_t i = 0; i != extents.size(); ++i) {
    ForOp part = results[i];
    IntegerAttr extent = rewriter.getIndexAttr(extents[i]);
    rewriter.modifyOpInPlace(part, [&] { part.setUpperBound(extent); });
    IndexSpace space(loop.getContext());
    replaceVariable(rewriter, part, space,
                    space.getExpr(part.getInductionVar()) + begin);
    simplifyBindings(rewriter, part);
    begin += extents[i];
  }
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// merge
//===----------------------------------------------------------------------===//

/// Collects the definitions between the loops, which go before the first.
static DiagnosedSilenceableFailure
checkMergeable(ArrayRef<ForOp> loops, SmallVectorImpl<Operation *> &between) {
  ForOp first = loops.front();
  Operation *next = first;
  for (ForOp loop : loops) {
    DiagnosedSilenceableFailure plain = checkPlainLoop(loop);
    if (!plain.succeeded())
      return plain;
    if (!isEqualConstantIntOrValue(loop.getUpperBound(), first.getUpperBound()))
      return refuse(loop) << "expects loops of the same extent";
    while (next && next != loop) {
      if (!isPure(next) && !isa<AllocBufferOp>(next)) {
        DiagnosedSilenceableFailure failure =
            refuse(loop) << "expects loops with nothing between them to merge";
        failure.attachNote(next->getLoc()) << "this comes before the loop";
        return failure;
      }
      between.push_back(next);
      next = next->getNextNode();
    }
    if (!next)
      return refuse(loop) << "expects neighbouring loops in program order";
    next = next->getNextNode();
  }
  return checkIterationsApart(loops);
}

DiagnosedSilenceableFailure
mlir::tir::merge(RewriterBase &rewriter, ArrayRef<ForOp> loops, ForOp &result) {
  if (loops.size() < 2)
    return refuse(loops.front()) << "expects at least two loops to merge";
  SmallVector<Operation *> between;
  DiagnosedSilenceableFailure mergeable = checkMergeable(loops, between);
  if (!mergeable.succeeded())
    return mergeable;
  result = loops.front();
  for (Operation *op : between)
    rewriter.moveOpBefore(op, result);
  for (ForOp loop : loops.drop_front()) {
    rewriter.replaceAllUsesWith(loop.getInductionVar(),
                                result.getInductionVar());
    for (Operation &op :
         llvm::make_early_inc_range(loop.getBody()->without_terminator()))
      rewriter.moveOpBefore(&op, result.getBody()->getTerminator());
    rewriter.eraseOp(loop);
  }
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// add_unit_loop
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
mlir::tir::addUnitLoop(RewriterBase &rewriter, Operation *op, ForOp &result) {
  if (!isa<ForOp, BlockOp>(op))
    return refuse(op) << "expects a loop or a block to put a loop around";
  OpBuilder::InsertionGuard insertion(rewriter);
  rewriter.setInsertionPoint(op);
  result = ForOp::create(rewriter, op->getLoc(),
                         OpFoldResult(rewriter.getIndexAttr(1)));
  rewriter.moveOpBefore(op, result.getBody()->getTerminator());
  return DiagnosedSilenceableFailure::success();
}
