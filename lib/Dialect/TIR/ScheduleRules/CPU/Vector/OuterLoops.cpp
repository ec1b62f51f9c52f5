//===- OuterLoops.cpp - Outer loops and epilogues -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CPURules.h"

using namespace mlir;
using namespace mlir::tir;

/// Vector operations below which starting threads costs more than it saves:
/// some microseconds.
static constexpr double kMinParallelWork = 16 << 10;
/// Results of a tile that may be in registers.
static constexpr int64_t kMaxRegisterResults = 32;
/// Iterations of a parallel loop that keep all threads busy to the end.
static constexpr int64_t kParallelExtent = 64;

AffineMap mlir::tir::putLast(MLIRContext *context, unsigned rank,
                             unsigned position, int64_t size) {
  AffineExpr index = getAffineDimExpr(position, context);
  SmallVector<AffineExpr> order;
  for (unsigned i = 0; i != rank; ++i)
    if (i != position)
      order.push_back(getAffineDimExpr(i, context));
    else if (size != 1)
      order.push_back(index % size);
  order.push_back(index.floorDiv(size));
  return AffineMap::get(rank, 0, order, context);
}

ForOp mlir::tir::getLoopOf(BlockOp block, unsigned var) {
  Value binding = block.getBindings()[var];
  SmallVector<Value> worklist = {binding};
  ForOp innermost;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<ForOp>(arg.getOwner()->getParentOp());
      if (loop && (!innermost || innermost->isProperAncestor(loop)))
        innermost = loop;
    } else if (Operation *op = value.getDefiningOp()) {
      llvm::append_range(worklist, op->getOperands());
    }
  }
  return innermost;
}

SmallVector<ForOp> mlir::tir::dropUnitLoops(ArrayRef<ForOp> loops) {
  return llvm::to_vector(llvm::make_filter_range(
      loops, [](ForOp loop) { return loop.getConstantExtent() != 1; }));
}

LogicalResult mlir::tir::reorderTile(KernelSchedule &schedule,
                                     const BlockNest &nest,
                                     ArrayRef<ForOp> outer, ForOp rowLoop,
                                     ForOp laneLoop) {
  SmallVector<ForOp> order(outer);
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    order.push_back(nest.loops[var]);
  if (rowLoop)
    order.push_back(rowLoop);
  order.push_back(laneLoop);
  if (succeeded(schedule.reorder(order)))
    return success();
  scheduleFallback(schedule, nest.block);
  return failure();
}

BlockOp mlir::tir::moveEpilogue(KernelSchedule &schedule, Value result,
                                ForOp loop) {
  if (!result.getDefiningOp<AllocBufferOp>())
    return {};
  BlockOp epilogue;
  for (BlockOp reader : getReaders(result)) {
    if (llvm::is_contained(getWriters(result), reader))
      continue;
    if (epilogue || reader.hasReduceIters())
      return {};
    epilogue = reader;
  }
  if (!epilogue || failed(BlockNest::get(epilogue)) ||
      failed(schedule.reverseComputeAt(epilogue, loop)))
    return {};
  return epilogue;
}

void mlir::tir::attachEpilogue(KernelSchedule &schedule, Value result,
                               ForOp loop) {
  BlockOp epilogue = moveEpilogue(schedule, result, loop);
  if (!epilogue)
    return;
  int64_t lanes =
      schedule.getLanes(cast<MemRefType>(result.getType()).getElementType());
  SmallVector<ForOp, 6> loops = epilogue.getLoops();
  // A register tile leaves its results where the epilogue, written out in the
  // same way, finds them: in registers. Of many results, a few at a time.
  unsigned numInner = 0;
  int64_t numElements = 1, maxElements = kMaxRegisterResults * lanes;
  for (ForOp inner : llvm::reverse(loops)) {
    numElements *= inner.getConstantExtent().value_or(maxElements + 1);
    if (inner == loop || numElements > maxElements)
      break;
    ++numInner;
  }
  std::optional<int64_t> width = loops.back().getConstantExtent();
  if (numInner != 0 && *width % lanes == 0)
    return schedule.deferTensorize(epilogue, Intrinsic::RegisterTile, numInner);
  // Without loops of its own, it is a scalar in a loop of its producer.
  if (loops.back() != loop)
    (void)schedule.vectorize(loops.back());
}

void mlir::tir::parallelizeOuter(KernelSchedule &schedule,
                                 SmallVectorImpl<ForOp> &loops, double work) {
  if (work < kMinParallelWork || loops.empty()) {
    schedule.remarkMissed(
        "parallel", loops.empty()
                        ? "no loop is outside of a tile"
                        : "about " + Twine(static_cast<int64_t>(work)) +
                              " vector operations are fewer than the " +
                              Twine(static_cast<int64_t>(kMinParallelWork)) +
                              " that pay for threads");
    return;
  }
  // A loop of one iteration, as over a batch of one, is nothing to share, and
  // would keep an unknown extent from being the outermost.
  auto *shared = llvm::find_if(
      loops, [](ForOp loop) { return loop.getConstantExtent() != 1; });
  if (shared != loops.end() && !shared->getConstantExtent())
    loops.erase(loops.begin(), shared);
  // Loops of unknown extent are only fused as the outermost one: the indices
  // are divided by the extents of the others. Loops of known extents make up
  // for an outermost one that may be short.
  auto isUnknown = [](ForOp loop) { return !loop.getConstantExtent(); };
  if (loops.size() > 2 && isUnknown(loops[0]) && isUnknown(loops[1])) {
    SmallVector<ForOp> order = {loops.front()}, unknown;
    for (ForOp loop : llvm::drop_begin(loops))
      (isUnknown(loop) ? unknown : order).push_back(loop);
    llvm::append_range(order, unknown);
    if (!llvm::equal(order, loops) && succeeded(schedule.reorder(order)))
      loops.assign(order.begin(), order.end());
  }
  size_t count = 0;
  int64_t extent = 1;
  for (; count != loops.size() && extent < kParallelExtent; ++count) {
    std::optional<int64_t> next = loops[count].getConstantExtent();
    if (!next && count != 0)
      break;
    // An unknown extent may be 1.
    extent *= next.value_or(1);
  }
  ForOp fused = schedule.fuse(ArrayRef(loops).take_front(count));
  if (fused) {
    loops.erase(loops.begin(), loops.begin() + count);
    loops.insert(loops.begin(), fused);
  }
  (void)schedule.parallel(loops.front());
}
