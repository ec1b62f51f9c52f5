//===- Rows.cpp - Reductions by the threads of a block --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction along a row has three steps: each thread reduces what is a block
// size apart, so that loads of neighbours are one; a few threads reduce their
// partial results, which are in shared memory; one thread reduces the rest.
//
//===----------------------------------------------------------------------===//

#include "../RowSteps.h"
#include "GPURules.h"

using namespace mlir;
using namespace mlir::tir;

/// Partial results that one thread reduces.
static constexpr int64_t kFewPartials = 16;
/// Elements below which threads do not share a reduction.
static constexpr int64_t kShortRow = 32;
/// Partial results of columns: enough for all threads of a large GPU.
static constexpr int64_t kPartialResults = 256 << 10;
/// Results that keep a large GPU busy with a thread for each.
static constexpr int64_t kManyThreads = 32 << 10;
/// Bytes of rows that blocks keep in shared memory. More would leave few blocks
/// for each multiprocessor.
static constexpr int64_t kMaxSharedBytes = 48 << 10;

/// Threads for a row: a power of two, at most as many as there are elements.
static int64_t getNumThreads(std::optional<int64_t> length) {
  if (!length || *length >= kBlockSize)
    return kBlockSize;
  return std::max<int64_t>(kShortRow, llvm::bit_floor<uint64_t>(*length));
}

static std::optional<int64_t> getProduct(const BlockNest &nest,
                                         ArrayRef<unsigned> vars) {
  int64_t product = 1;
  for (unsigned var : vars) {
    std::optional<int64_t> extent = nest.getExtent(var);
    if (!extent || llvm::MulOverflow(product, *extent, product))
      return std::nullopt;
  }
  return product;
}

/// Divides a reduction whose loops are in one nest, the reduction loops last.
/// Returns the blocks that it has become besides `block`, in order.
static FailureOr<SmallVector<BlockOp, 2>>
divide(KernelSchedule &schedule, BlockOp block, int64_t numThreads) {
  SmallVector<BlockOp, 2> partials;
  // Loops of other variables stay with each thread.
  ForOp loop = block.getLoops().back();
  for (int64_t count : {numThreads, kFewPartials}) {
    if (count >= numThreads && !partials.empty())
      break;
    SmallVector<ForOp> parts = schedule.split(loop, {kInferFactor, count});
    if (parts.size() != 2)
      break;
    BlockOp partial = schedule.rfactor(parts[1]);
    if (!partial)
      return failure();
    partials.push_back(partial);
    loop = block.getLoops().back();
  }
  return partials;
}

/// The loops around a block that are in `row`, or all if that is null.
static SmallVector<ForOp> getInnerLoops(BlockOp block, ForOp row) {
  SmallVector<ForOp> inner;
  for (ForOp loop : block.getLoops())
    if (!row || row->isProperAncestor(loop))
      inner.push_back(loop);
  return inner;
}

/// Binds the last loop of a block, which is over its partial results; each
/// thread reduces by itself.
static void bindPartials(KernelSchedule &schedule, BlockOp partial, ForOp row) {
  SmallVector<ForOp> loops = getInnerLoops(partial, row);
  if (loops.empty())
    return;
  std::rotate(loops.begin(), std::prev(loops.end()), loops.end());
  if (loops.size() == 1 || succeeded(schedule.reorder(loops)))
    (void)schedule.bind(loops.front(), "threadIdx.x");
}

/// Shares out the loops of a block without reduction to the threads.
static void bindElements(KernelSchedule &schedule, BlockOp block, ForOp row,
                         int64_t numThreads) {
  SmallVector<ForOp> loops = getInnerLoops(block, row);
  if (loops.empty())
    return;
  ForOp loop = schedule.fuse(loops);
  if (!loop)
    return;
  std::optional<int64_t> extent = loop.getConstantExtent();
  if (extent && *extent <= numThreads) {
    (void)schedule.bind(loop, "threadIdx.x");
    return;
  }
  SmallVector<ForOp> parts = schedule.split(loop, {kInferFactor, numThreads});
  if (parts.size() == 2 && succeeded(schedule.reorder({parts[1], parts[0]})))
    (void)schedule.bind(parts[1], "threadIdx.x");
}

/// Moves what only the block of a row sees to shared memory, as far as it fits.
static void shareBuffers(KernelSchedule &schedule, ArrayRef<BlockOp> writers) {
  schedule.compactBuffers(kMaxSharedBytes);
  for (BlockOp writer : writers)
    for (Value buffer : getWrittenBuffers(writer)) {
      auto alloc = buffer.getDefiningOp<AllocBufferOp>();
      if (alloc && alloc.getMemory())
        (void)schedule.setScope(writer, buffer, cuda::kShared);
    }
}

/// Results that lie beside each other: threads for them and for parts of the
/// reduction, then one for each result.
static LogicalResult reduceColumns(KernelSchedule &schedule, BlockNest &nest,
                                   size_t numSpatial, int64_t length,
                                   int64_t numResults) {
  int64_t numParts =
      std::min({length / kFewPartials, kPartialResults / numResults,
                cuda::ArchInfo::kMaxGrid[2]});
  if (numParts < 2)
    return failure();
  if (!bringReductionLast(schedule, nest))
    return failure();
  SmallVector<ForOp> parts =
      schedule.split(nest.block.getLoops().back(), {kInferFactor, numParts});
  BlockOp partial = parts.size() == 2 ? schedule.rfactor(parts[1]) : BlockOp();
  if (!partial) {
    scheduleAnything(schedule, nest.block);
    return success();
  }
  // Parts, then results, then what each thread reduces.
  SmallVector<ForOp> loops(partial.getLoops());
  std::rotate(loops.begin(), std::prev(loops.end()), loops.end());
  if (succeeded(schedule.reorder(loops))) {
    (void)schedule.bind(loops.front(), "blockIdx.z");
    bindReduction(schedule, ArrayRef(loops).slice(1, numSpatial));
  }
  SmallVector<ForOp> results(
      ArrayRef(nest.block.getLoops()).take_front(numSpatial));
  bindReduction(schedule, results);
  return success();
}

LogicalResult mlir::tir::scheduleReduction(KernelSchedule &schedule,
                                           BlockNest nest) {
  const BufferAccess *store = nest.getStore();
  if (!nest.isReduction() || !store || !store->map)
    return failure();
  SmallVector<unsigned> reduce = nest.getVars(/*isReduce=*/true);
  SmallVector<unsigned> spatial = nest.getVars(/*isReduce=*/false);
  for (unsigned var : spatial)
    if (nest.kinds[var] != IterKind::Spatial)
      return failure();
  std::optional<int64_t> length = nest.getExtent(reduce.back());
  std::optional<int64_t> numResults = getProduct(nest, spatial);
  if (length && *length < 2 * kShortRow)
    return failure();
  bool isRow = llvm::any_of(nest.accesses, [&](const BufferAccess &access) {
    return !access.isWrite && isContiguous(access, reduce.back());
  });
  bool areMany = !numResults || *numResults >= kManyThreads;
  // A loop over what neighbours have beside each other is fast as it is.
  if (areMany && (!isRow || !length || *length < 4 * kShortRow))
    return failure();
  if (!isRow && !spatial.empty() && length && numResults)
    return reduceColumns(schedule, nest, spatial.size(), *length, *numResults);
  if (!bringReductionLast(schedule, nest))
    return failure();
  FailureOr<SmallVector<BlockOp, 2>> partials =
      divide(schedule, nest.block, getNumThreads(length));
  if (failed(partials))
    return failure();
  SmallVector<ForOp> rows(
      ArrayRef(nest.block.getLoops()).take_front(spatial.size()));
  ForOp row = rows.empty() ? ForOp() : schedule.fuse(rows);
  if (!row) {
    // One result: a block has it all.
    for (BlockOp partial : *partials)
      bindPartials(schedule, partial, row);
    return success();
  }
  for (BlockOp partial : llvm::reverse(*partials))
    (void)schedule.computeAt(partial, row);
  (void)schedule.bind(row, "blockIdx.x");
  for (BlockOp partial : *partials)
    bindPartials(schedule, partial, row);
  shareBuffers(schedule, *partials);
  return success();
}

LogicalResult mlir::tir::scheduleRows(KernelSchedule &schedule) {
  std::optional<RowSteps> found = matchRowSteps(schedule.getKernel());
  if (!found)
    return failure();
  auto &[steps, numRows, work] = *found;
  const BlockNest &last = steps.back();
  std::optional<int64_t> length = 1;
  for (unsigned var = numRows; var != last.getNumVars(); ++var)
    length = length && last.getExtent(var)
                 ? std::optional(*length * *last.getExtent(var))
                 : std::nullopt;
  // Short rows leave most threads of a block without work. What lies between
  // the steps has to fit.
  constexpr int64_t kMaxRow = kMaxSharedBytes / 8;
  if (!length || *length < 2 * kShortRow || *length > kMaxRow)
    return failure();
  for (const BlockNest &step : steps) {
    SmallVector<unsigned> reduce = step.getVars(/*isReduce=*/true);
    if (!reduce.empty() && step.getNumVars() - reduce.front() != reduce.size())
      return failure();
    // Tensor cores need many rows at once.
    if (isProduct(schedule, step))
      return failure();
  }
  int64_t numThreads = getNumThreads(length);
  struct Part {
    BlockOp block;
    bool isPartial, isReduction;
  };
  SmallVector<Part> parts;
  for (const BlockNest &step : steps) {
    if (!step.isReduction()) {
      parts.push_back({step.block, false, false});
      continue;
    }
    FailureOr<SmallVector<BlockOp, 2>> partials =
        divide(schedule, step.block, numThreads);
    if (failed(partials)) {
      parts.push_back({step.block, false, true});
      continue;
    }
    for (BlockOp partial : *partials)
      parts.push_back({partial, true, true});
    parts.push_back({step.block, false, true});
  }
  SmallVector<ForOp> rows(
      ArrayRef(parts.back().block.getLoops()).take_front(numRows));
  ForOp row = schedule.fuse(rows);
  if (!row)
    return failure();
  for (Part &part : llvm::reverse(MutableArrayRef(parts).drop_back()))
    (void)schedule.computeAt(part.block, row);
  (void)schedule.bind(row, "blockIdx.x");
  SmallVector<BlockOp> writers;
  for (Part &part : parts) {
    if (!row->isProperAncestor(part.block)) {
      // On its own, before the rows.
      scheduleAnything(schedule, part.block);
      continue;
    }
    if (part.isPartial)
      bindPartials(schedule, part.block, row);
    else if (!part.isReduction)
      bindElements(schedule, part.block, row, numThreads);
    writers.push_back(part.block);
  }
  shareBuffers(schedule, writers);
  return success();
}
