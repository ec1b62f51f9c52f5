//===- KernelSchedule.cpp - A kernel while rules schedule it ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"

#include "relay-mlir/Dialect/TIR/Transforms/Tensorize.h"

using namespace mlir;
using namespace mlir::tir;

/// Buffers up to this size move to the stack of a thread.
static constexpr int64_t kMaxLocalBytes = 64 << 10;

int64_t KernelSchedule::getNumVectorRegisters() const {
  bool isWide = target.isAArch64() || target.hasFeature("avx512vl");
  return isWide ? 32 : 16;
}

LoopPosition KernelSchedule::getPosition(ForOp loop) const {
  SmallVector<BlockOp, 6> blocks = loop.getBlocks();
  if (blocks.empty())
    return {};
  unsigned depth = 0;
  for (ForOp parent = loop.getParentLoop(); parent;
       parent = parent.getParentLoop())
    ++depth;
  BlockOp block = blocks.front();
  return {block.getName().str(), depth,
          static_cast<unsigned>(block.getLoops().size())};
}

ScheduleStep KernelSchedule::getStep(Kind kind, ArrayRef<ForOp> loops,
                                     BlockOp block) const {
  ScheduleStep step{kind, block ? block.getName().str() : "", {}, {}, {}, {}};
  if (trace)
    for (ForOp loop : loops)
      step.loops.push_back(getPosition(loop));
  return step;
}

LogicalResult KernelSchedule::finish(DiagnosedSilenceableFailure result,
                                     ScheduleStep step) {
  if (!result.succeeded()) {
    (void)result.silence();
    return failure();
  }
  if (trace)
    trace->push_back(std::move(step));
  return success();
}

SmallVector<ForOp> KernelSchedule::split(ForOp loop,
                                         ArrayRef<int64_t> factors) {
  ScheduleStep step = getStep(Kind::Split, loop);
  llvm::append_range(step.numbers, factors);
  SmallVector<ForOp> results;
  DiagnosedSilenceableFailure result =
      tir::split(rewriter, loop, factors, TailStrategy::Predicate, results);
  if (failed(finish(std::move(result), std::move(step))))
    return {};
  return results;
}

ForOp KernelSchedule::fuse(ArrayRef<ForOp> loops) {
  if (loops.size() == 1)
    return loops.front();
  ScheduleStep step = getStep(Kind::Fuse, loops);
  ForOp fused;
  DiagnosedSilenceableFailure result = tir::fuse(rewriter, loops, fused);
  if (failed(finish(std::move(result), std::move(step))))
    return {};
  return fused;
}

LogicalResult KernelSchedule::reorder(ArrayRef<ForOp> loops) {
  ScheduleStep step = getStep(Kind::Reorder, loops);
  return finish(tir::reorder(rewriter, loops), std::move(step));
}

LogicalResult KernelSchedule::parallel(ForOp loop) {
  ScheduleStep step = getStep(Kind::Parallel, loop);
  return finish(tir::parallel(rewriter, loop), std::move(step));
}

LogicalResult KernelSchedule::vectorize(ForOp loop) {
  ScheduleStep step = getStep(Kind::Vectorize, loop);
  return finish(tir::vectorize(rewriter, loop), std::move(step));
}

LogicalResult KernelSchedule::computeInline(BlockOp block) {
  ScheduleStep step = getStep(Kind::ComputeInline, {}, block);
  return finish(tir::computeInline(rewriter, block), std::move(step));
}

LogicalResult KernelSchedule::reverseComputeInline(BlockOp block) {
  ScheduleStep step = getStep(Kind::ReverseComputeInline, {}, block);
  return finish(tir::reverseComputeInline(rewriter, block), std::move(step));
}

LogicalResult KernelSchedule::computeAt(BlockOp block, ForOp loop) {
  ScheduleStep step = getStep(Kind::ComputeAt, loop, block);
  return finish(tir::computeAt(rewriter, block, loop), std::move(step));
}

LogicalResult KernelSchedule::reverseComputeAt(BlockOp block, ForOp loop) {
  ScheduleStep step = getStep(Kind::ReverseComputeAt, loop, block);
  return finish(tir::reverseComputeAt(rewriter, block, loop), std::move(step));
}

static std::optional<unsigned> getIndexOf(ArrayRef<Value> buffers,
                                          Value buffer) {
  const auto *it = llvm::find(buffers, buffer);
  if (it == buffers.end())
    return std::nullopt;
  return it - buffers.begin();
}

BlockOp KernelSchedule::cacheRead(BlockOp block, Value buffer,
                                  StringRef scope) {
  std::optional<unsigned> index = getIndexOf(getReadBuffers(block), buffer);
  if (!index)
    return {};
  ScheduleStep step = getStep(Kind::CacheRead, {}, block);
  step.numbers.push_back(*index);
  step.scope = scope.str();
  BlockOp copy;
  DiagnosedSilenceableFailure result =
      tir::cacheRead(rewriter, block, *index, scope, copy);
  if (failed(finish(std::move(result), std::move(step))))
    return {};
  return copy;
}

LogicalResult KernelSchedule::transformReadLayout(BlockOp block, Value buffer,
                                                  AffineMap layout) {
  std::optional<unsigned> index = getIndexOf(getReadBuffers(block), buffer);
  if (!index)
    return failure();
  ScheduleStep step = getStep(Kind::TransformLayout, {}, block);
  step.numbers = {0, *index};
  step.layout = layout;
  return finish(tir::transformLayout(rewriter, buffer, layout),
                std::move(step));
}

LogicalResult KernelSchedule::transformWriteLayout(BlockOp block, Value buffer,
                                                   AffineMap layout) {
  std::optional<unsigned> index = getIndexOf(getWrittenBuffers(block), buffer);
  if (!index)
    return failure();
  ScheduleStep step = getStep(Kind::TransformLayout, {}, block);
  step.numbers = {1, *index};
  step.layout = layout;
  return finish(tir::transformLayout(rewriter, buffer, layout),
                std::move(step));
}

void KernelSchedule::compactBuffers() {
  tir::compactBuffers(rewriter, kernel, kMaxLocalBytes);
  if (!trace)
    return;
  ScheduleStep step = getStep(Kind::CompactBuffers, {});
  step.numbers.push_back(kMaxLocalBytes);
  trace->push_back(std::move(step));
}

void KernelSchedule::simplify() {
  tir::simplifyIndices(rewriter, kernel);
  if (trace)
    trace->push_back(getStep(Kind::Simplify, {}));
}

LogicalResult KernelSchedule::tensorize(ForOp loop, Intrinsic intrinsic) {
  bool isTile = intrinsic == Intrinsic::RegisterTile;
  ScheduleStep step = getStep(
      isTile ? Kind::TensorizeRegisterTile : Kind::TensorizeRowReduction, loop);
  int64_t bits = target.getVectorBits();
  step.numbers.push_back(bits);
  BlockOp result;
  return finish(isTile ? tensorizeRegisterTile(rewriter, loop, bits, result)
                       : tensorizeRowReduction(rewriter, loop, bits, result),
                std::move(step));
}

/// Whether `value` is computed from the induction variable of `loop`.
static bool dependsOn(Value value, ForOp loop) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, loop);
         });
}

static bool feedsReduction(ForOp loop, BlockOp block) {
  for (unsigned i = 0, e = block.getNumIters(); i != e; ++i)
    if (block.getIterKind(i) == IterKind::Reduce &&
        dependsOn(block.getBindings()[i], loop))
      return true;
  return false;
}

void KernelSchedule::finalize() {
  compactBuffers();
  for (auto [block, intrinsic, numLoops] : deferred) {
    SmallVector<ForOp, 6> loops = block.getLoops();
    ForOp innermost = loops.back();
    auto feeds = [&, block = block](ForOp loop) {
      return feedsReduction(loop, block);
    };
    auto first = loops.end();
    if (llvm::any_of(loops, feeds)) {
      while (first != loops.begin() && !feeds(*std::prev(first)))
        --first;
      while (first != loops.begin() && feeds(*std::prev(first)))
        --first;
    } else {
      first -= std::min<size_t>(numLoops, loops.size());
    }
    if (failed(tensorize(*first, intrinsic)))
      (void)vectorize(innermost);
  }
  simplify();
}
