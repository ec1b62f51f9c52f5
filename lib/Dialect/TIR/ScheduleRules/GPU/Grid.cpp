//===- Grid.cpp - A result for each thread --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURules.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::tir;

/// Results that keep a large GPU busy with one for each thread; of more, a
/// thread takes several, so that their loads are under way at once.
static constexpr int64_t kManyResults = int64_t(1) << 20;
static constexpr int64_t kResultsPerThread = 4;
/// Threads of a block that reduces, at most.
static constexpr int64_t kMaxThreads = 512;
/// Threads of a block that runs long code with branches; fewer are idle lanes.
static constexpr int64_t kFewThreads = cuda::ArchInfo::kWarpSize;
/// Copies of a body that moves data, above which its result is stored.
static constexpr unsigned kMaxCopies = 8;

void mlir::tir::inlineCopies(KernelSchedule &schedule) {
  for (BlockOp block : schedule.getKernel().getBlocks()) {
    FailureOr<BlockNest> nest = BlockNest::get(block);
    if (failed(nest) || nest->isReduction())
      continue;
    const BufferAccess *store = nest->getStore();
    if (!store || !store->map ||
        !store->buffer.getDefiningOp<AllocBufferOp>() || getBodyWork(block) > 1)
      continue;
    unsigned numLoads = 0;
    for (BlockOp reader : getReaders(store->buffer))
      if (FailureOr<BlockNest> consumer = BlockNest::get(reader);
          succeeded(consumer))
        numLoads +=
            llvm::count_if(consumer->accesses, [&](const BufferAccess &access) {
              return !access.isWrite && access.buffer == store->buffer;
            });
    if (numLoads <= kMaxCopies)
      (void)schedule.computeInline(block);
  }
}

void mlir::tir::bindToGrid(KernelSchedule &schedule, ForOp loop,
                           bool mayTakeSeveral) {
  std::optional<int64_t> extent = loop.getConstantExtent();
  if (extent && *extent <= kBlockSize) {
    (void)schedule.bind(loop, "threadIdx.x");
    return;
  }
  if (mayTakeSeveral && extent && *extent >= kManyResults) {
    SmallVector<ForOp> parts =
        schedule.split(loop, {kInferFactor, kResultsPerThread, kBlockSize});
    if (parts.size() == 3 &&
        succeeded(schedule.reorder({parts[0], parts[2], parts[1]}))) {
      (void)schedule.bind(parts[0], "blockIdx.x");
      (void)schedule.bind(parts[2], "threadIdx.x");
      (void)schedule.unroll(parts[1]);
      return;
    }
    return;
  }
  SmallVector<ForOp> parts = schedule.split(loop, {kInferFactor, kBlockSize});
  if (parts.size() != 2)
    return;
  (void)schedule.bind(parts[0], "blockIdx.x");
  (void)schedule.bind(parts[1], "threadIdx.x");
}

void mlir::tir::bindReduction(KernelSchedule &schedule,
                              ArrayRef<ForOp> spatial) {
  if (spatial.size() == 1)
    return bindToGrid(schedule, spatial.front(), /*mayTakeSeveral=*/false);
  size_t numBlocks = spatial.size();
  int64_t numThreads = 1;
  while (numBlocks != 0) {
    ForOp loop = spatial[numBlocks - 1];
    std::optional<int64_t> extent = loop.getConstantExtent();
    if (!extent || *extent * numThreads > kMaxThreads)
      break;
    numThreads *= *extent;
    --numBlocks;
  }
  SmallVector<ForOp> outer(spatial.take_front(numBlocks));
  ForOp threads;
  if (numBlocks == spatial.size()) {
    // Without a condition if that leaves enough threads.
    ForOp last = outer.pop_back_val();
    int64_t size = kBlockSize;
    if (std::optional<int64_t> extent = last.getConstantExtent())
      while (size > kFewThreads && *extent % size != 0)
        --size;
    if (size == kFewThreads)
      size = kBlockSize;
    SmallVector<ForOp> parts = schedule.split(last, {kInferFactor, size});
    if (parts.size() != 2)
      return;
    threads = parts[1];
    (void)schedule.bind(parts[0], outer.empty() ? "blockIdx.x" : "blockIdx.y");
  } else {
    threads = schedule.fuse(spatial.drop_front(numBlocks));
  }
  if (!outer.empty())
    if (ForOp blocks = schedule.fuse(outer))
      (void)schedule.bind(blocks, "blockIdx.x");
  if (threads)
    (void)schedule.bind(threads, "threadIdx.x");
}

std::optional<SmallVector<ForOp>>
mlir::tir::bringReductionLast(KernelSchedule &schedule, const BlockNest &nest) {
  SmallVector<ForOp> spatial;
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    if (nest.kinds[var] != IterKind::Spatial)
      return std::nullopt;
    spatial.push_back(nest.loops[var]);
  }
  SmallVector<ForOp> order = spatial;
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    order.push_back(nest.loops[var]);
  if (!llvm::equal(order, nest.loops) && failed(schedule.reorder(order)))
    return std::nullopt;
  return spatial;
}

LogicalResult mlir::tir::scheduleGrid(KernelSchedule &schedule,
                                      BlockNest nest) {
  if (nest.getVars(/*isReduce=*/false).empty())
    return failure();
  std::optional<SmallVector<ForOp>> spatial =
      bringReductionLast(schedule, nest);
  if (!spatial)
    return failure();
  if (nest.isReduction()) {
    bindReduction(schedule, *spatial);
    return success();
  }
  ForOp fused = schedule.fuse(*spatial);
  if (!fused) {
    scheduleAnything(schedule, nest.block);
    return success();
  }
  bindToGrid(schedule, fused, /*mayTakeSeveral=*/true);
  return success();
}

void mlir::tir::scheduleAnything(KernelSchedule &schedule, BlockOp block) {
  // Outer loops that only say which result it is.
  SmallVector<ForOp> loops;
  for (ForOp loop : block.getLoops()) {
    bool isSpatial = false, isOther = false;
    for (auto [kind, binding] :
         llvm::zip(block.getKinds(), block.getBindings())) {
      bool isSame = binding == loop.getInductionVar();
      isSpatial |= isSame && kind == IterKind::Spatial;
      isOther |= isSame && kind != IterKind::Spatial;
    }
    if (loop.getKind() != ForKind::Serial || !isSpatial || isOther)
      break;
    loops.push_back(loop);
  }
  while (!loops.empty()) {
    ForOp fused = loops.size() == 1 ? loops.front() : schedule.fuse(loops);
    if (!fused) {
      loops.pop_back();
      continue;
    }
    std::optional<int64_t> extent = fused.getConstantExtent();
    if (extent && *extent <= kFewThreads) {
      (void)schedule.bind(fused, "threadIdx.x");
      return;
    }
    SmallVector<ForOp> parts =
        schedule.split(fused, {kInferFactor, kFewThreads});
    if (parts.size() == 2 && succeeded(schedule.bind(parts[0], "blockIdx.x")))
      (void)schedule.bind(parts[1], "threadIdx.x");
    return;
  }
}
